// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/ops/all_ops.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/functions.h"

#include <cmath>

namespace megalith::ops {

namespace {

struct CrossEntropyShape
{
    explicit CrossEntropyShape(const Shape& x) : n(x[0]), c(x[1])
    {
        for (std::size_t d = 2; d < x.size(); ++d)
            s *= x[d];
    }
    std::int64_t n, c, s = 1;  // s: places per sample
};

// inputs: log probabilities [N, C, ...], target [N, ...] i64, weight [C] or none. outputs: loss (one per place, or one element), and
// the sum of weights that a mean divides by.
template<typename T>
void crossEntropy(const KernelCall& call)
{
    const CrossEntropyShape p(call.inputs[0].shape);
    const T* logp = call.inputs[0].data<T>();
    const auto* target = call.inputs[1].data<std::int64_t>();
    const T* weight = call.inputs[2] ? call.inputs[2].data<T>() : nullptr;
    const std::int64_t ignore = call.attrs.integer("ignore_index");
    const double smoothing = call.attrs.real("label_smoothing");
    const auto reduction = static_cast<Reduction>(call.attrs.integer("reduction"));
    double total = 0.0;
    double weights = 0.0;
    for (std::int64_t i = 0; i < p.n * p.s; ++i) {
        const std::int64_t t = target[i];
        double loss = 0.0;
        if (t != ignore) {
            if (t < 0 || t >= p.c)
                throw DataError("cross_entropy: class " + std::to_string(t) + " is outside the " + std::to_string(p.c)
                                + " classes of the input");
            const T* row = logp + i / p.s * p.c * p.s + i % p.s;
            const double w = weight != nullptr ? static_cast<double>(weight[t]) : 1.0;
            loss = -(1.0 - smoothing) * w * static_cast<double>(row[t * p.s]);
            for (std::int64_t k = 0; smoothing > 0.0 && k < p.c; ++k)
                loss -= smoothing / static_cast<double>(p.c)
                        * (weight != nullptr ? static_cast<double>(weight[k]) : 1.0)
                        * static_cast<double>(row[k * p.s]);
            weights += w;
        }
        total += loss;
        if (reduction == Reduction::None)
            call.outputs[0].data<T>()[i] = static_cast<T>(loss);
    }
    if (reduction != Reduction::None)
        *call.outputs[0].data<T>() = static_cast<T>(reduction == Reduction::Mean ? total / weights : total);
    *call.outputs[1].data<T>() = static_cast<T>(weights);
}

template<typename T>
void crossEntropyGrad(const KernelCall& call)
{
    const CrossEntropyShape p(call.outputs[0].shape);
    const T* grad = call.inputs[0].data<T>();
    const auto* target = call.inputs[1].data<std::int64_t>();
    const T* weight = call.inputs[2] ? call.inputs[2].data<T>() : nullptr;
    const auto weights = static_cast<double>(*call.inputs[3].data<T>());
    const std::int64_t ignore = call.attrs.integer("ignore_index");
    const double smoothing = call.attrs.real("label_smoothing");
    const auto reduction = static_cast<Reduction>(call.attrs.integer("reduction"));
    T* out = call.outputs[0].data<T>();
    for (std::int64_t i = 0; i < p.n * p.s; ++i) {
        const std::int64_t t = target[i];
        T* row = out + i / p.s * p.c * p.s + i % p.s;
        const double g = t == ignore                    ? 0.0
                         : reduction == Reduction::None ? static_cast<double>(grad[i])
                         : reduction == Reduction::Mean ? static_cast<double>(*grad) / weights
                                                        : static_cast<double>(*grad);
        for (std::int64_t k = 0; k < p.c; ++k) {
            const double w = weight != nullptr ? static_cast<double>(weight[k]) : 1.0;
            const double share = smoothing / static_cast<double>(p.c) + (k == t ? 1.0 - smoothing : 0.0);
            row[k * p.s] = static_cast<T>(t == ignore ? 0.0 : -g * w * share);
        }
    }
}

Metas inferCrossEntropy(std::span<const TensorMeta> in, const Attrs& attrs)
{
    const Shape& x = in[0].shape;
    Shape places = x;
    places.erase(places.begin() + 1);
    if (in[1].dtype != DType::I64)
        throw ShapeError("cross_entropy: class numbers must be int64, not " + std::string(dtypeName(in[1].dtype)));
    if (in[1].shape != places)
        throw ShapeError("cross_entropy: an input of shape " + text(x) + " needs class numbers of shape " + text(places)
                         + ", found " + text(in[1].shape));
    const bool none = static_cast<Reduction>(attrs.integer("reduction")) == Reduction::None;
    return {{in[0].dtype, none ? places : Shape{}}, {in[0].dtype, {}}};
}

Tensor reduced(const Tensor& loss, Reduction reduction)
{
    return reduction == Reduction::Mean ? mean(loss) : reduction == Reduction::Sum ? sum(loss) : loss;
}

}  // namespace

const OpDef crossEntropyOp{
    .name = "cross_entropy",
    .infer = inferCrossEntropy,
    .cpu =
        [](const KernelCall& call, CpuContext&) {
            withReal(call.outputs[0].dtype, "cross_entropy",
                     [&](auto tag) { crossEntropy<typename decltype(tag)::type>(call); });
        },
    .vjp =
        [](const Vjp& v) {
            Attrs attrs = v.attrs();
            attrs.set("shape", v.inputMeta(0).shape);
            return Grads{apply1(crossEntropyGradOp, {v.grad(), v.input(1), v.input(2), v.output(1)}, attrs)};
        },
    .save = Save::Both,
};

const OpDef crossEntropyGradOp{
    .name = "cross_entropy_grad",
    .infer =
        [](std::span<const TensorMeta> in, const Attrs& attrs) {
            return Metas{{in[0].dtype, attrs.integers("shape")}};
        },
    .cpu =
        [](const KernelCall& call, CpuContext&) {
            withReal(call.outputs[0].dtype, "cross_entropy_grad",
                     [&](auto tag) { crossEntropyGrad<typename decltype(tag)::type>(call); });
        },
};

// log(1 / (1 + exp(-x))) without overflow
const OpDef logSigmoidOp{
    .name = "log_sigmoid",
    .infer = sameAsInput,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "log_sigmoid", [&](auto tag) {
                using T = typename decltype(tag)::type;
                mapUnary<T, T>(
                    call, context, [](T x) { return (x < 0 ? x : T{0}) - std::log1p(std::exp(x < 0 ? x : -x)); }, 32);
            });
        },
    .vjp = [](const Vjp& v) { return Grads{v.grad() * sigmoid(neg(v.input(0)))}; },
    .strided = true,
};

Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight, std::int64_t ignore_index,
                     Reduction reduction, double label_smoothing)
{
    if (input.rank() == 0)
        throw ShapeError("cross_entropy: the input needs a dimension of classes");
    if (input.rank() == 1) {
        const Tensor loss =
            cross_entropy(unsqueeze(input, 0), unsqueeze(target, 0), weight, ignore_index, reduction, label_smoothing);
        return reduction == Reduction::None && !isFloating(target.dtype()) ? reshape(loss, target.shape()) : loss;
    }
    if (weight && weight.shape() != Shape{input.size(1)})
        throw ShapeError("cross_entropy: weight has shape " + text(weight.shape()) + ", but there are "
                         + std::to_string(input.size(1)) + " classes");
    const Tensor logp = log_softmax(input, 1);
    if (!isFloating(target.dtype()))
        return apply(crossEntropyOp, {logp, to(target, DType::I64), weight},
                     {{"ignore_index", ignore_index},
                      {"reduction", static_cast<std::int64_t>(reduction)},
                      {"label_smoothing", label_smoothing}})
            .front();
    if (target.shape() != input.shape())
        throw ShapeError("cross_entropy: class probabilities of shape " + text(target.shape())
                         + " for an input of shape " + text(input.shape()));
    Tensor wanted = to(target, input.dtype());
    if (label_smoothing > 0.0)
        wanted = wanted * (1.0 - label_smoothing) + label_smoothing / static_cast<double>(input.size(1));
    Tensor terms = logp * wanted;
    if (weight) {
        Shape channels(input.rank(), 1);
        channels[1] = input.size(1);
        terms = terms * reshape(weight, channels);
    }
    const Tensor loss = neg(sum(terms, {1}));
    return reduced(loss, reduction);
}

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction)
{
    return reduced(square(input - target), reduction);
}

// (1 - t) x + (1 + (p - 1) t) softplus(-x)
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target, const Tensor& weight,
                                        const Tensor& pos_weight, Reduction reduction)
{
    if (input.shape() != target.shape())
        throw ShapeError("binary_cross_entropy_with_logits: target has shape " + text(target.shape()) + ", input "
                         + text(input.shape()));
    const Tensor wanted = to(target, input.dtype());
    const Tensor rest = neg(wanted) + 1.0;
    Tensor softplus = neg(apply1(logSigmoidOp, {input}));
    if (pos_weight)
        softplus = softplus * ((pos_weight - 1.0) * wanted + 1.0);
    Tensor loss = rest * input + softplus;
    if (weight)
        loss = loss * weight;
    return reduced(loss, reduction);
}

}  // namespace megalith::ops
