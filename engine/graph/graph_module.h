// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/nn/module.h"

#include <cstddef>
#include <string>
#include <vector>

namespace megalith::graph {

// A body as a module: a list of steps over numbered slots, worked out once. A tensor is let go after its last use.
class GraphModule : public nn::Module
{
public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    struct Step
    {
        nn::ModulePtr module;  // is called; nullptr: `name` or `constant` is read instead
        std::string name;      // a parameter or buffer of this module
        Tensor constant;
        std::vector<std::size_t> inputs;   // slots; none: an optional input that is not wired
        std::vector<std::size_t> outputs;  // slots; none: nobody reads it
        std::vector<std::size_t> release;  // slots that nobody reads after this step
    };

    using nn::Module::Module;

    // inputs and outputs are slots, in the order of forward's arguments and results. Works out what each step may release.
    void setSteps(std::vector<Step> steps, std::vector<std::size_t> inputs, std::vector<std::size_t> outputs,
                  std::size_t slots);

    Tensors forward(const Tensors& inputs) override;

private:
    std::vector<Step> m_steps;
    std::vector<std::size_t> m_inputs;
    std::vector<std::size_t> m_outputs;
    std::size_t m_slots = 0;
};

}  // namespace megalith::graph
