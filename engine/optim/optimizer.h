// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"
#include "engine/core/state_dict.h"
#include "engine/core/tensor.h"
#include "engine/nn/attr_spec.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace megalith::nn {
class Module;
}

namespace megalith::optim {

// Parameters that share arguments: what an argument is not given here is the optimizer's own.
struct ParamGroup
{
    std::vector<Tensor> params;
    Attrs args = {};
};

// One parameter's update, as an optimizer sees it.
struct Update
{
    const Tensor& parameter;
    const Tensor& gradient;
    const Tensor& lr;               // one element, as step: read by the kernel, so a recorded step can run again
    const Tensor& step;             // how many updates this parameter had; the optimizer counts with addScalar_
    std::span<const Tensor> state;  // in the order of stateNames
    const Attrs& args;
};

// One optimizer of torch.optim: arguments, the tensors it keeps for each parameter, and its update.
struct OptimizerDef
{
    std::string_view type;
    std::string_view doc;
    std::vector<nn::AttrSpec> attrs;
    // Arguments that do not fit each other. Throws Error.
    void (*check)(const Attrs& args) = nullptr;
    // Tensors of the parameter's shape, zero at first. With none, step is not kept either.
    std::vector<std::string_view> (*stateNames)(const Attrs& args) = nullptr;
    void (*update)(const Update& update) = nullptr;
};

std::span<const OptimizerDef> allOptimizers();
const OptimizerDef* findOptimizer(std::string_view type);
// All arguments, checked. Error begins with the optimizer's name: "SGD: lr must be a number >= 0, not nan".
Attrs complete(const OptimizerDef& def, const Attrs& given);

// Moves parameters along their gradients. Parameters that are frozen or have no .grad are skipped: they and
// their state stay bit for bit.
class Optimizer
{
public:
    // State is made at once for what requires grad, for others when they first have a gradient. Error when there is no parameter,
    // one is in two groups, or an argument is wrong.
    Optimizer(const OptimizerDef& def, std::vector<ParamGroup> groups, const Attrs& args = {});

    void step();
    void zero_grad();

    const OptimizerDef& def() const { return *m_def; }
    std::size_t groupCount() const { return m_groups.size(); }
    const std::vector<Tensor>& params(std::size_t group) const { return m_groups[group].params; }
    const Attrs& args(std::size_t group) const { return m_groups[group].args; }
    std::vector<Tensor> params() const;

    double learningRate(std::size_t group = 0) const { return m_groups[group].lr; }
    std::vector<double> learningRates() const;
    // Between steps; writes the one-element tensors that the steps read.
    void setLearningRate(std::size_t group, double lr);

    // "0.step", "0.exp_avg", ...: the parameter's number, counted through the groups, as in torch's state.
    std::vector<std::pair<std::string, Tensor>> stateTensors() const;
    // Error names what does not belong or has another size, and then nothing is changed. A parameter without entries starts anew.
    void loadState(const StateDict& state);

private:
    struct State
    {
        Tensor step;
        std::vector<Tensor> tensors;
        bool made = false;
    };
    struct Group
    {
        std::vector<Tensor> params;
        Attrs args;
        double lr = 0.0;
        std::vector<std::string_view> stateNames;
        std::vector<State> states;  // one for each of params
        std::vector<Tensor> lrs;    // one for each dtype of params
    };

    void addGroup(ParamGroup group, const Attrs& args);
    void makeState(const Group& group, std::size_t index, State& state) const;
    const Tensor& lrOf(Group& group, DType dtype) const;

    const OptimizerDef* m_def;
    std::vector<Group> m_groups;
};

Optimizer makeOptimizer(std::string_view type, std::vector<ParamGroup> groups, const Attrs& args = {});
Optimizer makeOptimizer(std::string_view type, std::vector<Tensor> params, const Attrs& args = {});

// Groups by state_dict keys, as the project file has them. Parameters in no group come first, in a group of their own. Error names
// a key that is no parameter, or that stands in two groups.
struct KeyGroup
{
    std::vector<std::string> params;
    Attrs args = {};
};
std::vector<ParamGroup> groupsByKey(const nn::Module& module, const std::vector<KeyGroup>& groups);

}  // namespace megalith::optim
