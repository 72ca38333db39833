// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/cpu/gemm.h"

#include "engine/backend/cpu/isa.h"
#include "engine/backend/cpu/omp_threads.h"
#include "engine/backend/cpu_dnn.h"
#include "engine/core/error.h"

#ifdef MEGALITH_HAVE_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

#include <algorithm>
#include <type_traits>

namespace megalith::cpu {

namespace {

using Scratch = CpuContext::Dnn::Scratch;

// A matrix whose one stride is 1 and whose other is at least the length that it steps over.
template<typename T>
struct Matrix
{
    const T* data;
    std::int64_t row;
    std::int64_t col;
    std::int64_t batch;
};

// Strides that are never stepped along may be anything; they become what a library accepts.
template<typename T>
bool isPlain(Matrix<T>& matrix, std::int64_t rows, std::int64_t cols)
{
    if (matrix.col == 1 || cols == 1) {
        if (rows == 1)
            matrix.row = std::max(matrix.row, cols);
        if (matrix.row >= cols) {
            matrix.col = 1;
            return true;
        }
    }
    if (matrix.row == 1 || rows == 1) {
        if (cols == 1)
            matrix.col = std::max(matrix.col, rows);
        if (matrix.col >= rows) {
            matrix.row = 1;
            return true;
        }
    }
    return false;
}

template<typename T>
T* copyPlain(const Matrix<T>& matrix, std::int64_t batch, std::int64_t rows, std::int64_t cols, T* to)
{
    for (std::int64_t i = 0; i < batch; ++i) {
        for (std::int64_t r = 0; r < rows; ++r) {
            const T* from = matrix.data + i * matrix.batch + r * matrix.row;
            for (std::int64_t c = 0; c < cols; ++c)
                *to++ = from[c * matrix.col];
        }
    }
    return to;
}

// What C holds before the product is added: beta * C + bias.
template<typename T>
void prepareRow(T* row, std::int64_t n, T beta, const T* bias)
{
    if (beta == T(0)) {
        if (bias)
            std::copy_n(bias, n, row);
        else
            std::fill_n(row, n, T(0));
        return;
    }
    for (std::int64_t j = 0; j < n; ++j)
        row[j] = beta * row[j] + (bias ? bias[j] : T(0));
}

template<typename T>
void prepare(const GemmArgs<T>& args, std::int64_t i, std::int64_t m, std::int64_t n)
{
    if (args.beta == T(1) && !args.bias)
        return;
    for (std::int64_t r = 0; r < m; ++r)
        prepareRow(args.c + i * args.cBatch + r * args.cRow, n, args.beta, args.bias);
}

template<typename T>
ProductArgs<T> productOf(const GemmArgs<T>& args, std::int64_t i, const GemmShape& shape)
{
    return {.m = shape.m,
            .n = shape.n,
            .k = shape.k,
            .a = args.a + i * args.aBatch,
            .aRow = args.aRow,
            .aCol = args.aCol,
            .b = args.b + i * args.bBatch,
            .bRow = args.bRow,
            .bCol = args.bCol,
            .c = args.c + i * args.cBatch,
            .cRow = args.cRow,
            .alpha = args.alpha};
}

// One of the batch, cut into as many panels as there are threads along the longer side of C.
template<typename T>
void productByPanels(const ProductArgs<T>& whole, int threads)
{
    const bool byRows = whole.m >= whole.n;
    const std::int64_t length = byRows ? whole.m : whole.n;
    constexpr std::int64_t grain = 16;
    const std::int64_t step = (length + threads * grain - 1) / (threads * grain) * grain;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; ++t) {
        const std::int64_t from = t * step;
        const std::int64_t count = std::min(step, length - from);
        if (count <= 0)
            continue;
        ProductArgs<T> panel = whole;
        if (byRows) {
            panel.m = count;
            panel.a += from * whole.aRow;
            panel.c += from * whole.cRow;
        } else {
            panel.n = count;
            panel.b += from * whole.bCol;
            panel.c += from;
        }
        isaProduct(panel);
    }
}

template<typename T>
void multiply(const GemmArgs<T>& args, std::int64_t i, const GemmShape& shape, int threads)
{
#ifdef MEGALITH_HAVE_ONEDNN
    if constexpr (std::is_same_v<T, float>) {
        const OmpThreads scope(threads);
        T beta = args.beta;
        if (args.bias) {
            prepare(args, i, shape.m, shape.n);
            beta = 1;
        }
        const bool aPlain = args.aCol == 1;
        const bool bPlain = args.bCol == 1;
        const auto status =
            dnnl_sgemm(aPlain ? 'N' : 'T', bPlain ? 'N' : 'T', shape.m, shape.n, shape.k, args.alpha,
                       args.a + i * args.aBatch, aPlain ? args.aRow : args.aCol, args.b + i * args.bBatch,
                       bPlain ? args.bRow : args.bCol, beta, args.c + i * args.cBatch, args.cRow);
        if (status != dnnl_success)
            throw Error("matrix product: oneDNN refused the sizes");
        return;
    }
#endif
    prepare(args, i, shape.m, shape.n);
    const ProductArgs<T> whole = productOf(args, i, shape);
    if (threads == 1)
        isaProduct(whole);
    else
        productByPanels(whole, threads);
}

}  // namespace

template<typename T>
void gemm(CpuContext& context, const GemmShape& shape, const GemmArgs<T>& given)
{
    const auto [batch, m, n, k] = shape;
    if (batch <= 0 || m <= 0 || n <= 0)
        return;
    if (k <= 0 || given.alpha == T(0)) {
        for (std::int64_t i = 0; i < batch; ++i)
            prepare(given, i, m, n);
        return;
    }

    GemmArgs<T> args = given;
    Matrix<T> a{args.a, args.aRow, args.aCol, args.aBatch};
    Matrix<T> b{args.b, args.bRow, args.bCol, args.bBatch};
    const bool aPlain = isPlain(a, m, k);
    const bool bPlain = isPlain(b, k, n);
    if (!aPlain || !bPlain) {
        const std::int64_t aCopies = args.aBatch == 0 ? 1 : batch;
        const std::int64_t bCopies = args.bBatch == 0 ? 1 : batch;
        T* copy =
            context.dnn().scratch<T>(Scratch::Operand, (aPlain ? 0 : aCopies * m * k) + (bPlain ? 0 : bCopies * k * n));
        if (!aPlain) {
            T* end = copyPlain(a, aCopies, m, k, copy);
            a = {copy, k, 1, args.aBatch == 0 ? 0 : m * k};
            copy = end;
        }
        if (!bPlain) {
            copyPlain(b, bCopies, k, n, copy);
            b = {copy, n, 1, args.bBatch == 0 ? 0 : k * n};
        }
    }
    args.a = a.data, args.aRow = a.row, args.aCol = a.col, args.aBatch = a.batch;
    args.b = b.data, args.bRow = b.row, args.bCol = b.col, args.bBatch = b.batch;
    args.cRow = std::max(args.cRow, n);

    // A multiplication and addition in a product takes about a sixteenth of an elementwise operation's time.
    const int threads = context.threadsFor(m * n * k / 16);
    const int batchThreads = context.threadsFor(batch * m * n * k / 16);
    if (threads == 1 && batchThreads > 1 && batch > 1) {
#pragma omp parallel for num_threads(batchThreads)
        for (std::int64_t i = 0; i < batch; ++i)
            multiply(args, i, shape, 1);
        return;
    }
    for (std::int64_t i = 0; i < batch; ++i)
        multiply(args, i, shape, threads);
}

template void gemm<float>(CpuContext&, const GemmShape&, const GemmArgs<float>&);
template void gemm<double>(CpuContext&, const GemmShape&, const GemmArgs<double>&);

}  // namespace megalith::cpu
