// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/nn/specs.h"

namespace megalith::nn {

std::span<const ModuleDef* const> allModules()
{
    static constexpr const ModuleDef* list[] = {
        &specs::input,       &specs::output,                                  //
        &specs::linear,      &specs::identity,                                //
        &specs::conv2d,                                                       //
        &specs::maxPool2d,   &specs::avgPool2d,   &specs::adaptiveAvgPool2d,  //
        &specs::batchNorm1d, &specs::batchNorm2d,                             //
        &specs::relu,        &specs::tanh,        &specs::sigmoid,
        &specs::softmax,     &specs::logSoftmax,  //
        &specs::flatten,     &specs::reshape,     //
        &specs::dropout,                          //
        &specs::add,         &specs::mul,         &specs::matMul,
        &specs::cat,         &specs::detach,                         //
        &specs::parameter,   &specs::buffer,      &specs::constant,  //
        &specs::sequential,
    };
    return list;
}

}  // namespace megalith::nn
