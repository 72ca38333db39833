// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/nn/infer.h"
#include "engine/nn/module.h"
#include "engine/nn/specs.h"
#include "engine/ops/functions.h"

#include <algorithm>

namespace megalith::nn::specs {

namespace {

Metas inferFlatten(const Attrs& attrs, std::span<const TensorMeta> in)
{
    const Shape& shape = in[0].shape;
    const std::size_t first = wrapDim(attrs.integer("start_dim"), shape.size(), "start_dim");
    const std::size_t last = wrapDim(attrs.integer("end_dim"), shape.size(), "end_dim");
    if (first > last)
        throw ShapeError("start_dim (" + std::to_string(first) + ") comes after end_dim (" + std::to_string(last)
                         + ") in " + megalith::text(shape));
    if (shape.empty())
        return {withShape(in[0], {1})};
    const auto at = [&shape](std::size_t i) { return shape.begin() + static_cast<std::ptrdiff_t>(i); };
    Shape out(shape.begin(), at(first));
    out.push_back(numel(Shape(at(first), at(last + 1))));
    out.insert(out.end(), at(last + 1), shape.end());
    return {withShape(in[0], std::move(out))};
}

// The wanted shape with the batch in front and -1 worked out from what one sample has.
Shape reshaped(const Attrs& attrs, const Shape& shape)
{
    if (shape.empty())
        throw ShapeError("expected [N, ...], found a single number");
    Shape wanted = attrs.integers("shape");
    const std::int64_t elements = numel(Shape(shape.begin() + 1, shape.end()));
    const auto open = std::find(wanted.begin(), wanted.end(), -1);
    if (open != wanted.end()) {
        *open = 1;
        const std::int64_t rest = numel(wanted);
        if (rest == 0 || elements % rest != 0)
            throw ShapeError("a sample of " + std::to_string(elements) + " elements does not divide by the "
                             + std::to_string(rest) + " of shape " + pythonText(*attrs.find("shape")));
        *open = elements / rest;
    }
    if (numel(wanted) != elements)
        throw ShapeError("a sample has " + std::to_string(elements) + " elements "
                         + megalith::text(Shape(shape.begin() + 1, shape.end())) + " but shape "
                         + megalith::text(wanted) + " has " + std::to_string(numel(wanted)));
    wanted.insert(wanted.begin(), shape.front());
    return wanted;
}

}  // namespace

const ModuleDef flatten{
    .type = "Flatten",
    .category = Category::Shape,
    .doc = "Joins dimensions into one; by default all but the batch.",
    .aliases = {"vector", "unroll"},
    .attrs = {integer("start_dim", 1, "first dimension that is joined; 0 is the batch"),
              integer("end_dim", -1, "last dimension that is joined; -1 is the last")},
    .infer = inferFlatten,
    .forward =
        [](const Module& module, const Tensors& in) {
            return Tensors{ops::flatten(in[0], module.attrs().integer("start_dim"), module.attrs().integer("end_dim"))};
        },
    .repr =
        [](const Attrs& attrs) {
            return named(attrs, {"start_dim", "end_dim"});
        },
};

const ModuleDef reshape{
    .type = "Reshape",
    .category = Category::Shape,
    .doc = "Gives the values of each sample another shape; their order stays.",
    .aliases = {"view", "resize", "unflatten"},
    .attrs = {{.name = "shape",
               .kind = AttrKind::Shape,
               .required = true,
               .minimum = -1,
               .doc = "shape of one sample, without the batch; one size may be -1: what is left"}},
    .function = true,
    .checkAttrs =
        [](const Attrs& attrs) {
            const Shape wanted = attrs.integers("shape");
            if (std::count(wanted.begin(), wanted.end(), -1) > 1)
                throw Error("shape may hold only one -1, not " + pythonText(*attrs.find("shape")));
        },
    .infer = [](const Attrs& attrs,
                std::span<const TensorMeta> in) { return Metas{withShape(in[0], reshaped(attrs, in[0].shape))}; },
    .forward = [](const Module& module,
                  const Tensors& in) { return Tensors{ops::reshape(in[0], reshaped(module.attrs(), in[0].shape()))}; },
};

}  // namespace megalith::nn::specs
