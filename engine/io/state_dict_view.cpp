// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/state_dict_view.h"

#include "engine/core/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace megalith::io {

namespace {

// Reads one element at any alignment.
using Decoder = double (*)(const std::byte*);

template<typename T>
T load(const std::byte* p)
{
    T value{};
    std::memcpy(&value, p, sizeof value);
    return value;
}

template<typename T>
double plain(const std::byte* p)
{
    return static_cast<double>(load<T>(p));
}

// 8-bit floats of the Open Compute Project's specification (OFP8): E4M3 has no infinity, E8M0 is a power of two.
double e4m3(const std::byte* p)
{
    const auto bits = load<std::uint8_t>(p);
    const int exponent = (bits >> 3) & 15;
    const int mantissa = bits & 7;
    if (exponent == 15 && mantissa == 7)
        return std::numeric_limits<double>::quiet_NaN();
    const double magnitude = exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
    return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

double e8m0(const std::byte* p)
{
    const auto bits = load<std::uint8_t>(p);
    return bits == 255 ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, bits - 127);
}

struct Kind
{
    std::string_view tag;
    Decoder decode;
};

constexpr std::array<Kind, 16> kinds = {{
    {"F32", plain<float>},
    {"F64", plain<double>},
    {"I64", plain<std::int64_t>},
    {"I32", plain<std::int32_t>},
    {"I16", plain<std::int16_t>},
    {"I8", plain<std::int8_t>},
    {"U64", plain<std::uint64_t>},
    {"U32", plain<std::uint32_t>},
    {"U16", plain<std::uint16_t>},
    {"U8", plain<std::uint8_t>},
    {"BOOL", [](const std::byte* p) { return *p == std::byte{0} ? 0.0 : 1.0; }},
    {"F16", [](const std::byte* p) { return double{halfToFloat(load<std::uint16_t>(p))}; }},
    {"BF16", [](const std::byte* p) { return double{bfloat16ToFloat(load<std::uint16_t>(p))}; }},
    // The upper half of a binary16.
    {"F8_E5M2",
     [](const std::byte* p) { return double{halfToFloat(static_cast<std::uint16_t>(load<std::uint8_t>(p) << 8))}; }},
    {"F8_E4M3", e4m3},
    {"F8_E8M0", e8m0},
}};

Decoder findDecoder(const StateEntry& entry)
{
    const auto found = std::ranges::find(kinds, entry.dtype, &Kind::tag);
    return found == kinds.end() ? nullptr : found->decode;
}

struct Elements
{
    Decoder decode = nullptr;
    std::size_t itemSize = 0;
    std::size_t count = 0;
    const std::byte* data = nullptr;

    double at(std::size_t i) const { return decode(data + i * itemSize); }
};

Elements elementsOf(const StateEntry& entry)
{
    Elements e;
    e.decode = findDecoder(entry);
    if (e.decode == nullptr)
        throw Error("the values of a tensor of dtype " + entry.dtype + " cannot be read");
    e.itemSize = *itemSizeOfTag(entry.dtype);
    e.count = static_cast<std::size_t>(numel(entry.shape));
    if (e.count != entry.size / e.itemSize || entry.size % e.itemSize != 0)
        throw Error("a tensor of " + std::to_string(entry.size) + " bytes is not " + text(entry.shape) + " of "
                    + entry.dtype);
    e.data = entry.data.get();
    return e;
}

// Mean and sum of squared deviations, merged block by block (Chan, Golub, LeVeque: "Updating formulae and a pairwise
// algorithm for computing sample variances", 1979). long double holds the squares of every double.
struct Moments
{
    long double count = 0;
    long double mean = 0;
    long double deviations = 0;
    long double squares = 0;

    void merge(const double* values, std::size_t n)
    {
        if (n == 0)
            return;
        long double sum = 0;
        for (std::size_t i = 0; i < n; ++i)
            sum += values[i];
        const auto size = static_cast<long double>(n);
        const long double blockMean = sum / size;
        long double blockDeviations = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const long double distance = values[i] - blockMean;
            blockDeviations += distance * distance;
            squares += static_cast<long double>(values[i]) * values[i];
        }
        const long double delta = blockMean - mean;
        const long double total = count + size;
        mean += delta * (size / total);
        deviations += blockDeviations + delta * delta * (count * (size / total));
        count = total;
    }
};

}  // namespace

bool hasValues(const StateEntry& entry)
{
    return findDecoder(entry) != nullptr;
}

double elementAsDouble(const StateEntry& entry, std::int64_t index)
{
    const Elements elements = elementsOf(entry);
    if (index < 0 || static_cast<std::uint64_t>(index) >= elements.count)
        throw Error("element " + std::to_string(index) + " of a tensor of " + std::to_string(elements.count));
    return elements.at(static_cast<std::size_t>(index));
}

std::vector<double> valuesOf(const StateEntry& entry)
{
    const Elements elements = elementsOf(entry);
    std::vector<double> values(elements.count);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = elements.at(i);
    return values;
}

TensorStats statsOf(const StateEntry& entry)
{
    constexpr std::size_t blockSize = 4096;
    const Elements elements = elementsOf(entry);
    TensorStats stats;
    stats.count = static_cast<std::int64_t>(elements.count);
    stats.min = std::numeric_limits<double>::infinity();
    stats.max = -stats.min;
    Moments moments;
    std::array<double, blockSize> block{};
    for (std::size_t begin = 0; begin < elements.count; begin += blockSize) {
        const std::size_t end = std::min(begin + blockSize, elements.count);
        std::size_t finite = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const double value = elements.at(i);
            stats.zeros += value == 0.0 ? 1 : 0;
            stats.nan += std::isnan(value) ? 1 : 0;
            stats.inf += std::isinf(value) ? 1 : 0;
            if (std::isfinite(value)) {
                stats.min = std::min(stats.min, value);
                stats.max = std::max(stats.max, value);
                block[finite++] = value;
            }
        }
        moments.merge(block.data(), finite);
    }
    if (moments.count == 0)
        stats.min = stats.max = stats.mean = std::numeric_limits<double>::quiet_NaN();
    else
        stats.mean = static_cast<double>(moments.mean);
    if (moments.count > 1)
        stats.std = static_cast<double>(std::sqrt(moments.deviations / (moments.count - 1)));
    stats.norm = static_cast<double>(std::sqrt(moments.squares));
    return stats;
}

}  // namespace megalith::io
