// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/all_ops.h"

#include <algorithm>
#include <array>

namespace megalith::ops {

std::span<const OpDef* const> allOps()
{
    static constexpr std::array list{
        // element by element
        &addOp,
        &subOp,
        &mulOp,
        &divOp,
        &addScalarOp,
        &mulScalarOp,
        &gtOp,
        &eqOp,
        &whereOp,
        &negOp,
        &absOp,
        &squareOp,
        &expOp,
        &logOp,
        &sqrtOp,
        &reluOp,
        &reluGradOp,
        &tanhOp,
        &tanhGradOp,
        &sigmoidOp,
        &sigmoidGradOp,
        &logSigmoidOp,
        // layout
        &copyOp,
        &castOp,
        &fillOp,
        &scatterSliceOp,
        &catOp,
        &reshapeOp,
        &permuteOp,
        &sliceOp,
        &expandOp,
        // reductions and products
        &sumOp,
        &amaxOp,
        &argmaxOp,
        &matmulOp,
        &linearOp,
        // convolution and pooling
        &conv2dOp,
        &conv2dGradInputOp,
        &conv2dGradWeightOp,
        &maxPool2dOp,
        &maxPool2dGradOp,
        &avgPool2dOp,
        &avgPool2dGradOp,
        &adaptiveAvgPool2dOp,
        &adaptiveAvgPool2dGradOp,
        // normalisation, randomness, losses
        &batchNormTrainOp,
        &batchNormTrainGradOp,
        &softmaxOp,
        &softmaxGradOp,
        &logSoftmaxOp,
        &logSoftmaxGradOp,
        &dropoutOp,
        &dropoutGradOp,
        &uniformOp,
        &normalOp,
        &crossEntropyOp,
        &crossEntropyGradOp,
        // changes in place
        &addInPlaceOp,
        &addScalarInPlaceOp,
        &mulInPlaceOp,
        &reciprocalOp,
        &sgdStepOp,
        &adamStepOp,
        &totalNormOp,
        &clipFactorOp,
    };
    return list;
}

const OpDef* findOp(std::string_view name)
{
    const auto ops = allOps();
    const auto it = std::find_if(ops.begin(), ops.end(), [name](const OpDef* op) { return op->name == name; });
    return it == ops.end() ? nullptr : *it;
}

}  // namespace megalith::ops
