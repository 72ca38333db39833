// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/reduce.h"

#include "engine/backend/cpu/multiversion.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace megalith::ops {

namespace {

template<typename T>
using Accumulator = std::conditional_t<std::is_same_v<T, std::int64_t>, std::int64_t, double>;

constexpr std::int64_t lanes = 16;
constexpr std::int64_t run = 1024;

template<typename T, bool squares>
MEGALITH_MULTIVERSION T laneSum(const T* in, std::int64_t n)
{
    T part[lanes] = {};
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::int64_t l = 0; l < lanes; ++l)
            part[l] += squares ? in[i + l] * in[i + l] : in[i + l];
    for (std::int64_t l = 0; i < n; ++i, ++l)
        part[l] += squares ? in[i] * in[i] : in[i];
    for (std::int64_t width = lanes / 2; width > 0; width /= 2)
        for (std::int64_t l = 0; l < width; ++l)
            part[l] += part[l + width];
    return part[0];
}

template<typename T, bool squares>
Accumulator<T> runsSum(const T* in, std::int64_t n)
{
    Accumulator<T> total = 0;
    for (std::int64_t i = 0; i < n; i += run)
        total += static_cast<Accumulator<T>>(laneSum<T, squares>(in + i, std::min(run, n - i)));
    return total;
}

template<typename T>
MEGALITH_MULTIVERSION void addRow(T* sums, const T* row, std::int64_t n)
{
    for (std::int64_t i = 0; i < n; ++i)
        sums[i] += row[i];
}

// Rows of `inner` columns added together, 64 rows at a time in T, these in the accumulator.
template<typename T>
void sumRows(const T* in, T* out, std::int64_t rows, std::int64_t stride, std::int64_t n)
{
    constexpr std::int64_t tile = 256;
    T part[tile];
    Accumulator<T> total[tile];
    for (std::int64_t begin = 0; begin < n; begin += tile) {
        const std::int64_t width = std::min(tile, n - begin);
        std::fill(total, total + width, Accumulator<T>{0});
        for (std::int64_t r = 0; r < rows; r += 64) {
            std::fill(part, part + width, T{0});
            for (std::int64_t i = r; i < std::min(rows, r + 64); ++i)
                addRow(part, in + i * stride + begin, width);
            for (std::int64_t i = 0; i < width; ++i)
                total[i] += static_cast<Accumulator<T>>(part[i]);
        }
        for (std::int64_t i = 0; i < width; ++i)
            out[begin + i] = static_cast<T>(total[i]);
    }
}

}  // namespace

template<typename T>
void sumMiddle(CpuContext& context, const T* in, T* out, std::int64_t outer, std::int64_t middle, std::int64_t inner)
{
    const int threads = context.threadsFor(outer * middle * inner);
    if (inner == 1 && outer == 1 && threads > 1) {
        // One long sum: parts of fixed size, added in order.
        constexpr std::int64_t part = 1 << 16;
        std::vector<Accumulator<T>> parts(static_cast<std::size_t>((middle + part - 1) / part));
#pragma omp parallel for num_threads(threads) schedule(static)
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const auto begin = static_cast<std::int64_t>(p) * part;
            parts[p] = runsSum<T, false>(in + begin, std::min(part, middle - begin));
        }
        Accumulator<T> total = 0;
        for (const Accumulator<T> p : parts)
            total += p;
        out[0] = static_cast<T>(total);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1 && outer > 1)
    for (std::int64_t o = 0; o < outer; ++o) {
        if (inner == 1)
            out[o] = static_cast<T>(runsSum<T, false>(in + o * middle, middle));
        else
            sumRows(in + o * middle * inner, out + o * inner, middle, inner, inner);
    }
}

template<typename T>
double sumOf(const T* in, std::int64_t n)
{
    return runsSum<T, false>(in, n);
}

template<typename T>
double sumOfSquares(const T* in, std::int64_t n)
{
    return runsSum<T, true>(in, n);
}

template void sumMiddle<float>(CpuContext&, const float*, float*, std::int64_t, std::int64_t, std::int64_t);
template void sumMiddle<double>(CpuContext&, const double*, double*, std::int64_t, std::int64_t, std::int64_t);
template void sumMiddle<std::int64_t>(CpuContext&, const std::int64_t*, std::int64_t*, std::int64_t, std::int64_t,
                                      std::int64_t);
template double sumOf<float>(const float*, std::int64_t);
template double sumOf<double>(const double*, std::int64_t);
template double sumOfSquares<float>(const float*, std::int64_t);
template double sumOfSquares<double>(const double*, std::int64_t);

}  // namespace megalith::ops
