// SPDX-License-Identifier: GPL-3.0-or-later
// Compiled for the instruction set of the whole build.
#define Eigen MegalithEigenBase
#include "engine/backend/cpu/isa.h"

#include "engine/backend/cpu/eigen_product.inl"

namespace megalith::cpu {

const IsaTable isaBase{.f32 = {.product = eigenProduct<float>}, .f64 = {.product = eigenProduct<double>}};

}  // namespace megalith::cpu
