// SPDX-License-Identifier: GPL-3.0-or-later
// Random draws. Element i of a draw is a pure function of its key and i: the same on every device, eager or replayed.
#include "engine/backend/session.h"
#include "engine/core/error.h"
#include "engine/core/philox.h"
#include "engine/ops/all_ops.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/functions.h"

#include <cmath>
#include <numbers>

namespace megalith::ops {

namespace {

// Kept with probability 1 - p and scaled by 1 / (1 - p); the mask is output 1.
template<typename T>
void dropoutKernel(const KernelCall& call, CpuContext& context)
{
    const double p = call.attrs.real("p");
    const auto seed = static_cast<std::uint64_t>(*call.inputs[1].data<std::int64_t>());
    const auto step = static_cast<std::uint64_t>(*call.inputs[2].data<std::int64_t>());
    const auto stream = static_cast<std::uint64_t>(call.attrs.integer("stream"));
    const PhiloxKey key = philoxKey(mixKey(mixKey(seed, stream), step));
    const auto limit = static_cast<std::uint64_t>(std::llround(p * 0x1p32));  // words below it are dropped
    const T scale = p < 1.0 ? static_cast<T>(1.0 / (1.0 - p)) : T{0};
    const T* x = call.inputs[0].data<T>();
    T* y = call.outputs[0].data<T>();
    auto* mask = call.outputs[1].data<std::uint8_t>();
    const std::int64_t n = call.outputs[0].numel();
    parallelRange(context, (n + 3) / 4, 40, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
            const PhiloxCounter words = philox(philoxCounter(static_cast<std::uint64_t>(block)), key);
            for (std::int64_t i = block * 4; i < std::min(n, block * 4 + 4); ++i) {
                const bool keep = words[static_cast<std::size_t>(i & 3)] >= limit;
                mask[i] = keep ? 1 : 0;
                y[i] = keep ? x[i] * scale : T{0};
            }
        }
    });
}

// Dense tensors of any floating dtype: value(i) for every element.
template<typename F>
void fillFloating(const KernelCall& call, F value)
{
    const BufferView& out = call.outputs[0];
    const std::int64_t n = out.numel();
    for (std::int64_t i = 0; i < n; ++i) {
        const double x = value(static_cast<std::uint64_t>(i));
        switch (out.dtype) {
        case DType::F32: out.data<float>()[i] = static_cast<float>(x); break;
        case DType::F64: out.data<double>()[i] = x; break;
        case DType::F16: out.data<std::uint16_t>()[i] = floatToHalf(static_cast<float>(x)); break;
        case DType::BF16: out.data<std::uint16_t>()[i] = floatToBfloat16(static_cast<float>(x)); break;
        default:
            throw Error(std::string(call.name) + ": fills floating dtypes, not " + std::string(dtypeName(out.dtype)));
        }
    }
}

void fillRandom(const OpDef& op, const Tensor& x, double a, double b, std::uint64_t key)
{
    const Attrs attrs{{"a", a}, {"b", b}, {"key", static_cast<std::int64_t>(key)}};
    if (x.isContiguous())
        return applyInPlace(op, {}, {x}, attrs);
    const Tensor dense = empty(x.shape(), x.dtype());
    applyInPlace(op, {}, {dense}, attrs);
    copy_(x, dense);
}

}  // namespace

const OpDef dropoutOp{
    .name = "dropout",
    .infer =
        [](std::span<const TensorMeta> in, const Attrs&) {
            requireFloating("dropout", in[0]);
            return Metas{in[0], {DType::U8, in[0].shape}};
        },
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "dropout",
                     [&](auto tag) { dropoutKernel<typename decltype(tag)::type>(call, context); });
        },
    .vjp =
        [](const Vjp& v) {
            return Grads{apply1(dropoutGradOp, {v.grad(), v.output(1)}, v.attrs())};
        },
    .save = Save::Outputs,
};

const OpDef dropoutGradOp{
    .name = "dropout_grad",
    .infer = sameAsInput,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            const double p = call.attrs.real("p");
            withReal(call.outputs[0].dtype, "dropout_grad", [&](auto tag) {
                using T = typename decltype(tag)::type;
                const T scale = p < 1.0 ? static_cast<T>(1.0 / (1.0 - p)) : T{0};
                mapBinary<T, std::uint8_t, T>(call, context,
                                              [scale](T g, std::uint8_t keep) { return keep != 0 ? g * scale : T{0}; });
            });
        },
};

// [a, b)
const OpDef uniformOp{
    .name = "uniform",
    .cpu =
        [](const KernelCall& call, CpuContext&) {
            const double low = call.attrs.real("a");
            const double width = call.attrs.real("b") - low;
            const PhiloxKey key = philoxKey(static_cast<std::uint64_t>(call.attrs.integer("key")));
            fillFloating(call, [&](std::uint64_t i) {
                const PhiloxCounter words = philox(philoxCounter(i), key);
                return low + width * uniformDouble(words[0], words[1]);
            });
        },
};

// Mean a, standard deviation b: Box and Muller 1958.
const OpDef normalOp{
    .name = "normal",
    .cpu =
        [](const KernelCall& call, CpuContext&) {
            const double mean = call.attrs.real("a");
            const double deviation = call.attrs.real("b");
            const PhiloxKey key = philoxKey(static_cast<std::uint64_t>(call.attrs.integer("key")));
            fillFloating(call, [&](std::uint64_t i) {
                const PhiloxCounter words = philox(philoxCounter(i), key);
                const double radius = std::sqrt(-2.0 * std::log1p(-uniformDouble(words[0], words[1])));
                return mean + deviation * radius * std::cos(2.0 * std::numbers::pi * uniformDouble(words[2], words[3]));
            });
        },
};

Tensor dropout(const Tensor& x, double p, std::uint64_t stream)
{
    if (!(p >= 0.0 && p <= 1.0))
        throw Error("dropout: p must be between 0 and 1, not " + pythonText(p));
    const RandomState& random = Session::current().random();
    return apply(dropoutOp, {x, random.seed, random.step}, {{"p", p}, {"stream", static_cast<std::int64_t>(stream)}})
        .front();
}

void uniform_(const Tensor& x, double low, double high, std::uint64_t key)
{
    fillRandom(uniformOp, x, low, high, key);
}

void normal_(const Tensor& x, double mean, double std, std::uint64_t key)
{
    fillRandom(normalOp, x, mean, std, key);
}

}  // namespace megalith::ops
