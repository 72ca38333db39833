// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/nn/tensors.h"

#include "engine/core/error.h"
#include "engine/nn/infer.h"
#include "engine/nn/module.h"
#include "engine/nn/specs.h"
#include "engine/ops/functions.h"

namespace megalith::nn {

namespace {

DType dtypeOf(const Attrs& attrs)
{
    return dtypeFromName(attrs.string("dtype")).value_or(DType::F32);
}

std::optional<NumberArray> valuesOf(const Attrs& attrs)
{
    if (attrs.isNull("values"))
        return std::nullopt;
    return numbersOf(*attrs.find("values"));
}

void checkTensor(const Attrs& attrs)
{
    const Shape wanted = attrs.integers("shape");
    numel(wanted);
    if (const auto values = valuesOf(attrs); values && values->shape != wanted)
        throw Error("values have shape " + megalith::text(values->shape) + " but shape is " + megalith::text(wanted));
    if (attrs.has("requires_grad") && attrs.flag("requires_grad") && !isFloating(dtypeOf(attrs)))
        throw Error("requires_grad needs a floating dtype, not " + attrs.string("dtype"));
}

Metas inferTensor(const Attrs& attrs, std::span<const TensorMeta> /*inputs*/)
{
    return {tensorMeta(attrs)};
}

std::vector<AttrSpec> tensorAttrs(std::vector<std::string_view> dtypes)
{
    return {shape("shape", "the whole shape; no batch dimension is added"),
            choice("dtype", "float32", std::move(dtypes), "what its elements are"),
            real("fill", 0.0, "the value of every element, when no values are given"),
            numbersOrNone("values", "every value, as nested lists of the given shape")};
}

std::vector<AttrSpec> with(std::vector<AttrSpec> attrs, AttrSpec last)
{
    attrs.push_back(std::move(last));
    return attrs;
}

const std::vector<std::string_view> floatingNames{"float32", "float64", "float16", "bfloat16"};
const std::vector<std::string_view> allNames{"float32", "float64", "float16", "bfloat16", "int64",
                                             "int32",   "int16",   "int8",    "uint8",    "bool"};

std::string tensorRepr(const Attrs& attrs)
{
    return attrs.isNull("values") ? named(attrs, {"shape", "dtype", "fill"}) : named(attrs, {"shape", "dtype"});
}

}  // namespace

TensorMeta tensorMeta(const Attrs& attrs)
{
    return {dtypeOf(attrs), attrs.integers("shape")};
}

Tensor makeTensor(const Attrs& attrs)
{
    const TensorMeta meta = tensorMeta(attrs);
    const auto values = valuesOf(attrs);
    Tensor tensor = values ? ops::fromDoubles(meta.shape, values->values, meta.dtype)
                           : ops::full(meta.shape, attrs.real("fill"), meta.dtype);
    if (attrs.has("requires_grad") && attrs.flag("requires_grad"))
        tensor.requires_grad_();
    return tensor;
}

namespace specs {

const ModuleDef input{
    .type = "Input",
    .category = Category::InputOutput,
    .doc = "Where data comes in. A batch dimension N stands in front of the shape.",
    .aliases = {"placeholder", "data"},
    .attrs = {shape("shape", "shape of one sample, without the batch"),
              choice("dtype", "float32", allNames, "float32 for numbers, int64 for tokens, bool for masks")},
    .inputs = {},
    .requiredInputs = 0,
    .infer =
        [](const Attrs& attrs, std::span<const TensorMeta> /*inputs*/) {
            TensorMeta meta = tensorMeta(attrs);
            meta.shape.insert(meta.shape.begin(), 1);
            return Metas{meta};
        },
};

const ModuleDef output{
    .type = "Output",
    .category = Category::InputOutput,
    .doc = "What the network gives; the loss is computed from it.",
    .aliases = {"result", "return"},
    .outputs = {},
    .infer = [](const Attrs& /*attrs*/, std::span<const TensorMeta> /*inputs*/) { return Metas{}; },
    .forward = [](const Module& /*module*/, const Tensors& in) { return in; },
    .repr = noArguments,
};

const ModuleDef parameter{
    .type = "Parameter",
    .category = Category::Tensor,
    .doc = "A tensor of its own that is trained; its key is the node's name.",
    .aliases = {"weight", "learned tensor", "variable"},
    .attrs = tensorAttrs(floatingNames),
    .inputs = {},
    .requiredInputs = 0,
    .checkAttrs = checkTensor,
    .parameters =
        [](const Attrs& attrs) {
            const TensorMeta meta = tensorMeta(attrs);
            return std::vector<ParameterSpec>{
                {"value", meta.shape, nn::constant(attrs.real("fill")), meta.dtype, valuesOf(attrs)}};
        },
    .infer = inferTensor,
    .forward = [](const Module& module, const Tensors& /*in*/) { return Tensors{module["value"]}; },
    .repr = tensorRepr,
};

const ModuleDef buffer{
    .type = "Buffer",
    .category = Category::Tensor,
    .doc = "A tensor that is kept with the weights but not trained; its key is the node's name.",
    .aliases = {"state", "statistics"},
    .attrs = with(tensorAttrs(allNames), boolean("persistent", true, "is saved with the weights")),
    .inputs = {},
    .requiredInputs = 0,
    .checkAttrs = checkTensor,
    .buffers =
        [](const Attrs& attrs) {
            const TensorMeta meta = tensorMeta(attrs);
            return std::vector<BufferSpec>{
                {"value", meta.shape, attrs.real("fill"), meta.dtype, attrs.flag("persistent"), valuesOf(attrs)}};
        },
    .infer = inferTensor,
    .forward = [](const Module& module, const Tensors& /*in*/) { return Tensors{module["value"]}; },
    .repr = tensorRepr,
};

// forward makes a new tensor each time: who keeps the gradient of one makes it once with makeTensor.
const ModuleDef constant{
    .type = "Constant",
    .category = Category::Tensor,
    .doc = "A plain tensor: neither trained nor saved with the weights, even when it requires grad.",
    .aliases = {"tensor", "literal", "number"},
    .attrs = with(tensorAttrs(allNames),
                  boolean("requires_grad", false, "gradients flow into it; it is no parameter all the same")),
    .inputs = {},
    .requiredInputs = 0,
    .checkAttrs = checkTensor,
    .infer = inferTensor,
    .forward = [](const Module& module, const Tensors& /*in*/) { return Tensors{makeTensor(module.attrs())}; },
    .repr = tensorRepr,
};

}  // namespace specs

}  // namespace megalith::nn
