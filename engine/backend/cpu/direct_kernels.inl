// SPDX-License-Identifier: GPL-3.0-or-later
// Included by direct_*.cpp with MEGALITH_ISA, the namespace to fill. Nothing of the standard library is used here beyond
// integer types: an inline function that two instruction sets share would be kept once, in either.
#include "engine/backend/cpu/isa.h"

namespace megalith::cpu::MEGALITH_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int vectorBytes = 64;
constexpr int mostOutputs = 8;  // 8 x 3 sums, 3 inputs and a weight in 32 registers
constexpr int gradientOutputs = 4;
constexpr std::int32_t lengthsFor8[] = {3, 2, 1, 0};
constexpr std::int32_t lengthsFor4[] = {6, 3, 2, 1, 0};
#elif defined(__AVX__)
constexpr int vectorBytes = 32;
constexpr int mostOutputs = 4;  // 4 x 3 sums, 3 inputs and a weight in 16 registers
constexpr int gradientOutputs = 2;
constexpr std::int32_t lengthsFor8[] = {0};
constexpr std::int32_t lengthsFor4[] = {3, 2, 1, 0};
#else
constexpr int vectorBytes = 16;
constexpr int mostOutputs = 4;
constexpr int gradientOutputs = 2;
constexpr std::int32_t lengthsFor8[] = {0};
constexpr std::int32_t lengthsFor4[] = {3, 2, 1, 0};
#endif
constexpr std::int32_t lengthsFor2[] = {4, 2, 1, 0};
constexpr std::int32_t lengthsFor1[] = {8, 4, 2, 1, 0};
constexpr int gradientTaps = 6;

template <typename T>
struct Simd
{
    static constexpr int lanes = vectorBytes / static_cast<int>(sizeof(T));
    typedef T Vector __attribute__((vector_size(vectorBytes)));
    typedef T Unaligned __attribute__((vector_size(vectorBytes), aligned(alignof(T)), may_alias));
    typedef T Aligned __attribute__((vector_size(vectorBytes), may_alias));

    static Vector load(const T* from) { return *reinterpret_cast<const Aligned*>(from); }
    static Vector loadAnywhere(const T* from) { return *reinterpret_cast<const Unaligned*>(from); }
    static void store(T* to, Vector value) { *reinterpret_cast<Aligned*>(to) = value; }
    static void storeAnywhere(T* to, Vector value) { *reinterpret_cast<Unaligned*>(to) = value; }
    // Subtracting nothing is exact and costs nothing; adding 0 would turn -0 into 0.
    static Vector all(T value) { return value - Vector{}; }
};

// ---- transposition. Each step is a shuffle that the instruction sets have as one instruction.

// Lane of the result -> lane of (a, b) side by side. Blocks are 16 bytes, `Per` elements.

template <int Per, int Lanes>
constexpr int interleaved(int lane, int half)  // a0 b0 a1 b1 of each block, or of its second half
{
    return lane / Per * Per + lane % Per / 2 + lane % 2 * Lanes + half * Per / 2;
}

template <int Per, int Lanes>
constexpr int everySecondBlock(int lane, int odd)  // the even blocks of a, those of b; or the odd ones
{
    constexpr int blocks = Lanes / Per;
    const int block = lane / Per;
    return (block % (blocks / 2) * 2 + odd) * Per + lane % Per + block / (blocks / 2) * Lanes;
}

template <typename Vector, int... Lane>
struct Shuffles
{
    static constexpr int lanes = sizeof...(Lane);
    static constexpr int per = lanes * 16 / vectorBytes;

    static void interleave(Vector& a, Vector& b)
    {
        const Vector low = __builtin_shufflevector(a, b, interleaved<per, lanes>(Lane, 0)...);
        b = __builtin_shufflevector(a, b, interleaved<per, lanes>(Lane, 1)...);
        a = low;
    }
    static void splitBlocks(Vector& a, Vector& b)
    {
        if constexpr (lanes > per) {
            const Vector even = __builtin_shufflevector(a, b, everySecondBlock<per, lanes>(Lane, 0)...);
            b = __builtin_shufflevector(a, b, everySecondBlock<per, lanes>(Lane, 1)...);
            a = even;
        }
    }
};

template <int Lanes, typename Vector>
struct ShufflesOf;
template <typename Vector>
struct ShufflesOf<2, Vector> : Shuffles<Vector, 0, 1>
{};
template <typename Vector>
struct ShufflesOf<4, Vector> : Shuffles<Vector, 0, 1, 2, 3>
{};
template <typename Vector>
struct ShufflesOf<8, Vector> : Shuffles<Vector, 0, 1, 2, 3, 4, 5, 6, 7>
{};
template <typename Vector>
struct ShufflesOf<16, Vector> : Shuffles<Vector, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>
{};

// First within groups of as many rows as a block has elements, so that block k of row j holds column k * per + j; then the
// blocks themselves. Pairs of floats travel as doubles.
template <typename T>
inline __attribute__((always_inline)) void transpose(typename Simd<T>::Vector* rows)
{
    using Wide = typename Simd<double>::Vector;
    using Pairs = ShufflesOf<Simd<double>::lanes, Wide>;
    constexpr int lanes = Simd<T>::lanes, per = 16 / static_cast<int>(sizeof(T)), groups = lanes / per;
    Wide t[lanes];
#pragma GCC unroll 8
    for (int g = 0; g < lanes; g += 2) {
        ShufflesOf<lanes, typename Simd<T>::Vector>::interleave(rows[g], rows[g + 1]);
        t[g] = (Wide)rows[g];
        t[g + 1] = (Wide)rows[g + 1];
    }
    if constexpr (per == 4) {
#pragma GCC unroll 4
        for (int g = 0; g < lanes; g += per) {
            Pairs::interleave(t[g], t[g + 2]);  // columns 0 and 1
            Pairs::interleave(t[g + 1], t[g + 3]);
            const Wide swapped = t[g + 1];
            t[g + 1] = t[g + 2];
            t[g + 2] = swapped;
        }
    }
#pragma GCC unroll 4
    for (int j = 0; j < per; ++j) {
        if constexpr (groups == 4) {
            Pairs::splitBlocks(t[j], t[per + j]);
            Pairs::splitBlocks(t[2 * per + j], t[3 * per + j]);
            Pairs::splitBlocks(t[j], t[2 * per + j]);        // blocks 0 and 2
            Pairs::splitBlocks(t[per + j], t[3 * per + j]);  // blocks 1 and 3
            rows[j] = (typename Simd<T>::Vector)t[j];
            rows[per + j] = (typename Simd<T>::Vector)t[per + j];
            rows[2 * per + j] = (typename Simd<T>::Vector)t[2 * per + j];
            rows[3 * per + j] = (typename Simd<T>::Vector)t[3 * per + j];
        } else {
            if constexpr (groups == 2)
                Pairs::splitBlocks(t[j], t[per + j]);
#pragma GCC unroll 2
            for (int g = 0; g < lanes; g += per)
                rows[g + j] = (typename Simd<T>::Vector)t[g + j];
        }
    }
}

template <typename T>
void toLanes(const T* from, std::int64_t imageStride, std::int64_t images, std::int64_t positions, T* to)
{
    using S = Simd<T>;
    constexpr int lanes = S::lanes;
    if (positions < lanes) {
        for (std::int64_t p = 0; p < positions; ++p) {
            for (std::int64_t lane = 0; lane < lanes; ++lane)
                to[p * lanes + lane] = lane < images ? from[lane * imageStride + p] : T(0);
        }
        return;
    }
    static constexpr T nothing[lanes] = {};
    const T* source[lanes];
    std::int64_t mask[lanes];  // of the position: an image that is not there is always read at 0
    for (int lane = 0; lane < lanes; ++lane) {
        source[lane] = lane < images ? from + lane * imageStride : nothing;
        mask[lane] = lane < images ? -1 : 0;
    }
    // The last block overlaps the one before: the same values are written twice.
    for (std::int64_t p = 0; p < positions; p += lanes) {
        const std::int64_t at = p + lanes <= positions ? p : positions - lanes;
        typename S::Vector rows[lanes];
#pragma GCC unroll 16
        for (int lane = 0; lane < lanes; ++lane)
            rows[lane] = S::loadAnywhere(source[lane] + (at & mask[lane]));
        transpose<T>(rows);
#pragma GCC unroll 16
        for (int i = 0; i < lanes; ++i)
            S::store(to + (at + i) * lanes, rows[i]);
    }
}

template <typename T>
void fromLanes(const T* from, std::int64_t images, std::int64_t positions, T* to, std::int64_t imageStride)
{
    using S = Simd<T>;
    constexpr int lanes = S::lanes;
    if (positions < lanes) {
        for (std::int64_t p = 0; p < positions; ++p) {
            for (std::int64_t lane = 0; lane < images; ++lane)
                to[lane * imageStride + p] = from[p * lanes + lane];
        }
        return;
    }
    for (std::int64_t p = 0; p < positions; p += lanes) {
        const std::int64_t at = p + lanes <= positions ? p : positions - lanes;
        typename S::Vector rows[lanes];
#pragma GCC unroll 16
        for (int i = 0; i < lanes; ++i)
            rows[i] = S::load(from + (at + i) * lanes);
        transpose<T>(rows);
#pragma GCC unroll 16
        for (int lane = 0; lane < lanes; ++lane) {
            if (lane < images)
                S::storeAnywhere(to + lane * imageStride + at, rows[lane]);
        }
    }
}

// ---- correlation

template <typename T, int Outputs, int Length>
inline __attribute__((always_inline)) void correlateTile(const CorrelateArgs<T>& a, const Tile& tile)
{
    using S = Simd<T>;
    typename S::Vector sums[Outputs][Length];
#pragma GCC unroll 8
    for (int o = 0; o < Outputs; ++o) {
#pragma GCC unroll 8
        for (int j = 0; j < Length; ++j)
            sums[o][j] = S::all(a.bias ? a.bias[o] : T(0));
    }
    const std::int64_t step = tile.inputStep;
    for (std::int64_t c = 0; c < a.channels; ++c) {
        for (std::int64_t r = 0; r < a.rowTapCount; ++r) {
            const Tap row = a.rowTaps[r];
            const T* in = a.in + c * a.inPlane + row.offset;
            const T* weights = a.weights + (c * a.kernelHeight + row.index) * a.kernelWidth * Outputs;
            for (std::int32_t q = tile.firstTap; q < tile.endTap; ++q) {
                const Tap column = a.columnTaps[q];
                const T* x = in + column.offset;
                const T* w = weights + column.index * Outputs;
                typename S::Vector values[Length];
#pragma GCC unroll 8
                for (int j = 0; j < Length; ++j)
                    values[j] = S::load(x + j * step);
#pragma GCC unroll 8
                for (int o = 0; o < Outputs; ++o) {
                    const typename S::Vector weight = S::all(w[o]);
#pragma GCC unroll 8
                    for (int j = 0; j < Length; ++j)
                        sums[o][j] += weight * values[j];
                }
            }
        }
    }
    constexpr int lanes = S::lanes;
#pragma GCC unroll 8
    for (int o = 0; o < Outputs; ++o) {
#pragma GCC unroll 8
        for (int j = 0; j < Length; ++j)
            S::store(a.out + o * a.outPlane + (tile.column + j * tile.columnStep) * lanes, sums[o][j]);
    }
}

constexpr bool has(const std::int32_t* lengths, std::int32_t length)
{
    for (; *lengths != 0; ++lengths) {
        if (*lengths == length)
            return true;
    }
    return false;
}

constexpr const std::int32_t* lengthsOf(std::int64_t outputs)
{
    return outputs == 8 ? lengthsFor8 : outputs == 4 ? lengthsFor4 : outputs == 2 ? lengthsFor2 : lengthsFor1;
}

template <typename T, int Outputs, int Length>
inline __attribute__((always_inline)) void correlateTileIfThere(const CorrelateArgs<T>& a, const Tile& tile)
{
    if constexpr (has(lengthsOf(Outputs), Length))
        correlateTile<T, Outputs, Length>(a, tile);
}

template <typename T, int Outputs>
void correlateRow(const CorrelateArgs<T>& a)
{
    for (std::int64_t t = 0; t < a.tileCount; ++t) {
        const Tile& tile = a.tiles[t];
        switch (tile.count) {
        case 1: correlateTileIfThere<T, Outputs, 1>(a, tile); break;
        case 2: correlateTileIfThere<T, Outputs, 2>(a, tile); break;
        case 3: correlateTileIfThere<T, Outputs, 3>(a, tile); break;
        case 4: correlateTileIfThere<T, Outputs, 4>(a, tile); break;
        case 6: correlateTileIfThere<T, Outputs, 6>(a, tile); break;
        case 8: correlateTileIfThere<T, Outputs, 8>(a, tile); break;
        default: break;
        }
    }
}

template <typename T>
void correlate(const CorrelateArgs<T>& a)
{
    switch (a.outputs) {
    case 1: correlateRow<T, 1>(a); break;
    case 2: correlateRow<T, 2>(a); break;
    case 4: correlateRow<T, 4>(a); break;
    default:
        if constexpr (mostOutputs == 8)
            correlateRow<T, 8>(a);
        break;
    }
}

// ---- the gradient of the weights

template <typename T, int Outputs, int Taps>
void gradientBlock(const GradientArgs<T>& a, std::int64_t o, std::int64_t tap)
{
    using S = Simd<T>;
    constexpr int lanes = S::lanes;
    typename S::Vector sums[Outputs][Taps];
    const T* x[Taps];
    for (int t = 0; t < Taps; ++t)
        x[t] = a.x + a.offsets[tap + t];
    T* kept = a.sums + (o * a.taps + tap) * lanes;
#pragma GCC unroll 8
    for (int i = 0; i < Outputs; ++i) {
#pragma GCC unroll 8
        for (int t = 0; t < Taps; ++t)
            sums[i][t] = S::load(kept + (i * a.taps + t) * lanes);
    }
    const T* dy = a.dy + o * a.dyPlane;
    for (std::int64_t row = 0; row < a.rows; ++row) {
        std::int64_t at = row * a.xRow;
        for (std::int64_t column = 0; column < a.columns; ++column, at += a.xColumn, dy += lanes) {
            typename S::Vector given[Outputs];
#pragma GCC unroll 8
            for (int i = 0; i < Outputs; ++i)
                given[i] = S::load(dy + i * a.dyPlane);
#pragma GCC unroll 8
            for (int t = 0; t < Taps; ++t) {
                const typename S::Vector value = S::load(x[t] + at);
#pragma GCC unroll 8
                for (int i = 0; i < Outputs; ++i)
                    sums[i][t] += given[i] * value;
            }
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < Outputs; ++i) {
#pragma GCC unroll 8
        for (int t = 0; t < Taps; ++t)
            S::store(kept + (i * a.taps + t) * lanes, sums[i][t]);
    }
}

// Taps in blocks of nearly the same length.
template <typename T, int Outputs>
void gradientOfOutputs(const GradientArgs<T>& a, std::int64_t o)
{
    const std::int64_t blocks = (a.taps + gradientTaps - 1) / gradientTaps;
    for (std::int64_t block = 0; block < blocks; ++block) {
        const std::int64_t tap = block * a.taps / blocks;
        switch ((block + 1) * a.taps / blocks - tap) {
        case 1: gradientBlock<T, Outputs, 1>(a, o, tap); break;
        case 2: gradientBlock<T, Outputs, 2>(a, o, tap); break;
        case 3: gradientBlock<T, Outputs, 3>(a, o, tap); break;
        case 4: gradientBlock<T, Outputs, 4>(a, o, tap); break;
        case 5: gradientBlock<T, Outputs, 5>(a, o, tap); break;
        case 6: gradientBlock<T, Outputs, 6>(a, o, tap); break;
        default: break;
        }
    }
}

template <typename T>
void gradient(const GradientArgs<T>& a)
{
    std::int64_t o = 0;
    for (; o + gradientOutputs <= a.outputs; o += gradientOutputs)
        gradientOfOutputs<T, gradientOutputs>(a, o);
    if constexpr (gradientOutputs > 2) {
        for (; o + 2 <= a.outputs; o += 2)
            gradientOfOutputs<T, 2>(a, o);
    }
    for (; o < a.outputs; ++o)
        gradientOfOutputs<T, 1>(a, o);
}

template <typename T>
constexpr IsaKernels<T> kernels{.product = product,
                                .lanes = Simd<T>::lanes,
                                .outputs = mostOutputs,
                                .tileLengths = lengthsOf,
                                .toLanes = toLanes<T>,
                                .fromLanes = fromLanes<T>,
                                .correlate = correlate<T>,
                                .gradient = gradient<T>};

}  // namespace

constinit const IsaKernels<float> kernelsF32 = kernels<float>;
constinit const IsaKernels<double> kernelsF64 = kernels<double>;

}  // namespace megalith::cpu::MEGALITH_ISA
