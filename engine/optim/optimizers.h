// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/optim/optimizer.h"

// Each optimizer's definition; all_optimizers.cpp lists them.
namespace megalith::optim {

// sgd.cpp
OptimizerDef sgd();
// adam.cpp
OptimizerDef adam();
OptimizerDef adamW();

// Arguments that several have.
nn::AttrSpec learningRateSpec();
nn::AttrSpec weightDecaySpec(double byDefault);
nn::AttrSpec maximizeSpec();

}  // namespace megalith::optim
