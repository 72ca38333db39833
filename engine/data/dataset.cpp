// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/dataset.h"

#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/core/philox.h"
#include "engine/data/batches.h"
#include "engine/data/elements.h"
#include "engine/data/files.h"
#include "engine/data/source.h"
#include "engine/data/targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace megalith::data {

namespace fs = std::filesystem;

namespace {

const Source& sourceOf(const Value& data)
{
    const Value* name = data.find("source");
    if (name == nullptr || !name->isString())
        throw DataError("data.source is missing: it says what to train on");
    for (const Source* source : sources())
        if (source->name == name->string())
            return *source;
    throw DataError(fmt::format("data.source \"{}\" is not known; there are {}", shortened(name->string()),
                                fmt::join(sourceNames(), ", ")));
}

// What "validation" says.
struct Validation
{
    double share = 0.0;
    bool test = false;
};

Validation validationOf(const Value& data)
{
    const Value* value = data.find("validation");
    if (value == nullptr || value->isNull())
        return {};
    if (value->isString() && value->string() == "test")
        return {0.0, true};
    if (!value->isNumber() || !(value->number() >= 0.0 && value->number() < 1.0))
        throw DataError(
            "data.validation must be a share from 0 to below 1, or \"test\" for the source's own test part");
    return {value->number(), false};
}

NormalizationKind kindOf(const Value& data)
{
    const Value* value = data.find("normalize");
    if (value == nullptr || value->isNull())
        return NormalizationKind::None;
    if (!value->isString())
        throw DataError(fmt::format("data.normalize is {}, but it must be none, standard or minmax", kindName(*value)));
    return normalizationKind(value->string());
}

bool fits(const InputFacts& facts, const Shape& shape)
{
    if (facts.sample == shape)
        return true;
    return facts.image && facts.sample.front() == 1
           && std::equal(facts.sample.begin() + 1, facts.sample.end(), shape.begin(), shape.end());
}

std::string listed(const std::vector<InputSpec>& inputs)
{
    std::vector<std::string> names;
    for (const InputSpec& input : inputs)
        names.push_back(input.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

const InputFacts* factsFor(const SourceFacts& facts, const InputSpec& input)
{
    for (const InputFacts& candidate : facts.inputs)
        if (candidate.name.empty() || candidate.name == input.name)
            return &candidate;
    return nullptr;
}

void checkCounts(const RawPart& part, const SourceFacts& facts, const std::string& targetsShown)
{
    const std::int64_t count = part.inputs.front().shape.front();
    if (count == 0)
        throw DataError(fmt::format("{}: there are no samples", facts.inputs.front().shown));
    for (std::size_t i = 1; i < part.inputs.size(); ++i)
        if (part.inputs[i].shape.front() != count)
            throw DataError(fmt::format("{} has {} samples, but {} has {}", facts.inputs[i].shown,
                                        part.inputs[i].shape.front(), facts.inputs.front().shown, count));
    if (part.targets && part.targets->shape.front() != count)
        throw DataError(fmt::format("{} has {} targets, but {} has {} samples", targetsShown,
                                    part.targets->shape.front(), facts.inputs.front().shown, count));
}

std::vector<std::int64_t> allRows(std::int64_t count)
{
    std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    return rows;
}

// Rows for training and for validation, each in the order of the source.
std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> splitRows(std::int64_t count, double share,
                                                                          std::uint64_t seed)
{
    if (share == 0.0)
        return {allRows(count), {}};
    if (count < 2)
        throw DataError(fmt::format("data.validation is {}, but there is only one sample", shortestText(share)));
    const auto wanted = static_cast<std::int64_t>(std::round(static_cast<double>(count) * share));
    const std::int64_t size = std::clamp<std::int64_t>(wanted, 1, count - 1);
    std::vector<std::int64_t> validation = permutation(count, mixKey(seed, "validation split"));
    std::vector<std::int64_t> training(validation.begin() + size, validation.end());
    validation.resize(static_cast<std::size_t>(size));
    std::sort(training.begin(), training.end());
    std::sort(validation.begin(), validation.end());
    return {std::move(training), std::move(validation)};
}

// One Input's offset and scale stand for all elements.
NormalizationGroups groupsOf(const InputNormalization* normalization, const Shape& sample)
{
    return NormalizationGroups(normalization != nullptr && normalization->offset.size() == 1 ? Shape{} : sample);
}

Samples makeSamples(const StateEntry& array, std::span<const std::int64_t> rows, const InputSpec& input,
                    const InputNormalization* normalization, std::string_view shown,
                    const std::function<void()>& checkCancelled)
{
    Samples samples;
    samples.name = input.name;
    samples.dtype = input.dtype;
    samples.sample = input.shape;
    samples.count = static_cast<std::int64_t>(rows.size());
    samples.bytes.resize(checkedBytes(samples.count, samples.sample, samples.dtype, shown));
    convertRows(array, rows, input.dtype, normalization, groupsOf(normalization, sampleShape(array)), shown,
                samples.bytes, checkCancelled);
    return samples;
}

// Loads what the sources give into what the network takes.
class Loader
{
public:
    Loader(const Value& data, const LoadContext& context)
        : m_request{data, context}
        , m_context(context)
        , m_validation(validationOf(data))
        , m_kind(kindOf(data))
        , m_raw(sourceOf(data).load(m_request))
    {
        if (const auto problem = inputProblem(m_raw.facts, context.inputs))
            throw ShapeError(*problem);
        if (context.hasTargets && !m_raw.train.targets)
            throw DataError("the loss compares with targets, but the data has none: name them in data.targets");
        if (m_validation.test && !m_raw.test)
            throw DataError(fmt::format("data.validation is \"test\", but {} has no test part of its own; give a share "
                                        "such as 0.2",
                                        data.find("source")->string()));
        checkCounts(m_raw.train, m_raw.facts, m_raw.targetsShown);
        if (m_raw.test)
            checkTest();
    }

    LoadedData load()
    {
        std::tie(m_trainRows, m_valRows) =
            splitRows(m_raw.train.inputs.front().shape.front(), m_validation.share, m_context.seed);
        if (m_raw.test)
            m_valRows = allRows(m_raw.test->inputs.front().shape.front());
        m_result.normalization.kind = m_kind;
        m_result.inputColumns = m_raw.facts.inputColumns;
        m_result.targetColumns = m_raw.facts.targetColumns;
        for (const InputSpec& input : m_context.inputs)
            addInput(input);
        if (m_context.hasTargets)
            addTargets();
        report(1.0);
        return std::move(m_result);
    }

private:
    void checkTest() const
    {
        checkCounts(*m_raw.test, m_raw.facts, m_raw.targetsShown);
        for (std::size_t i = 0; i < m_raw.train.inputs.size(); ++i)
            if (sampleShape(m_raw.test->inputs[i]) != sampleShape(m_raw.train.inputs[i]))
                throw DataError(fmt::format("{}: the test part has samples of {}, the training part of {}",
                                            m_raw.facts.inputs[i].shown, text(sampleShape(m_raw.test->inputs[i])),
                                            text(sampleShape(m_raw.train.inputs[i]))));
    }

    void addInput(const InputSpec& input)
    {
        const InputFacts& facts = *factsFor(m_raw.facts, input);
        const auto position = static_cast<std::size_t>(&facts - m_raw.facts.inputs.data());
        const StateEntry& array = m_raw.train.inputs[position];
        const auto checkCancelled = [this] { m_request.checkCancelled(); };
        checkCancelled();
        InputNormalization normalization;
        if (isFloating(input.dtype))
            normalization = fit(m_kind, array, m_trainRows, NormalizationGroups(facts.sample), facts.shown);
        normalization.input = input.name;
        normalization.columns = columnsOf(position);
        report(0.85);
        m_result.trainInputs.push_back(
            makeSamples(array, m_trainRows, input, &normalization, facts.shown, checkCancelled));
        if (!m_valRows.empty())
            m_result.valInputs.push_back(makeSamples(m_raw.test ? m_raw.test->inputs[position] : array, m_valRows,
                                                     input, &normalization, facts.shown, checkCancelled));
        m_result.normalization.inputs.push_back(std::move(normalization));
    }

    void addTargets()
    {
        const TargetMaker maker(m_raw, m_context);
        m_result.trainTargets = maker.make(*m_raw.train.targets, m_trainRows);
        if (!m_valRows.empty())
            m_result.valTargets = maker.make(m_raw.test ? *m_raw.test->targets : *m_raw.train.targets, m_valRows);
    }

    // Names of a table's columns that the input at this position has.
    std::vector<std::string> columnsOf(std::size_t position) const
    {
        const std::vector<std::string>& all = m_raw.facts.inputColumns;
        std::size_t first = 0;
        for (std::size_t i = 0; i < position; ++i)
            first += static_cast<std::size_t>(numel(m_raw.facts.inputs[i].sample));
        const std::size_t last = first + static_cast<std::size_t>(numel(m_raw.facts.inputs[position].sample));
        if (last > all.size())
            return {};
        return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(last)};
    }

    void report(double done) const
    {
        if (m_context.progress)
            m_context.progress(done);
    }

    SourceRequest m_request;
    const LoadContext& m_context;
    Validation m_validation;
    NormalizationKind m_kind;
    RawData m_raw;
    std::vector<std::int64_t> m_trainRows;
    std::vector<std::int64_t> m_valRows;
    LoadedData m_result;
};

// Without leading ones: a picture of one channel, with and without it.
Shape withoutLeadingOnes(Shape shape)
{
    shape.erase(shape.begin(), std::find_if(shape.begin(), shape.end(), [](std::int64_t size) { return size != 1; }));
    return shape;
}

}  // namespace

std::size_t Samples::rowBytes() const
{
    return static_cast<std::size_t>(numel(sample)) * itemSize(dtype);
}

std::optional<std::string> inputProblem(const SourceFacts& facts, const std::vector<InputSpec>& inputs)
{
    if (inputs.empty())
        return "the network has no Input node, so it takes no data";
    const bool unnamed = facts.inputs.size() == 1 && facts.inputs.front().name.empty();
    if (unnamed && inputs.size() > 1)
        return fmt::format(
            "{} is one input, but the network has {} Input nodes ({}); data.inputs can say by their names what "
            "each takes",
            facts.inputs.front().shown, inputs.size(), listed(inputs));
    for (const InputFacts& given : facts.inputs)
        if (!given.name.empty() && std::none_of(inputs.begin(), inputs.end(), [&](const InputSpec& input) {
                return input.name == given.name;
            }))
            return fmt::format("data.inputs has \"{}\", but the network's Input nodes are {}", given.name,
                               listed(inputs));
    for (const InputSpec& input : inputs) {
        const InputFacts* given = factsFor(facts, input);
        if (given == nullptr)
            return fmt::format("data.inputs says nothing for the Input \"{}\"", input.name);
        if (!fits(*given, input.shape))
            return fmt::format("the Input \"{}\" takes samples of {}, but {} has samples of {}", input.name,
                               text(input.shape), given->shown, text(given->sample));
    }
    return std::nullopt;
}

SourceFacts sourceFacts(const Value& data, const fs::path& projectFolder, std::int64_t ignoreIndex)
{
    return sourceOf(data).facts(data, projectFolder, ignoreIndex);
}

LoadedData load(const Value& data, const LoadContext& context)
{
    return Loader(data, context).load();
}

Samples toSamples(const StateEntry& array, const InputSpec& input, const Normalization& normalization,
                  std::string_view shown)
{
    if (array.shape.empty())
        throw ShapeError(fmt::format("{}: is a single number, but its first dimension must be the samples", shown));
    if (withoutLeadingOnes(sampleShape(array)) != withoutLeadingOnes(input.shape))
        throw ShapeError(fmt::format("the Input \"{}\" takes samples of {}, but {} has samples of {}", input.name,
                                     text(input.shape), shown, text(sampleShape(array))));
    const InputNormalization* entry = normalization.find(input.name);
    const std::size_t groups = groupsOf(entry, sampleShape(array)).count;
    if (entry != nullptr && !entry->offset.empty() && entry->offset.size() != groups)
        throw ShapeError(fmt::format("{}: the weights keep a normalisation of {} values for \"{}\", but it has {}",
                                     shown, entry->offset.size(), input.name, groups));
    return makeSamples(array, allRows(array.shape.front()), input, entry, shown, nullptr);
}

}  // namespace megalith::data
