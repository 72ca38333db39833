// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/cpu/multiversion.h"
#include "engine/backend/cpu/pool.h"
#include "engine/backend/cpu/pool_window.h"
#include "engine/backend/cpu_context.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace megalith::cpu {

namespace {

// NaN beats everything, as in PyTorch.
template<typename T>
MEGALITH_INLINE bool beats(T value, T best)
{
    return (value > best) | (value != value);
}

// Windows of 2 x 2 that touch: two rows in, one row out.
template<typename T>
MEGALITH_INLINE void maxRowOfPairs(const T* __restrict upper, const T* __restrict lower, std::int64_t ow,
                                   std::int64_t w, std::int64_t first, T* __restrict y,
                                   std::int64_t* __restrict indices)
{
    for (std::int64_t ox = 0; ox < ow; ++ox) {
        const T a = upper[2 * ox], b = upper[2 * ox + 1], c = lower[2 * ox], d = lower[2 * ox + 1];
        const bool right = beats(b, a);
        const T top = right ? b : a;
        const std::int64_t topIndex = right ? 1 : 0;
        // Within the window the order is a, b, c, d, and the first maximum counts: c before d, both only if greater.
        const bool third = beats(c, top);
        const T most = third ? c : top;
        const std::int64_t mostIndex = third ? w : topIndex;
        const bool fourth = beats(d, most);
        y[ox] = fourth ? d : most;
        if (indices)
            indices[ox] = first + 2 * ox + (fourth ? w + 1 : mostIndex);
    }
}

template<typename T>
MEGALITH_INLINE void maxRow(const Pool2dShape& s, const T* x, std::int64_t oy, T* __restrict y,
                            std::int64_t* __restrict indices)
{
    const std::int64_t top = oy * s.strideH - s.padH;
    const std::int64_t firstRow = top >= 0 ? top : top + (-top + s.dilationH - 1) / s.dilationH * s.dilationH;
    for (std::int64_t ox = 0; ox < s.ow; ++ox) {
        const std::int64_t left = ox * s.strideW - s.padW;
        const std::int64_t column = left >= 0 ? left : left + (-left + s.dilationW - 1) / s.dilationW * s.dilationW;
        y[ox] = -std::numeric_limits<T>::infinity();
        indices[ox] = std::min(firstRow, s.h - 1) * s.w + std::min(column, s.w - 1);
    }
    for (std::int64_t ky = 0; ky < s.kh; ++ky) {
        const std::int64_t row = top + ky * s.dilationH;
        if (row < 0 || row >= s.h)
            continue;
        for (std::int64_t kx = 0; kx < s.kw; ++kx) {
            const std::int64_t shift = kx * s.dilationW - s.padW;
            const Span in = insideColumns(s, shift);
            const T* __restrict from = x + row * s.w;
            for (std::int64_t ox = in.from; ox < in.to; ++ox) {
                const std::int64_t column = ox * s.strideW + shift;
                const T value = from[column];
                const bool better = beats(value, y[ox]);
                y[ox] = better ? value : y[ox];
                indices[ox] = better ? row * s.w + column : indices[ox];
            }
        }
    }
}

template<typename T>
MEGALITH_INLINE void maxPlaneOf(const Pool2dShape& s, const T* x, T* y, std::int64_t* indices, std::int64_t* spare)
{
    const bool pairs = s.kh == 2 && s.kw == 2 && s.strideH == 2 && s.strideW == 2 && s.padH == 0 && s.padW == 0
                       && s.dilationH == 1 && s.dilationW == 1 && s.oh <= s.h / 2 && s.ow <= s.w / 2;
    for (std::int64_t oy = 0; oy < s.oh; ++oy) {
        std::int64_t* rowIndices = indices ? indices + oy * s.ow : nullptr;
        if (pairs)
            maxRowOfPairs(x + 2 * oy * s.w, x + (2 * oy + 1) * s.w, s.ow, s.w, 2 * oy * s.w, y + oy * s.ow, rowIndices);
        else
            maxRow(s, x, oy, y + oy * s.ow, rowIndices ? rowIndices : spare);
    }
}

MEGALITH_MULTIVERSION void maxPlane(const Pool2dShape& s, const float* x, float* y, std::int64_t* indices,
                                    std::int64_t* spare)
{
    maxPlaneOf(s, x, y, indices, spare);
}

MEGALITH_MULTIVERSION void maxPlane(const Pool2dShape& s, const double* x, double* y, std::int64_t* indices,
                                    std::int64_t* spare)
{
    maxPlaneOf(s, x, y, indices, spare);
}

}  // namespace

template<typename T>
void maxPool2dForward(CpuContext& context, const Pool2dShape& s, const T* x, T* y, std::int64_t* indices)
{
    if (s.oh <= 0 || s.ow <= 0 || s.h <= 0 || s.w <= 0)
        return;
#pragma omp parallel num_threads(context.threadsFor(s.planes* s.oh* s.ow* s.kh* s.kw))
    {
        std::vector<std::int64_t> spare(indices ? 0 : static_cast<std::size_t>(s.ow));
#pragma omp for
        for (std::int64_t p = 0; p < s.planes; ++p) {
            const std::int64_t out = p * s.oh * s.ow;
            maxPlane(s, x + p * s.h * s.w, y + out, indices ? indices + out : nullptr, spare.data());
        }
    }
}

template<typename T>
void maxPool2dBackward(CpuContext& context, const Pool2dShape& s, const T* dy, const std::int64_t* indices, T* dx)
{
    const std::int64_t pixels = s.oh * s.ow;
    const std::int64_t area = s.h * s.w;
#pragma omp parallel for num_threads(context.threadsFor(s.planes*(pixels + area)))
    for (std::int64_t p = 0; p < s.planes; ++p) {
        T* plane = dx + p * area;
        std::fill_n(plane, area, T(0));
        for (std::int64_t i = p * pixels; i < (p + 1) * pixels; ++i)
            plane[indices[i]] += dy[i];
    }
}

#define MEGALITH_MAX_POOL(T)                                                                         \
    template void maxPool2dForward<T>(CpuContext&, const Pool2dShape&, const T*, T*, std::int64_t*); \
    template void maxPool2dBackward<T>(CpuContext&, const Pool2dShape&, const T*, const std::int64_t*, T*)
MEGALITH_MAX_POOL(float);
MEGALITH_MAX_POOL(double);

}  // namespace megalith::cpu
