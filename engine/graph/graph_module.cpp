// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/graph/graph_module.h"

#include "engine/core/error.h"

#include <fmt/format.h>

namespace megalith::graph {

void GraphModule::setSteps(std::vector<Step> steps, std::vector<std::size_t> inputs, std::vector<std::size_t> outputs,
                           std::size_t slots)
{
    m_steps = std::move(steps);
    m_inputs = std::move(inputs);
    m_outputs = std::move(outputs);
    m_slots = slots;
    std::vector<std::size_t> lastUse(slots, none);
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        m_steps[i].release.clear();
        for (const std::size_t slot : m_steps[i].inputs)
            if (slot != none)
                lastUse[slot] = i;
    }
    for (const std::size_t slot : m_outputs)
        if (slot != none)
            lastUse[slot] = none;
    for (std::size_t slot = 0; slot < slots; ++slot)
        if (lastUse[slot] != none)
            m_steps[lastUse[slot]].release.push_back(slot);
}

Tensors GraphModule::forward(const Tensors& inputs)
{
    if (inputs.size() != m_inputs.size())
        throw Error(fmt::format("{} takes {} inputs, not {}", typeName(), m_inputs.size(), inputs.size()));
    Tensors slots(m_slots);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        slots[m_inputs[i]] = inputs[i];
    Tensors arguments;
    for (const Step& step : m_steps) {
        if (step.module == nullptr) {
            slots[step.outputs.front()] = step.constant ? step.constant : (*this)[step.name];
            continue;
        }
        arguments.clear();
        for (const std::size_t slot : step.inputs)
            arguments.push_back(slot == none ? Tensor() : slots[slot]);
        for (const std::size_t slot : step.release)
            slots[slot] = Tensor();
        Tensors results = (*step.module)(arguments);
        for (std::size_t i = 0; i < step.outputs.size() && i < results.size(); ++i)
            if (step.outputs[i] != none)
                slots[step.outputs[i]] = std::move(results[i]);
    }
    Tensors results;
    for (const std::size_t slot : m_outputs)
        results.push_back(slot == none ? Tensor() : slots[slot]);
    return results;
}

}  // namespace megalith::graph
