// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/elements.h"

#include "engine/core/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace megalith::data {

namespace {

constexpr std::size_t rowsBetweenQuestions = 4096;

// A place in an array as a person counts it.
std::string place(std::string_view shown, std::int64_t row)
{
    return fmt::format("{}: row {}", shown, row);
}

template<typename From>
bool toWhole(From from, std::int64_t& to)
{
    if constexpr (isFloatingElement<From>) {
        const double value = asDouble(from);
        if (!(std::abs(value) < 0x1p63) || value != std::floor(value))
            return false;
        to = static_cast<std::int64_t>(value);
    } else {
        if (!std::in_range<std::int64_t>(from))
            return false;
        to = static_cast<std::int64_t>(from);
    }
    return true;
}

// The group of each element of a sample: two divisions that need not be done for every sample.
std::vector<std::uint32_t> groupTable(const NormalizationGroups& groups, std::size_t size)
{
    std::vector<std::uint32_t> table(size);
    for (std::size_t i = 0; i < size; ++i)
        table[i] = static_cast<std::uint32_t>(groups.groupOf(i));
    return table;
}

// One row into floating numbers.
template<typename To, typename From>
void convertRow(const std::byte* from, std::size_t size, const InputNormalization* normalization,
                const std::vector<std::uint32_t>& groupOf, std::byte* to)
{
    for (std::size_t i = 0; i < size; ++i) {
        double value = asDouble(loadElement<From>(from, i));
        if (normalization != nullptr)
            value = (value - normalization->offset[groupOf[i]]) / normalization->scale[groupOf[i]];
        const To element = static_cast<To>(value);
        std::memcpy(to + i * sizeof(To), &element, sizeof(To));
    }
}

template<typename From>
void convertWholeRow(const std::byte* from, std::size_t size, std::int64_t row, std::string_view shown, std::byte* to)
{
    for (std::size_t i = 0; i < size; ++i) {
        std::int64_t element = 0;
        if (!toWhole(loadElement<From>(from, i), element))
            throw DataError(fmt::format("{} has {}, but its Input takes whole numbers (int64)", place(shown, row),
                                        shortestText(asDouble(loadElement<From>(from, i)))));
        std::memcpy(to + i * sizeof element, &element, sizeof element);
    }
}

template<typename From>
void convertMaskRow(const std::byte* from, std::size_t size, std::int64_t row, std::string_view shown, std::byte* to)
{
    for (std::size_t i = 0; i < size; ++i) {
        const double value = asDouble(loadElement<From>(from, i));
        if (value != 0.0 && value != 1.0)
            throw DataError(
                fmt::format("{} has {}, but its Input takes 0 and 1 (bool)", place(shown, row), shortestText(value)));
        to[i] = std::byte{value != 0.0};
    }
}

bool sameElements(std::string_view tag, DType to)
{
    return tag == dtypeTag(to);
}

void fitStandard(const StateEntry& array, std::span<const std::int64_t> rows, const NormalizationGroups& groups,
                 std::string_view shown, InputNormalization& result)
{
    const std::size_t size = sampleSize(array);
    const std::vector<std::uint32_t> groupOf = groupTable(groups, size);
    const double perGroup =
        static_cast<double>(rows.size()) * static_cast<double>(size) / static_cast<double>(groups.count);
    // The mean first, then the deviation from it: a sum of squares alone loses what is small beside the mean.
    visitElementType(array.dtype, shown, [&]<typename From>(From) {
        const auto sweep = [&](std::vector<double>& sums, auto&& of) {
            for (const std::int64_t row : rows) {
                const std::byte* from = array.data.get() + static_cast<std::size_t>(row) * size * sizeof(From);
                for (std::size_t i = 0; i < size; ++i)
                    sums[groupOf[i]] += of(asDouble(loadElement<From>(from, i)), groupOf[i]);
            }
        };
        sweep(result.offset, [](double value, std::size_t) { return value; });
        for (double& mean : result.offset)
            mean /= perGroup;
        sweep(result.scale, [&](double value, std::size_t group) {
            const double difference = value - result.offset[group];
            return difference * difference;
        });
        for (double& deviation : result.scale)
            deviation = std::sqrt(deviation / perGroup);
    });
}

void fitMinMax(const StateEntry& array, std::span<const std::int64_t> rows, const NormalizationGroups& groups,
               std::string_view shown, InputNormalization& result)
{
    const std::size_t size = sampleSize(array);
    const std::vector<std::uint32_t> groupOf = groupTable(groups, size);
    std::vector<double> largest(groups.count, -std::numeric_limits<double>::infinity());
    std::fill(result.offset.begin(), result.offset.end(), std::numeric_limits<double>::infinity());
    bool finite = true;
    visitElementType(array.dtype, shown, [&]<typename From>(From) {
        for (const std::int64_t row : rows) {
            const std::byte* from = array.data.get() + static_cast<std::size_t>(row) * size * sizeof(From);
            for (std::size_t i = 0; i < size; ++i) {
                const double value = asDouble(loadElement<From>(from, i));
                const std::uint32_t group = groupOf[i];
                finite = finite && std::isfinite(value);
                result.offset[group] = std::min(result.offset[group], value);
                largest[group] = std::max(largest[group], value);
            }
        }
    });
    for (std::size_t group = 0; group < groups.count; ++group)
        result.scale[group] = finite ? largest[group] - result.offset[group] : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

bool isFloatingTag(std::string_view tag)
{
    return tag == "F32" || tag == "F64" || tag == "F16" || tag == "BF16";
}

DType inputDType(std::string_view tag)
{
    if (tag == "BOOL")
        return DType::Bool;
    const bool small = tag == "U8" || tag == "I8";
    return isFloatingTag(tag) || small ? DType::F32 : DType::I64;
}

Shape sampleShape(const StateEntry& array)
{
    return {array.shape.begin() + 1, array.shape.end()};
}

std::size_t sampleSize(const StateEntry& array)
{
    return static_cast<std::size_t>(numel(sampleShape(array)));
}

void convertRows(const StateEntry& array, std::span<const std::int64_t> rows, DType to,
                 const InputNormalization* normalization, const NormalizationGroups& groups, std::string_view shown,
                 std::span<std::byte> out, const std::function<void()>& checkCancelled)
{
    const std::size_t size = sampleSize(array);
    const std::size_t outBytes = size * itemSize(to);
    const bool scaled = normalization != nullptr && !normalization->offset.empty() && isFloating(to);
    const InputNormalization* scaling = scaled ? normalization : nullptr;
    const std::vector<std::uint32_t> groupOf = scaled ? groupTable(groups, size) : std::vector<std::uint32_t>();
    visitElementType(array.dtype, shown, [&]<typename From>(From) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (checkCancelled && i % rowsBetweenQuestions == 0)
                checkCancelled();
            const std::byte* from = array.data.get() + static_cast<std::size_t>(rows[i]) * size * sizeof(From);
            std::byte* target = out.data() + i * outBytes;
            if (outBytes == 0)
                continue;
            if (!scaled && sameElements(array.dtype, to))
                std::memcpy(target, from, outBytes);
            else if (to == DType::F32)
                convertRow<float, From>(from, size, scaling, groupOf, target);
            else if (to == DType::F64)
                convertRow<double, From>(from, size, scaling, groupOf, target);
            else if (to == DType::I64)
                convertWholeRow<From>(from, size, rows[i], shown, target);
            else if (to == DType::Bool)
                convertMaskRow<From>(from, size, rows[i], shown, target);
            else
                throw DataError(
                    fmt::format("{}: data cannot be given as {}; an Input takes float32, float64, int64 or bool", shown,
                                dtypeName(to)));
        }
    });
}

InputNormalization fit(NormalizationKind kind, const StateEntry& array, std::span<const std::int64_t> rows,
                       const NormalizationGroups& groups, std::string_view shown)
{
    InputNormalization result;
    if (kind == NormalizationKind::None || rows.empty() || sampleSize(array) == 0)
        return result;
    result.offset.assign(groups.count, 0.0);
    result.scale.assign(groups.count, 0.0);
    if (kind == NormalizationKind::Standard)
        fitStandard(array, rows, groups, shown, result);
    else
        fitMinMax(array, rows, groups, shown, result);
    for (std::size_t group = 0; group < groups.count; ++group) {
        if (!std::isfinite(result.offset[group]) || !std::isfinite(result.scale[group]))
            throw DataError(
                fmt::format("{}: {} {} has values that are not finite, so it cannot be normalised; take them out "
                            "or set normalize to none",
                            shown, groups.inner > 1 ? "channel" : "column", group));
        if (result.scale[group] == 0.0)
            result.scale[group] = 1.0;
    }
    return result;
}

std::vector<std::int64_t> wholeNumbers(const StateEntry& array, std::string_view shown, std::string_view purpose)
{
    const auto count = static_cast<std::size_t>(numel(array.shape));
    const std::size_t perRow = std::max<std::size_t>(sampleSize(array), 1);
    std::vector<std::int64_t> numbers(count);
    visitElementType(array.dtype, shown, [&]<typename From>(From) {
        for (std::size_t i = 0; i < count; ++i)
            if (!toWhole(loadElement<From>(array.data.get(), i), numbers[i]))
                throw DataError(fmt::format("{} has {}, but {}", place(shown, static_cast<std::int64_t>(i / perRow)),
                                            shortestText(asDouble(loadElement<From>(array.data.get(), i))), purpose));
    });
    return numbers;
}

}  // namespace megalith::data
