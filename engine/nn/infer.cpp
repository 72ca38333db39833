// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/nn/infer.h"

#include "engine/core/error.h"
#include "engine/nn/module.h"

#include <algorithm>

namespace megalith::nn {

void expectRank(const TensorMeta& input, std::initializer_list<std::size_t> ranks, const char* expected)
{
    if (std::find(ranks.begin(), ranks.end(), input.shape.size()) == ranks.end())
        throw ShapeError(std::string("expected ") + expected + ", found " + megalith::text(input.shape));
}

void expectFloating(const TensorMeta& input)
{
    if (!isFloating(input.dtype))
        throw ShapeError("input is " + std::string(dtypeName(input.dtype)) + ", expected floating numbers (float32)");
}

void expectChannels(const TensorMeta& input, std::size_t dim, std::int64_t size, const char* attribute)
{
    const std::int64_t found = input.shape[dim];
    if (found != size)
        throw ShapeError("input has " + std::to_string(found) + (found == 1 ? " channel" : " channels") + " but "
                         + attribute + " is " + std::to_string(size));
}

TensorMeta withShape(const TensorMeta& input, Shape shape)
{
    return {input.dtype, std::move(shape)};
}

namespace {

std::int64_t floorDivide(std::int64_t a, std::int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

}  // namespace

// Output sizes of torch.nn.Conv2d, MaxPool2d and AvgPool2d; the rule about the last window is pooling_output_shape of ATen.
std::int64_t windowCount(std::int64_t size, const Window& window, const char* axis)
{
    const std::int64_t padded = size + window.padBefore + window.padAfter;
    const std::int64_t reach = window.dilation * (window.kernel - 1) + 1;
    const std::int64_t spare = padded - reach + (window.ceil ? window.stride - 1 : 0);
    std::int64_t count = floorDivide(spare, window.stride) + 1;
    if (window.ceil && (count - 1) * window.stride >= size + window.padBefore)
        --count;
    if (count < 1)
        throw ShapeError("a window of " + std::string(axis) + " " + std::to_string(reach) + " does not fit into "
                         + std::to_string(padded) + (padded != size ? " (padding included)" : ""));
    return count;
}

Metas inferCall(const Module& module, const Tensors& inputs, bool training)
{
    const ModuleDef& def = *module.def();
    Metas metas;
    for (const Tensor& input : inputs)
        metas.push_back(input.meta());
    try {
        Metas outputs = def.infer(module.attrs(), metas);
        if (training && def.checkTraining != nullptr)
            def.checkTraining(module.attrs(), metas);
        return outputs;
    } catch (const ShapeError& error) {
        throw ShapeError(withOwner(def.type, error.what()));
    }
}

Metas sameAsInput(const Attrs& /*attrs*/, std::span<const TensorMeta> inputs)
{
    expectFloating(inputs[0]);
    return {inputs[0]};
}

std::string named(const Attrs& attrs, std::initializer_list<const char*> names)
{
    std::string out;
    for (const char* name : names)
        out += (out.empty() ? "" : ", ") + std::string(name) + "=" + pythonText(*attrs.find(name));
    return out;
}

std::string noArguments(const Attrs& /*attrs*/)
{
    return {};
}

std::string tupleText(const Attrs& attrs, const char* name, std::size_t n)
{
    return pythonText(attrs.tuple(name, n));
}

}  // namespace megalith::nn
