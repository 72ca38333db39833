// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/ops/op_def.h"

namespace megalith::ops {

// What the operations ask of autograd, which implements these (engine/autograd/record.cpp).
bool wantsGrad(const OpDef& op, std::span<const Tensor> inputs);
// Notes the call, so that backward can go through it. Outputs that are not floating stay outside.
void record(const OpDef& op, const Attrs& attrs, std::span<const Tensor> inputs, std::span<const Tensor> outputs);
bool gradRecording();

}  // namespace megalith::ops
