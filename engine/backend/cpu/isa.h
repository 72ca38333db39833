// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

// Kernels that are compiled once for each instruction set, because they lay out registers by hand (direct_*.cpp) or
// because Eigen does (product_*.cpp). isa() chooses when the program runs.
namespace megalith::cpu {

// C (row-major, row stride cRow) += alpha * A B on one thread. One stride of A and one of B must be 1.
template <typename T>
struct ProductArgs
{
    std::int64_t m, n, k;
    const T* a;
    std::int64_t aRow, aCol;
    const T* b;
    std::int64_t bRow, bCol;
    T* c;
    std::int64_t cRow;
    T alpha;
};

// "In lanes" means [position][lane]: `lanes` images side by side, one vector register for each position.

// One row or column of the convolution's kernel, and where it reads.
struct Tap
{
    std::int32_t index;   // of the kernel's row or column
    std::int32_t offset;  // elements to add to the input's address
};

// Output columns that are computed together: column, column + columnStep, ...
struct Tile
{
    std::int32_t column;
    std::int32_t count;
    std::int32_t columnStep;
    std::int32_t inputStep;  // elements between what two neighbours of the tile read
    std::int32_t firstTap;   // among the column taps
    std::int32_t endTap;
};

// One row of `outputs` planes (a power of two up to IsaKernels::outputs), in lanes:
// out[o][column] = bias[o] + sum over channel, row tap and column tap of weight * in.
template <typename T>
struct CorrelateArgs
{
    const T* in;
    std::int64_t inPlane;
    std::int64_t channels;
    const Tap* rowTaps;
    std::int64_t rowTapCount;
    const Tile* tiles;
    std::int64_t tileCount;
    const Tap* columnTaps;
    const T* weights;  // [channel][kh][kw][outputs]
    std::int64_t kernelHeight, kernelWidth;
    std::int64_t outputs;
    const T* bias;  // [outputs] or null
    T* out;
    std::int64_t outPlane;
};

// sums[o][tap] += sum over rows and columns of dy[o][row][column] * x[offsets[tap] + row * xRow + column * xColumn], each
// sum a whole vector. All in lanes.
template <typename T>
struct GradientArgs
{
    const T* dy;
    std::int64_t dyPlane;
    std::int64_t outputs;
    const T* x;
    const std::int64_t* offsets;
    std::int64_t taps;
    std::int64_t rows, columns;
    std::int64_t xRow, xColumn;
    T* sums;
};

template <typename T>
struct IsaKernels
{
    void (*product)(const ProductArgs<T>& args);

    std::int64_t lanes;    // elements of a vector
    std::int64_t outputs;  // most planes that correlate() computes at once
    // The tile lengths that correlate() has for so many planes, longest first; 0 ends the list.
    const std::int32_t* (*tileLengths)(std::int64_t outputs);
    // to[position * lanes + lane] = from[lane * imageStride + position]; lanes without an image become 0.
    void (*toLanes)(const T* from, std::int64_t imageStride, std::int64_t images, std::int64_t positions, T* to);
    void (*fromLanes)(const T* from, std::int64_t images, std::int64_t positions, T* to, std::int64_t imageStride);
    void (*correlate)(const CorrelateArgs<T>& args);
    void (*gradient)(const GradientArgs<T>& args);
};

// The table for the instruction set of the whole build, for AVX2 with FMA (v3) and for AVX-512 (v4).
#define MEGALITH_ISA_DECLARATIONS(name)                                                                                \
    namespace name {                                                                                                   \
    void product(const ProductArgs<float>& args);                                                                      \
    void product(const ProductArgs<double>& args);                                                                     \
    extern const IsaKernels<float> kernelsF32;                                                                         \
    extern const IsaKernels<double> kernelsF64;                                                                        \
    }
MEGALITH_ISA_DECLARATIONS(isa_base)
MEGALITH_ISA_DECLARATIONS(isa_v3)
MEGALITH_ISA_DECLARATIONS(isa_v4)
#undef MEGALITH_ISA_DECLARATIONS

// The best that this CPU can run.
template <typename T>
const IsaKernels<T>& isa()
{
    const auto pick = [](const IsaKernels<float>& f32, const IsaKernels<double>& f64) -> const IsaKernels<T>& {
        if constexpr (sizeof(T) == sizeof(float))
            return f32;
        else
            return f64;
    };
#ifdef MEGALITH_X86_64
    if (__builtin_cpu_supports("x86-64-v4"))
        return pick(isa_v4::kernelsF32, isa_v4::kernelsF64);
    if (__builtin_cpu_supports("x86-64-v3"))
        return pick(isa_v3::kernelsF32, isa_v3::kernelsF64);
#endif
    return pick(isa_base::kernelsF32, isa_base::kernelsF64);
}

}  // namespace megalith::cpu
