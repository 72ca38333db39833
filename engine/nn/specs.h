// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/nn/module_def.h"

// Every module and function by name, one file a family; all_modules.cpp puts them in palette order.
namespace megalith::nn::specs {

// tensors.cpp
extern const ModuleDef input, output, parameter, buffer, constant;
// linear.cpp
extern const ModuleDef linear, identity;
// convolution.cpp
extern const ModuleDef conv2d;
// pooling.cpp
extern const ModuleDef maxPool2d, avgPool2d, adaptiveAvgPool2d;
// normalization.cpp
extern const ModuleDef batchNorm1d, batchNorm2d;
// activation.cpp
extern const ModuleDef relu, tanh, sigmoid, softmax, logSoftmax;
// shape.cpp
extern const ModuleDef flatten, reshape;
// dropout.cpp
extern const ModuleDef dropout;
// functions.cpp
extern const ModuleDef add, mul, matMul, cat, detach;
// containers.cpp
extern const ModuleDef sequential;

}  // namespace megalith::nn::specs
