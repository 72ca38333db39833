// SPDX-License-Identifier: GPL-3.0-or-later
// Views share storage and launch nothing. Each is an operation all the same, so that gradients go back through it.
#include "engine/core/error.h"
#include "engine/core/tensor_impl.h"
#include "engine/ops/all_ops.h"
#include "engine/ops/functions.h"
#include "engine/ops/record.h"

#include <algorithm>

namespace megalith::ops {

namespace {

Tensor view(const OpDef& op, const Tensor& x, Shape shape, Strides strides, std::int64_t offset, Attrs attrs)
{
    Tensor out(x.storage(), x.dtype(), std::move(shape), std::move(strides), offset);
    const Tensor inputs[] = {x};
    if (wantsGrad(op, inputs)) {
        const Tensor outputs[] = {out};
        record(op, attrs, inputs, outputs);
    }
    return out;
}

// Strides of x seen as `shape`, or nothing when the elements do not lie that way.
std::optional<Strides> viewStrides(const Tensor& x, const Shape& shape)
{
    if (x.isContiguous())
        return contiguousStrides(shape);
    Strides out(shape.size(), 0);
    std::size_t to = shape.size();
    std::size_t from = x.rank();
    // From the innermost outwards, groups of sizes with equal products; inside a group of x elements must follow each other.
    while (from > 0) {
        std::int64_t have = x.shape()[from - 1];
        const std::int64_t innermost = x.strides()[from - 1];
        std::size_t outer = from - 1;
        while (outer > 0 && x.strides()[outer - 1] == x.strides()[outer] * x.shape()[outer])
            have *= x.shape()[--outer];
        std::int64_t taken = 1;
        while (to > 0 && (taken < have || shape[to - 1] == 1)) {
            out[to - 1] = taken * innermost;
            taken *= shape[to - 1];
            --to;
        }
        if (taken != have)
            return std::nullopt;
        from = outer;
    }
    return to == 0 ? std::optional<Strides>(out) : std::nullopt;
}

Shape resolved(const Tensor& x, Shape shape)
{
    std::int64_t known = 1;
    std::int64_t* unknown = nullptr;
    for (std::int64_t& size : shape) {
        if (size == -1 && unknown != nullptr)
            throw ShapeError("reshape: only one size may be -1, found " + text(shape));
        if (size < -1)
            throw ShapeError("reshape: size " + std::to_string(size) + " is negative");
        if (size == -1)
            unknown = &size;
        else
            known *= size;
    }
    if (unknown != nullptr) {
        if (known == 0 || x.numel() % known != 0)
            throw ShapeError("reshape: " + std::to_string(x.numel()) + " elements of " + text(x.shape())
                             + " do not divide into " + text(shape));
        *unknown = x.numel() / known;
    }
    if (numel(shape) != x.numel())
        throw ShapeError("reshape: " + text(x.shape()) + " has " + std::to_string(x.numel()) + " elements, "
                         + text(shape) + " has " + std::to_string(numel(shape)));
    return shape;
}

}  // namespace

const OpDef reshapeOp{
    .name = "reshape",
    .vjp = [](const Vjp& v) { return Grads{reshape(v.grad(), v.inputMeta(0).shape)}; },
    .save = Save::Nothing,
};

const OpDef permuteOp{
    .name = "permute",
    .vjp =
        [](const Vjp& v) {
            const std::vector<std::int64_t> dims = v.attrs().integers("dims");
            std::vector<std::int64_t> back(dims.size());
            for (std::size_t i = 0; i < dims.size(); ++i)
                back[static_cast<std::size_t>(dims[i])] = static_cast<std::int64_t>(i);
            return Grads{permute(v.grad(), back)};
        },
    .save = Save::Nothing,
};

const OpDef sliceOp{
    .name = "slice",
    .vjp =
        [](const Vjp& v) {
            Attrs attrs = v.attrs();
            attrs.set("shape", v.inputMeta(0).shape);
            return Grads{apply1(scatterSliceOp, {v.grad()}, attrs)};
        },
    .save = Save::Nothing,
};

const OpDef expandOp{
    .name = "expand",
    .vjp = [](const Vjp& v) { return Grads{sumTo(v.grad(), v.inputMeta(0).shape)}; },
    .save = Save::Nothing,
};

Tensor reshape(const Tensor& x, Shape shape)
{
    shape = resolved(x, std::move(shape));
    std::optional<Strides> strides = viewStrides(x, shape);
    if (!strides)
        return reshape(contiguous(x), shape);
    return view(reshapeOp, x, shape, std::move(*strides), x.offset(), {});
}

Tensor flatten(const Tensor& x, std::int64_t start_dim, std::int64_t end_dim)
{
    if (x.rank() == 0)
        return reshape(x, {1});
    const std::size_t start = wrapDim(start_dim, x.rank(), "flatten");
    const std::size_t end = wrapDim(end_dim, x.rank(), "flatten");
    if (start > end)
        throw ShapeError("flatten: start_dim " + std::to_string(start_dim) + " comes after end_dim "
                         + std::to_string(end_dim));
    Shape shape(x.shape().begin(), x.shape().begin() + static_cast<std::ptrdiff_t>(start));
    std::int64_t merged = 1;
    for (std::size_t d = start; d <= end; ++d)
        merged *= x.shape()[d];
    shape.push_back(merged);
    shape.insert(shape.end(), x.shape().begin() + static_cast<std::ptrdiff_t>(end) + 1, x.shape().end());
    return reshape(x, std::move(shape));
}

Tensor permute(const Tensor& x, const std::vector<std::int64_t>& dims)
{
    if (dims.size() != x.rank())
        throw ShapeError("permute: " + std::to_string(dims.size()) + " dims for a tensor of " + std::to_string(x.rank())
                         + " dimensions");
    Shape shape;
    Strides strides;
    std::vector<std::int64_t> order;
    for (const std::int64_t dim : dims) {
        const std::size_t d = wrapDim(dim, x.rank(), "permute");
        if (std::find(order.begin(), order.end(), static_cast<std::int64_t>(d)) != order.end())
            throw ShapeError("permute: dim " + std::to_string(dim) + " is there twice");
        order.push_back(static_cast<std::int64_t>(d));
        shape.push_back(x.shape()[d]);
        strides.push_back(x.strides()[d]);
    }
    return view(permuteOp, x, std::move(shape), std::move(strides), x.offset(), {{"dims", order}});
}

Tensor transpose(const Tensor& x, std::int64_t dim0, std::int64_t dim1)
{
    std::vector<std::int64_t> dims(x.rank());
    for (std::size_t i = 0; i < dims.size(); ++i)
        dims[i] = static_cast<std::int64_t>(i);
    if (!dims.empty())
        std::swap(dims[wrapDim(dim0, x.rank(), "transpose")], dims[wrapDim(dim1, x.rank(), "transpose")]);
    return permute(x, dims);
}

Tensor slice(const Tensor& x, std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step)
{
    if (x.rank() == 0)
        throw ShapeError("slice: a tensor without dimensions has nothing to cut");
    if (step < 1)
        throw ShapeError("slice: step must be at least 1, not " + std::to_string(step));
    const std::size_t d = wrapDim(dim, x.rank(), "slice");
    const std::int64_t size = x.shape()[d];
    const auto inside = [size](std::int64_t i) { return std::clamp<std::int64_t>(i < 0 ? i + size : i, 0, size); };
    start = inside(start);
    end = std::max(start, inside(end));
    Shape shape = x.shape();
    Strides strides = x.strides();
    shape[d] = (end - start + step - 1) / step;
    const std::int64_t offset = x.offset() + (shape[d] == 0 ? 0 : start * strides[d]);
    strides[d] *= step;
    return view(sliceOp, x, std::move(shape), std::move(strides), offset,
                {{"dim", static_cast<std::int64_t>(d)}, {"start", start}, {"step", step}});
}

Tensor select(const Tensor& x, std::int64_t dim, std::int64_t index)
{
    const std::size_t d = wrapDim(dim, x.rank(), "select");
    const std::int64_t size = x.rank() == 0 ? 0 : x.shape()[d];
    if (index < -size || index >= size)
        throw ShapeError("select: index " + std::to_string(index) + " is outside dimension " + std::to_string(d)
                         + " of size " + std::to_string(size));
    if (index < 0)
        index += size;
    return squeeze(slice(x, static_cast<std::int64_t>(d), index, index + 1), static_cast<std::int64_t>(d));
}

Tensor expand(const Tensor& x, const Shape& shape)
{
    if (shape.size() < x.rank())
        throw ShapeError("expand: " + text(x.shape()) + " to fewer dimensions: " + text(shape));
    const std::size_t lead = shape.size() - x.rank();
    Shape out = shape;
    Strides strides(shape.size(), 0);
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const std::int64_t have = d < lead ? 1 : x.shape()[d - lead];
        if (out[d] == -1 && d >= lead)
            out[d] = have;
        if (out[d] < 0 || (have != out[d] && have != 1))
            throw ShapeError("expand: " + text(x.shape()) + " to " + text(shape) + ": size " + std::to_string(have)
                             + " cannot become " + std::to_string(shape[d]));
        strides[d] = d >= lead && have == out[d] ? x.strides()[d - lead] : 0;
    }
    return view(expandOp, x, std::move(out), std::move(strides), x.offset(), {});
}

Tensor unsqueeze(const Tensor& x, std::int64_t dim)
{
    const std::size_t d = wrapDim(dim, x.rank() + 1, "unsqueeze");
    Shape shape = x.shape();
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(d), 1);
    return reshape(x, std::move(shape));
}

Tensor squeeze(const Tensor& x, std::int64_t dim)
{
    const std::size_t d = wrapDim(dim, x.rank(), "squeeze");
    if (x.rank() == 0 || x.shape()[d] != 1)
        return x;
    Shape shape = x.shape();
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d));
    return reshape(x, std::move(shape));
}

}  // namespace megalith::ops
