// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/nn/infer.h"
#include "engine/nn/module.h"
#include "engine/nn/specs.h"
#include "engine/ops/functions.h"

namespace megalith::nn::specs {

// Srivastava, Hinton et al. 2014. In training each element is 0 with probability p, the others are divided by 1 - p; in eval
// mode the input passes through exactly.
const ModuleDef dropout{
    .type = "Dropout",
    .category = Category::Dropout,
    .doc = "Sets values to zero at random while training, so that no unit relies on another alone.",
    .aliases = {"regularization"},
    .attrs = {real("p", 0.5, "probability of being set to zero", 0.0, 1.0),
              boolean("inplace", false, "PyTorch may overwrite the input; the values are the same")},
    .trainingDiffers = true,
    .infer = sameAsInput,
    .forward =
        [](const Module& module, const Tensors& in) {
            const double p = module.attrs().real("p");
            return Tensors{module.training() && p > 0.0 ? ops::dropout(in[0], p, module.randomStream()) : in[0]};
        },
    .repr =
        [](const Attrs& attrs) {
            return named(attrs, {"p", "inplace"});
        },
};

}  // namespace megalith::nn::specs
