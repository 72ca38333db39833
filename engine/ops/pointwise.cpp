// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/all_ops.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/functions.h"

#include <cmath>

namespace megalith::ops {

namespace {

template<typename F>
void realUnary(const KernelCall& call, CpuContext& context, std::int64_t cost, F f)
{
    withReal(call.outputs[0].dtype, call.name, [&](auto tag) {
        using T = typename decltype(tag)::type;
        mapUnary<T, T>(call, context, f, cost);
    });
}

template<typename F>
void realBinary(const KernelCall& call, CpuContext& context, F f)
{
    withReal(call.outputs[0].dtype, call.name, [&](auto tag) {
        using T = typename decltype(tag)::type;
        mapBinary<T, T, T>(call, context, f);
    });
}

template<typename F>
void numberUnary(const KernelCall& call, CpuContext& context, F f)
{
    withNumber(call.outputs[0].dtype, call.name, [&](auto tag) {
        using T = typename decltype(tag)::type;
        mapUnary<T, T>(call, context, f);
    });
}

// Functions of real numbers: whole numbers are taken as f32, half types computed in f32.
Tensor real(const OpDef& op, const Tensor& x)
{
    if (!isFloating(x.dtype()))
        return apply1(op, {to(x, DType::F32)});
    const DType compute = computeDType(x.dtype());
    return compute == x.dtype() ? apply1(op, {x}) : to(apply1(op, {to(x, compute)}), x.dtype());
}

Tensor number(const OpDef& op, const Tensor& x)
{
    const DType compute = computeDType(x.dtype());
    return compute == x.dtype() ? apply1(op, {x}) : to(apply1(op, {to(x, compute)}), x.dtype());
}

}  // namespace

const OpDef negOp{
    .name = "neg",
    .infer = sameAsInput,
    .cpu = [](const KernelCall& call, CpuContext& context) { numberUnary(call, context, [](auto x) { return -x; }); },
    .vjp = [](const Vjp& v) { return Grads{neg(v.grad())}; },
    .save = Save::Nothing,
    .strided = true,
};

const OpDef absOp{
    .name = "abs",
    .infer = sameAsInput,
    .cpu = [](const KernelCall& call,
              CpuContext& context) { numberUnary(call, context, [](auto x) { return x < 0 ? -x : x; }); },
    .vjp =
        [](const Vjp& v) {
            const Tensor& x = v.input(0);
            const Tensor zero = zeros({}, x.dtype());
            return Grads{where(gt(x, zero), v.grad(), where(gt(zero, x), neg(v.grad()), zero))};
        },
    .strided = true,
};

const OpDef squareOp{
    .name = "square",
    .infer = sameAsInput,
    .cpu = [](const KernelCall& call,
              CpuContext& context) { numberUnary(call, context, [](auto x) { return x * x; }); },
    .vjp = [](const Vjp& v) { return Grads{v.grad() * (v.input(0) * 2.0)}; },
    .strided = true,
};

const OpDef expOp{
    .name = "exp",
    .infer = sameAsInput,
    .cpu = [](const KernelCall& call,
              CpuContext& context) { realUnary(call, context, 16, [](auto x) { return std::exp(x); }); },
    .vjp = [](const Vjp& v) { return Grads{v.grad() * v.output()}; },
    .save = Save::Outputs,
    .strided = true,
};

const OpDef logOp{
    .name = "log",
    .infer = sameAsInput,
    .cpu = [](const KernelCall& call,
              CpuContext& context) { realUnary(call, context, 16, [](auto x) { return std::log(x); }); },
    .vjp = [](const Vjp& v) { return Grads{v.grad() / v.input(0)}; },
    .strided = true,
};

const OpDef sqrtOp{
    .name = "sqrt",
    .infer = sameAsInput,
    .cpu = [](const KernelCall& call,
              CpuContext& context) { realUnary(call, context, 4, [](auto x) { return std::sqrt(x); }); },
    .vjp = [](const Vjp& v) { return Grads{v.grad() / (v.output() * 2.0)}; },
    .save = Save::Outputs,
    .strided = true,
};

// max(0, x); NaN stays NaN.
const OpDef reluOp{
    .name = "relu",
    .infer = sameAsInput,
    .cpu = [](const KernelCall& call,
              CpuContext& context) { numberUnary(call, context, [](auto x) { return x < 0 ? decltype(x){0} : x; }); },
    .vjp =
        [](const Vjp& v) {
            return Grads{apply1(reluGradOp, {v.grad(), v.output()})};
        },
    .save = Save::Outputs,
    .strided = true,
};

const OpDef reluGradOp{
    .name = "relu_grad",
    .infer = sameAsInput,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            realBinary(call, context, [](auto g, auto y) { return y > 0 ? g : decltype(g){0}; });
        },
    .strided = true,
};

const OpDef tanhOp{
    .name = "tanh",
    .infer = sameAsInput,
    .cpu = [](const KernelCall& call,
              CpuContext& context) { realUnary(call, context, 24, [](auto x) { return std::tanh(x); }); },
    .vjp =
        [](const Vjp& v) {
            return Grads{apply1(tanhGradOp, {v.grad(), v.output()})};
        },
    .save = Save::Outputs,
    .strided = true,
};

const OpDef tanhGradOp{
    .name = "tanh_grad",
    .infer = sameAsInput,
    .cpu = [](const KernelCall& call,
              CpuContext& context) { realBinary(call, context, [](auto g, auto y) { return g * (1 - y * y); }); },
    .strided = true,
};

const OpDef sigmoidOp{
    .name = "sigmoid",
    .infer = sameAsInput,
    .cpu = [](const KernelCall& call,
              CpuContext& context) { realUnary(call, context, 24, [](auto x) { return 1 / (1 + std::exp(-x)); }); },
    .vjp =
        [](const Vjp& v) {
            return Grads{apply1(sigmoidGradOp, {v.grad(), v.output()})};
        },
    .save = Save::Outputs,
    .strided = true,
};

const OpDef sigmoidGradOp{
    .name = "sigmoid_grad",
    .infer = sameAsInput,
    .cpu = [](const KernelCall& call,
              CpuContext& context) { realBinary(call, context, [](auto g, auto y) { return g * (1 - y) * y; }); },
    .strided = true,
};

Tensor neg(const Tensor& x)
{
    return number(negOp, x);
}

Tensor abs(const Tensor& x)
{
    return number(absOp, x);
}

Tensor square(const Tensor& x)
{
    return number(squareOp, x);
}

Tensor exp(const Tensor& x)
{
    return real(expOp, x);
}

Tensor log(const Tensor& x)
{
    return real(logOp, x);
}

Tensor sqrt(const Tensor& x)
{
    return real(sqrtOp, x);
}

Tensor relu(const Tensor& x)
{
    return number(reluOp, x);
}

Tensor tanh(const Tensor& x)
{
    return real(tanhOp, x);
}

Tensor sigmoid(const Tensor& x)
{
    return real(sigmoidOp, x);
}

}  // namespace megalith::ops
