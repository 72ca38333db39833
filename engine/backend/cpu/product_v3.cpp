// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled for x86-64-v3; only isaProduct() decides whether it runs.
#define Eigen MegalithEigenV3
#include "engine/backend/cpu/product_eigen.inl"

namespace megalith::cpu::isa_v3 {

void product(const ProductArgs<float>& args)
{
    eigenProduct(args);
}

void product(const ProductArgs<double>& args)
{
    eigenProduct(args);
}

}  // namespace megalith::cpu::isa_v3
