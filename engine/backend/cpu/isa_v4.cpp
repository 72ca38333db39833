// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled for x86-64-v4; only isa() decides whether it runs.
#define Eigen MegalithEigenV4
#include "engine/backend/cpu/isa.h"

#include "engine/backend/cpu/eigen_product.inl"

namespace megalith::cpu {

const IsaTable isaV4{.f32 = {.product = eigenProduct<float>}, .f64 = {.product = eigenProduct<double>}};

}  // namespace megalith::cpu
