// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/tensor.h"

namespace megalith {

// What a Tensor handle stands for. Known to core, ops and autograd alone.
struct Tensor::Impl
{
    std::shared_ptr<Storage> storage;
    DType dtype = DType::F32;
    Shape shape;
    Strides strides;
    std::int64_t offset = 0;
    std::int64_t elements = 0;
    bool contiguous = true;
    bool requiresGrad = false;
    bool isView = false;  // of a tensor in the graph
    std::uint32_t outputIndex = 0;
    std::shared_ptr<GradNode> gradFn;
    Tensor grad;
    std::vector<std::function<void(const Tensor&)>> hooks;
};

}  // namespace megalith
