// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

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

template <typename T>
struct IsaKernels
{
    void (*product)(const ProductArgs<T>& args);
};

// The kernels that are compiled once for each instruction set (isa_*.cpp), because they need its registers by hand.
struct IsaTable
{
    IsaKernels<float> f32;
    IsaKernels<double> f64;

    template <typename T>
    const IsaKernels<T>& of() const
    {
        if constexpr (sizeof(T) == 4)
            return f32;
        else
            return f64;
    }
};

extern const IsaTable isaBase;
#ifdef MEGALITH_X86_64
extern const IsaTable isaV3;  // AVX2, FMA
extern const IsaTable isaV4;  // AVX-512
#endif

// The best one that this CPU can run.
inline const IsaTable& isa()
{
#ifdef MEGALITH_X86_64
    if (__builtin_cpu_supports("x86-64-v4"))
        return isaV4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return isaV3;
#endif
    return isaBase;
}

}  // namespace megalith::cpu
