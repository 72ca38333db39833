// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/record.h"

#include "engine/autograd/autograd.h"
#include "engine/autograd/grad_node.h"
#include "engine/core/error.h"
#include "engine/core/tensor_impl.h"

namespace megalith {

namespace {

thread_local bool enabled = true;
thread_local std::uint64_t nextSequence = 0;

ops::SavedTensor saved(const Tensor& t)
{
    if (!t)
        return {};
    return {t.detach(), t.storage()->version()};
}

}  // namespace

bool gradEnabled()
{
    return enabled;
}

NoGrad::NoGrad() : m_previous(enabled)
{
    enabled = false;
}

NoGrad::~NoGrad()
{
    enabled = m_previous;
}

GradNode::~GradNode()
{
    std::vector<std::shared_ptr<GradNode>> pending;
    const auto takeEdges = [&pending](GradNode& node) {
        for (Edge& edge : node.edges)
            if (edge.node)
                pending.push_back(std::move(edge.node));
    };
    takeEdges(*this);
    while (!pending.empty()) {
        const std::shared_ptr<GradNode> node = std::move(pending.back());
        pending.pop_back();
        if (node.use_count() == 1)
            takeEdges(*node);
    }
}

void Tensor::registerHook(std::function<void(const Tensor&)> hook) const
{
    if (!m_impl->requiresGrad)
        throw Error("registerHook: this tensor does not require grad, so no gradient will come");
    if (m_impl->gradFn)
        m_impl->gradFn->hooks[m_impl->outputIndex].push_back(std::move(hook));
    else
        m_impl->hooks.push_back(std::move(hook));
}

namespace ops {

bool gradRecording()
{
    return enabled;
}

bool wantsGrad(const OpDef& op, std::span<const Tensor> inputs)
{
    if (!enabled || op.vjp == nullptr)
        return false;
    for (const Tensor& t : inputs)
        if (t && t.requires_grad())
            return true;
    return false;
}

void record(const OpDef& op, const Attrs& attrs, std::span<const Tensor> inputs, std::span<const Tensor> outputs)
{
    auto node = std::make_shared<GradNode>();
    node->op = &op;
    node->attrs = attrs;
    node->sequence = nextSequence++;
    const bool keepInputs = op.save == Save::Inputs || op.save == Save::Both;
    const bool keepOutputs = op.save == Save::Outputs || op.save == Save::Both;
    for (const Tensor& t : inputs) {
        GradNode::Edge edge;
        if (t && t.requires_grad()) {
            edge.node = t.gradFn();
            edge.output = t.outputIndex();
            if (!edge.node)
                edge.leaf = t;
        }
        node->edges.push_back(std::move(edge));
        node->inputMetas.push_back(t ? t.meta() : TensorMeta{});
        node->savedInputs.push_back(keepInputs ? saved(t) : SavedTensor{});
    }
    node->hooks.resize(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        node->outputMetas.push_back(outputs[i].meta());
        node->savedOutputs.push_back(keepOutputs ? saved(outputs[i]) : SavedTensor{});
        if (isFloating(outputs[i].dtype()))
            outputs[i].setGradFn(node, static_cast<std::uint32_t>(i));
    }
}

}  // namespace ops

}  // namespace megalith
