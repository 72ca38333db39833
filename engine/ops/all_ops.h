// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/ops/op_def.h"

// Every operation by name. The definitions stand in their family's file; all_ops.cpp lists them.
namespace megalith::ops {

// arithmetic.cpp
extern const OpDef addOp, subOp, mulOp, divOp, addScalarOp, mulScalarOp, gtOp, eqOp, whereOp;
// pointwise.cpp
extern const OpDef negOp, expOp, logOp, sqrtOp, absOp, squareOp, reluOp, tanhOp, sigmoidOp, reluGradOp, tanhGradOp,
    sigmoidGradOp;
// copying.cpp
extern const OpDef copyOp, castOp, fillOp, scatterSliceOp, catOp;
// views.cpp: without a kernel
extern const OpDef reshapeOp, permuteOp, sliceOp, expandOp;
// reductions.cpp
extern const OpDef sumOp, amaxOp, argmaxOp;
// products.cpp
extern const OpDef matmulOp, linearOp;
// convolution.cpp, pooling.cpp
extern const OpDef conv2dOp, conv2dGradInputOp, conv2dGradWeightOp;
extern const OpDef maxPool2dOp, maxPool2dGradOp, avgPool2dOp, avgPool2dGradOp, adaptiveAvgPool2dOp,
    adaptiveAvgPool2dGradOp;
// normalization.cpp
extern const OpDef batchNormTrainOp, batchNormTrainGradOp, softmaxOp, softmaxGradOp, logSoftmaxOp, logSoftmaxGradOp;
// random.cpp
extern const OpDef dropoutOp, dropoutGradOp, uniformOp, normalOp;
// losses.cpp
extern const OpDef crossEntropyOp, crossEntropyGradOp, logSigmoidOp;
// updates.cpp
extern const OpDef addInPlaceOp, addScalarInPlaceOp, mulInPlaceOp, reciprocalOp, sgdStepOp, adamStepOp, totalNormOp,
    clipFactorOp;

std::span<const OpDef* const> allOps();
const OpDef* findOp(std::string_view name);

}  // namespace megalith::ops
