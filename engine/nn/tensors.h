// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"
#include "engine/core/tensor.h"

namespace megalith::nn {

// dtype and shape that the complete attributes of an Input (one sample), Parameter, Buffer or Constant say.
TensorMeta tensorMeta(const Attrs& attrs);
// Its values, from `values` or `fill`; requires grad where requires_grad says so (Constant).
Tensor makeTensor(const Attrs& attrs);

}  // namespace megalith::nn
