// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/cpu/pool.h"
#include "engine/core/error.h"
#include "engine/ops/all_ops.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/functions.h"

namespace megalith::ops {

namespace {

// PyTorch's rule: with ceil_mode a window may run over the end, but must start inside the input or its left padding.
std::int64_t outputSize(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t pad,
                        std::int64_t dilation, bool ceil)
{
    const std::int64_t room = size + 2 * pad - dilation * (kernel - 1) - 1;
    if (room < 0 && !(ceil && room + stride > 0))
        return 0;
    std::int64_t out = (room + (ceil ? stride - 1 : 0)) / stride + 1;
    if (ceil && (out - 1) * stride >= size + pad)
        --out;
    return out;
}

cpu::Pool2dShape shapeOf(const Shape& x, const Attrs& attrs)
{
    const std::vector<std::int64_t> kernel = attrs.integers("kernel");
    const std::vector<std::int64_t> stride = attrs.integers("stride");
    const std::vector<std::int64_t> padding = attrs.integers("padding");
    const std::vector<std::int64_t> dilation = attrs.integers("dilation");
    const bool ceil = attrs.flag("ceil_mode");
    cpu::Pool2dShape s;
    s.planes = x[0] * x[1], s.h = x[2], s.w = x[3];
    s.kh = kernel[0], s.kw = kernel[1], s.strideH = stride[0], s.strideW = stride[1];
    s.padH = padding[0], s.padW = padding[1], s.dilationH = dilation[0], s.dilationW = dilation[1];
    s.oh = outputSize(s.h, s.kh, s.strideH, s.padH, s.dilationH, ceil);
    s.ow = outputSize(s.w, s.kw, s.strideW, s.padW, s.dilationW, ceil);
    return s;
}

Shape inferPool(std::string_view name, std::span<const TensorMeta> in, const Attrs& attrs)
{
    requireFloating(name, in[0]);
    const Shape& x = in[0].shape;
    if (x.size() != 4)
        throw ShapeError(std::string(name) + ": expected [N, C, H, W], found " + text(x));
    const cpu::Pool2dShape s = shapeOf(x, attrs);
    if (s.padH * 2 > s.kh || s.padW * 2 > s.kw)
        throw ShapeError(std::string(name) + ": padding " + text({s.padH, s.padW}) + " is more than half of the kernel "
                         + text({s.kh, s.kw}));
    if (s.oh < 1 || s.ow < 1)
        throw ShapeError(std::string(name) + ": the window " + text({s.kh, s.kw}) + " is larger than the padded input "
                         + text({s.h + 2 * s.padH, s.w + 2 * s.padW}));
    return {x[0], x[1], s.oh, s.ow};
}

Attrs attrsOf(const Pool2dArgs& a)
{
    using List = std::vector<std::int64_t>;
    return {{"kernel", List{a.kernelH, a.kernelW}},
            {"stride", List{a.strideH, a.strideW}},
            {"padding", List{a.padH, a.padW}},
            {"dilation", List{a.dilationH, a.dilationW}},
            {"ceil_mode", a.ceil_mode}};
}

}  // namespace

// Outputs the maxima and, for the gradient, where in its plane each one stood (i64).
const OpDef maxPool2dOp{
    .name = "max_pool2d",
    .infer =
        [](std::span<const TensorMeta> in, const Attrs& attrs) {
            const Shape shape = inferPool("max_pool2d", in, attrs);
            return Metas{{in[0].dtype, shape}, {DType::I64, shape}};
        },
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "max_pool2d", [&](auto tag) {
                using T = typename decltype(tag)::type;
                cpu::maxPool2dForward<T>(context, shapeOf(call.inputs[0].shape, call.attrs), call.inputs[0].data<T>(),
                                         call.outputs[0].data<T>(), call.outputs[1].data<std::int64_t>());
            });
        },
    .vjp =
        [](const Vjp& v) {
            return Grads{apply1(maxPool2dGradOp, {v.grad(), v.output(1)}, withShape(v.attrs(), v.inputMeta(0).shape))};
        },
    .save = Save::Outputs,
};

const OpDef maxPool2dGradOp{
    .name = "max_pool2d_grad",
    .infer = inferFromShape,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "max_pool2d_grad", [&](auto tag) {
                using T = typename decltype(tag)::type;
                cpu::maxPool2dBackward<T>(context, shapeOf(call.outputs[0].shape, call.attrs), call.inputs[0].data<T>(),
                                          call.inputs[1].data<std::int64_t>(), call.outputs[0].data<T>());
            });
        },
};

const OpDef avgPool2dOp{
    .name = "avg_pool2d",
    .infer =
        [](std::span<const TensorMeta> in, const Attrs& attrs) {
            return Metas{{in[0].dtype, inferPool("avg_pool2d", in, attrs)}};
        },
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "avg_pool2d", [&](auto tag) {
                using T = typename decltype(tag)::type;
                cpu::avgPool2dForward<T>(context, shapeOf(call.inputs[0].shape, call.attrs),
                                         call.attrs.flag("count_include_pad"), call.attrs.integer("divisor_override"),
                                         call.inputs[0].data<T>(), call.outputs[0].data<T>());
            });
        },
    .vjp =
        [](const Vjp& v) {
            return Grads{apply1(avgPool2dGradOp, {v.grad()}, withShape(v.attrs(), v.inputMeta(0).shape))};
        },
    .save = Save::Nothing,
};

const OpDef avgPool2dGradOp{
    .name = "avg_pool2d_grad",
    .infer = inferFromShape,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "avg_pool2d_grad", [&](auto tag) {
                using T = typename decltype(tag)::type;
                cpu::avgPool2dBackward<T>(context, shapeOf(call.outputs[0].shape, call.attrs),
                                          call.attrs.flag("count_include_pad"), call.attrs.integer("divisor_override"),
                                          call.inputs[0].data<T>(), call.outputs[0].data<T>());
            });
        },
};

const OpDef adaptiveAvgPool2dOp{
    .name = "adaptive_avg_pool2d",
    .infer =
        [](std::span<const TensorMeta> in, const Attrs& attrs) {
            requireFloating("adaptive_avg_pool2d", in[0]);
            const Shape& x = in[0].shape;
            if (x.size() != 4)
                throw ShapeError("adaptive_avg_pool2d: expected [N, C, H, W], found " + text(x));
            if (x[2] == 0 || x[3] == 0)
                throw ShapeError("adaptive_avg_pool2d: the input " + text(x) + " is empty");
            const std::vector<std::int64_t> size = attrs.integers("size");
            return Metas{{in[0].dtype, {x[0], x[1], size[0] == 0 ? x[2] : size[0], size[1] == 0 ? x[3] : size[1]}}};
        },
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "adaptive_avg_pool2d", [&](auto tag) {
                using T = typename decltype(tag)::type;
                const Shape& x = call.inputs[0].shape;
                const Shape& y = call.outputs[0].shape;
                cpu::adaptiveAvgPool2dForward<T>(context, x[0] * x[1], x[2], x[3], y[2], y[3], call.inputs[0].data<T>(),
                                                 call.outputs[0].data<T>());
            });
        },
    .vjp =
        [](const Vjp& v) {
            return Grads{apply1(adaptiveAvgPool2dGradOp, {v.grad()}, withShape(v.attrs(), v.inputMeta(0).shape))};
        },
    .save = Save::Nothing,
};

const OpDef adaptiveAvgPool2dGradOp{
    .name = "adaptive_avg_pool2d_grad",
    .infer = inferFromShape,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "adaptive_avg_pool2d_grad", [&](auto tag) {
                using T = typename decltype(tag)::type;
                const Shape& x = call.outputs[0].shape;
                const Shape& y = call.inputs[0].shape;
                cpu::adaptiveAvgPool2dBackward<T>(context, x[0] * x[1], x[2], x[3], y[2], y[3],
                                                  call.inputs[0].data<T>(), call.outputs[0].data<T>());
            });
        },
};

Tensor max_pool2d(const Tensor& x, const Pool2dArgs& args)
{
    if (x.rank() == 3)
        return squeeze(max_pool2d(unsqueeze(x, 0), args), 0);
    return apply(maxPool2dOp, {x}, attrsOf(args)).front();
}

Tensor avg_pool2d(const Tensor& x, const Pool2dArgs& args, bool count_include_pad, std::int64_t divisor_override)
{
    if (x.rank() == 3)
        return squeeze(avg_pool2d(unsqueeze(x, 0), args, count_include_pad, divisor_override), 0);
    Attrs attrs = attrsOf(args);
    attrs.set("count_include_pad", count_include_pad);
    attrs.set("divisor_override", divisor_override);
    return apply1(avgPool2dOp, {x}, attrs);
}

Tensor adaptive_avg_pool2d(const Tensor& x, std::int64_t outH, std::int64_t outW)
{
    if (x.rank() == 3)
        return squeeze(adaptive_avg_pool2d(unsqueeze(x, 0), outH, outW), 0);
    return apply1(adaptiveAvgPool2dOp, {x}, {{"size", std::vector<std::int64_t>{outH, outW}}});
}

}  // namespace megalith::ops
