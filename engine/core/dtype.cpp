// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/dtype.h"

#include <array>
#include <bit>
#include <cstring>

namespace megalith {

namespace {

struct Row
{
    DType dtype;
    std::size_t size;
    bool floating;
    std::string_view name;
    std::string_view tag;
};

constexpr std::array<Row, 10> rows{{
    {DType::F32, 4, true, "float32", "F32"},
    {DType::F64, 8, true, "float64", "F64"},
    {DType::F16, 2, true, "float16", "F16"},
    {DType::BF16, 2, true, "bfloat16", "BF16"},
    {DType::I64, 8, false, "int64", "I64"},
    {DType::I32, 4, false, "int32", "I32"},
    {DType::I16, 2, false, "int16", "I16"},
    {DType::I8, 1, false, "int8", "I8"},
    {DType::U8, 1, false, "uint8", "U8"},
    {DType::Bool, 1, false, "bool", "BOOL"},
}};

const Row& row(DType dtype)
{
    return rows[static_cast<std::size_t>(dtype)];
}

// Larger takes the other in; u8 with a signed type needs the next signed one.
int integerRank(DType dtype)
{
    switch (dtype) {
    case DType::Bool: return 0;
    case DType::U8: return 1;
    case DType::I8: return 2;
    case DType::I16: return 3;
    case DType::I32: return 4;
    default: return 5;
    }
}

}  // namespace

std::size_t itemSize(DType dtype)
{
    return row(dtype).size;
}

bool isFloating(DType dtype)
{
    return row(dtype).floating;
}

std::string_view dtypeName(DType dtype)
{
    return row(dtype).name;
}

std::string_view dtypeTag(DType dtype)
{
    return row(dtype).tag;
}

std::optional<DType> dtypeFromName(std::string_view name)
{
    for (const Row& r : rows)
        if (r.name == name)
            return r.dtype;
    return std::nullopt;
}

std::optional<DType> dtypeFromTag(std::string_view tag)
{
    for (const Row& r : rows)
        if (r.tag == tag)
            return r.dtype;
    return std::nullopt;
}

DType promote(DType a, DType b)
{
    if (a == b)
        return a;
    if (isFloating(a) && isFloating(b)) {
        if (a == DType::F64 || b == DType::F64)
            return DType::F64;
        return DType::F32;  // f32 with a half type, or the two half types
    }
    if (isFloating(a))
        return a;
    if (isFloating(b))
        return b;
    const bool signedAndUnsigned8 = (a == DType::U8 && b == DType::I8) || (a == DType::I8 && b == DType::U8);
    if (signedAndUnsigned8)
        return DType::I16;
    return integerRank(a) > integerRank(b) ? a : b;
}

float halfToFloat(std::uint16_t bits)
{
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1fu;
    const std::uint32_t mantissa = bits & 0x3ffu;
    if (exponent == 0x1f)
        return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
    if (exponent != 0)
        return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
}

std::uint16_t floatToHalf(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return static_cast<std::uint16_t>(sign | 0x7e00u);
    if (magnitude >= 0x477ff000u)  // rounds to 65536 or more
        return static_cast<std::uint16_t>(sign | 0x7c00u);
    if (magnitude < 0x38800000u) {  // subnormal: let the addition round
        const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
        return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
    }
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

float bfloat16ToFloat(std::uint16_t bits)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t floatToBfloat16(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace megalith
