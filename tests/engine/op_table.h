// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/tensor.h"

#include <span>
#include <string_view>

// One row for each case of goldens/make.py: what is computed from its inputs.
struct OpRow
{
    std::string_view name;
    megalith::Tensor (*run)(const megalith::Tensors& in);
    double tolerance32 = 1e-5;   // relative, in float32
    bool differentiable = true;  // central differences are of no use at kinks and on empty tensors
};

std::span<const OpRow> opTable();
