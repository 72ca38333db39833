// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/optim/optimizer.h"

#include "engine/autograd/autograd.h"
#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/nn/module.h"
#include "engine/ops/functions.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace megalith::optim {

namespace {

// What one-element tensors of a parameter are made of: halves are computed in f32.
DType scalarType(DType dtype)
{
    return dtype == DType::F64 ? DType::F64 : DType::F32;
}

// Arguments of the optimizer, replaced by those of the group.
Attrs merged(const Attrs& args, const Attrs& own)
{
    Attrs all = args;
    for (const auto& [name, value] : own)
        all.set(name, value);
    return all;
}

void write(const Tensor& scalar, double value)
{
    scalar.copyFrom(makeEntry("F64", scalar.shape(), std::as_bytes(std::span(&value, 1))));
}

}  // namespace

Attrs complete(const OptimizerDef& def, const Attrs& given)
{
    try {
        Attrs all = nn::complete(def.type, def.attrs, given);
        if (!std::isfinite(all.real("lr")))
            throw Error("lr must be a finite number, not " + shortestText(all.real("lr")));
        if (def.check != nullptr)
            def.check(all);
        return all;
    } catch (const Error& error) {
        throw Error(nn::withOwner(def.type, error.what()));
    }
}

Optimizer::Optimizer(const OptimizerDef& def, std::vector<ParamGroup> groups, const Attrs& args) : m_def(&def)
{
    std::unordered_set<const void*> seen;
    for (ParamGroup& group : groups) {
        for (const Tensor& parameter : group.params) {
            if (!parameter || !parameter.isLeaf())
                throw Error(std::string(def.type)
                            + ": only tensors of their own can be optimized, not what an operation made");
            if (!seen.insert(parameter.id()).second)
                throw Error(std::string(def.type) + ": a parameter of shape " + text(parameter.shape())
                            + " is given twice");
        }
        addGroup(std::move(group), args);
    }
    if (seen.empty())
        throw Error(std::string(def.type) + ": there is no parameter to optimize");
}

void Optimizer::addGroup(ParamGroup group, const Attrs& args)
{
    Group made{std::move(group.params), complete(*m_def, merged(args, group.args)), 0.0, {}, {}, {}};
    made.lr = made.args.real("lr");
    if (m_def->stateNames != nullptr)
        made.stateNames = m_def->stateNames(made.args);
    made.states.resize(made.params.size());
    for (std::size_t i = 0; i < made.params.size(); ++i)
        if (made.params[i].requires_grad()) {
            makeState(made, i, made.states[i]);
            lrOf(made, made.params[i].dtype());
        }
    m_groups.push_back(std::move(made));
}

void Optimizer::makeState(const Group& group, std::size_t index, State& state) const
{
    const Tensor& parameter = group.params[index];
    state.step = ops::zeros({1}, scalarType(parameter.dtype()));
    for (std::size_t i = 0; i < group.stateNames.size(); ++i)
        state.tensors.push_back(ops::zeros(parameter.shape(), parameter.dtype()));
    state.made = true;
}

const Tensor& Optimizer::lrOf(Group& group, DType dtype) const
{
    const DType wanted = scalarType(dtype);
    for (const Tensor& lr : group.lrs)
        if (lr.dtype() == wanted)
            return lr;
    return group.lrs.emplace_back(ops::full({1}, group.lr, wanted));
}

void Optimizer::step()
{
    const NoGrad off;
    for (Group& group : m_groups)
        for (std::size_t i = 0; i < group.params.size(); ++i) {
            const Tensor& parameter = group.params[i];
            const Tensor gradient = parameter.grad();
            if (!gradient || !parameter.requires_grad())
                continue;
            if (!group.states[i].made)
                makeState(group, i, group.states[i]);
            const State& state = group.states[i];
            m_def->update({parameter, gradient, lrOf(group, parameter.dtype()), state.step, state.tensors, group.args});
        }
}

void Optimizer::zero_grad()
{
    for (const Tensor& parameter : params())
        parameter.setGrad({});
}

std::vector<Tensor> Optimizer::params() const
{
    std::vector<Tensor> all;
    for (const Group& group : m_groups)
        all.insert(all.end(), group.params.begin(), group.params.end());
    return all;
}

std::vector<double> Optimizer::learningRates() const
{
    std::vector<double> rates;
    for (const Group& group : m_groups)
        rates.push_back(group.lr);
    return rates;
}

void Optimizer::setLearningRate(std::size_t group, double lr)
{
    if (!std::isfinite(lr))
        throw Error(std::string(m_def->type) + ": lr must be a finite number, not " + shortestText(lr));
    m_groups[group].lr = lr;
    for (const Tensor& scalar : m_groups[group].lrs)
        write(scalar, lr);
}

std::vector<std::pair<std::string, Tensor>> Optimizer::stateTensors() const
{
    std::vector<std::pair<std::string, Tensor>> all;
    std::size_t number = 0;
    for (const Group& group : m_groups)
        for (const State& state : group.states) {
            const std::string prefix = std::to_string(number++) + ".";
            if (!state.made || group.stateNames.empty())
                continue;
            all.emplace_back(prefix + "step", state.step);
            for (std::size_t i = 0; i < group.stateNames.size(); ++i)
                all.emplace_back(prefix + std::string(group.stateNames[i]), state.tensors[i]);
        }
    return all;
}

void Optimizer::loadState(const StateDict& state)
{
    const std::string type(m_def->type);
    // What is not made yet is made for the entries that are there, put in place only when everything fits.
    std::vector<Group> groups = m_groups;
    std::vector<std::pair<Tensor, const StateEntry*>> writes;
    std::size_t used = 0;
    std::size_t number = 0;
    for (Group& group : groups)
        for (std::size_t i = 0; i < group.states.size(); ++i) {
            const std::string prefix = std::to_string(number++) + ".";
            State& own = group.states[i];
            if (!own.made && state.contains(prefix + "step"))
                makeState(group, i, own);
            const auto take = [&](const std::string& key, const Tensor& tensor) {
                const StateEntry* entry = state.find(key);
                if (entry != nullptr
                    && (numel(entry->shape) != tensor.numel() || !dtypeFromTag(entry->dtype)
                        || (tensor.numel() != 1 && entry->shape != tensor.shape())))
                    throw Error(type + ": state " + key + " is " + entry->dtype + " " + text(entry->shape)
                                + ", expected " + std::string(dtypeTag(tensor.dtype())) + " " + text(tensor.shape()));
                used += entry != nullptr ? 1 : 0;
                writes.emplace_back(tensor, entry);
            };
            if (!own.made || group.stateNames.empty())
                continue;
            take(prefix + "step", own.step);
            for (std::size_t s = 0; s < group.stateNames.size(); ++s)
                take(prefix + std::string(group.stateNames[s]), own.tensors[s]);
        }
    if (used != state.size())
        throw Error(type + ": " + std::to_string(state.size() - used)
                    + " entries of the saved state belong to no parameter; it is of another optimizer or model");
    const NoGrad off;
    for (const auto& [tensor, entry] : writes) {
        if (entry == nullptr) {
            ops::fill_(tensor, 0.0);
            continue;
        }
        StateEntry fitting = *entry;
        fitting.shape = tensor.shape();
        tensor.copyFrom(fitting);
    }
    m_groups = std::move(groups);
}

Optimizer makeOptimizer(std::string_view type, std::vector<ParamGroup> groups, const Attrs& args)
{
    const OptimizerDef* def = findOptimizer(type);
    if (def == nullptr) {
        std::string names;
        for (const OptimizerDef& each : allOptimizers())
            names += (names.empty() ? "" : ", ") + std::string(each.type);
        throw Error("there is no optimizer called " + std::string(type) + "; there are " + names);
    }
    return {*def, std::move(groups), args};
}

Optimizer makeOptimizer(std::string_view type, std::vector<Tensor> params, const Attrs& args)
{
    std::vector<ParamGroup> groups;
    groups.push_back({std::move(params), {}});
    return makeOptimizer(type, std::move(groups), args);
}

std::vector<ParamGroup> groupsByKey(const nn::Module& module, const std::vector<KeyGroup>& groups)
{
    std::unordered_map<std::string, Tensor> byKey;
    for (const auto& [key, tensor] : module.stateTensors())
        byKey.emplace(key, tensor);
    std::unordered_set<const void*> free;
    for (const Tensor& parameter : module.parameters())
        free.insert(parameter.id());
    const auto all = free;
    std::vector<ParamGroup> made(1);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        ParamGroup group{{}, groups[g].args};
        const std::string where = "param_groups[" + std::to_string(g) + "]: ";
        for (const std::string& key : groups[g].params) {
            const auto it = byKey.find(key);
            if (it == byKey.end() || !all.contains(it->second.id()))
                throw Error(where + "no parameter is called " + key);
            if (free.erase(it->second.id()) == 0)
                throw Error(where + key + " is in a group already");
            group.params.push_back(it->second);
        }
        if (group.params.empty())
            throw Error(where + "it has no params");
        made.push_back(std::move(group));
    }
    for (const Tensor& parameter : module.parameters())
        if (free.contains(parameter.id()))
            made.front().params.push_back(parameter);
    if (made.front().params.empty() && made.size() > 1)
        made.erase(made.begin());
    return made;
}

}  // namespace megalith::optim
