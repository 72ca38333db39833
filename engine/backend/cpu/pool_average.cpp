// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/cpu/multiversion.h"
#include "engine/backend/cpu/pool.h"
#include "engine/backend/cpu/pool_window.h"
#include "engine/backend/cpu_context.h"

#include <algorithm>
#include <vector>

namespace megalith::cpu {

namespace {

// The rows (or columns) that one window covers: begin and end inside the plane, and how many with the padding. A window
// may run past the padded edge when the output's size was rounded up: that part never counts.
struct Window
{
    std::int64_t begin;
    std::int64_t end;
    std::int64_t padded;
};

Window windowAt(std::int64_t i, std::int64_t stride, std::int64_t pad, std::int64_t kernel, std::int64_t size)
{
    const std::int64_t start = i * stride - pad;
    const std::int64_t stop = std::min(start + kernel, size + pad);
    return {std::max<std::int64_t>(start, 0), std::min(stop, size), stop - start};
}

// What each output is divided by: a factor of its row times one of its column, or the same for all.
struct Divisors
{
    Divisors(const Pool2dShape& s, bool countIncludePad, std::int64_t divisorOverride)
        : rows(static_cast<std::size_t>(s.oh))
        , columns(static_cast<std::size_t>(s.ow))
    {
        const auto fill = [&](std::vector<std::int64_t>& to, std::int64_t stride, std::int64_t pad, std::int64_t kernel,
                              std::int64_t size) {
            for (std::size_t i = 0; i < to.size(); ++i) {
                const Window window = windowAt(static_cast<std::int64_t>(i), stride, pad, kernel, size);
                to[i] = std::max<std::int64_t>(countIncludePad ? window.padded : window.end - window.begin, 1);
            }
        };
        fill(rows, s.strideH, s.padH, s.kh, s.h);
        fill(columns, s.strideW, s.padW, s.kw, s.w);
        if (divisorOverride != 0) {
            std::fill(rows.begin(), rows.end(), divisorOverride);
            std::fill(columns.begin(), columns.end(), 1);
        }
    }
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> columns;
};

template<typename T>
MEGALITH_INLINE void averagePlaneOf(const Pool2dShape& s, const Divisors& divisors, const T* x, T* y)
{
    for (std::int64_t oy = 0; oy < s.oh; ++oy) {
        T* __restrict out = y + oy * s.ow;
        for (std::int64_t ox = 0; ox < s.ow; ++ox)
            out[ox] = 0;
        for (std::int64_t ky = 0; ky < s.kh; ++ky) {
            const std::int64_t row = oy * s.strideH - s.padH + ky;
            if (row < 0 || row >= s.h)
                continue;
            for (std::int64_t kx = 0; kx < s.kw; ++kx) {
                const std::int64_t shift = kx - s.padW;
                const Span in = insideColumns(s, shift);
                const T* __restrict from = x + row * s.w + shift;
                for (std::int64_t ox = in.from; ox < in.to; ++ox)
                    out[ox] += from[ox * s.strideW];
            }
        }
        const std::int64_t rowDivisor = divisors.rows[static_cast<std::size_t>(oy)];
        const std::int64_t* __restrict columnDivisors = divisors.columns.data();
        for (std::int64_t ox = 0; ox < s.ow; ++ox)
            out[ox] /= static_cast<T>(rowDivisor * columnDivisors[ox]);
    }
}

MEGALITH_MULTIVERSION void averagePlane(const Pool2dShape& s, const Divisors& divisors, const float* x, float* y)
{
    averagePlaneOf(s, divisors, x, y);
}

MEGALITH_MULTIVERSION void averagePlane(const Pool2dShape& s, const Divisors& divisors, const double* x, double* y)
{
    averagePlaneOf(s, divisors, x, y);
}

// share has room for one row of the output.
template<typename T>
MEGALITH_INLINE void spreadPlaneOf(const Pool2dShape& s, const Divisors& divisors, const T* dy, T* __restrict share,
                                   T* dx)
{
    for (std::int64_t i = 0; i < s.h * s.w; ++i)
        dx[i] = 0;
    for (std::int64_t oy = 0; oy < s.oh; ++oy) {
        const std::int64_t rowDivisor = divisors.rows[static_cast<std::size_t>(oy)];
        const std::int64_t* __restrict columnDivisors = divisors.columns.data();
        for (std::int64_t ox = 0; ox < s.ow; ++ox)
            share[ox] = dy[oy * s.ow + ox] / static_cast<T>(rowDivisor * columnDivisors[ox]);
        for (std::int64_t ky = 0; ky < s.kh; ++ky) {
            const std::int64_t row = oy * s.strideH - s.padH + ky;
            if (row < 0 || row >= s.h)
                continue;
            for (std::int64_t kx = 0; kx < s.kw; ++kx) {
                const std::int64_t shift = kx - s.padW;
                const Span in = insideColumns(s, shift);
                T* __restrict to = dx + row * s.w + shift;
                for (std::int64_t ox = in.from; ox < in.to; ++ox)
                    to[ox * s.strideW] += share[ox];
            }
        }
    }
}

MEGALITH_MULTIVERSION void spreadPlane(const Pool2dShape& s, const Divisors& divisors, const float* dy, float* share,
                                       float* dx)
{
    spreadPlaneOf(s, divisors, dy, share, dx);
}

MEGALITH_MULTIVERSION void spreadPlane(const Pool2dShape& s, const Divisors& divisors, const double* dy, double* share,
                                       double* dx)
{
    spreadPlaneOf(s, divisors, dy, share, dx);
}

// Sixteen sums side by side, added at the end: fast, and the same order everywhere.
template<typename T>
MEGALITH_INLINE T sumOf(const T* values, std::int64_t count)
{
    constexpr std::int64_t lanes = 16;
    T sums[lanes] = {};
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            sums[lane] += values[i + lane];
    }
    for (std::int64_t lane = 0; i < count; ++i, ++lane)
        sums[lane] += values[i];
    for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
        for (std::int64_t lane = 0; lane < half; ++lane)
            sums[lane] += sums[lane + half];
    }
    return sums[0];
}

MEGALITH_MULTIVERSION float sum(const float* values, std::int64_t count)
{
    return sumOf(values, count);
}

MEGALITH_MULTIVERSION double sum(const double* values, std::int64_t count)
{
    return sumOf(values, count);
}

Span adaptiveSpan(std::int64_t i, std::int64_t size, std::int64_t outputs)
{
    return {i * size / outputs, ((i + 1) * size + outputs - 1) / outputs};
}

// When the output divides the input, adaptive pooling is ordinary pooling.
bool dividesInto(Pool2dShape& s, std::int64_t planes, std::int64_t h, std::int64_t w, std::int64_t oh, std::int64_t ow)
{
    if (h % oh != 0 || w % ow != 0 || ow == 1)
        return false;
    s = {.planes = planes, .h = h, .w = w, .oh = oh, .ow = ow, .kh = h / oh, .kw = w / ow};
    s.strideH = s.kh;
    s.strideW = s.kw;
    return true;
}

}  // namespace

template<typename T>
void avgPool2dForward(CpuContext& context, const Pool2dShape& s, bool countIncludePad, std::int64_t divisorOverride,
                      const T* x, T* y)
{
    if (s.oh <= 0 || s.ow <= 0)
        return;
    const Divisors divisors(s, countIncludePad, divisorOverride);
#pragma omp parallel for num_threads(context.threadsFor(s.planes* s.oh* s.ow* s.kh* s.kw))
    for (std::int64_t p = 0; p < s.planes; ++p)
        averagePlane(s, divisors, x + p * s.h * s.w, y + p * s.oh * s.ow);
}

template<typename T>
void avgPool2dBackward(CpuContext& context, const Pool2dShape& s, bool countIncludePad, std::int64_t divisorOverride,
                       const T* dy, T* dx)
{
    const Divisors divisors(s, countIncludePad, divisorOverride);
#pragma omp parallel num_threads(context.threadsFor(s.planes*(s.h * s.w + s.oh * s.ow * s.kh * s.kw)))
    {
        std::vector<T> share(static_cast<std::size_t>(s.ow));
#pragma omp for
        for (std::int64_t p = 0; p < s.planes; ++p)
            spreadPlane(s, divisors, dy + p * s.oh * s.ow, share.data(), dx + p * s.h * s.w);
    }
}

template<typename T>
void adaptiveAvgPool2dForward(CpuContext& context, std::int64_t planes, std::int64_t h, std::int64_t w, std::int64_t oh,
                              std::int64_t ow, const T* x, T* y)
{
    if (planes <= 0 || oh <= 0 || ow <= 0)
        return;
    Pool2dShape even;
    if (dividesInto(even, planes, h, w, oh, ow)) {
        avgPool2dForward(context, even, true, 0, x, y);
        return;
    }
#pragma omp parallel for num_threads(context.threadsFor(planes* h* w))
    for (std::int64_t p = 0; p < planes; ++p) {
        for (std::int64_t i = 0; i < oh * ow; ++i) {
            const Span rows = adaptiveSpan(i / ow, h, oh);
            const Span columns = adaptiveSpan(i % ow, w, ow);
            const std::int64_t width = columns.to - columns.from;
            T total = 0;
            if (width == w) {
                total = sum(x + (p * h + rows.from) * w, (rows.to - rows.from) * w);
            } else {
                for (std::int64_t r = rows.from; r < rows.to; ++r)
                    total += sum(x + (p * h + r) * w + columns.from, width);
            }
            y[p * oh * ow + i] = total / static_cast<T>((rows.to - rows.from) * width);
        }
    }
}

template<typename T>
void adaptiveAvgPool2dBackward(CpuContext& context, std::int64_t planes, std::int64_t h, std::int64_t w,
                               std::int64_t oh, std::int64_t ow, const T* dy, T* dx)
{
    if (planes <= 0)
        return;
#pragma omp parallel for num_threads(context.threadsFor(planes* h* w))
    for (std::int64_t p = 0; p < planes; ++p) {
        T* plane = dx + p * h * w;
        std::fill_n(plane, h * w, T(0));
        for (std::int64_t i = 0; i < oh * ow; ++i) {
            const Span rows = adaptiveSpan(i / ow, h, oh);
            const Span columns = adaptiveSpan(i % ow, w, ow);
            const T share = dy[p * oh * ow + i] / static_cast<T>((rows.to - rows.from) * (columns.to - columns.from));
            for (std::int64_t r = rows.from; r < rows.to; ++r) {
                for (std::int64_t c = columns.from; c < columns.to; ++c)
                    plane[r * w + c] += share;
            }
        }
    }
}

#define MEGALITH_AVERAGE_POOL(T)                                                                                    \
    template void avgPool2dForward<T>(CpuContext&, const Pool2dShape&, bool, std::int64_t, const T*, T*);           \
    template void avgPool2dBackward<T>(CpuContext&, const Pool2dShape&, bool, std::int64_t, const T*, T*);          \
    template void adaptiveAvgPool2dForward<T>(CpuContext&, std::int64_t, std::int64_t, std::int64_t, std::int64_t,  \
                                              std::int64_t, const T*, T*);                                          \
    template void adaptiveAvgPool2dBackward<T>(CpuContext&, std::int64_t, std::int64_t, std::int64_t, std::int64_t, \
                                               std::int64_t, const T*, T*)
MEGALITH_AVERAGE_POOL(float);
MEGALITH_AVERAGE_POOL(double);

}  // namespace megalith::cpu
