// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/dtype.h"
#include "engine/core/error.h"
#include "engine/core/state_dict.h"
#include "engine/data/normalization.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace megalith::data {

// 16-bit floats as a file has them.
struct Half
{
    std::uint16_t bits;
};
struct Bfloat16
{
    std::uint16_t bits;
};

// An element wherever it lies: arrays in files need not be aligned.
template<typename T>
T loadElement(const std::byte* bytes, std::size_t index)
{
    T value;
    std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
    return value;
}

template<typename T>
double asDouble(T value)
{
    if constexpr (std::is_same_v<T, Half>)
        return static_cast<double>(halfToFloat(value.bits));
    else if constexpr (std::is_same_v<T, Bfloat16>)
        return static_cast<double>(bfloat16ToFloat(value.bits));
    else
        return static_cast<double>(value);
}

template<typename T>
constexpr bool isFloatingElement =
    std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>;

// Calls visit(T{}) with the type of the tag's elements; `shown` names the array when there is none.
template<typename Visit>
void visitElementType(std::string_view tag, std::string_view shown, Visit&& visit)
{
    if (tag == "F32")
        visit(float{});
    else if (tag == "F64")
        visit(double{});
    else if (tag == "F16")
        visit(Half{});
    else if (tag == "BF16")
        visit(Bfloat16{});
    else if (tag == "I64")
        visit(std::int64_t{});
    else if (tag == "I32")
        visit(std::int32_t{});
    else if (tag == "I16")
        visit(std::int16_t{});
    else if (tag == "I8")
        visit(std::int8_t{});
    else if (tag == "U64")
        visit(std::uint64_t{});
    else if (tag == "U32")
        visit(std::uint32_t{});
    else if (tag == "U16")
        visit(std::uint16_t{});
    else if (tag == "U8" || tag == "BOOL")
        visit(std::uint8_t{});
    else
        throw DataError(std::string(shown) + ": numbers of the type " + std::string(tag) + " cannot be trained on");
}

bool isFloatingTag(std::string_view tag);
// What an Input for such numbers has: whole numbers of more than 8 bits are tokens, a mask is a mask, all else are values.
DType inputDType(std::string_view tag);

// An array that takes the numbers over.
template<typename T>
StateEntry takeNumbers(std::string_view tag, Shape shape, std::vector<T> numbers)
{
    const std::size_t bytes = numbers.size() * sizeof(T);
    const auto owner = std::make_shared<const std::vector<T>>(std::move(numbers));
    return {std::string(tag), std::move(shape),
            std::shared_ptr<const std::byte>(owner, reinterpret_cast<const std::byte*>(owner->data())), bytes};
}

// Elements of one sample of [N, sample...].
std::size_t sampleSize(const StateEntry& array);
Shape sampleShape(const StateEntry& array);

// Rows of `array`, normalised with `normalization` (may be null) and converted, one after the other into `out`, which has
// room for them. float64, float32: any numbers. int64: whole ones. bool: 0 and 1. DataError names `shown` and the row.
void convertRows(const StateEntry& array, std::span<const std::int64_t> rows, DType to,
                 const InputNormalization* normalization, const NormalizationGroups& groups, std::string_view shown,
                 std::span<std::byte> out, const std::function<void()>& checkCancelled);

// Offset and scale of each group over the rows. DataError when a value is not finite.
InputNormalization fit(NormalizationKind kind, const StateEntry& array, std::span<const std::int64_t> rows,
                       const NormalizationGroups& groups, std::string_view shown);

// Whole numbers of an array, which may be floating as long as they are whole. DataError names `shown` and the row.
std::vector<std::int64_t> wholeNumbers(const StateEntry& array, std::string_view shown, std::string_view purpose);

}  // namespace megalith::data
