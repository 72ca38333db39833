// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"
#include "engine/core/tensor.h"

#include <cstdint>
#include <string>

namespace megalith::nn {

// How a fresh tensor is filled: the name of a function of torch.nn.init and its arguments.
struct Init
{
    std::string type = "zeros_";
    Attrs args = {};
    bool operator==(const Init&) const = default;
};

// He et al. 2015 ("Delving deep into rectifiers"): U(-b, b), b = gain * sqrt(3 / fan_in), gain = sqrt(2 / (1 + a^2)).
Init kaimingUniform(double a);
// U(-1/sqrt(fanIn), 1/sqrt(fanIn)); zeros when fanIn is 0: the bias of Linear and Conv.
Init uniformByFanIn(std::int64_t fanIn);
Init constant(double value);

// Error names what is wrong: an unknown function or argument, or a shape it cannot fill (fan_in needs two dimensions).
void checkInit(const Init& init, const Shape& shape);
// Fills the tensor in place; the same key gives the same values, whatever else was drawn.
void fill(const Tensor& tensor, const Init& init, std::uint64_t key);

}  // namespace megalith::nn
