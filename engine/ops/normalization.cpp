// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/ops/all_ops.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/functions.h"
#include "engine/ops/record.h"
#include "engine/ops/reduce.h"

#include <cmath>

namespace megalith::ops {

namespace {

// [N, C, ...] as n x c planes of s elements.
struct Planes
{
    explicit Planes(const Shape& x) : n(x[0]), c(x[1])
    {
        for (std::size_t d = 2; d < x.size(); ++d)
            s *= x[d];
    }
    std::int64_t n, c, s = 1;
};

template<typename T>
MEGALITH_MULTIVERSION void scalePlane(const T* x, T* y, std::int64_t n, T scale, T shift)
{
    for (std::int64_t i = 0; i < n; ++i)
        y[i] = x[i] * scale + shift;
}

template<typename T>
void batchNormTrain(const KernelCall& call, CpuContext& context)
{
    const Planes p(call.inputs[0].shape);
    const T* x = call.inputs[0].data<T>();
    const double eps = call.attrs.real("eps");
    T* y = call.outputs[0].data<T>();
    const double count = static_cast<double>(p.n * p.s);
    std::vector<double> mean(static_cast<std::size_t>(p.c), 0.0);
    std::vector<double> squares(static_cast<std::size_t>(p.c), 0.0);
    const int threads = context.threadsFor(p.n * p.c * p.s * 4);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (std::int64_t c = 0; c < p.c; ++c) {
        double total = 0.0;
        for (std::int64_t i = 0; i < p.n; ++i)
            total += sumOf(x + (i * p.c + c) * p.s, p.s);
        const double m = total / count;
        double sq = 0.0;
        for (std::int64_t i = 0; i < p.n; ++i) {
            const T* plane = x + (i * p.c + c) * p.s;
            for (std::int64_t k = 0; k < p.s; ++k)
                sq += (static_cast<double>(plane[k]) - m) * (static_cast<double>(plane[k]) - m);
        }
        mean[static_cast<std::size_t>(c)] = m;
        squares[static_cast<std::size_t>(c)] = sq;
        const double invStd = 1.0 / std::sqrt(sq / count + eps);
        const double w = call.inputs[1] ? static_cast<double>(call.inputs[1].data<T>()[c]) : 1.0;
        const double b = call.inputs[2] ? static_cast<double>(call.inputs[2].data<T>()[c]) : 0.0;
        for (std::int64_t i = 0; i < p.n; ++i)
            scalePlane(x + (i * p.c + c) * p.s, y + (i * p.c + c) * p.s, p.s, static_cast<T>(invStd * w),
                       static_cast<T>(b - m * invStd * w));
        call.outputs[1].data<T>()[c] = static_cast<T>(m);
        call.outputs[2].data<T>()[c] = static_cast<T>(invStd);
    }
    if (call.outputs.size() < 5)
        return;
    const auto factor = static_cast<double>(*call.inputs[3].data<T>());
    T* runningMean = call.outputs[3].data<T>();
    T* runningVar = call.outputs[4].data<T>();
    for (std::int64_t c = 0; c < p.c; ++c) {
        const auto i = static_cast<std::size_t>(c);
        runningMean[c] = static_cast<T>((1.0 - factor) * static_cast<double>(runningMean[c]) + factor * mean[i]);
        runningVar[c] =
            static_cast<T>((1.0 - factor) * static_cast<double>(runningVar[c]) + factor * squares[i] / (count - 1.0));
    }
}

template<typename T>
void batchNormTrainGrad(const KernelCall& call, CpuContext& context)
{
    const Planes p(call.inputs[1].shape);
    const T* dy = call.inputs[0].data<T>();
    const T* x = call.inputs[1].data<T>();
    const T* w = call.inputs[2] ? call.inputs[2].data<T>() : nullptr;
    const T* mean = call.inputs[3].data<T>();
    const T* invStd = call.inputs[4].data<T>();
    T* dx = call.outputs[0].data<T>();
    const double count = static_cast<double>(p.n * p.s);
    const int threads = context.threadsFor(p.n * p.c * p.s * 4);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (std::int64_t c = 0; c < p.c; ++c) {
        const auto m = static_cast<double>(mean[c]);
        const auto inv = static_cast<double>(invStd[c]);
        double sumDy = 0.0;
        double sumDyX = 0.0;
        for (std::int64_t i = 0; i < p.n; ++i) {
            const std::int64_t at = (i * p.c + c) * p.s;
            for (std::int64_t k = at; k < at + p.s; ++k) {
                sumDy += static_cast<double>(dy[k]);
                sumDyX += static_cast<double>(dy[k]) * (static_cast<double>(x[k]) - m);
            }
        }
        const double dWeight = sumDyX * inv;
        call.outputs[1].data<T>()[c] = static_cast<T>(dWeight);
        call.outputs[2].data<T>()[c] = static_cast<T>(sumDy);
        // dx = w inv (dy - mean(dy) - xhat mean(dy xhat)): Ioffe and Szegedy 2015, section 3
        const double scale = (w != nullptr ? static_cast<double>(w[c]) : 1.0) * inv;
        const double slope = -scale * inv * dWeight / count;
        for (std::int64_t i = 0; i < p.n; ++i) {
            const std::int64_t at = (i * p.c + c) * p.s;
            for (std::int64_t k = at; k < at + p.s; ++k)
                dx[k] = static_cast<T>(static_cast<double>(dy[k]) * scale + (static_cast<double>(x[k]) - m) * slope
                                       - scale * sumDy / count);
        }
    }
}

Metas inferBatchNorm(std::span<const TensorMeta> in, const Attrs&)
{
    requireFloating("batch_norm", in[0]);
    const Shape& x = in[0].shape;
    if (x.size() < 2)
        throw ShapeError("batch_norm: expected [N, C, ...], found " + text(x));
    const Planes p(x);
    if (p.n * p.s <= 1)
        throw ShapeError("batch_norm: more than one value per channel is needed in training, found " + text(x));
    return {in[0], {in[0].dtype, {p.c}}, {in[0].dtype, {p.c}}};
}

template<typename T>
void softmaxRows(const KernelCall& call, CpuContext& context, bool log)
{
    const MiddleDim m(call.outputs[0].shape, call.attrs.integer("dim"), call.name);
    const T* in = call.inputs[0].data<T>();
    T* out = call.outputs[0].data<T>();
    const int threads = context.threadsFor(m.outer * m.size * m.inner * 16);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (std::int64_t row = 0; row < m.outer * m.inner; ++row) {
        const std::int64_t at = row / m.inner * m.size * m.inner + row % m.inner;
        const T* x = in + at;
        T* y = out + at;
        T top = m.size > 0 ? x[0] : T{0};
        for (std::int64_t k = 1; k < m.size; ++k)
            top = x[k * m.inner] > top ? x[k * m.inner] : top;
        double total = 0.0;
        for (std::int64_t k = 0; k < m.size; ++k) {
            const T e = std::exp(x[k * m.inner] - top);
            total += static_cast<double>(e);
            if (!log)
                y[k * m.inner] = e;
        }
        if (log) {
            const T shift = static_cast<T>(std::log(total));
            for (std::int64_t k = 0; k < m.size; ++k)
                y[k * m.inner] = x[k * m.inner] - top - shift;
        } else {
            for (std::int64_t k = 0; k < m.size; ++k)
                y[k * m.inner] = static_cast<T>(static_cast<double>(y[k * m.inner]) / total);
        }
    }
}

// softmax: dx = y (dy - sum(dy y)); log_softmax: dx = dy - exp(y) sum(dy)
template<typename T>
void softmaxGradRows(const KernelCall& call, CpuContext& context, bool log)
{
    const MiddleDim m(call.outputs[0].shape, call.attrs.integer("dim"), call.name);
    const T* grad = call.inputs[0].data<T>();
    const T* result = call.inputs[1].data<T>();
    T* out = call.outputs[0].data<T>();
    const int threads = context.threadsFor(m.outer * m.size * m.inner * (log ? 16 : 4));
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (std::int64_t row = 0; row < m.outer * m.inner; ++row) {
        const std::int64_t at = row / m.inner * m.size * m.inner + row % m.inner;
        double total = 0.0;
        for (std::int64_t k = at; k < at + m.size * m.inner; k += m.inner)
            total += static_cast<double>(grad[k]) * (log ? 1.0 : static_cast<double>(result[k]));
        const T shared = static_cast<T>(total);
        for (std::int64_t k = at; k < at + m.size * m.inner; k += m.inner)
            out[k] = log ? grad[k] - std::exp(result[k]) * shared : result[k] * (grad[k] - shared);
    }
}

Metas inferSoftmax(std::span<const TensorMeta> in, const Attrs& attrs)
{
    requireFloating("softmax", in[0]);
    wrapDim(attrs.integer("dim"), in[0].shape.size(), "softmax");
    return {in[0]};
}

}  // namespace

// Outputs y, the batch's mean and 1 / sqrt(var + eps); changes running_mean and running_var (outputs 3 and 4) where given.
const OpDef batchNormTrainOp{
    .name = "batch_norm_train",
    .infer = inferBatchNorm,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "batch_norm",
                     [&](auto tag) { batchNormTrain<typename decltype(tag)::type>(call, context); });
        },
    .vjp =
        [](const Vjp& v) {
            Grads grads = apply(batchNormTrainGradOp, {v.grad(), v.input(0), v.input(1), v.output(1), v.output(2)});
            return Grads{v.needs(0) ? grads[0] : Tensor(), v.needs(1) ? grads[1] : Tensor(),
                         v.needs(2) ? grads[2] : Tensor()};
        },
    .save = Save::Both,
};

const OpDef batchNormTrainGradOp{
    .name = "batch_norm_train_grad",
    .infer =
        [](std::span<const TensorMeta> in, const Attrs&) {
            const TensorMeta channels{in[1].dtype, {in[1].shape[1]}};
            return Metas{in[1], channels, channels};
        },
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "batch_norm",
                     [&](auto tag) { batchNormTrainGrad<typename decltype(tag)::type>(call, context); });
        },
};

const OpDef softmaxOp{
    .name = "softmax",
    .infer = inferSoftmax,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "softmax",
                     [&](auto tag) { softmaxRows<typename decltype(tag)::type>(call, context, false); });
        },
    .vjp =
        [](const Vjp& v) {
            return Grads{apply1(softmaxGradOp, {v.grad(), v.output()}, v.attrs())};
        },
    .save = Save::Outputs,
};

const OpDef softmaxGradOp{
    .name = "softmax_grad",
    .infer = sameAsInput,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "softmax",
                     [&](auto tag) { softmaxGradRows<typename decltype(tag)::type>(call, context, false); });
        },
};

const OpDef logSoftmaxOp{
    .name = "log_softmax",
    .infer = inferSoftmax,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "log_softmax",
                     [&](auto tag) { softmaxRows<typename decltype(tag)::type>(call, context, true); });
        },
    .vjp =
        [](const Vjp& v) {
            return Grads{apply1(logSoftmaxGradOp, {v.grad(), v.output()}, v.attrs())};
        },
    .save = Save::Outputs,
};

const OpDef logSoftmaxGradOp{
    .name = "log_softmax_grad",
    .infer = sameAsInput,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "log_softmax",
                     [&](auto tag) { softmaxGradRows<typename decltype(tag)::type>(call, context, true); });
        },
};

Tensor batch_norm_train(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                        const Tensor& running_var, const Tensor& momentum, double eps)
{
    const Attrs attrs{{"eps", eps}};
    const TensorMeta metas[] = {x.meta()};
    Tensors outputs;
    for (const TensorMeta& meta : inferBatchNorm(metas, attrs))
        outputs.push_back(allocate(meta, x.backend()));
    const Tensors inputs{x, weight, bias, momentum};
    Tensors targets = outputs;
    if (running_mean) {
        running_mean.storage()->bumpVersion();
        running_var.storage()->bumpVersion();
        targets.push_back(running_mean);
        targets.push_back(running_var);
    }
    launch(batchNormTrainOp, inputs, targets, attrs);
    if (wantsGrad(batchNormTrainOp, inputs)) {
        record(batchNormTrainOp, attrs, Tensors{x, weight, bias}, outputs);
    }
    return outputs[0];
}

// As PyTorch computes it: y = x scale + (bias - mean scale), scale = weight / sqrt(var + eps)
Tensor batch_norm_eval(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                       const Tensor& running_var, double eps)
{
    if (x.rank() < 2)
        throw ShapeError("batch_norm: expected [N, C, ...], found " + text(x.shape()));
    Shape channels(x.rank(), 1);
    channels[1] = x.size(1);
    const Tensor deviation = sqrt(running_var + eps);
    const Tensor scale = weight ? weight / deviation : div(ones(running_var.shape(), running_var.dtype()), deviation);
    const Tensor negativeShift = running_mean * scale;
    const Tensor shift = bias ? bias - negativeShift : neg(negativeShift);
    return x * reshape(scale, channels) + reshape(shift, channels);
}

Tensor softmax(const Tensor& x, std::int64_t dim)
{
    return apply1(softmaxOp, {x}, {{"dim", dim}});
}

Tensor log_softmax(const Tensor& x, std::int64_t dim)
{
    return apply1(logSoftmaxOp, {x}, {{"dim", dim}});
}

}  // namespace megalith::ops
