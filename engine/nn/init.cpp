// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/nn/init.h"

#include "engine/autograd/autograd.h"
#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/core/philox.h"
#include "engine/nn/orthogonal.h"
#include "engine/ops/functions.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace megalith::nn {

namespace {

struct Fans
{
    double in = 0.0;
    double out = 0.0;
};

// Inputs and outputs of one unit: dimension 1 and 0, times the elements of the kernel behind them.
Fans fansOf(const Shape& shape)
{
    const auto receptive = static_cast<double>(numel(Shape(shape.begin() + 2, shape.end())));
    return {static_cast<double>(shape[1]) * receptive, static_cast<double>(shape[0]) * receptive};
}

void expectDimensions(const Shape& shape, std::size_t atLeast, std::size_t atMost, const char* what)
{
    if (shape.size() < atLeast || shape.size() > atMost)
        throw Error("needs " + std::string(what) + ", not a tensor of shape " + megalith::text(shape));
}

void twoOrMore(const Shape& shape, const Attrs& /*args*/)
{
    expectDimensions(shape, 2, 64, "at least two dimensions, outputs and inputs");
}

void matrixOnly(const Shape& shape, const Attrs& /*args*/)
{
    expectDimensions(shape, 2, 2, "a matrix of two dimensions");
}

void put(const Tensor& tensor, const std::vector<double>& values)
{
    tensor.copyFrom(makeEntry("F64", tensor.shape(), std::as_bytes(std::span(values))));
}

void checkUniform(const Shape& /*shape*/, const Attrs& args)
{
    if (args.real("a") > args.real("b"))
        throw Error("a (" + pythonText(*args.find("a")) + ") must not be above b (" + pythonText(*args.find("b"))
                    + ")");
}

// The inverse of erf by Newton's method from Winitzki's approximation (2008), to the accuracy of double.
double inverseErf(double y)
{
    if (y <= -1.0 || y >= 1.0)
        return y * HUGE_VAL;
    constexpr double a = 0.147;
    const double log = std::log1p(-y * y);
    const double half = 2.0 / (std::numbers::pi * a) + log / 2.0;
    double x = std::copysign(std::sqrt(std::sqrt(half * half - log / a) - half), y);
    for (int i = 0; i < 4; ++i)
        x -= (std::erf(x) - y) / (2.0 * std::numbers::inv_sqrtpi * std::exp(-x * x));
    return x;
}

double normalCdf(double x)
{
    return (1.0 + std::erf(x / std::numbers::sqrt2)) / 2.0;
}

void fillTruncNormal(const Tensor& tensor, const Attrs& args, std::uint64_t key)
{
    const double mean = args.real("mean");
    const double std = args.real("std");
    const double a = args.real("a");
    const double b = args.real("b");
    const double low = 2.0 * normalCdf((a - mean) / std) - 1.0;
    const double high = 2.0 * normalCdf((b - mean) / std) - 1.0;
    PhiloxStream stream(key);
    std::vector<double> values(static_cast<std::size_t>(tensor.numel()));
    for (double& value : values)
        value = std::clamp(mean + std * std::numbers::sqrt2 * inverseErf(stream.uniform(low, high)), a, b);
    put(tensor, values);
}

void fillEye(const Tensor& tensor, const Attrs& /*args*/, std::uint64_t /*key*/)
{
    const std::int64_t columns = tensor.size(1);
    std::vector<double> values(static_cast<std::size_t>(tensor.numel()));
    for (std::int64_t i = 0; i < std::min(tensor.size(0), columns); ++i)
        values[static_cast<std::size_t>(i * columns + i)] = 1.0;
    put(tensor, values);
}

void checkDirac(const Shape& shape, const Attrs& args)
{
    expectDimensions(shape, 3, 5, "three to five dimensions, the weight of a convolution");
    if (shape[0] % args.integer("groups") != 0)
        throw Error("groups (" + std::to_string(args.integer("groups")) + ") must divide the first size of "
                    + megalith::text(shape));
}

// Each output channel passes one input channel through unchanged.
void fillDirac(const Tensor& tensor, const Attrs& args, std::uint64_t /*key*/)
{
    const Shape& shape = tensor.shape();
    const Strides strides = contiguousStrides(shape);
    const std::int64_t groups = args.integer("groups");
    const std::int64_t perGroup = shape[0] / groups;
    std::int64_t centre = 0;
    for (std::size_t d = 2; d < shape.size(); ++d)
        centre += shape[d] / 2 * strides[d];
    std::vector<double> values(static_cast<std::size_t>(tensor.numel()));
    for (std::int64_t group = 0; group < groups; ++group)
        for (std::int64_t d = 0; d < std::min(perGroup, shape[1]); ++d)
            values[static_cast<std::size_t>((group * perGroup + d) * strides[0] + d * strides[1] + centre)] = 1.0;
    put(tensor, values);
}

double xavierStd(const Tensor& tensor, const Attrs& args)
{
    const Fans fans = fansOf(tensor.shape());
    return args.real("gain") * std::sqrt(2.0 / (fans.in + fans.out));
}

double kaimingStd(const Tensor& tensor, const Attrs& args)
{
    const Fans fans = fansOf(tensor.shape());
    const double gain = calculate_gain(args.string("nonlinearity"), args.real("a"));
    return gain / std::sqrt(args.string("mode") == "fan_in" ? fans.in : fans.out);
}

void fillOrthogonal(const Tensor& tensor, const Attrs& args, std::uint64_t key)
{
    const std::int64_t rows = tensor.size(0);
    const std::int64_t columns = tensor.numel() / rows;
    const std::int64_t tall = std::max(rows, columns);
    const std::int64_t narrow = std::min(rows, columns);
    PhiloxStream stream(key);
    std::vector<double> values(static_cast<std::size_t>(tensor.numel()));
    for (double& value : values)
        value = stream.normal();
    const std::vector<double> q = orthonormalColumns(values, tall, narrow);
    const double gain = args.real("gain");
    for (std::int64_t i = 0; i < tall; ++i)
        for (std::int64_t j = 0; j < narrow; ++j) {
            const std::int64_t to = rows < columns ? j * tall + i : i * narrow + j;
            values[static_cast<std::size_t>(to)] = gain * q[static_cast<std::size_t>(i * narrow + j)];
        }
    put(tensor, values);
}

// In every column the same share of randomly chosen rows is zero.
void fillSparse(const Tensor& tensor, const Attrs& args, std::uint64_t key)
{
    const std::int64_t rows = tensor.size(0);
    const std::int64_t columns = tensor.size(1);
    const auto zeros = static_cast<std::int64_t>(std::ceil(args.real("sparsity") * static_cast<double>(rows)));
    PhiloxStream stream(key);
    std::vector<double> values(static_cast<std::size_t>(tensor.numel()));
    for (double& value : values)
        value = args.real("std") * stream.normal();
    std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
    for (std::int64_t column = 0; column < columns; ++column) {
        std::iota(order.begin(), order.end(), std::int64_t{0});
        for (std::size_t i = 0; i < static_cast<std::size_t>(zeros); ++i) {
            std::swap(order[i], order[i + static_cast<std::size_t>(stream.below(order.size() - i))]);
            values[static_cast<std::size_t>(order[i] * columns + column)] = 0.0;
        }
    }
    put(tensor, values);
}

AttrSpec gainSpec()
{
    return real("gain", 1.0, "factor on every value; what calculate_gain gives for the activation that follows");
}

std::vector<AttrSpec> kaimingSpecs()
{
    return {real("a", 0.0, "slope left of zero of the leaky_relu that follows"),
            choice("mode", "fan_in", {"fan_in", "fan_out"}, "keeps the variance going forward, or going back"),
            choice("nonlinearity", "leaky_relu",
                   {"linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
                    "sigmoid", "tanh", "relu", "leaky_relu", "selu"},
                   "the activation that follows")};
}

// Without regard to the shape, or for one kind of shape.
std::vector<InitDef> plainInits()
{
    return {
        {"uniform_",
         "Equally likely anywhere from a to b.",
         {real("a", 0.0, "lower end"), real("b", 1.0, "upper end")},
         checkUniform,
         [](const Tensor& t, const Attrs& args, std::uint64_t key) {
             ops::uniform_(t, args.real("a"), args.real("b"), key);
         }},
        {"normal_",
         "The bell curve.",
         {real("mean", 0.0, "its middle"), real("std", 1.0, "its deviation", 0.0)},
         nullptr,
         [](const Tensor& t, const Attrs& args, std::uint64_t key) {
             ops::normal_(t, args.real("mean"), args.real("std"), key);
         }},
        {"trunc_normal_",
         "The bell curve between a and b, nothing outside.",
         {real("mean", 0.0, "its middle"), real("std", 1.0, "its deviation", 0.0), real("a", -2.0, "lower end"),
          real("b", 2.0, "upper end")},
         [](const Shape& s, const Attrs& args) {
             checkUniform(s, args);
             if (args.real("std") <= 0.0)
                 throw Error("std must be above 0");
         },
         fillTruncNormal},
        {"constant_",
         "One value everywhere.",
         {{.name = "val", .kind = AttrKind::Real, .required = true, .doc = "the value"}},
         nullptr,
         [](const Tensor& t, const Attrs& args, std::uint64_t /*key*/) { ops::fill_(t, args.real("val")); }},
        {"ones_",
         "1 everywhere.",
         {},
         nullptr,
         [](const Tensor& t, const Attrs&, std::uint64_t) { ops::fill_(t, 1.0); }},
        {"zeros_",
         "0 everywhere.",
         {},
         nullptr,
         [](const Tensor& t, const Attrs&, std::uint64_t) { ops::fill_(t, 0.0); }},
        {"eye_", "The identity matrix: passes its input through.", {}, matrixOnly, fillEye},
        {"dirac_",
         "The convolution that passes its input through.",
         {size("groups", 1, "groups of the convolution")},
         checkDirac,
         fillDirac},
    };
}

// By what a unit takes in and gives out.
std::vector<InitDef> scaledInits()
{
    return {
        {"xavier_uniform_",
         "Glorot and Bengio 2010: keeps the variance forward and back, equally likely within the bounds.",
         {gainSpec()},
         twoOrMore,
         [](const Tensor& t, const Attrs& args, std::uint64_t key) {
             const double bound = std::sqrt(3.0) * xavierStd(t, args);
             ops::uniform_(t, -bound, bound, key);
         }},
        {"xavier_normal_",
         "Glorot and Bengio 2010: keeps the variance forward and back, bell curve.",
         {gainSpec()},
         twoOrMore,
         [](const Tensor& t, const Attrs& args, std::uint64_t key) { ops::normal_(t, 0.0, xavierStd(t, args), key); }},
        {"kaiming_uniform_",
         "He et al. 2015: keeps the variance through a rectifier, equally likely within the bounds.", kaimingSpecs(),
         twoOrMore,
         [](const Tensor& t, const Attrs& args, std::uint64_t key) {
             const double bound = std::sqrt(3.0) * kaimingStd(t, args);
             ops::uniform_(t, -bound, bound, key);
         }},
        {"kaiming_normal_", "He et al. 2015: keeps the variance through a rectifier, bell curve.", kaimingSpecs(),
         twoOrMore,
         [](const Tensor& t, const Attrs& args, std::uint64_t key) { ops::normal_(t, 0.0, kaimingStd(t, args), key); }},
        {"orthogonal_",
         "Saxe et al. 2013: rows (or columns) at right angles, so that lengths are kept.",
         {gainSpec()},
         twoOrMore,
         fillOrthogonal},
        {"sparse_",
         "Martens 2010: most of every column is zero, the rest a bell curve.",
         {{.name = "sparsity",
           .kind = AttrKind::Real,
           .required = true,
           .minimum = 0,
           .maximum = 1,
           .doc = "share of zeros in every column"},
          real("std", 0.01, "deviation of the others", 0.0)},
         matrixOnly,
         fillSparse},
    };
}

// The definition and all arguments, checked; errors begin with the function's name.
std::pair<const InitDef*, Attrs> checked(const Init& init, const Shape& shape)
{
    const InitDef* def = findInit(init.type);
    if (def == nullptr) {
        std::string names;
        for (const InitDef& each : allInits())
            names += (names.empty() ? "" : ", ") + std::string(each.type);
        throw Error("there is no initialisation called " + init.type + "; there are " + names);
    }
    try {
        Attrs args = complete(init.type, def->args, init.args);
        if (def->check != nullptr)
            def->check(shape, args);
        return {def, std::move(args)};
    } catch (const Error& error) {
        throw Error(withOwner(init.type, error.what()));
    }
}

}  // namespace

std::span<const InitDef> allInits()
{
    static const std::vector<InitDef> all = [] {
        std::vector<InitDef> inits = plainInits();
        for (InitDef& init : scaledInits())
            inits.push_back(std::move(init));
        return inits;
    }();
    return all;
}

const InitDef* findInit(std::string_view type)
{
    const auto all = allInits();
    const auto it = std::find_if(all.begin(), all.end(), [type](const InitDef& def) { return def.type == type; });
    return it == all.end() ? nullptr : &*it;
}

Init kaimingUniform(double a)
{
    return {"kaiming_uniform_", {{"a", a}}};
}

Init uniformByFanIn(std::int64_t fanIn)
{
    if (fanIn <= 0)
        return {};
    const double bound = 1.0 / std::sqrt(static_cast<double>(fanIn));
    return {"uniform_", {{"a", -bound}, {"b", bound}}};
}

Init constant(double value)
{
    return {"constant_", {{"val", value}}};
}

void checkInit(const Init& init, const Shape& shape)
{
    checked(init, shape);
}

void fill(const Tensor& tensor, const Init& init, std::uint64_t key)
{
    const auto [def, args] = checked(init, tensor.shape());
    if (tensor.numel() == 0)
        return;
    const NoGrad off;
    def->fill(tensor, args, key);
}

double calculate_gain(std::string_view nonlinearity, double param)
{
    if (nonlinearity == "tanh")
        return 5.0 / 3.0;
    if (nonlinearity == "relu")
        return std::numbers::sqrt2;
    if (nonlinearity == "leaky_relu")
        return std::sqrt(2.0 / (1.0 + param * param));
    if (nonlinearity == "selu")
        return 3.0 / 4.0;
    const bool plain = nonlinearity == "linear" || nonlinearity == "sigmoid" || nonlinearity.starts_with("conv");
    if (!plain)
        throw Error("calculate_gain: there is no nonlinearity called " + std::string(nonlinearity));
    return 1.0;
}

}  // namespace megalith::nn
