// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/functions.h"
#include "engine/core/error.h"
#include "engine/nn/infer.h"
#include "engine/nn/module.h"
#include "engine/nn/specs.h"

namespace megalith::nn::specs {

namespace {

// A number with a fraction makes floating numbers of whole ones, as in PyTorch.
DType withNumber(DType dtype, const Attrs& attrs)
{
    const bool whole = std::holds_alternative<std::int64_t>(*attrs.find("other"));
    if (isFloating(dtype))
        return dtype;
    return !whole ? DType::F32 : dtype == DType::Bool ? DType::I64 : dtype;
}

Metas inferTwo(const Attrs& attrs, std::span<const TensorMeta> in, const char* name)
{
    if (in.size() > 1)
        return {{promote(in[0].dtype, in[1].dtype), broadcastShapes(in[0].shape, in[1].shape, name)}};
    if (attrs.isNull("other"))
        throw ShapeError("other is neither wired nor given as a number");
    return {{withNumber(in[0].dtype, attrs), in[0].shape}};
}

template<Tensor (*tensors)(const Tensor&, const Tensor&), Tensor (*number)(const Tensor&, double)>
Tensors twoOperands(const Module& module, const Tensors& in)
{
    if (in.size() > 1 && in[1])
        return {tensors(in[0], in[1])};
    const Attrs& attrs = module.attrs();
    if (attrs.isNull("other"))
        throw Error(module.typeName() + ": other is neither given as a tensor nor as a number");
    const DType dtype = withNumber(in[0].dtype(), attrs);
    return {number(dtype == in[0].dtype() ? in[0] : ops::to(in[0], dtype), attrs.real("other"))};
}

// Prints a number that stands for the second operand; nothing when that one is wired.
std::string otherRepr(const Attrs& attrs)
{
    return attrs.isNull("other") ? "" : named(attrs, {"other"});
}

AttrSpec otherNumber()
{
    return realOrNone("other", AttrValue(),
                      "the number that stands for the second operand while nothing is wired there");
}

// torch.matmul: the last two dimensions are matrices, those before broadcast; a vector is a row on the left, a column on the right.
Metas inferMatMul(const Attrs& /*attrs*/, std::span<const TensorMeta> in)
{
    Shape a = in[0].shape;
    Shape b = in[1].shape;
    if (a.empty() || b.empty())
        throw ShapeError("expected at least one dimension in both, found " + megalith::text(a) + " and "
                         + megalith::text(b));
    const bool row = a.size() == 1;
    const bool column = b.size() == 1;
    const std::int64_t inner = a.back();
    const std::int64_t other = column ? b[0] : b[b.size() - 2];
    if (inner != other)
        throw ShapeError("input " + megalith::text(a) + " ends in " + std::to_string(inner) + " but other "
                         + megalith::text(b) + " has " + std::to_string(other) + (column ? " elements" : " rows"));
    const auto batchOf = [](const Shape& s) { return s.size() <= 2 ? Shape{} : Shape(s.begin(), s.end() - 2); };
    Shape out = broadcastShapes(batchOf(a), batchOf(b), "matmul");
    if (!row)
        out.push_back(a[a.size() - 2]);
    if (!column)
        out.push_back(b.back());
    return {{promote(in[0].dtype, in[1].dtype), std::move(out)}};
}

Metas inferCat(const Attrs& attrs, std::span<const TensorMeta> in)
{
    if (in.empty())
        throw ShapeError("nothing is wired to it");
    TensorMeta out = in[0];
    const std::size_t dim = wrapDim(attrs.integer("dim"), out.shape.size(), "dim");
    if (out.shape.empty())
        throw ShapeError("expected at least one dimension, found a single number");
    for (std::size_t i = 1; i < in.size(); ++i) {
        Shape joined = in[i].shape;
        bool fits = joined.size() == out.shape.size();
        for (std::size_t d = 0; fits && d < joined.size(); ++d)
            fits = d == dim || joined[d] == out.shape[d];
        if (!fits)
            throw ShapeError("input " + std::to_string(i) + " is " + megalith::text(joined) + " and input 0 is "
                             + megalith::text(in[0].shape) + ": they may differ only in dimension "
                             + std::to_string(dim));
        out.shape[dim] += joined[dim];
        out.dtype = promote(out.dtype, in[i].dtype);
    }
    return {out};
}

}  // namespace

const ModuleDef add{
    .type = "Add",
    .category = Category::Function,
    .doc = "Adds two inputs element by element, or a number to one; where two paths meet again.",
    .aliases = {"plus", "sum", "residual", "skip connection"},
    .attrs = {otherNumber()},
    .inputs = {"input", "other"},
    .function = true,
    .infer = [](const Attrs& attrs, std::span<const TensorMeta> in) { return inferTwo(attrs, in, "add"); },
    .forward = twoOperands<ops::add, ops::add>,
    .repr = otherRepr,
};

const ModuleDef mul{
    .type = "Mul",
    .category = Category::Function,
    .doc = "Multiplies two inputs element by element, or one by a number; how a gate works.",
    .aliases = {"multiply", "times", "product", "scale", "gate"},
    .attrs = {otherNumber()},
    .inputs = {"input", "other"},
    .function = true,
    .infer = [](const Attrs& attrs, std::span<const TensorMeta> in) { return inferTwo(attrs, in, "mul"); },
    .forward = twoOperands<ops::mul, ops::mul>,
    .repr = otherRepr,
};

const ModuleDef matMul{
    .type = "MatMul",
    .category = Category::Function,
    .doc = "The matrix product of two inputs; dimensions before the last two are batches.",
    .aliases = {"matrix product", "bmm", "dot"},
    .inputs = {"input", "other"},
    .requiredInputs = 2,
    .function = true,
    .infer = inferMatMul,
    .forward = [](const Module& /*module*/, const Tensors& in) { return Tensors{ops::matmul(in[0], in[1])}; },
    .repr = noArguments,
};

const ModuleDef cat{
    .type = "Cat",
    .category = Category::Function,
    .doc = "Puts its inputs one after another along a dimension.",
    .aliases = {"concat", "concatenate", "join"},
    .attrs = {integer("dim", 0, "the dimension along which they are joined; 0 is the batch, 1 channels or features")},
    .inputs = {},
    .variadic = true,
    .function = true,
    .infer = inferCat,
    .forward = [](const Module& module,
                  const Tensors& in) { return Tensors{ops::cat(in, module.attrs().integer("dim"))}; },
};

const ModuleDef detach{
    .type = "Detach",
    .category = Category::Function,
    .doc = "Passes values on and holds gradients back: what comes before learns nothing from what comes after.",
    .aliases = {"stop gradient", "no grad"},
    .function = true,
    .infer = [](const Attrs& /*attrs*/, std::span<const TensorMeta> in) { return Metas{in[0]}; },
    .forward = [](const Module& /*module*/, const Tensors& in) { return Tensors{in[0].detach()}; },
    .repr = noArguments,
};

}  // namespace megalith::nn::specs
