// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

// Kernels that are compiled once for each instruction set, because Eigen lays out registers by it (product_*.cpp).
namespace megalith::cpu {

// C (row-major, row stride cRow) += alpha * A B on one thread. One stride of A and one of B must be 1.
template<typename T>
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

// For the instruction set of the whole build, for AVX2 with FMA (v3) and for AVX-512 (v4).
#define MEGALITH_ISA_DECLARATIONS(name)            \
    namespace name {                               \
    void product(const ProductArgs<float>& args);  \
    void product(const ProductArgs<double>& args); \
    }
MEGALITH_ISA_DECLARATIONS(isa_base)
MEGALITH_ISA_DECLARATIONS(isa_v3)
MEGALITH_ISA_DECLARATIONS(isa_v4)
#undef MEGALITH_ISA_DECLARATIONS

// By the best that this CPU can run.
template<typename T>
void isaProduct(const ProductArgs<T>& args)
{
#ifdef MEGALITH_X86_64
    if (__builtin_cpu_supports("x86-64-v4"))
        return isa_v4::product(args);
    if (__builtin_cpu_supports("x86-64-v3"))
        return isa_v3::product(args);
#endif
    isa_base::product(args);
}

}  // namespace megalith::cpu
