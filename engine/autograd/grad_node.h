// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/ops/op_def.h"

#include <memory>
#include <vector>

namespace megalith {

// One recorded operation, held by its outputs. Edges lead to what made its inputs.
struct GradNode
{
    struct Edge
    {
        std::shared_ptr<GradNode> node;  // what made the input,
        std::uint32_t output = 0;        // as which of its outputs,
        Tensor leaf;                     // or the leaf itself
        bool needed() const { return node != nullptr || static_cast<bool>(leaf); }
    };

    const ops::OpDef* op = nullptr;
    Attrs attrs;
    std::uint64_t sequence = 0;  // later operations have larger ones
    std::vector<TensorMeta> inputMetas;
    std::vector<TensorMeta> outputMetas;
    std::vector<Edge> edges;
    std::vector<ops::SavedTensor> savedInputs;
    std::vector<ops::SavedTensor> savedOutputs;
    // Handles of outputs that have hooks would keep the node alive for ever; so their hooks are here.
    std::vector<std::vector<std::function<void(const Tensor&)>>> hooks;
    bool freed = false;

    GradNode() = default;
    ~GradNode();  // takes long chains apart without recursion
    GradNode(const GradNode&) = delete;
    GradNode& operator=(const GradNode&) = delete;
};

}  // namespace megalith
