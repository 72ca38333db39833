// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Products, convolutions and pooling written as their definitions say, in double: what the kernels are compared with.

#include "engine/backend/cpu/conv.h"
#include "engine/backend/cpu/gemm.h"
#include "engine/backend/cpu/pool.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace reference {

using Numbers = std::vector<double>;

inline std::size_t at(std::int64_t index)
{
    return static_cast<std::size_t>(index);
}

template<typename T>
std::vector<T> randomNumbers(std::int64_t count, unsigned seed)
{
    std::mt19937 generator(seed);
    std::vector<T> values(at(count));
    for (T& value : values)
        value = static_cast<T>(static_cast<double>(generator()) / 4294967296.0 * 2 - 1);
    return values;
}

// max|a - b| / max(max|b|, 1e-6), and infinity when one of them is not a number.
template<typename T>
double difference(const std::vector<T>& a, const Numbers& b)
{
    double most = 0, scale = 1e-6;
    for (std::size_t i = 0; i < b.size(); ++i) {
        const double apart = std::abs(static_cast<double>(a[i]) - b[i]);
        if (std::isnan(apart))
            return std::numeric_limits<double>::infinity();
        most = std::max(most, apart);
        scale = std::max(scale, std::abs(b[i]));
    }
    return most / scale;
}

template<typename T>
Numbers product(const megalith::cpu::GemmShape& s, const megalith::cpu::GemmArgs<T>& g, const std::vector<T>& before)
{
    Numbers c(before.begin(), before.end());
    for (std::int64_t i = 0; i < s.batch; ++i) {
        for (std::int64_t row = 0; row < s.m; ++row) {
            for (std::int64_t col = 0; col < s.n; ++col) {
                double sum = 0;
                for (std::int64_t k = 0; k < s.k; ++k)
                    sum += static_cast<double>(g.a[i * g.aBatch + row * g.aRow + k * g.aCol])
                           * static_cast<double>(g.b[i * g.bBatch + k * g.bRow + col * g.bCol]);
                double& to = c[at(i * g.cBatch + row * g.cRow + col)];
                to = static_cast<double>(g.alpha) * sum + (g.beta != T(0) ? static_cast<double>(g.beta) * to : 0.0)
                     + (g.bias ? static_cast<double>(g.bias[col]) : 0.0);
            }
        }
    }
    return c;
}

// Calls visit(x index, weight index, y index) for every multiplication of the convolution.
template<typename Visit>
void eachTap(const megalith::cpu::Conv2dShape& s, Visit visit)
{
    const std::int64_t channels = s.c / s.groups, outputs = s.o / s.groups;
    for (std::int64_t i = 0; i < s.n; ++i)
        for (std::int64_t o = 0; o < s.o; ++o)
            for (std::int64_t oy = 0; oy < s.oh; ++oy)
                for (std::int64_t ox = 0; ox < s.ow; ++ox)
                    for (std::int64_t c = 0; c < channels; ++c)
                        for (std::int64_t ky = 0; ky < s.kh; ++ky)
                            for (std::int64_t kx = 0; kx < s.kw; ++kx) {
                                const std::int64_t y = oy * s.strideH - s.padTop + ky * s.dilationH;
                                const std::int64_t x = ox * s.strideW - s.padLeft + kx * s.dilationW;
                                if (y < 0 || y >= s.h || x < 0 || x >= s.w)
                                    continue;
                                const std::int64_t channel = o / outputs * channels + c;
                                visit(at(((i * s.c + channel) * s.h + y) * s.w + x),
                                      at(((o * channels + c) * s.kh + ky) * s.kw + kx),
                                      at(((i * s.o + o) * s.oh + oy) * s.ow + ox));
                            }
}

struct Windows
{
    Numbers values;
    std::vector<std::int64_t> indices;
};

template<typename T>
Windows maxPool(const megalith::cpu::Pool2dShape& s, const std::vector<T>& x)
{
    Windows result;
    for (std::int64_t p = 0; p < s.planes; ++p)
        for (std::int64_t oy = 0; oy < s.oh; ++oy)
            for (std::int64_t ox = 0; ox < s.ow; ++ox) {
                double best = -std::numeric_limits<double>::infinity();
                std::int64_t index = -1;
                for (std::int64_t ky = 0; ky < s.kh; ++ky)
                    for (std::int64_t kx = 0; kx < s.kw; ++kx) {
                        const std::int64_t row = oy * s.strideH - s.padH + ky * s.dilationH;
                        const std::int64_t col = ox * s.strideW - s.padW + kx * s.dilationW;
                        if (row < 0 || row >= s.h || col < 0 || col >= s.w)
                            continue;
                        const auto value = static_cast<double>(x[at((p * s.h + row) * s.w + col)]);
                        if (index < 0 || value > best || std::isnan(value)) {
                            best = value;
                            index = row * s.w + col;
                        }
                    }
                result.values.push_back(best);
                result.indices.push_back(index);
            }
    return result;
}

// Calls visit(x index, y index, divisor) for every element of every window.
template<typename Visit>
void eachAverage(const megalith::cpu::Pool2dShape& s, bool countIncludePad, std::int64_t divisorOverride, Visit visit)
{
    for (std::int64_t p = 0; p < s.planes; ++p)
        for (std::int64_t oy = 0; oy < s.oh; ++oy)
            for (std::int64_t ox = 0; ox < s.ow; ++ox) {
                const std::int64_t top = oy * s.strideH - s.padH, left = ox * s.strideW - s.padW;
                const std::int64_t bottom = std::min(top + s.kh, s.h + s.padH);
                const std::int64_t right = std::min(left + s.kw, s.w + s.padW);
                std::int64_t padded = (bottom - top) * (right - left), real = 0;
                for (std::int64_t row = top; row < bottom; ++row)
                    for (std::int64_t col = left; col < right; ++col)
                        real += row >= 0 && row < s.h && col >= 0 && col < s.w;
                const std::int64_t divisor = divisorOverride != 0 ? divisorOverride : countIncludePad ? padded : real;
                for (std::int64_t row = top; row < bottom; ++row)
                    for (std::int64_t col = left; col < right; ++col)
                        if (row >= 0 && row < s.h && col >= 0 && col < s.w)
                            visit(at((p * s.h + row) * s.w + col), at((p * s.oh + oy) * s.ow + ox),
                                  static_cast<double>(divisor));
            }
}

}  // namespace reference
