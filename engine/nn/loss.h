// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"
#include "engine/core/tensor.h"
#include "engine/nn/attr_spec.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace megalith::nn {

class Loss;

// One loss of torch.nn: its arguments, what it wants, and how it is computed.
struct LossDef
{
    std::string_view type;
    std::string_view doc;
    std::vector<AttrSpec> attrs;
    bool classes = false;                                 // targets are class numbers, 0 to C - 1 (or probabilities)
    std::vector<std::string_view> arguments = {"input"};  // of PyTorch's forward that are outputs of the network
    // ShapeError without the loss's name: "expected [N, C, ...], found [64]".
    void (*check)(const Attrs& attrs, std::span<const TensorMeta> outputs) = nullptr;
    // What the target of such outputs is.
    TensorMeta (*target)(std::span<const TensorMeta> outputs) = nullptr;
    Tensor (*compute)(Loss& loss, const Tensors& outputs, const Tensor& target) = nullptr;
};

std::span<const LossDef> allLosses();
const LossDef* findLoss(std::string_view type);

// Completes the arguments and says what is wrong with them, with the outputs' shapes, or for training (a loss of several numbers
// cannot be minimised). ShapeError or Error begins with the loss's name.
Attrs checkLoss(const LossDef& def, const Attrs& attrs, std::span<const TensorMeta> outputs);
// Whether such targets fit: the shape that def.target gives; [N] where that is [N, 1]; with classes also probabilities of the
// output's shape. ShapeError.
void checkTarget(const LossDef& def, std::span<const TensorMeta> outputs, const TensorMeta& target);
// How many classes the output tells apart; 0 when the loss has no classes.
std::int64_t classCount(const LossDef& def, std::span<const TensorMeta> outputs);
// For a whole data set, before training: DataError "target 7 of element 3 is no class: there are 5, numbered 0 to 4" unless all are 0 .. classes - 1 or ignore_index.
void checkClasses(const Tensor& target, std::int64_t classes, std::int64_t ignore_index = -100);

// A loss with its arguments. Its weights become tensors of the output's dtype when first needed, and stay.
class Loss
{
public:
    Loss(const LossDef& def, const Attrs& attrs);

    // The loss, one element unless reduction is "none". Converts the target's dtype and checks shapes;
    // a class number out of range is a DataError of the operation.
    Tensor operator()(const Tensors& outputs, const Tensor& target);
    Tensor operator()(const Tensor& output, const Tensor& target) { return (*this)(Tensors{output}, target); }

    const LossDef& def() const { return *m_def; }
    const Attrs& attrs() const { return m_attrs; }
    // The argument of that name as a tensor; empty when it is None.
    Tensor weights(std::string_view name, DType dtype);

private:
    const LossDef* m_def;
    Attrs m_attrs;
    std::vector<std::pair<std::string_view, Tensor>> m_weights;
};

// Error for a type that is none, or arguments that are wrong.
Loss makeLoss(std::string_view type, const Attrs& attrs = {});

}  // namespace megalith::nn
