// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/all_ops.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/functions.h"

namespace megalith::ops {

namespace {

// The operands in one dtype, as PyTorch promotes them: between tensors with and without dimensions, the one with dimensions
// decides unless the other is of a higher kind.
std::pair<Tensor, Tensor> promoted(const Tensor& a, const Tensor& b)
{
    if (a.dtype() == b.dtype())
        return {a, b};
    DType dtype = promote(a.dtype(), b.dtype());
    const bool sameKind = isFloating(a.dtype()) == isFloating(b.dtype());
    if (sameKind && (a.rank() == 0) != (b.rank() == 0) && a.dtype() != DType::Bool && b.dtype() != DType::Bool)
        dtype = a.rank() == 0 ? b.dtype() : a.dtype();
    return {to(a, dtype), to(b, dtype)};
}

// Computed in f32, f64 or i64, given in what the operands promote to.
Tensor binary(const OpDef& op, const Tensor& a, const Tensor& b)
{
    const auto [x, y] = promoted(a, b);
    const DType compute = computeDType(x.dtype());
    if (compute == x.dtype())
        return apply1(op, {x, y});
    const Tensor result = apply1(op, {to(x, compute), to(y, compute)});
    return result.dtype() == DType::Bool ? result : to(result, x.dtype());
}

Tensor reduced(const Tensor& grad, const TensorMeta& like)
{
    return sumTo(grad, like.shape);
}

template<typename F>
void arithmetic(const KernelCall& call, CpuContext& context, F f)
{
    withNumber(call.outputs[0].dtype, call.name, [&](auto tag) {
        using T = typename decltype(tag)::type;
        mapBinary<T, T, T>(call, context, [f](T x, T y) { return f(x, y); });
    });
}

template<typename F>
void comparison(const KernelCall& call, CpuContext& context, F f)
{
    withNumber(call.inputs[0].dtype, call.name, [&](auto tag) {
        using T = typename decltype(tag)::type;
        mapBinary<T, T, std::uint8_t>(call, context, [f](T x, T y) { return f(x, y) ? 1 : 0; });
    });
}

template<typename F>
void withScalar(const KernelCall& call, CpuContext& context, F f)
{
    const double other = call.attrs.real("other");
    withNumber(call.outputs[0].dtype, call.name, [&](auto tag) {
        using T = typename decltype(tag)::type;
        mapUnary<T, T>(call, context, [f, y = static_cast<T>(other)](T x) { return f(x, y); });
    });
}

// By the size of an element alone: a choice changes no bits.
template<typename T>
void choose(const KernelCall& call)
{
    RowWalk walk(call.outputs[0].shape, {&call.inputs[0], &call.inputs[1], &call.inputs[2], &call.outputs[0]});
    const auto* c = call.inputs[0].data<std::uint8_t>();
    const T* a = call.inputs[1].data<T>();
    const T* b = call.inputs[2].data<T>();
    T* o = call.outputs[0].data<T>();
    for (; walk.valid(); walk.next())
        for (std::int64_t i = 0; i < walk.count(); ++i)
            o[walk.at(3) + i * walk.step(3)] = c[walk.at(0) + i * walk.step(0)] != 0 ? a[walk.at(1) + i * walk.step(1)]
                                                                                     : b[walk.at(2) + i * walk.step(2)];
}

Metas boolOfBroadcast(std::string_view name, std::span<const TensorMeta> inputs)
{
    Metas metas = broadcastBinary(name, inputs);
    metas[0].dtype = DType::Bool;
    return metas;
}

Metas inferDivision(std::span<const TensorMeta> in, const Attrs&)
{
    requireFloating("div", in[0]);
    return broadcastBinary("div", in);
}

}  // namespace

// a + b, with NumPy's broadcasting.
const OpDef addOp{
    .name = "add",
    .infer = [](std::span<const TensorMeta> in, const Attrs&) { return broadcastBinary("add", in); },
    .cpu = [](const KernelCall& call,
              CpuContext& context) { arithmetic(call, context, [](auto x, auto y) { return x + y; }); },
    .vjp =
        [](const Vjp& v) {
            return Grads{v.needs(0) ? reduced(v.grad(), v.inputMeta(0)) : Tensor(),
                         v.needs(1) ? reduced(v.grad(), v.inputMeta(1)) : Tensor()};
        },
    .save = Save::Nothing,
    .strided = true,
};

const OpDef subOp{
    .name = "sub",
    .infer = [](std::span<const TensorMeta> in, const Attrs&) { return broadcastBinary("sub", in); },
    .cpu = [](const KernelCall& call,
              CpuContext& context) { arithmetic(call, context, [](auto x, auto y) { return x - y; }); },
    .vjp =
        [](const Vjp& v) {
            return Grads{v.needs(0) ? reduced(v.grad(), v.inputMeta(0)) : Tensor(),
                         v.needs(1) ? reduced(neg(v.grad()), v.inputMeta(1)) : Tensor()};
        },
    .save = Save::Nothing,
    .strided = true,
};

const OpDef mulOp{
    .name = "mul",
    .infer = [](std::span<const TensorMeta> in, const Attrs&) { return broadcastBinary("mul", in); },
    .cpu = [](const KernelCall& call,
              CpuContext& context) { arithmetic(call, context, [](auto x, auto y) { return x * y; }); },
    .vjp =
        [](const Vjp& v) {
            return Grads{v.needs(0) ? reduced(v.grad() * v.input(1), v.inputMeta(0)) : Tensor(),
                         v.needs(1) ? reduced(v.grad() * v.input(0), v.inputMeta(1)) : Tensor()};
        },
    .strided = true,
};

const OpDef divOp{
    .name = "div",
    .infer = inferDivision,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "div", [&](auto tag) {
                using T = typename decltype(tag)::type;
                mapBinary<T, T, T>(call, context, [](T x, T y) { return x / y; });
            });
        },
    .vjp =
        [](const Vjp& v) {
            const Tensor share = v.grad() / v.input(1);
            return Grads{v.needs(0) ? reduced(share, v.inputMeta(0)) : Tensor(),
                         v.needs(1) ? reduced(neg(share * v.input(0) / v.input(1)), v.inputMeta(1)) : Tensor()};
        },
    .strided = true,
};

// x + other, x * other: a number that never changes.
const OpDef addScalarOp{
    .name = "add_scalar",
    .infer = sameAsInput,
    .cpu = [](const KernelCall& call,
              CpuContext& context) { withScalar(call, context, [](auto x, auto y) { return x + y; }); },
    .vjp = [](const Vjp& v) { return Grads{v.grad()}; },
    .save = Save::Nothing,
    .strided = true,
};

const OpDef mulScalarOp{
    .name = "mul_scalar",
    .infer = sameAsInput,
    .cpu = [](const KernelCall& call,
              CpuContext& context) { withScalar(call, context, [](auto x, auto y) { return x * y; }); },
    .vjp = [](const Vjp& v) { return Grads{v.grad() * v.attrs().real("other")}; },
    .save = Save::Nothing,
    .strided = true,
};

const OpDef gtOp{
    .name = "gt",
    .infer = [](std::span<const TensorMeta> in, const Attrs&) { return boolOfBroadcast("gt", in); },
    .cpu = [](const KernelCall& call,
              CpuContext& context) { comparison(call, context, [](auto x, auto y) { return x > y; }); },
    .strided = true,
};

const OpDef eqOp{
    .name = "eq",
    .infer = [](std::span<const TensorMeta> in, const Attrs&) { return boolOfBroadcast("eq", in); },
    .cpu = [](const KernelCall& call,
              CpuContext& context) { comparison(call, context, [](auto x, auto y) { return x == y; }); },
    .strided = true,
};

// a where the condition holds, else b. All of one shape.
const OpDef whereOp{
    .name = "where",
    .infer =
        [](std::span<const TensorMeta> in, const Attrs&) {
            if (in[0].dtype != DType::Bool)
                throw ShapeError("where: the condition must be bool, not " + std::string(dtypeName(in[0].dtype)));
            const Metas values = broadcastBinary("where", in.subspan(1));
            return Metas{{values[0].dtype, broadcastShapes(in[0].shape, values[0].shape, "where")}};
        },
    .cpu =
        [](const KernelCall& call, CpuContext&) {
            switch (itemSize(call.outputs[0].dtype)) {
            case 1: return choose<std::uint8_t>(call);
            case 2: return choose<std::uint16_t>(call);
            case 4: return choose<std::uint32_t>(call);
            default: return choose<std::uint64_t>(call);
            }
        },
    .vjp =
        [](const Vjp& v) {
            const Tensor none = zeros({}, v.grad().dtype());
            return Grads{Tensor(), v.needs(1) ? reduced(where(v.input(0), v.grad(), none), v.inputMeta(1)) : Tensor(),
                         v.needs(2) ? reduced(where(v.input(0), none, v.grad()), v.inputMeta(2)) : Tensor()};
        },
    .strided = true,
};

Tensor add(const Tensor& a, const Tensor& b)
{
    return binary(addOp, a, b);
}

Tensor sub(const Tensor& a, const Tensor& b)
{
    return binary(subOp, a, b);
}

Tensor mul(const Tensor& a, const Tensor& b)
{
    return binary(mulOp, a, b);
}

Tensor div(const Tensor& a, const Tensor& b)
{
    const bool whole = !isFloating(a.dtype()) && !isFloating(b.dtype());
    return whole ? binary(divOp, to(a, DType::F32), to(b, DType::F32)) : binary(divOp, a, b);
}

namespace {

// A fraction makes a floating tensor of whole numbers.
Tensor byNumber(const OpDef& op, const Tensor& a, double b)
{
    const bool fraction = b != static_cast<double>(static_cast<std::int64_t>(b));
    const DType dtype = !isFloating(a.dtype()) && fraction ? DType::F32 : a.dtype();
    return to(apply1(op, {to(a, computeDType(dtype))}, {{"other", b}}), dtype);
}

}  // namespace

Tensor add(const Tensor& a, double b)
{
    return byNumber(addScalarOp, a, b);
}

Tensor mul(const Tensor& a, double b)
{
    return byNumber(mulScalarOp, a, b);
}

Tensor gt(const Tensor& a, const Tensor& b)
{
    return binary(gtOp, a, b);
}

Tensor eq(const Tensor& a, const Tensor& b)
{
    return binary(eqOp, a, b);
}

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b)
{
    const auto [x, y] = promoted(a, b);
    return apply1(whereOp, {condition, x, y});
}

}  // namespace megalith::ops
