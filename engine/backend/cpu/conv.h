// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace megalith {
class CpuContext;
}

namespace megalith::cpu {

// x [n, c, h, w], weight [o, c / groups, kh, kw], y [n, o, oh, ow], all contiguous. A dilation of 1 is none.
// The sizes fit together: oh = (h + padTop + padBottom - dilationH * (kh - 1) - 1) / strideH + 1, rounded down.
struct Conv2dShape
{
    std::int64_t n = 0;
    std::int64_t c = 0;
    std::int64_t h = 0;
    std::int64_t w = 0;
    std::int64_t o = 0;
    std::int64_t kh = 0;
    std::int64_t kw = 0;
    std::int64_t oh = 0;
    std::int64_t ow = 0;
    std::int64_t strideH = 1;
    std::int64_t strideW = 1;
    std::int64_t padTop = 0;
    std::int64_t padLeft = 0;
    std::int64_t padBottom = 0;
    std::int64_t padRight = 0;
    std::int64_t dilationH = 1;
    std::int64_t dilationW = 1;
    std::int64_t groups = 1;
    bool operator==(const Conv2dShape&) const = default;
};

// Cross-correlation, as PyTorch's conv2d. bias [o] or null. Each output array is overwritten; empty sizes are allowed.
// The same call gives the same bits.
template<typename T>
void conv2dForward(CpuContext& context, const Conv2dShape& shape, const T* x, const T* weight, const T* bias, T* y);
template<typename T>
void conv2dBackwardInput(CpuContext& context, const Conv2dShape& shape, const T* dy, const T* weight, T* dx);
template<typename T>
void conv2dBackwardWeight(CpuContext& context, const Conv2dShape& shape, const T* x, const T* dy, T* dweight);

extern template void conv2dForward<float>(CpuContext&, const Conv2dShape&, const float*, const float*, const float*,
                                          float*);
extern template void conv2dForward<double>(CpuContext&, const Conv2dShape&, const double*, const double*, const double*,
                                           double*);
extern template void conv2dBackwardInput<float>(CpuContext&, const Conv2dShape&, const float*, const float*, float*);
extern template void conv2dBackwardInput<double>(CpuContext&, const Conv2dShape&, const double*, const double*,
                                                 double*);
extern template void conv2dBackwardWeight<float>(CpuContext&, const Conv2dShape&, const float*, const float*, float*);
extern template void conv2dBackwardWeight<double>(CpuContext&, const Conv2dShape&, const double*, const double*,
                                                  double*);

}  // namespace megalith::cpu
