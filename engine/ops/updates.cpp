// SPDX-License-Identifier: GPL-3.0-or-later
// Changes in place: what optimizers do. Everything that differs from step to step is read from one-element tensors.
#include "engine/core/error.h"
#include "engine/ops/all_ops.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/functions.h"
#include "engine/ops/record.h"
#include "engine/ops/reduce.h"

#include <cmath>

namespace megalith::ops {

namespace {

double scalarOf(const BufferView& view)
{
    switch (view.dtype) {
    case DType::F32: return static_cast<double>(*view.data<float>());
    case DType::F64: return *view.data<double>();
    default: return static_cast<double>(*view.data<std::int64_t>());
    }
}

template<typename T>
struct SgdFactors
{
    T lr, momentum, rest, decay;  // rest: 1 - dampening
    bool first, nesterov, maximize;
};

template<typename T>
MEGALITH_MULTIVERSION void sgdLoop(std::int64_t n, T* p, const T* g, T* buf, SgdFactors<T> f)
{
    for (std::int64_t i = 0; i < n; ++i) {
        T d = f.maximize ? -g[i] : g[i];
        d += f.decay * p[i];
        if (buf != nullptr) {
            buf[i] = f.first ? d : f.momentum * buf[i] + f.rest * d;
            d = f.nesterov ? d + f.momentum * buf[i] : buf[i];
        }
        p[i] -= f.lr * d;
    }
}

template<typename T>
struct AdamFactors
{
    T beta1, beta2, rest1, rest2, eps, decay, shrink, stepSize,
        rootCorrection;  // rest: 1 - beta, exact before rounding
    bool maximize;
};

template<typename T>
MEGALITH_MULTIVERSION void adamLoop(std::int64_t n, T* p, const T* g, T* m, T* v, T* top, AdamFactors<T> f)
{
    for (std::int64_t i = 0; i < n; ++i) {
        const T q = p[i] * f.shrink;
        const T d = (f.maximize ? -g[i] : g[i]) + f.decay * q;
        m[i] = f.beta1 * m[i] + f.rest1 * d;
        v[i] = f.beta2 * v[i] + f.rest2 * d * d;
        T second = v[i];
        if (top != nullptr) {
            top[i] = top[i] > second ? top[i] : second;
            second = top[i];
        }
        p[i] = q - f.stepSize * m[i] / (std::sqrt(second) / f.rootCorrection + f.eps);
    }
}

void requireDense(std::string_view name, const BufferView& view)
{
    if (!view.isContiguous())
        throw Error(std::string(name) + ": parameters and their state must be dense");
}

template<typename T>
void sgdKernel(const KernelCall& call, CpuContext& context)
{
    requireDense(call.name, call.outputs[0]);
    SgdFactors<T> f{};
    f.lr = static_cast<T>(scalarOf(call.inputs[1]));
    f.first = scalarOf(call.inputs[2]) == 0.0;
    f.momentum = static_cast<T>(call.attrs.real("momentum"));
    f.rest = static_cast<T>(1.0 - call.attrs.real("dampening"));
    f.decay = static_cast<T>(call.attrs.real("weight_decay"));
    f.nesterov = call.attrs.flag("nesterov");
    f.maximize = call.attrs.flag("maximize");
    T* p = call.outputs[0].data<T>();
    T* buf = call.outputs.size() > 1 ? call.outputs[1].data<T>() : nullptr;
    const T* g = call.inputs[0].data<T>();
    parallelRange(context, call.outputs[0].numel(), 2, [&](std::int64_t begin, std::int64_t end) {
        sgdLoop(end - begin, p + begin, g + begin, buf ? buf + begin : buf, f);
    });
}

template<typename T>
void adamKernel(const KernelCall& call, CpuContext& context)
{
    requireDense(call.name, call.outputs[0]);
    const double lr = scalarOf(call.inputs[1]);
    const double step = scalarOf(call.inputs[2]);
    const double beta1 = call.attrs.real("beta1");
    const double beta2 = call.attrs.real("beta2");
    const double decay = call.attrs.real("weight_decay");
    const bool decoupled = call.attrs.flag("decoupled");
    AdamFactors<T> f{};
    f.beta1 = static_cast<T>(beta1);
    f.beta2 = static_cast<T>(beta2);
    f.rest1 = static_cast<T>(1.0 - beta1);
    f.rest2 = static_cast<T>(1.0 - beta2);
    f.eps = static_cast<T>(call.attrs.real("eps"));
    f.decay = static_cast<T>(decoupled ? 0.0 : decay);
    f.shrink = static_cast<T>(decoupled ? 1.0 - lr * decay : 1.0);
    f.stepSize = static_cast<T>(lr / (1.0 - std::pow(beta1, step)));
    f.rootCorrection = static_cast<T>(std::sqrt(1.0 - std::pow(beta2, step)));
    f.maximize = call.attrs.flag("maximize");
    T* p = call.outputs[0].data<T>();
    T* m = call.outputs[1].data<T>();
    T* v = call.outputs[2].data<T>();
    T* top = call.outputs.size() > 3 ? call.outputs[3].data<T>() : nullptr;
    const T* g = call.inputs[0].data<T>();
    parallelRange(context, call.outputs[0].numel(), 8, [&](std::int64_t begin, std::int64_t end) {
        adamLoop(end - begin, p + begin, g + begin, m + begin, v + begin, top ? top + begin : top, f);
    });
}

// One partial result for each part of fixed size, added in order.
template<typename T>
double squaresOf(CpuContext& context, const BufferView& view)
{
    constexpr std::int64_t part = 1 << 16;
    const std::int64_t n = view.numel();
    const T* x = view.data<T>();
    std::vector<double> parts(static_cast<std::size_t>((n + part - 1) / part));
    const int threads = context.threadsFor(n);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto begin = static_cast<std::int64_t>(i) * part;
        parts[i] = sumOfSquares(x + begin, std::min(part, n - begin));
    }
    double total = 0.0;
    for (const double p : parts)
        total += p;
    return total;
}

template<typename T>
void totalNormKernel(const KernelCall& call, CpuContext& context)
{
    const double type = call.attrs.real("norm_type");
    double total = 0.0;
    for (const BufferView& view : call.inputs) {
        if (type == 2.0) {
            total += squaresOf<T>(context, view);
            continue;
        }
        const T* x = view.data<T>();
        for (std::int64_t i = 0; i < view.numel(); ++i) {
            const double size = std::abs(static_cast<double>(x[i]));
            total = std::isinf(type) ? (size > total || size != size ? size : total) : total + std::pow(size, type);
        }
    }
    *call.outputs[0].data<T>() = static_cast<T>(std::isinf(type) ? total
                                                : type == 2.0    ? std::sqrt(total)
                                                                 : std::pow(total, 1.0 / type));
}

}  // namespace

const OpDef addInPlaceOp{
    .name = "add_",
    .cpu = [](const KernelCall& call, CpuContext& context) { addOp.cpu(call, context); },
    .strided = true,
};

const OpDef mulInPlaceOp{
    .name = "mul_",
    .cpu = [](const KernelCall& call, CpuContext& context) { mulOp.cpu(call, context); },
    .strided = true,
};

const OpDef addScalarInPlaceOp{
    .name = "add_scalar_",
    .cpu = [](const KernelCall& call, CpuContext& context) { addScalarOp.cpu(call, context); },
    .strided = true,
};

const OpDef reciprocalOp{
    .name = "reciprocal_",
    .cpu =
        [](const KernelCall& call, CpuContext&) {
            const double value = 1.0 / scalarOf(call.inputs[0]);
            if (call.outputs[0].dtype == DType::F64)
                *call.outputs[0].data<double>() = value;
            else
                *call.outputs[0].data<float>() = static_cast<float>(value);
        },
};

const OpDef sgdStepOp{
    .name = "sgd_step",
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "sgd",
                     [&](auto tag) { sgdKernel<typename decltype(tag)::type>(call, context); });
        },
};

const OpDef adamStepOp{
    .name = "adam_step",
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "adam",
                     [&](auto tag) { adamKernel<typename decltype(tag)::type>(call, context); });
        },
};

const OpDef totalNormOp{
    .name = "total_norm",
    .infer =
        [](std::span<const TensorMeta> in, const Attrs&) {
            return Metas{{in[0].dtype, {}}};
        },
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "total_norm",
                     [&](auto tag) { totalNormKernel<typename decltype(tag)::type>(call, context); });
        },
};

const OpDef clipFactorOp{
    .name = "clip_factor",
    .infer = sameAsInput,
    .cpu =
        [](const KernelCall& call, CpuContext&) {
            const double factor = call.attrs.real("max_norm") / (scalarOf(call.inputs[0]) + 1e-6);
            const double clamped = factor > 1.0 ? 1.0 : factor;  // NaN stays
            withReal(call.outputs[0].dtype, "clip_factor", [&](auto tag) {
                using T = typename decltype(tag)::type;
                *call.outputs[0].data<T>() = static_cast<T>(clamped);
            });
        },
};

namespace {

// x op= other. Recorded like the operation that makes a new tensor: x then stands for its result.
void updateInPlace(const OpDef& inPlace, const OpDef& op, const Tensor& x, const Tensor& other, Attrs attrs)
{
    const Tensors inputs = other ? Tensors{x, other} : Tensors{x};
    const bool recorded = wantsGrad(op, inputs);
    if (!recorded || !isFloating(x.dtype())) {
        x.storage()->bumpVersion();
        return launch(inPlace, inputs, {x}, std::move(attrs));
    }
    if (x.requires_grad() && x.isLeaf())
        throw Error(std::string(inPlace.name)
                    + ": a leaf that requires grad is changed in place; wrap the change in NoGrad");
    x.storage()->bumpVersion();
    launch(inPlace, inputs, {x}, attrs);
    record(op, attrs, inputs, Tensors{x});
}

}  // namespace

void add_(const Tensor& x, const Tensor& other)
{
    updateInPlace(addInPlaceOp, addOp, x, to(other, x.dtype()), {});
}

void addScalar_(const Tensor& x, double value)
{
    updateInPlace(addScalarInPlaceOp, addScalarOp, x, {}, {{"other", value}});
}

void mul_(const Tensor& x, const Tensor& factor)
{
    updateInPlace(mulInPlaceOp, mulOp, x, to(factor, x.dtype()), {});
}

void reciprocal_(const Tensor& y, const Tensor& b)
{
    applyInPlace(reciprocalOp, {b}, {y});
}

void sgdStep_(const Tensor& p, const Tensor& g, const Tensor& buf, const Tensor& lr, const Tensor& step,
              const SgdArgs& a)
{
    applyInPlace(sgdStepOp, {g, lr, step}, buf ? Tensors{p, buf} : Tensors{p},
                 {{"momentum", a.momentum},
                  {"dampening", a.dampening},
                  {"weight_decay", a.weight_decay},
                  {"nesterov", a.nesterov},
                  {"maximize", a.maximize}});
}

void adamStep_(const Tensor& p, const Tensor& g, const Tensor& exp_avg, const Tensor& exp_avg_sq,
               const Tensor& max_exp_avg_sq, const Tensor& lr, const Tensor& step, const AdamArgs& a)
{
    Tensors targets{p, exp_avg, exp_avg_sq};
    if (max_exp_avg_sq)
        targets.push_back(max_exp_avg_sq);
    applyInPlace(adamStepOp, {g, lr, step}, targets,
                 {{"beta1", a.beta1},
                  {"beta2", a.beta2},
                  {"eps", a.eps},
                  {"weight_decay", a.weight_decay},
                  {"decoupled", a.decoupled},
                  {"maximize", a.maximize}});
}

Tensor totalNorm(const Tensors& xs, double normType)
{
    if (xs.empty())
        return zeros({});
    return apply1(totalNormOp, xs, {{"norm_type", normType}});
}

Tensor clipFactor(const Tensor& norm, double max_norm)
{
    return apply1(clipFactorOp, {norm}, {{"max_norm", max_norm}});
}

}  // namespace megalith::ops
