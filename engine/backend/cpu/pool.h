// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace megalith {
class CpuContext;
}

namespace megalith::cpu {

// x [planes, h, w], y [planes, oh, ow], contiguous; planes = N * C. oh and ow are given, so that ceil_mode is the caller's.
// Average pooling has no dilation.
struct Pool2dShape
{
    std::int64_t planes = 0;
    std::int64_t h = 0;
    std::int64_t w = 0;
    std::int64_t oh = 0;
    std::int64_t ow = 0;
    std::int64_t kh = 0;
    std::int64_t kw = 0;
    std::int64_t strideH = 1;
    std::int64_t strideW = 1;
    std::int64_t padH = 0;
    std::int64_t padW = 0;
    std::int64_t dilationH = 1;
    std::int64_t dilationW = 1;
};

// indices [planes, oh, ow]: row * w + column of the maximum in its plane, as PyTorch's return_indices. The first of equal
// maxima counts; NaN is greater than every number (the last NaN of a window counts). indices may be null.
template<typename T>
void maxPool2dForward(CpuContext& context, const Pool2dShape& shape, const T* x, T* y, std::int64_t* indices);
// dx is overwritten.
template<typename T>
void maxPool2dBackward(CpuContext& context, const Pool2dShape& shape, const T* dy, const std::int64_t* indices, T* dx);

// divisorOverride: what to divide by instead of the number of elements; 0 is none.
template<typename T>
void avgPool2dForward(CpuContext& context, const Pool2dShape& shape, bool countIncludePad, std::int64_t divisorOverride,
                      const T* x, T* y);
template<typename T>
void avgPool2dBackward(CpuContext& context, const Pool2dShape& shape, bool countIncludePad,
                       std::int64_t divisorOverride, const T* dy, T* dx);

// Output i averages the rows from floor(i * h / oh) to ceil((i + 1) * h / oh), and columns likewise.
template<typename T>
void adaptiveAvgPool2dForward(CpuContext& context, std::int64_t planes, std::int64_t h, std::int64_t w, std::int64_t oh,
                              std::int64_t ow, const T* x, T* y);
template<typename T>
void adaptiveAvgPool2dBackward(CpuContext& context, std::int64_t planes, std::int64_t h, std::int64_t w,
                               std::int64_t oh, std::int64_t ow, const T* dy, T* dx);

#define MEGALITH_POOL_INSTANCES(prefix, T)                                                                         \
    prefix template void maxPool2dForward<T>(CpuContext&, const Pool2dShape&, const T*, T*, std::int64_t*);        \
    prefix template void maxPool2dBackward<T>(CpuContext&, const Pool2dShape&, const T*, const std::int64_t*, T*); \
    prefix template void avgPool2dForward<T>(CpuContext&, const Pool2dShape&, bool, std::int64_t, const T*, T*);   \
    prefix template void avgPool2dBackward<T>(CpuContext&, const Pool2dShape&, bool, std::int64_t, const T*, T*);  \
    prefix template void adaptiveAvgPool2dForward<T>(CpuContext&, std::int64_t, std::int64_t, std::int64_t,        \
                                                     std::int64_t, std::int64_t, const T*, T*);                    \
    prefix template void adaptiveAvgPool2dBackward<T>(CpuContext&, std::int64_t, std::int64_t, std::int64_t,       \
                                                      std::int64_t, std::int64_t, const T*, T*)
MEGALITH_POOL_INSTANCES(extern, float);
MEGALITH_POOL_INSTANCES(extern, double);

}  // namespace megalith::cpu
