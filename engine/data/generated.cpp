// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/source.h"

#include "engine/core/error.h"
#include "engine/core/philox.h"
#include "engine/data/elements.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

namespace megalith::data {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t mostSamples = 10'000'000;

// "samples" and "noise" of the project, with the source's defaults.
struct Options
{
    std::int64_t samples = 1000;
    double noise = 0.0;
};

Options optionsOf(const Value& data, double defaultNoise)
{
    Options options{1000, defaultNoise};
    if (const Value* samples = data.find("samples"); samples != nullptr && !samples->isNull()) {
        if (!samples->isInteger() || samples->integer() < 1 || samples->integer() > mostSamples)
            throw DataError(fmt::format("data.samples must be a whole number from 1 to {}", mostSamples));
        options.samples = samples->integer();
    }
    if (const Value* noise = data.find("noise"); noise != nullptr && !noise->isNull()) {
        if (!noise->isNumber() || !std::isfinite(noise->number()) || noise->number() < 0.0)
            throw DataError(
                "data.noise must be a number that is not negative: the deviation of what is added to each value");
        options.noise = noise->number();
    }
    return options;
}

using Point = std::array<double, 2>;

struct Pattern
{
    std::string_view name;
    std::int64_t classes;
    double noise;  // unless the project says otherwise
    // The place of a point of class k, without noise.
    Point (*place)(std::int64_t k, PhiloxStream& random);
};

// Points in the plane whose classes take turns, so that any first rows have as many of each.
RawData pointsOf(const Pattern& pattern, const Options& options, std::uint64_t seed)
{
    PhiloxStream random(mixKey(seed, pattern.name));
    std::vector<double> points;
    std::vector<std::int64_t> labels;
    points.reserve(static_cast<std::size_t>(options.samples) * 2);
    labels.reserve(static_cast<std::size_t>(options.samples));
    for (std::int64_t i = 0; i < options.samples; ++i) {
        const std::int64_t label = i % pattern.classes;
        const Point place = pattern.place(label, random);
        for (const double coordinate : place)
            points.push_back(coordinate + options.noise * random.normal());
        labels.push_back(label);
    }
    RawData raw;
    raw.train.inputs.push_back(takeNumbers("F64", {options.samples, 2}, std::move(points)));
    raw.train.targets = takeNumbers("I64", {options.samples, 1}, std::move(labels));
    return raw;
}

// Two half circles of radius 1 that reach into each other.
Point moonPoint(std::int64_t k, PhiloxStream& random)
{
    const double angle = std::numbers::pi * random.uniform();
    return k == 0 ? Point{std::cos(angle), std::sin(angle)} : Point{1.0 - std::cos(angle), 0.5 - std::sin(angle)};
}

// A circle of radius 1 around one of radius 0.5.
Point circlePoint(std::int64_t k, PhiloxStream& random)
{
    const double angle = 2.0 * std::numbers::pi * random.uniform();
    const double radius = k == 0 ? 1.0 : 0.5;
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

// Two arms of one and three quarter turns, half a turn apart.
Point spiralPoint(std::int64_t k, PhiloxStream& random)
{
    const double t = std::sqrt(random.uniform());
    const double angle = 3.5 * std::numbers::pi * t + std::numbers::pi * static_cast<double>(k);
    return {t * std::cos(angle), t * std::sin(angle)};
}

// Three heaps around the corners of a triangle at distance 2 from the origin.
Point blobPoint(std::int64_t k, PhiloxStream&)
{
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) / 3.0;
    return {2.0 * std::cos(angle), 2.0 * std::sin(angle)};
}

// The square from -1 to 1; class 1 where the signs differ.
Point xorPoint(std::int64_t k, PhiloxStream& random)
{
    const double x = random.uniform(-1.0, 1.0);
    const double y = random.uniform();
    return {x, (x < 0.0) == (k == 0) ? -y : y};
}

// y = sin(x) for x from -pi to pi; the noise is added to y.
RawData sineOf(const Options& options, std::uint64_t seed)
{
    PhiloxStream random(mixKey(seed, "regression-1d"));
    std::vector<double> inputs;
    std::vector<double> values;
    for (std::int64_t i = 0; i < options.samples; ++i) {
        const double x = random.uniform(-std::numbers::pi, std::numbers::pi);
        inputs.push_back(x);
        values.push_back(std::sin(x) + options.noise * random.normal());
    }
    RawData raw;
    raw.train.inputs.push_back(takeNumbers("F64", {options.samples, 1}, std::move(inputs)));
    raw.train.targets = takeNumbers("F64", {options.samples, 1}, std::move(values));
    return raw;
}

SourceFacts factsOf(const Options& options, std::string_view name, std::int64_t classes)
{
    SourceFacts facts;
    facts.inputs = {{"", {classes == 0 ? 1 : 2}, DType::F32, false, std::string(name)}};
    facts.count = options.samples;
    facts.targetSample = {1};
    facts.classCount = classes;
    for (std::int64_t k = 0; k < classes; ++k)
        facts.classNames.push_back(std::to_string(k));
    facts.inputColumns = classes == 0 ? std::vector<std::string>{"x"} : std::vector<std::string>{"x", "y"};
    facts.targetColumns = {classes == 0 ? "y" : "class"};
    return facts;
}

template<const Pattern& pattern>
SourceFacts pointFacts(const Value& data, const fs::path&, std::int64_t)
{
    return factsOf(optionsOf(data, pattern.noise), pattern.name, pattern.classes);
}

template<const Pattern& pattern>
RawData pointLoad(const SourceRequest& request)
{
    const Options options = optionsOf(request.data, pattern.noise);
    RawData raw = pointsOf(pattern, options, request.context.seed);
    raw.facts = factsOf(options, pattern.name, pattern.classes);
    return raw;
}

constexpr Pattern moonPattern{"moons", 2, 0.1, moonPoint};
constexpr Pattern circlePattern{"circles", 2, 0.05, circlePoint};
constexpr Pattern spiralPattern{"spirals", 2, 0.02, spiralPoint};
constexpr Pattern blobPattern{"blobs", 3, 0.5, blobPoint};
constexpr Pattern xorSquare{"xor", 2, 0.0, xorPoint};
constexpr std::string_view sineName = "regression-1d";
constexpr double sineNoise = 0.1;

SourceFacts sineFacts(const Value& data, const fs::path&, std::int64_t)
{
    return factsOf(optionsOf(data, sineNoise), sineName, 0);
}

RawData sineLoad(const SourceRequest& request)
{
    const Options options = optionsOf(request.data, sineNoise);
    RawData raw = sineOf(options, request.context.seed);
    raw.facts = factsOf(options, sineName, 0);
    return raw;
}

}  // namespace

const Source moons{moonPattern.name, pointFacts<moonPattern>, pointLoad<moonPattern>};
const Source circles{circlePattern.name, pointFacts<circlePattern>, pointLoad<circlePattern>};
const Source spirals{spiralPattern.name, pointFacts<spiralPattern>, pointLoad<spiralPattern>};
const Source blobs{blobPattern.name, pointFacts<blobPattern>, pointLoad<blobPattern>};
const Source xorPattern{xorSquare.name, pointFacts<xorSquare>, pointLoad<xorSquare>};
const Source regression1d{sineName, sineFacts, sineLoad};

}  // namespace megalith::data
