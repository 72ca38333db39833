// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace megalith {
class CpuContext;
}

namespace megalith::cpu {

struct GemmShape
{
    std::int64_t batch = 1;
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
};

// Where the operands lie. All strides count elements.
// A is m x k with strides (aRow, aCol), B is k x n with (bRow, bCol): one of each pair is 1 in the fast cases, any other
// pair is copied first. A batch stride of 0 uses the same matrix for every batch. C is row-major with row stride cRow
// (>= n) and must overlap neither A nor B nor, from batch to batch, itself.
template<typename T>
struct GemmArgs
{
    const T* a = nullptr;
    const T* b = nullptr;
    T* c = nullptr;
    const T* bias = nullptr;  // [n], added to every row; may be null
    std::int64_t aRow = 0;
    std::int64_t aCol = 1;
    std::int64_t aBatch = 0;
    std::int64_t bRow = 0;
    std::int64_t bCol = 1;
    std::int64_t bBatch = 0;
    std::int64_t cRow = 0;
    std::int64_t cBatch = 0;
    T alpha = 1;
    T beta = 0;
};

// C[i] = alpha * A[i] B[i] + beta * C[i] + bias for every i < batch. With beta = 0, C is not read. With k = 0 the product
// is 0. The same call gives the same bits, wherever the operands lie and however busy the machine is.
template<typename T>
void gemm(CpuContext& context, const GemmShape& shape, const GemmArgs<T>& args);

extern template void gemm<float>(CpuContext&, const GemmShape&, const GemmArgs<float>&);
extern template void gemm<double>(CpuContext&, const GemmShape&, const GemmArgs<double>&);

}  // namespace megalith::cpu
