// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/backend/cpu_context.h"
#include "engine/core/shape.h"

#include <cstdint>
#include <string_view>

namespace megalith::ops {

// A dense tensor seen from one of its dimensions: [outer, size, inner].
struct MiddleDim
{
    MiddleDim(const Shape& shape, std::int64_t dim, std::string_view operation);
    std::int64_t outer = 1, size = 1, inner = 1;
};

// out[outer, inner] = sums of in[outer, middle, inner]. Cut by size alone, so that the bits do not depend on threads; floats are
// added in short runs and the runs in f64.
template<typename T>
void sumMiddle(CpuContext& context, const T* in, T* out, std::int64_t outer, std::int64_t middle, std::int64_t inner);
extern template void sumMiddle<float>(CpuContext&, const float*, float*, std::int64_t, std::int64_t, std::int64_t);
extern template void sumMiddle<double>(CpuContext&, const double*, double*, std::int64_t, std::int64_t, std::int64_t);
extern template void sumMiddle<std::int64_t>(CpuContext&, const std::int64_t*, std::int64_t*, std::int64_t,
                                             std::int64_t, std::int64_t);

// Of n elements, and of their squares; f64.
template<typename T>
double sumOf(const T* in, std::int64_t n);
template<typename T>
double sumOfSquares(const T* in, std::int64_t n);
extern template double sumOf<float>(const float*, std::int64_t);
extern template double sumOf<double>(const double*, std::int64_t);
extern template double sumOfSquares<float>(const float*, std::int64_t);
extern template double sumOfSquares<double>(const double*, std::int64_t);

}  // namespace megalith::ops
