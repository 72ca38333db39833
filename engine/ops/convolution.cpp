// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/cpu/conv.h"
#include "engine/core/error.h"
#include "engine/ops/all_ops.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/functions.h"

namespace megalith::ops {

namespace {

std::int64_t outputSize(std::int64_t size, std::int64_t padding, std::int64_t kernel, std::int64_t stride,
                        std::int64_t dilation)
{
    const std::int64_t room = size + padding - dilation * (kernel - 1) - 1;
    return room < 0 ? 0 : room / stride + 1;
}

cpu::Conv2dShape shapeOf(const Shape& x, const Shape& w, const Attrs& attrs)
{
    cpu::Conv2dShape s;
    s.n = x[0], s.c = x[1], s.h = x[2], s.w = x[3];
    s.o = w[0], s.kh = w[2], s.kw = w[3];
    const std::vector<std::int64_t> stride = attrs.integers("stride");
    const std::vector<std::int64_t> padding = attrs.integers("padding");  // top, left, bottom, right
    const std::vector<std::int64_t> dilation = attrs.integers("dilation");
    s.strideH = stride[0], s.strideW = stride[1];
    s.padTop = padding[0], s.padLeft = padding[1], s.padBottom = padding[2], s.padRight = padding[3];
    s.dilationH = dilation[0], s.dilationW = dilation[1];
    s.groups = attrs.integer("groups");
    s.oh = outputSize(s.h, s.padTop + s.padBottom, s.kh, s.strideH, s.dilationH);
    s.ow = outputSize(s.w, s.padLeft + s.padRight, s.kw, s.strideW, s.dilationW);
    return s;
}

Metas inferConv2d(std::span<const TensorMeta> in, const Attrs& attrs)
{
    const Shape& x = in[0].shape;
    const Shape& w = in[1].shape;
    if (x.size() != 4 || w.size() != 4)
        throw ShapeError("conv2d: expected input [N, C, H, W] and weight [O, C, kH, kW], found " + text(x) + " and "
                         + text(w));
    if (in[0].dtype != in[1].dtype)
        throw ShapeError("conv2d: input is " + std::string(dtypeName(in[0].dtype)) + ", weight "
                         + std::string(dtypeName(in[1].dtype)));
    const std::int64_t groups = attrs.integer("groups");
    if (groups < 1 || w[0] % groups != 0)
        throw ShapeError("conv2d: groups " + std::to_string(groups) + " does not divide " + std::to_string(w[0])
                         + " output channels");
    if (x[1] != w[1] * groups)
        throw ShapeError("conv2d: input has " + std::to_string(x[1]) + " channels but weight expects "
                         + std::to_string(w[1] * groups));
    const cpu::Conv2dShape s = shapeOf(x, w, attrs);
    if (s.oh < 1 || s.ow < 1)
        throw ShapeError("conv2d: the kernel " + text({s.kh, s.kw}) + " is larger than the padded input "
                         + text({s.h + s.padTop + s.padBottom, s.w + s.padLeft + s.padRight}));
    return {{in[0].dtype, {s.n, s.o, s.oh, s.ow}}};
}

}  // namespace

// x [N, C, H, W], weight [O, C / groups, kH, kW], bias [O] or none: [N, O, oH, oW]
const OpDef conv2dOp{
    .name = "conv2d",
    .infer = inferConv2d,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "conv2d", [&](auto tag) {
                using T = typename decltype(tag)::type;
                cpu::conv2dForward<T>(context, shapeOf(call.inputs[0].shape, call.inputs[1].shape, call.attrs),
                                      call.inputs[0].data<T>(), call.inputs[1].data<T>(),
                                      call.inputs[2] ? call.inputs[2].data<T>() : nullptr, call.outputs[0].data<T>());
            });
        },
    .vjp =
        [](const Vjp& v) {
            return Grads{v.needs(0) ? apply1(conv2dGradInputOp, {v.grad(), v.input(1)},
                                             withShape(v.attrs(), v.inputMeta(0).shape))
                                    : Tensor(),
                         v.needs(1) ? apply1(conv2dGradWeightOp, {v.grad(), v.input(0)},
                                             withShape(v.attrs(), v.inputMeta(1).shape))
                                    : Tensor(),
                         v.needs(2) ? sum(v.grad(), {0, 2, 3}) : Tensor()};
        },
};

// dy [N, O, oH, oW], weight: the gradient of x, of the attribute `shape`
const OpDef conv2dGradInputOp{
    .name = "conv2d_grad_input",
    .infer = inferFromShape,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "conv2d_grad_input", [&](auto tag) {
                using T = typename decltype(tag)::type;
                cpu::conv2dBackwardInput<T>(context, shapeOf(call.outputs[0].shape, call.inputs[1].shape, call.attrs),
                                            call.inputs[0].data<T>(), call.inputs[1].data<T>(),
                                            call.outputs[0].data<T>());
            });
        },
};

const OpDef conv2dGradWeightOp{
    .name = "conv2d_grad_weight",
    .infer = inferFromShape,
    .cpu =
        [](const KernelCall& call, CpuContext& context) {
            withReal(call.outputs[0].dtype, "conv2d_grad_weight", [&](auto tag) {
                using T = typename decltype(tag)::type;
                cpu::conv2dBackwardWeight<T>(context, shapeOf(call.inputs[1].shape, call.outputs[0].shape, call.attrs),
                                             call.inputs[1].data<T>(), call.inputs[0].data<T>(),
                                             call.outputs[0].data<T>());
            });
        },
};

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv2dArgs& a)
{
    if (x.rank() == 3)
        return squeeze(conv2d(unsqueeze(x, 0), weight, bias, a), 0);
    using List = std::vector<std::int64_t>;
    return apply1(conv2dOp, {x, weight, bias},
                  {{"stride", List{a.strideH, a.strideW}},
                   {"padding", List{a.padTop, a.padLeft, a.padBottom, a.padRight}},
                   {"dilation", List{a.dilationH, a.dilationW}},
                   {"groups", a.groups}});
}

}  // namespace megalith::ops
