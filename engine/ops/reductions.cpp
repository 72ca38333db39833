// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/ops/all_ops.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/functions.h"
#include "engine/ops/reduce.h"

#include <cmath>

namespace megalith::ops {

namespace {

// Which dimensions go, as flags; none named: all.
std::vector<char> reducedFlags(const Shape& shape, const std::vector<std::int64_t>& dims, std::string_view operation)
{
    std::vector<char> flags(shape.size(), dims.empty() ? 1 : 0);
    for (const std::int64_t dim : dims) {
        const std::size_t d = wrapDim(dim, shape.size(), operation);
        if (shape.empty())
            continue;
        if (flags[d] != 0)
            throw ShapeError(std::string(operation) + ": dim " + std::to_string(dim) + " is there twice");
        flags[d] = 1;
    }
    return flags;
}

Shape reducedShape(const Shape& shape, const std::vector<char>& flags, bool keepdim)
{
    Shape out;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (flags[d] == 0)
            out.push_back(shape[d]);
        else if (keepdim)
            out.push_back(1);
    }
    return out;
}

Metas inferReduction(std::span<const TensorMeta> in, const Attrs& attrs)
{
    const std::vector<char> flags = reducedFlags(in[0].shape, attrs.integers("dims"), "reduction");
    return {{in[0].dtype, reducedShape(in[0].shape, flags, attrs.flag("keepdim"))}};
}

// A gradient of the reduced shape, seen with the dimensions that went as ones.
Tensor withKeptDims(const Tensor& reduced, const Shape& full, const std::vector<std::int64_t>& dims)
{
    return reshape(reduced, reducedShape(full, reducedFlags(full, dims, "reduction"), true));
}

template<typename T>
struct Sum
{
    using Value = T;
    static void reduce(CpuContext& context, const T* in, T* out, std::int64_t outer, std::int64_t middle,
                       std::int64_t inner)
    {
        sumMiddle(context, in, out, outer, middle, inner);
    }
};

template<typename T>
struct Maximum
{
    using Value = T;
    static void reduce(CpuContext&, const T* in, T* out, std::int64_t outer, std::int64_t middle, std::int64_t inner)
    {
        for (std::int64_t o = 0; o < outer; ++o)
            for (std::int64_t i = 0; i < inner; ++i) {
                const T* x = in + o * middle * inner + i;
                T best = x[0];
                for (std::int64_t m = 1; m < middle; ++m) {
                    const T y = x[m * inner];
                    if (y > best || y != y)  // NaN wins, as in PyTorch
                        best = y;
                }
                out[o * inner + i] = best;
            }
    }
};

// Neighbouring dimensions of one kind are taken together; then one group after another is reduced, from the innermost.
template<typename R>
void reduceGroups(const KernelCall& call, CpuContext& context)
{
    using T = typename R::Value;
    const Shape& shape = call.inputs[0].shape;
    const std::vector<char> flags = reducedFlags(shape, call.attrs.integers("dims"), call.name);
    Shape sizes;
    std::vector<char> kinds;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 1)
            continue;
        if (!kinds.empty() && kinds.back() == flags[d])
            sizes.back() *= shape[d];
        else {
            sizes.push_back(shape[d]);
            kinds.push_back(flags[d]);
        }
    }
    const T* from = call.inputs[0].data<T>();
    T* out = call.outputs[0].data<T>();
    std::vector<T> held;
    std::int64_t inner = 1;
    std::size_t left = 0;
    for (const char kind : kinds)
        left += kind != 0 ? 1 : 0;
    if (left == 0)
        std::copy(from, from + call.outputs[0].numel(), out);
    for (std::size_t g = sizes.size(); g-- > 0;) {
        if (kinds[g] == 0) {
            inner *= sizes[g];
            continue;
        }
        std::int64_t outer = 1;
        for (std::size_t i = 0; i < g; ++i)
            outer *= sizes[i];
        if (--left == 0) {
            R::reduce(context, from, out, outer, sizes[g], inner);
            return;
        }
        std::vector<T> next(static_cast<std::size_t>(outer * inner));
        R::reduce(context, from, next.data(), outer, sizes[g], inner);
        held = std::move(next);
        from = held.data();
    }
}

}  // namespace

const OpDef sumOp{
    .name = "sum",
    .infer = inferReduction,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withNumber(call.outputs[0].dtype, "sum",
                       [&](auto tag) { reduceGroups<Sum<typename decltype(tag)::type>>(call, context); });
        },
    .vjp =
        [](const Vjp& v) {
            const Shape& shape = v.inputMeta(0).shape;
            return Grads{expand(withKeptDims(v.grad(), shape, v.attrs().integers("dims")), shape)};
        },
    .save = Save::Nothing,
};

const OpDef amaxOp{
    .name = "amax",
    .infer =
        [](std::span<const TensorMeta> in, const Attrs& attrs) {
            const std::vector<char> flags = reducedFlags(in[0].shape, attrs.integers("dims"), "amax");
            for (std::size_t d = 0; d < flags.size(); ++d)
                if (flags[d] != 0 && in[0].shape[d] == 0)
                    throw ShapeError("amax: dimension " + std::to_string(d) + " of " + text(in[0].shape) + " is empty");
            return inferReduction(in, attrs);
        },
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withNumber(call.outputs[0].dtype, "amax",
                       [&](auto tag) { reduceGroups<Maximum<typename decltype(tag)::type>>(call, context); });
        },
    .vjp =
        [](const Vjp& v) {
            const Shape& shape = v.inputMeta(0).shape;
            const std::vector<std::int64_t> dims = v.attrs().integers("dims");
            const Tensor equal = to(eq(v.input(0), withKeptDims(v.output(), shape, dims)), v.grad().dtype());
            return Grads{equal * withKeptDims(v.grad(), shape, dims) / sum(equal, dims, true)};
        },
    .save = Save::Both,
};

// The place of the largest along one dimension; the first of equal ones, a NaN before all.
const OpDef argmaxOp{
    .name = "argmax",
    .infer =
        [](std::span<const TensorMeta> in, const Attrs& attrs) {
            const std::size_t d = wrapDim(attrs.integer("dim"), in[0].shape.size(), "argmax");
            if (!in[0].shape.empty() && in[0].shape[d] == 0)
                throw ShapeError("argmax: dimension " + std::to_string(d) + " of " + text(in[0].shape) + " is empty");
            Shape shape = in[0].shape;
            if (!shape.empty() && attrs.flag("keepdim"))
                shape[d] = 1;
            else if (!shape.empty())
                shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d));
            return Metas{{DType::I64, shape}};
        },
    .cpu =
        [](const KernelCall& call, CpuContext&) {
            const MiddleDim m(call.inputs[0].shape, call.attrs.integer("dim"), "argmax");
            withNumber(call.inputs[0].dtype, "argmax", [&](auto tag) {
                using T = typename decltype(tag)::type;
                const T* in = call.inputs[0].data<T>();
                auto* out = call.outputs[0].data<std::int64_t>();
                for (std::int64_t o = 0; o < m.outer; ++o)
                    for (std::int64_t i = 0; i < m.inner; ++i) {
                        const T* x = in + o * m.size * m.inner + i;
                        std::int64_t best = 0;
                        for (std::int64_t k = 1; k < m.size; ++k)
                            if (x[k * m.inner] > x[best * m.inner]
                                || (x[k * m.inner] != x[k * m.inner] && x[best * m.inner] == x[best * m.inner]))
                                best = k;
                        out[o * m.inner + i] = best;
                    }
            });
        },
};

MiddleDim::MiddleDim(const Shape& shape, std::int64_t dim, std::string_view operation)
{
    const std::size_t d = wrapDim(dim, shape.size(), operation);
    for (std::size_t i = 0; i < shape.size(); ++i)
        (i < d ? outer : i == d ? size : inner) *= shape[i];
}

Tensor sum(const Tensor& x, const std::vector<std::int64_t>& dims, bool keepdim)
{
    const bool whole = !isFloating(x.dtype());
    const Tensor wide = to(x, computeDType(x.dtype()));
    const Tensor out = apply1(sumOp, {wide}, {{"dims", dims}, {"keepdim", keepdim}});
    return whole ? out : to(out, x.dtype());
}

Tensor mean(const Tensor& x, const std::vector<std::int64_t>& dims, bool keepdim)
{
    if (!isFloating(x.dtype()))
        throw ShapeError("mean: works on floating dtypes, not on " + std::string(dtypeName(x.dtype())));
    const Tensor total = sum(x, dims, keepdim);
    const double terms = total.numel() == 0 ? 1.0 : static_cast<double>(x.numel()) / static_cast<double>(total.numel());
    return total * (1.0 / terms);
}

Tensor amax(const Tensor& x, const std::vector<std::int64_t>& dims, bool keepdim)
{
    const Tensor wide = to(x, computeDType(x.dtype()));
    return to(apply1(amaxOp, {wide}, {{"dims", dims}, {"keepdim", keepdim}}), x.dtype());
}

Tensor argmax(const Tensor& x, std::int64_t dim, bool keepdim)
{
    return apply1(argmaxOp, {to(x, computeDType(x.dtype()))}, {{"dim", dim}, {"keepdim", keepdim}});
}

Tensor sumTo(const Tensor& x, const Shape& shape)
{
    if (x.shape() == shape)
        return x;
    const std::size_t lead = x.rank() - shape.size();
    std::vector<std::int64_t> dims;
    for (std::size_t d = 0; d < x.rank(); ++d)
        if (d < lead || (shape[d - lead] == 1 && x.shape()[d] != 1))
            dims.push_back(static_cast<std::int64_t>(d));
    return dims.empty() ? reshape(x, shape) : reshape(sum(x, dims), shape);
}

}  // namespace megalith::ops
