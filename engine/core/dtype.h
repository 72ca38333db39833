// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace megalith {

// What a Tensor's elements are. f16 and bf16 are storage: values are computed in f32.
// Any other dtype of a file is carried as bytes (StateEntry) and never becomes a Tensor.
enum class DType : std::uint8_t { F32, F64, F16, BF16, I64, I32, I16, I8, U8, Bool };

std::size_t itemSize(DType dtype);
bool isFloating(DType dtype);
// "float32", as PyTorch and the project file say it.
std::string_view dtypeName(DType dtype);
// "F32", as .mega says it.
std::string_view dtypeTag(DType dtype);
std::optional<DType> dtypeFromName(std::string_view name);
std::optional<DType> dtypeFromTag(std::string_view tag);
// The dtype of an operation on both (PyTorch's promotion of tensors with dimensions).
DType promote(DType a, DType b);

// IEEE 754 binary16 and bfloat16, round to nearest even; NaN stays NaN.
float halfToFloat(std::uint16_t bits);
std::uint16_t floatToHalf(float value);
float bfloat16ToFloat(std::uint16_t bits);
std::uint16_t floatToBfloat16(float value);

}  // namespace megalith
