// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/cpu/conv.h"

#include "engine/backend/cpu/conv_paths.h"

#include <algorithm>
#include <type_traits>

namespace megalith::cpu {

namespace {

std::int64_t outputSize(const Conv2dShape& s)
{
    return s.n * s.o * s.oh * s.ow;
}

std::int64_t inputSize(const Conv2dShape& s)
{
    return s.n * s.c * s.h * s.w;
}

std::int64_t weightSize(const Conv2dShape& s)
{
    return s.groups > 0 ? s.o * (s.c / s.groups) * s.kh * s.kw : 0;
}

}  // namespace

template<typename T>
void conv2dForward(CpuContext& context, const Conv2dShape& s, const T* x, const T* weight, const T* bias, T* y)
{
    if (outputSize(s) == 0)
        return;
    if (inputSize(s) == 0 || weightSize(s) == 0) {
        for (std::int64_t i = 0; i < s.n * s.o; ++i)
            std::fill_n(y + i * s.oh * s.ow, s.oh * s.ow, bias ? bias[i % s.o] : T(0));
        return;
    }
    if constexpr (std::is_same_v<T, float>) {
        if (dnnForward(context, s, x, weight, bias, y))
            return;
    }
    columnsForward(context, s, x, weight, bias, y);
}

template<typename T>
void conv2dBackwardInput(CpuContext& context, const Conv2dShape& s, const T* dy, const T* weight, T* dx)
{
    if (outputSize(s) == 0 || inputSize(s) == 0 || weightSize(s) == 0) {
        std::fill_n(dx, inputSize(s), T(0));
        return;
    }
    if constexpr (std::is_same_v<T, float>) {
        if (dnnBackwardInput(context, s, dy, weight, dx))
            return;
    }
    columnsBackwardInput(context, s, dy, weight, dx);
}

template<typename T>
void conv2dBackwardWeight(CpuContext& context, const Conv2dShape& s, const T* x, const T* dy, T* dweight)
{
    if (outputSize(s) == 0 || inputSize(s) == 0 || weightSize(s) == 0) {
        std::fill_n(dweight, weightSize(s), T(0));
        return;
    }
    if constexpr (std::is_same_v<T, float>) {
        if (dnnBackwardWeight(context, s, x, dy, dweight))
            return;
    }
    columnsBackwardWeight(context, s, x, dy, dweight);
}

template void conv2dForward<float>(CpuContext&, const Conv2dShape&, const float*, const float*, const float*, float*);
template void conv2dForward<double>(CpuContext&, const Conv2dShape&, const double*, const double*, const double*,
                                    double*);
template void conv2dBackwardInput<float>(CpuContext&, const Conv2dShape&, const float*, const float*, float*);
template void conv2dBackwardInput<double>(CpuContext&, const Conv2dShape&, const double*, const double*, double*);
template void conv2dBackwardWeight<float>(CpuContext&, const Conv2dShape&, const float*, const float*, float*);
template void conv2dBackwardWeight<double>(CpuContext&, const Conv2dShape&, const double*, const double*, double*);

}  // namespace megalith::cpu
