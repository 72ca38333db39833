// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/nn/module_def.h"

#include <initializer_list>
#include <string>

// What the infer functions of several families share. Errors name no node and no module: the caller does.
namespace megalith::nn {

// "expected [N, C, H, W], found [64, 784]" unless the rank is one of those given.
void expectRank(const TensorMeta& input, std::initializer_list<std::size_t> ranks, const char* expected);
// "values are int64, but expected floating numbers (float32)"
void expectFloating(const TensorMeta& input);
// "input has 3 channels but in_channels is 16"
void expectChannels(const TensorMeta& input, std::size_t dim, std::int64_t size, const char* attribute);
TensorMeta withShape(const TensorMeta& input, Shape shape);

// The size along one axis that a sliding window gives. ShapeError when no window fits; `axis` is "height" or "width".
struct Window
{
    std::int64_t kernel = 1, stride = 1, padBefore = 0, padAfter = 0, dilation = 1;
    // A last window that hangs over is kept, unless it would start in the padding on the right.
    bool ceil = false;
};
std::int64_t windowCount(std::int64_t size, const Window& window, const char* axis);

// The module's infer on what it is called with; errors begin with the module's type. checkTraining too, if `training`.
Metas inferCall(const Module& module, const Tensors& inputs, bool training = false);
// sameAsInput of activations: one floating input.
Metas sameAsInput(const Attrs& attrs, std::span<const TensorMeta> inputs);
// Name=value pairs for repr: "p=0.5, inplace=False" of {"p", "inplace"}.
std::string named(const Attrs& attrs, std::initializer_list<const char*> names);
std::string noArguments(const Attrs& attrs);
// "(3, 3)" of 3 with n = 2: how a convolution prints its sizes.
std::string tupleText(const Attrs& attrs, const char* name, std::size_t n);

}  // namespace megalith::nn
