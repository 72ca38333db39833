// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/cpu/gemm.h"
#include "engine/core/error.h"
#include "engine/ops/all_ops.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/functions.h"

namespace megalith::ops {

namespace {

void sameDType(std::string_view name, const TensorMeta& a, const TensorMeta& b)
{
    if (a.dtype != b.dtype)
        throw ShapeError(std::string(name) + ": " + std::string(dtypeName(a.dtype)) + " meets "
                         + std::string(dtypeName(b.dtype)));
}

Metas inferMatmul(std::span<const TensorMeta> in, const Attrs&)
{
    sameDType("matmul", in[0], in[1]);
    const Shape& a = in[0].shape;
    const Shape& b = in[1].shape;
    if (a[a.size() - 1] != b[b.size() - 2])
        throw ShapeError("matmul: " + text(a) + " ends in " + std::to_string(a.back()) + ", but " + text(b) + " has "
                         + std::to_string(b[b.size() - 2]) + " rows");
    Shape out = broadcastShapes(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2), "matmul");
    out.push_back(a[a.size() - 2]);
    out.push_back(b.back());
    return {{in[0].dtype, out}};
}

BufferView firstMatrix(BufferView view)
{
    view.shape.resize(view.shape.size() - 2);
    view.strides.resize(view.strides.size() - 2);
    return view;
}

template<typename T>
void matmulKernel(const KernelCall& call, CpuContext& context)
{
    const BufferView& a = call.inputs[0];
    const BufferView& b = call.inputs[1];
    const BufferView& c = call.outputs[0];
    const std::size_t ra = a.shape.size();
    const std::size_t rb = b.shape.size();
    cpu::GemmShape shape{1, a.shape[ra - 2], b.shape[rb - 1], a.shape[ra - 1]};
    cpu::GemmArgs<T> args;
    args.aRow = a.strides[ra - 2];
    args.aCol = a.strides[ra - 1];
    args.bRow = b.strides[rb - 2];
    args.bCol = b.strides[rb - 1];
    args.cRow = shape.n;
    args.cBatch = shape.m * shape.n;
    const BufferView ba = firstMatrix(a);
    const BufferView bb = firstMatrix(b);
    Shape batch(c.shape.begin(), c.shape.end() - 2);
    T* out = c.data<T>();
    // A row of the walk over batches has one stride for each operand: one batched product.
    for (RowWalk walk(batch, {&ba, &bb}); walk.valid(); walk.next()) {
        shape.batch = walk.count();
        args.a = a.data<T>() + walk.at(0);
        args.b = b.data<T>() + walk.at(1);
        args.aBatch = walk.count() == 1 ? 0 : walk.step(0);
        args.bBatch = walk.count() == 1 ? 0 : walk.step(1);
        args.c = out;
        cpu::gemm(context, shape, args);
        out += args.cBatch * walk.count();
    }
}

Metas inferLinear(std::span<const TensorMeta> in, const Attrs&)
{
    sameDType("linear", in[0], in[1]);
    const std::int64_t features = in[1].shape[1];
    if (in[0].shape[1] != features)
        throw ShapeError("linear: input ends in " + std::to_string(in[0].shape[1]) + " but weight expects "
                         + std::to_string(features));
    return {{in[0].dtype, {in[0].shape[0], in[1].shape[0]}}};
}

}  // namespace

// [..., m, k] and [..., k, n] to [..., m, n]; leading dimensions broadcast.
const OpDef matmulOp{
    .name = "matmul",
    .infer = inferMatmul,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "matmul",
                     [&](auto tag) { matmulKernel<typename decltype(tag)::type>(call, context); });
        },
    .vjp =
        [](const Vjp& v) {
            return Grads{
                v.needs(0) ? sumTo(matmul(v.grad(), transpose(v.input(1), -1, -2)), v.inputMeta(0).shape) : Tensor(),
                v.needs(1) ? sumTo(matmul(transpose(v.input(0), -1, -2), v.grad()), v.inputMeta(1).shape) : Tensor()};
        },
    .strided = true,
};

// x [rows, in], weight [out, in], bias [out] or none: [rows, out]
const OpDef linearOp{
    .name = "linear",
    .infer = inferLinear,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "linear", [&](auto tag) {
                using T = typename decltype(tag)::type;
                const BufferView& x = call.inputs[0];
                const BufferView& w = call.inputs[1];
                cpu::GemmArgs<T> args;
                args.a = x.data<T>();
                args.b = w.data<T>();
                args.c = call.outputs[0].data<T>();
                args.bias = call.inputs[2] ? call.inputs[2].data<T>() : nullptr;
                args.aRow = x.shape[1];
                args.bRow = 1;
                args.bCol = w.shape[1];
                args.cRow = w.shape[0];
                cpu::gemm(context, {1, x.shape[0], w.shape[0], x.shape[1]}, args);
            });
        },
    .vjp =
        [](const Vjp& v) {
            return Grads{v.needs(0) ? matmul(v.grad(), v.input(1)) : Tensor(),
                         v.needs(1) ? matmul(transpose(v.grad(), 0, 1), v.input(0)) : Tensor(),
                         v.needs(2) ? sum(v.grad(), {0}) : Tensor()};
        },
};

namespace {

// [..., m, k] by [k, n] as one product of all rows.
Tensor rowsTimes(const Tensor& x, const Tensor& y)
{
    Shape shape = x.shape();
    std::int64_t rows = 1;
    for (std::size_t d = 0; d + 1 < x.rank(); ++d)
        rows *= shape[d];
    const Tensor out = apply1(matmulOp, {reshape(x, {rows, shape.back()}), y});
    shape.back() = y.size(1);
    return reshape(out, shape);
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b)
{
    if (a.rank() == 0 || b.rank() == 0)
        throw ShapeError("matmul: both operands need at least one dimension, found " + text(a.shape()) + " and "
                         + text(b.shape()));
    const Tensor x = a.rank() == 1 ? unsqueeze(a, 0) : a;
    const Tensor y = b.rank() == 1 ? unsqueeze(b, 1) : b;
    Tensor out = x.rank() > 2 && y.rank() == 2 && x.isContiguous() ? rowsTimes(x, y) : apply1(matmulOp, {x, y});
    if (b.rank() == 1)
        out = squeeze(out, -1);
    return a.rank() == 1 ? squeeze(out, b.rank() == 1 ? -1 : -2) : out;
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias)
{
    if (x.rank() == 0)
        throw ShapeError("linear: the input needs at least one dimension");
    if (x.rank() == 2)
        return apply1(linearOp, {x, weight, bias});
    Shape shape = x.shape();
    std::int64_t rows = 1;
    for (std::size_t d = 0; d + 1 < shape.size(); ++d)
        rows *= shape[d];
    const Tensor out = apply1(linearOp, {reshape(x, {rows, shape.back()}), weight, bias});
    shape.back() = weight.size(0);
    return reshape(out, shape);
}

}  // namespace megalith::ops
