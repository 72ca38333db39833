// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/nn/infer.h"
#include "engine/nn/module.h"
#include "engine/nn/specs.h"

namespace megalith::nn::specs {

const ModuleDef sequential{
    .type = "Sequential",
    .category = Category::Container,
    .doc = "Modules one after another, named 0, 1, ...",
    .aliases = {"chain", "stack"},
    .infer = [](const Attrs& /*attrs*/, std::span<const TensorMeta> in) { return Metas{in[0]}; },
    .forward =
        [](const Module& module, const Tensors& in) {
            Tensors values = in;
            for (const std::string& name : module.childNames())
                values = (*module.child(name))(values);
            return values;
        },
    .repr = noArguments,
};

}  // namespace megalith::nn::specs
