// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/autograd/autograd.h"

#include "engine/autograd/grad_node.h"
#include "engine/core/error.h"
#include "engine/ops/functions.h"

#include <map>
#include <queue>
#include <unordered_set>

namespace megalith {

namespace {

struct Later
{
    bool operator()(const std::shared_ptr<GradNode>& a, const std::shared_ptr<GradNode>& b) const
    {
        return a->sequence < b->sequence;
    }
};

// Gradients that wait at a node until all that use its outputs have been there. Operations are gone through from the last to the
// first, so everything that uses an output comes before the node that made it.
class Engine
{
public:
    explicit Engine(bool retain) : m_retain(retain) {}

    void add(const GradNode::Edge& edge, Tensor gradient)
    {
        if (edge.leaf)
            return accumulate(edge.leaf, std::move(gradient));
        Tensors& waiting = m_waiting[edge.node.get()];
        if (waiting.empty()) {
            waiting.resize(edge.node->outputMetas.size());
            m_queue.push(edge.node);
        }
        Tensor& sum = waiting[edge.output];
        sum = sum ? ops::add(sum, gradient) : std::move(gradient);
    }

    void run()
    {
        while (!m_queue.empty()) {
            const std::shared_ptr<GradNode> node = m_queue.top();
            m_queue.pop();
            const Tensors grads = std::move(m_waiting.extract(node.get()).mapped());
            step(*node, grads);
        }
    }

private:
    void step(GradNode& node, const Tensors& grads)
    {
        if (node.freed)
            throw Error(
                std::string(node.op->name)
                + ": backward went through this graph before and freed it; give retain_graph = true to the first call to go through it again");
        for (std::size_t i = 0; i < grads.size(); ++i)
            if (grads[i])
                for (const auto& hook : node.hooks[i])
                    hook(grads[i]);
        std::vector<char> needed;
        for (const GradNode::Edge& edge : node.edges)
            needed.push_back(edge.needed() ? 1 : 0);
        const ops::Vjp vjp{
            node.op->name, node.attrs, node.savedInputs, node.savedOutputs, node.inputMetas, node.outputMetas,
            grads,         needed};
        ops::Grads results = node.op->vjp(vjp);
        for (std::size_t i = 0; i < results.size() && i < node.edges.size(); ++i)
            if (results[i] && node.edges[i].needed())
                add(node.edges[i], std::move(results[i]));
        if (!m_retain && node.op->save != ops::Save::Nothing) {
            node.savedInputs.clear();
            node.savedOutputs.clear();
            node.freed = true;
        }
    }

    static void accumulate(const Tensor& leaf, Tensor gradient)
    {
        for (const auto& hook : leaf.hooks())
            hook(gradient);
        if (const Tensor there = leaf.grad()) {
            ops::add_(there, gradient);
            return;
        }
        // Kept only when nobody else has it: two leaves may have been given the same tensor.
        const bool own = gradient.isContiguous() && gradient.storage().use_count() == 1 && gradient.useCount() == 1;
        leaf.setGrad(own ? std::move(gradient) : ops::clone(gradient));
    }

    bool m_retain;
    std::map<GradNode*, Tensors> m_waiting;
    std::priority_queue<std::shared_ptr<GradNode>, std::vector<std::shared_ptr<GradNode>>, Later> m_queue;
};

}  // namespace

void backward(const Tensor& root, const Tensor& gradient, bool retain_graph)
{
    if (!root || !root.requires_grad())
        throw Error(
            "backward: nothing here requires grad: at least one tensor that leads to the loss must have requires_grad on");
    if (!gradient && root.numel() != 1)
        throw Error("backward: a gradient is implied only for one element; this tensor has shape " + text(root.shape())
                    + ", so give the gradient");
    if (gradient && gradient.shape() != root.shape())
        throw ShapeError("backward: the gradient has shape " + text(gradient.shape()) + ", the tensor "
                         + text(root.shape()));
    const NoGrad off;
    Engine engine(retain_graph);
    GradNode::Edge edge{root.gradFn(), root.outputIndex(), root.isLeaf() ? root : Tensor()};
    engine.add(edge, gradient ? gradient : ops::full(root.shape(), 1.0, root.dtype()));
    engine.run();
}

}  // namespace megalith
