// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/cpu/conv_paths.h"
#include "engine/backend/cpu/gemm.h"
#include "engine/backend/cpu_dnn.h"

#include <algorithm>

namespace megalith::cpu {

namespace {

using Scratch = CpuContext::Dnn::Scratch;

// The sizes of one group of one image.
struct Group
{
    explicit Group(const Conv2dShape& s)
        : channels(s.c / s.groups)
        , outputs(s.o / s.groups)
        , taps(channels * s.kh * s.kw)
        , pixels(s.oh * s.ow)
    {}
    std::int64_t channels;
    std::int64_t outputs;
    std::int64_t taps;
    std::int64_t pixels;
};

// The output columns [from, to) whose window column kx lies inside the image.
struct Inside
{
    Inside(const Conv2dShape& s, std::int64_t kx)
    {
        shift = kx * s.dilationW - s.padLeft;
        from = shift >= 0 ? 0 : std::min((-shift + s.strideW - 1) / s.strideW, s.ow);
        to = std::clamp((s.w - shift + s.strideW - 1) / s.strideW, from, s.ow);
    }
    std::int64_t shift;
    std::int64_t from;
    std::int64_t to;
};

// columns[tap][pixel] = what the window of this pixel has at this tap; taps run over (channel, ky, kx).
template<typename T>
void toColumns(CpuContext& context, const Conv2dShape& s, const Group& g, const T* image, T* columns)
{
    const std::int64_t kernel = s.kh * s.kw;
#pragma omp parallel for num_threads(context.threadsFor(g.taps* g.pixels))
    for (std::int64_t tap = 0; tap < g.taps; ++tap) {
        const T* plane = image + tap / kernel * s.h * s.w;
        const std::int64_t ky = tap % kernel / s.kw;
        const Inside in(s, tap % s.kw);
        for (std::int64_t oy = 0; oy < s.oh; ++oy) {
            T* row = columns + tap * g.pixels + oy * s.ow;
            const std::int64_t y = oy * s.strideH - s.padTop + ky * s.dilationH;
            if (y < 0 || y >= s.h) {
                std::fill_n(row, s.ow, T(0));
                continue;
            }
            std::fill(row, row + in.from, T(0));
            for (std::int64_t ox = in.from; ox < in.to; ++ox)
                row[ox] = plane[y * s.w + ox * s.strideW + in.shift];
            std::fill(row + in.to, row + s.ow, T(0));
        }
    }
}

// image += what toColumns would have read, given back.
template<typename T>
void fromColumns(CpuContext& context, const Conv2dShape& s, const Group& g, const T* columns, T* image)
{
    const std::int64_t kernel = s.kh * s.kw;
#pragma omp parallel for num_threads(context.threadsFor(g.taps* g.pixels))
    for (std::int64_t c = 0; c < g.channels; ++c) {
        T* plane = image + c * s.h * s.w;
        for (std::int64_t tap = c * kernel; tap < (c + 1) * kernel; ++tap) {
            const std::int64_t ky = tap % kernel / s.kw;
            const Inside in(s, tap % s.kw);
            for (std::int64_t oy = 0; oy < s.oh; ++oy) {
                const T* row = columns + tap * g.pixels + oy * s.ow;
                const std::int64_t y = oy * s.strideH - s.padTop + ky * s.dilationH;
                if (y < 0 || y >= s.h)
                    continue;
                for (std::int64_t ox = in.from; ox < in.to; ++ox)
                    plane[y * s.w + ox * s.strideW + in.shift] += row[ox];
            }
        }
    }
}

}  // namespace

template<typename T>
void columnsForward(CpuContext& context, const Conv2dShape& s, const T* x, const T* weight, const T* bias, T* y)
{
    const Group g(s);
    T* columns = context.dnn().scratch<T>(Scratch::Columns, g.taps * g.pixels);
    for (std::int64_t i = 0; i < s.n * s.groups; ++i) {
        const std::int64_t group = i % s.groups;
        T* out = y + i * g.outputs * g.pixels;
        for (std::int64_t o = 0; bias && o < g.outputs; ++o)
            std::fill_n(out + o * g.pixels, g.pixels, bias[group * g.outputs + o]);
        toColumns(context, s, g, x + i * g.channels * s.h * s.w, columns);
        gemm<T>(context, {.m = g.outputs, .n = g.pixels, .k = g.taps},
                {.a = weight + group * g.outputs * g.taps,
                 .b = columns,
                 .c = out,
                 .aRow = g.taps,
                 .bRow = g.pixels,
                 .cRow = g.pixels,
                 .beta = bias ? T(1) : T(0)});
    }
}

template<typename T>
void columnsBackwardInput(CpuContext& context, const Conv2dShape& s, const T* dy, const T* weight, T* dx)
{
    const Group g(s);
    T* columns = context.dnn().scratch<T>(Scratch::Columns, g.taps * g.pixels);
    std::fill_n(dx, s.n * s.c * s.h * s.w, T(0));
    for (std::int64_t i = 0; i < s.n * s.groups; ++i) {
        gemm<T>(context, {.m = g.taps, .n = g.pixels, .k = g.outputs},
                {.a = weight + i % s.groups * g.outputs * g.taps,
                 .b = dy + i * g.outputs * g.pixels,
                 .c = columns,
                 .aRow = 1,
                 .aCol = g.taps,
                 .bRow = g.pixels,
                 .cRow = g.pixels});
        fromColumns(context, s, g, columns, dx + i * g.channels * s.h * s.w);
    }
}

template<typename T>
void columnsBackwardWeight(CpuContext& context, const Conv2dShape& s, const T* x, const T* dy, T* dweight)
{
    const Group g(s);
    T* columns = context.dnn().scratch<T>(Scratch::Columns, g.taps * g.pixels);
    for (std::int64_t i = 0; i < s.n * s.groups; ++i) {
        toColumns(context, s, g, x + i * g.channels * s.h * s.w, columns);
        gemm<T>(context, {.m = g.outputs, .n = g.taps, .k = g.pixels},
                {.a = dy + i * g.outputs * g.pixels,
                 .b = columns,
                 .c = dweight + i % s.groups * g.outputs * g.taps,
                 .aRow = g.pixels,
                 .bRow = 1,
                 .bCol = g.pixels,
                 .cRow = g.taps,
                 .beta = i < s.groups ? T(0) : T(1)});
    }
}

template void columnsForward<float>(CpuContext&, const Conv2dShape&, const float*, const float*, const float*, float*);
template void columnsForward<double>(CpuContext&, const Conv2dShape&, const double*, const double*, const double*,
                                     double*);
template void columnsBackwardInput<float>(CpuContext&, const Conv2dShape&, const float*, const float*, float*);
template void columnsBackwardInput<double>(CpuContext&, const Conv2dShape&, const double*, const double*, double*);
template void columnsBackwardWeight<float>(CpuContext&, const Conv2dShape&, const float*, const float*, float*);
template void columnsBackwardWeight<double>(CpuContext&, const Conv2dShape&, const double*, const double*, double*);

}  // namespace megalith::cpu
