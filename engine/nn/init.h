// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"
#include "engine/core/tensor.h"
#include "engine/nn/attr_spec.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// One function of torch.nn.init: what the inspector offers for a parameter.
struct InitDef
{
    std::string_view type;
    std::string_view doc;
    std::vector<AttrSpec> args;
    // Arguments or a shape that it cannot fill. nullptr: any will do.
    void (*check)(const Shape& shape, const Attrs& args);
    void (*fill)(const Tensor& tensor, const Attrs& args, std::uint64_t key);
};
std::span<const InitDef> allInits();
const InitDef* findInit(std::string_view type);

// Error names what is wrong: an unknown function or argument, or a shape it cannot fill (fan_in needs two dimensions).
void checkInit(const Init& init, const Shape& shape);
// Fills the tensor in place; the same key gives the same values, whatever else was drawn.
void fill(const Tensor& tensor, const Init& init, std::uint64_t key);

// The factor that keeps the variance through a nonlinearity: torch.nn.init.calculate_gain. param: the slope of leaky_relu.
double calculate_gain(std::string_view nonlinearity, double param = 0.01);

}  // namespace megalith::nn
