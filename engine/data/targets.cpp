// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/targets.h"

#include "engine/core/error.h"
#include "engine/data/elements.h"
#include "engine/data/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace megalith::data {

namespace {

constexpr std::size_t mostClasses = 100'000;
constexpr std::string_view purpose = "classes are whole numbers or texts; for values choose a loss such as MSELoss";

bool oneColumn(const StateEntry& targets)
{
    return targets.shape.size() == 1 || (targets.shape.size() == 2 && targets.shape[1] == 1);
}

Shape classSample(const StateEntry& targets, bool table)
{
    return table && oneColumn(targets) ? Shape{} : sampleShape(targets);
}

Shape valueSample(const StateEntry& targets, bool table)
{
    return table && oneColumn(targets) ? Shape{1} : sampleShape(targets);
}

bool allWhole(const StateEntry& targets, std::string_view shown)
{
    bool whole = true;
    const auto count = static_cast<std::size_t>(numel(targets.shape));
    visitElementType(targets.dtype, shown, [&]<typename From>(From) {
        if constexpr (isFloatingElement<From>)
            for (std::size_t i = 0; i < count && whole; ++i) {
                const double value = asDouble(loadElement<From>(targets.data.get(), i));
                whole = std::abs(value) < 0x1p53 && value == std::floor(value);
            }
    });
    return whole;
}

DType valueDType(const LoadContext& context)
{
    if (context.targetDtype)
        return *context.targetDtype;
    for (const InputSpec& input : context.inputs)
        if (isFloating(input.dtype))
            return input.dtype;
    return DType::F32;
}

}  // namespace

ClassNumbers::ClassNumbers(std::vector<std::int64_t> values, std::int64_t ignoreIndex,
                           std::span<const std::string> labelNames, std::string_view shown)
    : m_values(std::move(values))
    , m_ignoreIndex(ignoreIndex)
{
    std::sort(m_values.begin(), m_values.end());
    m_values.erase(std::unique(m_values.begin(), m_values.end()), m_values.end());
    std::erase(m_values, ignoreIndex);
    if (m_values.size() > mostClasses)
        throw DataError(
            fmt::format("{}: has {} different values, too many for classes; for values choose a loss such as "
                        "MSELoss",
                        shown, m_values.size()));
    std::int64_t number = 0;
    for (const std::int64_t value : m_values) {
        if (number == ignoreIndex) {
            m_names.push_back(std::to_string(ignoreIndex));
            ++number;
        }
        m_numbers.push_back(number++);
        const bool named = value >= 0 && static_cast<std::uint64_t>(value) < labelNames.size();
        m_names.push_back(named ? labelNames[static_cast<std::size_t>(value)] : std::to_string(value));
    }
}

std::int64_t ClassNumbers::numberOf(std::int64_t value) const
{
    if (value == m_ignoreIndex)
        return value;
    const auto at = std::lower_bound(m_values.begin(), m_values.end(), value) - m_values.begin();
    return m_numbers[static_cast<std::size_t>(at)];
}

void describeTargets(const StateEntry& targets, std::span<const std::string> labelNames, std::string_view shown,
                     bool table, std::int64_t ignoreIndex, SourceFacts& facts)
{
    facts.hasTargets = true;
    facts.targetSample = valueSample(targets, table);
    facts.classSample = classSample(targets, table);
    if (isFloatingTag(targets.dtype) && (!oneColumn(targets) || !allWhole(targets, shown)))
        return;
    std::vector<std::int64_t> values = wholeNumbers(targets, shown, purpose);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() > mostClasses)
        return;
    const ClassNumbers numbers(std::move(values), ignoreIndex, labelNames, shown);
    facts.classCount = numbers.count();
    facts.classNames = numbers.names();
}

TargetMaker::TargetMaker(const RawData& raw, const LoadContext& context) : m_raw(raw), m_dtype(valueDType(context))
{
    const StateEntry& targets = *raw.train.targets;
    const bool column = raw.table && oneColumn(targets);
    const bool probabilities =
        isFloatingTag(targets.dtype) && !column
        && (context.outputShape ? sampleShape(targets) == *context.outputShape : targets.shape.size() > 1);
    m_classes = context.targetsAreClasses && !probabilities;
    if (!m_classes)
        return;
    std::vector<std::int64_t> values = wholeNumbers(targets, raw.targetsShown, purpose);
    if (raw.test && raw.test->targets) {
        const std::vector<std::int64_t> more = wholeNumbers(*raw.test->targets, raw.targetsShown, purpose);
        values.insert(values.end(), more.begin(), more.end());
    }
    m_numbers.emplace(std::move(values), context.ignoreIndex, raw.labelNames, raw.targetsShown);
}

Targets TargetMaker::make(const StateEntry& targets, std::span<const std::int64_t> rows) const
{
    Targets result;
    result.classes = m_classes;
    Samples& values = result.values;
    values.name = "target";
    values.count = static_cast<std::int64_t>(rows.size());
    values.dtype = m_classes ? DType::I64 : m_dtype;
    values.sample = m_classes ? classSample(targets, m_raw.table) : valueSample(targets, m_raw.table);
    values.bytes.resize(checkedBytes(values.count, values.sample, values.dtype, m_raw.targetsShown));
    convertRows(targets, rows, values.dtype, nullptr, NormalizationGroups(values.sample), m_raw.targetsShown,
                values.bytes, nullptr);
    if (!m_classes)
        return result;
    const ClassNumbers& numbers = *m_numbers;
    for (std::size_t i = 0; i < values.bytes.size(); i += sizeof(std::int64_t)) {
        const std::int64_t number = numbers.numberOf(loadElement<std::int64_t>(values.bytes.data() + i, 0));
        std::memcpy(values.bytes.data() + i, &number, sizeof number);
    }
    result.classNames = numbers.names();
    result.classCount = numbers.count();
    return result;
}

}  // namespace megalith::data
