// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/state_dict.h"

#include <cstdint>
#include <vector>

namespace megalith::io {

// Whether valuesOf and statsOf can read the dtype: BOOL, whole numbers, F16, BF16, F32, F64 and the 8-bit floats.
bool hasValues(const StateEntry& entry);

// One element as a number, by its row-major position; a 64-bit whole number is rounded to a double. Error for F4, for a size
// that is not the shape's, and for a position outside.
double elementAsDouble(const StateEntry& entry, std::int64_t index);
std::vector<double> valuesOf(const StateEntry& entry);

// Computed in double, block by block, without a copy of the tensor. min, max, mean, std and norm are of the finite elements:
// NaN and Inf are counted apart, so that one of them does not hide the rest.
struct TensorStats
{
    std::int64_t count = 0;  // all elements
    std::int64_t zeros = 0;
    std::int64_t nan = 0;
    std::int64_t inf = 0;  // of both signs
    double min = 0.0;      // min, max and mean are NaN where there is no finite element
    double max = 0.0;
    double mean = 0.0;
    double std = 0.0;   // divided by n - 1, as torch.std; 0 for fewer than two elements, where torch has NaN
    double norm = 0.0;  // root of the sum of squares
};

TensorStats statsOf(const StateEntry& entry);

}  // namespace megalith::io
