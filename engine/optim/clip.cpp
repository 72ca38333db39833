// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/optim/clip.h"

#include "engine/autograd/autograd.h"
#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/ops/functions.h"

#include <cmath>

namespace megalith::optim {

namespace {

Tensors gradientsOf(const std::vector<Tensor>& parameters)
{
    Tensors gradients;
    for (const Tensor& parameter : parameters)
        if (const Tensor gradient = parameter.grad())
            gradients.push_back(gradient);
    return gradients;
}

}  // namespace

Tensor clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type)
{
    if (!(max_norm >= 0.0))
        throw Error("clip_grad_norm_: max_norm must be >= 0, not " + shortestText(max_norm));
    if (norm_type != 2.0 && norm_type != HUGE_VAL)
        throw Error("clip_grad_norm_: norm_type must be 2 or infinity, not " + shortestText(norm_type));
    const NoGrad off;
    const Tensors gradients = gradientsOf(parameters);
    const Tensor norm = ops::totalNorm(gradients, norm_type);
    const Tensor factor = ops::clipFactor(norm, max_norm);
    for (const Tensor& gradient : gradients)
        ops::mul_(gradient, factor);
    return norm;
}

void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value)
{
    if (!(clip_value >= 0.0))
        throw Error("clip_grad_value_: clip_value must be >= 0, not " + shortestText(clip_value));
    const NoGrad off;
    for (const Tensor& gradient : gradientsOf(parameters)) {
        const Tensor high = ops::full({1}, clip_value, gradient.dtype());
        const Tensor low = ops::full({1}, -clip_value, gradient.dtype());
        const Tensor below = ops::where(ops::gt(gradient, high), high, gradient);
        ops::copy_(gradient, ops::where(ops::gt(low, below), low, below));
    }
}

}  // namespace megalith::optim
