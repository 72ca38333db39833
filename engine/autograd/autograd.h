// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/tensor.h"

#include <functional>
#include <string>

namespace megalith {

// Adds d(root)/d(leaf) to .grad of every leaf that requires grad. The graph is freed unless retain_graph. Errors as in the
// reference: nothing requires grad; a root of several elements without gradient; a second time through a freed graph; a saved
// tensor that was changed in place since.
void backward(const Tensor& root, const Tensor& gradient = {}, bool retain_graph = false);

bool gradEnabled();

// No operation is recorded on this thread while one lives.
class NoGrad
{
public:
    NoGrad();
    ~NoGrad();
    NoGrad(const NoGrad&) = delete;
    NoGrad& operator=(const NoGrad&) = delete;

private:
    bool m_previous;
};

// Compares the gradients of f at f64 inputs that require grad with central differences, under a random cotangent. Returns an
// empty text when they agree to the tolerance (relative to the largest gradient), else where they do not.
std::string gradcheck(const std::function<Tensors(const Tensors&)>& f, const Tensors& inputs, double eps = 1e-6,
                      double tolerance = 1e-6);

}  // namespace megalith
