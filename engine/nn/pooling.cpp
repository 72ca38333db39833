// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/nn/infer.h"
#include "engine/nn/module.h"
#include "engine/nn/specs.h"
#include "engine/ops/functions.h"

namespace megalith::nn::specs {

namespace {

ops::Pool2dArgs argumentsOf(const Attrs& attrs)
{
    const auto kernel = attrs.tuple("kernel_size", 2);
    const auto stride = attrs.isNull("stride") ? kernel : attrs.tuple("stride", 2);
    const auto padding = attrs.tuple("padding", 2);
    const auto dilation = attrs.has("dilation") ? attrs.tuple("dilation", 2) : std::vector<std::int64_t>{1, 1};
    return {kernel[0],   kernel[1],   stride[0],
            stride[1],   padding[0],  padding[1],
            dilation[0], dilation[1], attrs.flag("ceil_mode")};
}

Metas inferPool2d(const Attrs& attrs, std::span<const TensorMeta> in)
{
    expectFloating(in[0]);
    expectRank(in[0], {4}, "[N, C, H, W]");
    const ops::Pool2dArgs a = argumentsOf(attrs);
    const Window height{a.kernelH, a.strideH, a.padH, a.padH, a.dilationH, a.ceil_mode};
    const Window width{a.kernelW, a.strideW, a.padW, a.padW, a.dilationW, a.ceil_mode};
    const Shape& shape = in[0].shape;
    return {withShape(
        in[0], {shape[0], shape[1], windowCount(shape[2], height, "height"), windowCount(shape[3], width, "width")})};
}

void checkPool2d(const Attrs& attrs)
{
    const ops::Pool2dArgs a = argumentsOf(attrs);
    if (a.padH > a.kernelH / 2 || a.padW > a.kernelW / 2)
        throw Error("padding " + pythonText(*attrs.find("padding")) + " must be at most half of kernel_size "
                    + pythonText(*attrs.find("kernel_size")));
}

// PyTorch keeps kernel_size where no stride is given, and prints that.
std::string poolRepr(const Attrs& attrs, std::initializer_list<const char*> names)
{
    Attrs shown = attrs;
    if (shown.isNull("stride"))
        shown.set("stride", *attrs.find("kernel_size"));
    return named(shown, names);
}

AttrSpec poolSize()
{
    return sizes("kernel_size", 2, "height and width of the window");
}

AttrSpec poolStride()
{
    return sizes("stride", 2, AttrValue(), 1, "step of the window; null: the size of the window");
}

AttrSpec ceilMode()
{
    return boolean("ceil_mode", false, "keeps a last window that hangs over the edge");
}

// The sizes that the output gets, 0 where it keeps the input's.
std::vector<std::int64_t> adaptiveSizes(const Attrs& attrs)
{
    if (attrs.isNull("output_size"))
        return {0, 0};
    auto wanted = attrs.tuple("output_size", 2);
    for (std::int64_t& size : wanted)
        size = size == noneEntry ? 0 : size;
    return wanted;
}

std::string adaptiveRepr(const Attrs& attrs)
{
    const auto* list = std::get_if<std::vector<std::int64_t>>(attrs.find("output_size"));
    if (list == nullptr)
        return named(attrs, {"output_size"});
    std::string out;
    for (const std::int64_t size : *list)
        out += (out.empty() ? "" : ", ") + (size == noneEntry ? std::string("None") : std::to_string(size));
    return "output_size=(" + out + ")";
}

}  // namespace

// [N, C, H, W] -> [N, C, H', W'], H' = floor((H + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1; torch.nn.MaxPool2d.
const ModuleDef maxPool2d{
    .type = "MaxPool2d",
    .category = Category::Pooling,
    .doc = "Keeps the largest value of every window, so that the image shrinks and what stands out stays.",
    .aliases = {"max pooling", "downsample"},
    .attrs = {poolSize(), poolStride(), sizes("padding", 2, std::int64_t{0}, 0, "minus infinity around the image"),
              sizes("dilation", 2, std::int64_t{1}, 1, "distance between the elements of a window"),
              boolean("return_indices", false, "also gives where the largest values are: not offered, must be false"),
              ceilMode()},
    .checkAttrs =
        [](const Attrs& attrs) {
            if (attrs.flag("return_indices"))
                throw Error("return_indices must be false: this node has one output, the largest values");
            checkPool2d(attrs);
        },
    .infer = inferPool2d,
    .forward = [](const Module& module,
                  const Tensors& in) { return Tensors{ops::max_pool2d(in[0], argumentsOf(module.attrs()))}; },
    .repr =
        [](const Attrs& attrs) {
            return poolRepr(attrs, {"kernel_size", "stride", "padding", "dilation", "ceil_mode"});
        },
};

// As MaxPool2d without dilation; torch.nn.AvgPool2d.
const ModuleDef avgPool2d{
    .type = "AvgPool2d",
    .category = Category::Pooling,
    .doc = "Gives the mean of every window, so that the image shrinks smoothly.",
    .aliases = {"average pooling", "mean pooling", "downsample"},
    .attrs = {poolSize(), poolStride(), sizes("padding", 2, std::int64_t{0}, 0, "zeros around the image"), ceilMode(),
              boolean("count_include_pad", true, "the zeros of the padding count in the mean"),
              integerOrNone("divisor_override", AttrValue(), "divides the sum of a window by this; null: by its size")},
    .checkAttrs =
        [](const Attrs& attrs) {
            checkPool2d(attrs);
            if (!attrs.isNull("divisor_override") && attrs.integer("divisor_override") == 0)
                throw Error("divisor_override must not be 0");
        },
    .infer = inferPool2d,
    .forward =
        [](const Module& module, const Tensors& in) {
            const Attrs& attrs = module.attrs();
            const std::int64_t divisor = attrs.isNull("divisor_override") ? 0 : attrs.integer("divisor_override");
            return Tensors{ops::avg_pool2d(in[0], argumentsOf(attrs), attrs.flag("count_include_pad"), divisor)};
        },
    .repr =
        [](const Attrs& attrs) {
            return poolRepr(attrs, {"kernel_size", "stride", "padding"});
        },
};

// [N, C, H, W] -> [N, C, output_size]; window i of n spans floor(i H / n) to ceil((i + 1) H / n); torch.nn.AdaptiveAvgPool2d.
const ModuleDef adaptiveAvgPool2d{
    .type = "AdaptiveAvgPool2d",
    .category = Category::Pooling,
    .doc = "Gives means over as many windows as the output shall have places; 1 is the mean of the whole image.",
    .aliases = {"global average pooling", "adaptive pooling"},
    .attrs = {{.name = "output_size",
               .kind = AttrKind::Sizes,
               .required = true,
               .noneAllowed = true,
               .noneEntries = true,
               .minimum = 1,
               .tupleSize = 2,
               .doc = "height and width of the output; null keeps the input's"}},
    .infer =
        [](const Attrs& attrs, std::span<const TensorMeta> in) {
            expectFloating(in[0]);
            expectRank(in[0], {4}, "[N, C, H, W]");
            Shape shape = in[0].shape;
            if (shape[1] == 0 || shape[2] == 0 || shape[3] == 0)
                throw ShapeError("expected an image with elements, found " + megalith::text(shape));
            const auto wanted = adaptiveSizes(attrs);
            for (std::size_t i = 0; i < 2; ++i)
                shape[2 + i] = wanted[i] == 0 ? shape[2 + i] : wanted[i];
            return Metas{withShape(in[0], std::move(shape))};
        },
    .forward =
        [](const Module& module, const Tensors& in) {
            const auto wanted = adaptiveSizes(module.attrs());
            return Tensors{ops::adaptive_avg_pool2d(in[0], wanted[0], wanted[1])};
        },
    .repr = adaptiveRepr,
};

}  // namespace megalith::nn::specs
