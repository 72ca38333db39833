// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/nn/infer.h"
#include "engine/nn/module.h"
#include "engine/nn/specs.h"
#include "engine/ops/functions.h"

#include <cmath>

namespace megalith::nn::specs {

namespace {

bool paddingIs(const Attrs& attrs, const char* name)
{
    const auto* word = std::get_if<std::string>(attrs.find("padding"));
    return word != nullptr && *word == name;
}

// Padding 'same' puts the odd one on the right and at the bottom.
ops::Conv2dArgs argumentsOf(const Attrs& attrs)
{
    const auto stride = attrs.tuple("stride", 2);
    const auto dilation = attrs.tuple("dilation", 2);
    const auto kernel = attrs.tuple("kernel_size", 2);
    ops::Conv2dArgs args{.strideH = stride[0],
                         .strideW = stride[1],
                         .dilationH = dilation[0],
                         .dilationW = dilation[1],
                         .groups = attrs.integer("groups")};
    if (paddingIs(attrs, "same")) {
        const std::int64_t height = dilation[0] * (kernel[0] - 1);
        const std::int64_t width = dilation[1] * (kernel[1] - 1);
        args.padTop = height / 2;
        args.padBottom = height - args.padTop;
        args.padLeft = width / 2;
        args.padRight = width - args.padLeft;
    } else if (!paddingIs(attrs, "valid")) {
        const auto padding = attrs.tuple("padding", 2);
        args.padTop = args.padBottom = padding[0];
        args.padLeft = args.padRight = padding[1];
    }
    return args;
}

Metas inferConv2d(const Attrs& attrs, std::span<const TensorMeta> in)
{
    expectFloating(in[0]);
    expectRank(in[0], {4}, "[N, C, H, W]");
    expectChannels(in[0], 1, attrs.integer("in_channels"), "in_channels");
    const ops::Conv2dArgs args = argumentsOf(attrs);
    const auto kernel = attrs.tuple("kernel_size", 2);
    const Window height{kernel[0], args.strideH, args.padTop, args.padBottom, args.dilationH};
    const Window width{kernel[1], args.strideW, args.padLeft, args.padRight, args.dilationW};
    const Shape& shape = in[0].shape;
    return {withShape(in[0], {shape[0], attrs.integer("out_channels"), windowCount(shape[2], height, "height"),
                              windowCount(shape[3], width, "width")})};
}

void checkConv2d(const Attrs& attrs)
{
    const std::int64_t groups = attrs.integer("groups");
    for (const char* channels : {"in_channels", "out_channels"})
        if (!attrs.isNull(channels) && attrs.integer(channels) % groups != 0)
            throw Error(std::string(channels) + " (" + std::to_string(attrs.integer(channels))
                        + ") must be divisible by groups (" + std::to_string(groups) + ")");
    const auto stride = attrs.tuple("stride", 2);
    if (paddingIs(attrs, "same") && (stride[0] != 1 || stride[1] != 1))
        throw Error("padding 'same' needs stride 1, not " + pythonText(*attrs.find("stride")));
}

std::vector<ParameterSpec> conv2dParameters(const Attrs& attrs)
{
    const std::int64_t perGroup = attrs.integer("in_channels") / attrs.integer("groups");
    const std::int64_t out = attrs.integer("out_channels");
    const auto kernel = attrs.tuple("kernel_size", 2);
    std::vector<ParameterSpec> specs{{"weight", {out, perGroup, kernel[0], kernel[1]}, kaimingUniform(std::sqrt(5.0))}};
    if (attrs.flag("bias"))
        specs.push_back({"bias", {out}, uniformByFanIn(perGroup * kernel[0] * kernel[1])});
    return specs;
}

std::string conv2dRepr(const Attrs& attrs)
{
    std::string out = pythonText(*attrs.find("in_channels")) + ", " + pythonText(*attrs.find("out_channels"))
                      + ", kernel_size=" + tupleText(attrs, "kernel_size", 2)
                      + ", stride=" + tupleText(attrs, "stride", 2);
    if (std::holds_alternative<std::string>(*attrs.find("padding")))
        out += ", padding=" + attrs.string("padding");
    else if (attrs.tuple("padding", 2) != std::vector<std::int64_t>{0, 0})
        out += ", padding=" + tupleText(attrs, "padding", 2);
    if (attrs.tuple("dilation", 2) != std::vector<std::int64_t>{1, 1})
        out += ", dilation=" + tupleText(attrs, "dilation", 2);
    if (attrs.integer("groups") != 1)
        out += ", groups=" + std::to_string(attrs.integer("groups"));
    if (!attrs.flag("bias"))
        out += ", bias=False";
    return out;
}

}  // namespace

// Cross-correlation with a learned kernel.   [N, in_channels, H, W] -> [N, out_channels, H', W']
// H' = floor((H + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1; torch.nn.Conv2d.
const ModuleDef conv2d{
    .type = "Conv2d",
    .category = Category::Convolution,
    .doc = "Slides small learned filters over an image; each gives one channel of the output.",
    .aliases = {"convolution", "filter", "kernel", "cnn"},
    .attrs = {sizeFromWire("in_channels", "channels of the input"),
              size("out_channels", "channels of the output: how many filters are learned"),
              sizes("kernel_size", 2, "height and width of a filter"),
              sizes("stride", 2, std::int64_t{1}, 1, "step of the filter from one place to the next"),
              {.name = "padding",
               .kind = AttrKind::Padding,
               .defaultValue = std::int64_t{0},
               .minimum = 0,
               .choices = {"same", "valid"},
               .tupleSize = 2,
               .doc = "zeros around the image; 'same' keeps its size, 'valid' adds none"},
              sizes("dilation", 2, std::int64_t{1}, 1, "distance between the elements of a filter"),
              size("groups", 1, "groups of channels that are convolved apart"),
              boolean("bias", true, "adds a learned number to every output channel"),
              choice("padding_mode", "zeros", {"zeros"}, "what stands around the image")},
    .resolve =
        [](Attrs& attrs, std::span<const TensorMeta> in) {
            if (attrs.isNull("in_channels") && in[0].shape.size() == 4)
                attrs.set("in_channels", in[0].shape[1]);
        },
    .checkAttrs = checkConv2d,
    .parameters = conv2dParameters,
    .infer = inferConv2d,
    .forward =
        [](const Module& module, const Tensors& in) {
            return Tensors{ops::conv2d(in[0], module["weight"], module.find("bias"), argumentsOf(module.attrs()))};
        },
    .repr = conv2dRepr,
};

}  // namespace megalith::nn::specs
