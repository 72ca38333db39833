// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/nn/infer.h"
#include "engine/nn/module.h"
#include "engine/nn/specs.h"
#include "engine/ops/functions.h"

namespace megalith::nn::specs {

namespace {

// torch.nn.functional's rule where dim is None: over the channels, the first dimension if there is none before the last two.
std::int64_t softmaxDim(const Attrs& attrs, std::size_t rank)
{
    if (!attrs.isNull("dim"))
        return attrs.integer("dim");
    return rank == 0 || rank == 1 || rank == 3 ? 0 : 1;
}

Metas inferSoftmax(const Attrs& attrs, std::span<const TensorMeta> in)
{
    expectFloating(in[0]);
    const std::size_t rank = in[0].shape.size();
    const auto dim = softmaxDim(attrs, rank);
    const auto n = static_cast<std::int64_t>(rank == 0 ? 1 : rank);
    if (dim < -n || dim >= n)
        throw ShapeError("dim is " + std::to_string(dim) + " but the input " + megalith::text(in[0].shape)
                         + " has dimensions " + std::to_string(-n) + " to " + std::to_string(n - 1));
    return {in[0]};
}

AttrSpec softmaxDimSpec()
{
    return integerOrNone("dim", AttrValue(), "the dimension whose values sum to 1; 1 is the first after the batch");
}

std::string inplaceRepr(const Attrs& attrs)
{
    return attrs.flag("inplace") ? "inplace=True" : "";
}

AttrSpec inplace()
{
    return boolean("inplace", false, "PyTorch may overwrite the input; the values are the same");
}

}  // namespace

// max(x, 0)
const ModuleDef relu{
    .type = "ReLU",
    .category = Category::Activation,
    .doc = "Keeps what is positive, sets the rest to zero.",
    .aliases = {"rectifier", "rectified linear unit"},
    .attrs = {inplace()},
    .infer = sameAsInput,
    .forward = [](const Module& /*module*/, const Tensors& in) { return Tensors{ops::relu(in[0])}; },
    .repr = inplaceRepr,
};

const ModuleDef tanh{
    .type = "Tanh",
    .category = Category::Activation,
    .doc = "Squashes every value into -1 to 1.",
    .aliases = {"hyperbolic tangent"},
    .infer = sameAsInput,
    .forward = [](const Module& /*module*/, const Tensors& in) { return Tensors{ops::tanh(in[0])}; },
    .repr = noArguments,
};

// 1 / (1 + exp(-x))
const ModuleDef sigmoid{
    .type = "Sigmoid",
    .category = Category::Activation,
    .doc = "Squashes every value into 0 to 1.",
    .aliases = {"logistic"},
    .infer = sameAsInput,
    .forward = [](const Module& /*module*/, const Tensors& in) { return Tensors{ops::sigmoid(in[0])}; },
    .repr = noArguments,
};

// exp(x) / sum of exp(x) over dim
const ModuleDef softmax{
    .type = "Softmax",
    .category = Category::Activation,
    .doc =
        "Turns values into probabilities that sum to 1. CrossEntropyLoss does this itself: do not put it before that loss.",
    .aliases = {"probabilities", "normalized exponential"},
    .attrs = {softmaxDimSpec()},
    .infer = inferSoftmax,
    .forward = [](const Module& module,
                  const Tensors& in) { return Tensors{ops::softmax(in[0], softmaxDim(module.attrs(), in[0].rank()))}; },
    .repr = [](const Attrs& attrs) { return named(attrs, {"dim"}); },
};

const ModuleDef logSoftmax{
    .type = "LogSoftmax",
    .category = Category::Activation,
    .doc = "The logarithm of Softmax, computed without losing accuracy.",
    .aliases = {"log probabilities"},
    .attrs = {softmaxDimSpec()},
    .infer = inferSoftmax,
    .forward =
        [](const Module& module, const Tensors& in) {
            return Tensors{ops::log_softmax(in[0], softmaxDim(module.attrs(), in[0].rank()))};
        },
    .repr = [](const Attrs& attrs) { return named(attrs, {"dim"}); },
};

}  // namespace megalith::nn::specs
