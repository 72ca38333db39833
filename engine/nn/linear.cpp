// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/nn/infer.h"
#include "engine/nn/module.h"
#include "engine/nn/specs.h"
#include "engine/ops/functions.h"

#include <cmath>

namespace megalith::nn::specs {

// y = x W^T + b.   [..., in_features] -> [..., out_features]
// Initial values: He et al. 2015 (kaiming_uniform_ with a = sqrt 5), as torch.nn.Linear.
const ModuleDef linear{
    .type = "Linear",
    .category = Category::Linear,
    .doc = "Every output is a weighted sum of all inputs, plus a bias.",
    .aliases = {"dense", "fully connected", "affine", "fc"},
    .attrs = {sizeFromWire("in_features", "size of the input's last dimension"),
              size("out_features", "size of the output's last dimension: how many sums are made"),
              boolean("bias", true, "adds a learned number to every output")},
    .resolve =
        [](Attrs& attrs, std::span<const TensorMeta> in) {
            if (attrs.isNull("in_features") && !in[0].shape.empty())
                attrs.set("in_features", in[0].shape.back());
        },
    .parameters =
        [](const Attrs& attrs) {
            const std::int64_t in = attrs.integer("in_features");
            const std::int64_t out = attrs.integer("out_features");
            std::vector<ParameterSpec> specs{{"weight", {out, in}, kaimingUniform(std::sqrt(5.0))}};
            if (attrs.flag("bias"))
                specs.push_back({"bias", {out}, uniformByFanIn(in)});
            return specs;
        },
    .infer =
        [](const Attrs& attrs, std::span<const TensorMeta> in) {
            expectFloating(in[0]);
            Shape shape = in[0].shape;
            if (shape.empty())
                throw ShapeError("expected [N, ..., in_features], found a single number");
            if (shape.back() != attrs.integer("in_features"))
                throw ShapeError("input ends in " + std::to_string(shape.back()) + " but in_features is "
                                 + std::to_string(attrs.integer("in_features")));
            shape.back() = attrs.integer("out_features");
            return Metas{withShape(in[0], std::move(shape))};
        },
    .forward = [](const Module& module,
                  const Tensors& in) { return Tensors{ops::linear(in[0], module["weight"], module.find("bias"))}; },
    .repr =
        [](const Attrs& attrs) {
            return named(attrs, {"in_features", "out_features", "bias"});
        },
};

const ModuleDef identity{
    .type = "Identity",
    .category = Category::Linear,
    .doc = "Gives back its input unchanged, whatever its arguments are.",
    .aliases = {"pass through", "placeholder"},
    .anyAttrs = true,
    .infer = [](const Attrs& /*attrs*/, std::span<const TensorMeta> in) { return Metas{in[0]}; },
    .forward = [](const Module& /*module*/, const Tensors& in) { return Tensors{in[0]}; },
    .repr = noArguments,
};

}  // namespace megalith::nn::specs
