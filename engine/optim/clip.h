// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/tensor.h"

#include <vector>

namespace megalith::optim {

// Scales all gradients by one factor so that their common norm is at most max_norm; returns the norm before, one element
// (torch.nn.utils.clip_grad_norm_). norm_type: 2 or infinity. Parameters without .grad are left out; with none the norm is 0.
Tensor clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type = 2.0);
// Cuts every element of every gradient to -clip_value .. clip_value.
void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value);

}  // namespace megalith::optim
