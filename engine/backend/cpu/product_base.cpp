// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled for the instruction set of the whole build.
#define Eigen MegalithEigenBase
#include "engine/backend/cpu/product_eigen.inl"

namespace megalith::cpu::isa_base {

void product(const ProductArgs<float>& args)
{
    eigenProduct(args);
}

void product(const ProductArgs<double>& args)
{
    eigenProduct(args);
}

}  // namespace megalith::cpu::isa_base
