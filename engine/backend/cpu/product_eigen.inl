// SPDX-License-Identifier: GPL-3.0-or-later
// Included by product_*.cpp, with Eigen renamed to a name of the instruction set's own: else the linker would keep one copy
// of each inline function, maybe the one for the newest instruction set.
#include "engine/backend/cpu/isa.h"

#include <Eigen/Core>

namespace megalith::cpu {
namespace {

// Eigen is asked for its packed block product itself, not for an expression: for thin matrices an expression takes
// routes whose order of additions depends on where the operands lie.
template <typename T, int LeftOrder, int RightOrder>
void eigenProductOf(const ProductArgs<T>& p, std::int64_t leftStride, std::int64_t rightStride)
{
    // C^T = B^T A^T, column-major.
    using Blocking = Eigen::internal::gemm_blocking_space<Eigen::ColMajor, T, T, Eigen::Dynamic, Eigen::Dynamic,
                                                          Eigen::Dynamic>;
    using Product = Eigen::internal::general_matrix_matrix_product<Eigen::Index, T, LeftOrder, false, T, RightOrder,
                                                                   false, Eigen::ColMajor, 1>;
    Blocking blocking(p.n, p.m, p.k, 1, true);
    Product::run(p.n, p.m, p.k, p.b, leftStride, p.a, rightStride, p.c, 1, p.cRow, p.alpha, blocking, nullptr);
}

template <typename T>
void eigenProduct(const ProductArgs<T>& p)
{
    if (p.bCol == 1 && p.aCol == 1)
        eigenProductOf<T, Eigen::ColMajor, Eigen::ColMajor>(p, p.bRow, p.aRow);
    else if (p.bCol == 1)
        eigenProductOf<T, Eigen::ColMajor, Eigen::RowMajor>(p, p.bRow, p.aCol);
    else if (p.aCol == 1)
        eigenProductOf<T, Eigen::RowMajor, Eigen::ColMajor>(p, p.bCol, p.aRow);
    else
        eigenProductOf<T, Eigen::RowMajor, Eigen::RowMajor>(p, p.bCol, p.aCol);
}

}  // namespace
}  // namespace megalith::cpu
