// SPDX-License-Identifier: GPL-3.0-or-later
// What a run needs to go on as if it had never stopped: weights, optimizer, schedule, random numbers, place in the data.
#include "engine/backend/session.h"
#include "engine/core/error.h"
#include "engine/train/trainer.h"

namespace megalith::train {

namespace {

io::TreeValue treeOfValue(const Value& value)
{
    if (value.isObject()) {
        io::TreeValue::Dict out;
        for (const auto& [key, item] : value.object())
            out.emplace_back(key, treeOfValue(item));
        return out;
    }
    if (value.isList()) {
        io::TreeValue::List out;
        for (const Value& item : value.list())
            out.push_back(treeOfValue(item));
        return out;
    }
    if (value.isBool())
        return value.boolean();
    if (value.isInteger())
        return value.integer();
    if (value.isNumber())
        return value.number();
    return value.isString() ? io::TreeValue(value.string()) : io::TreeValue();
}

Value valueOfTree(const io::TreeValue& tree)
{
    if (tree.isDict()) {
        Value::Object out;
        for (const auto& [key, item] : tree.dict())
            out.emplace_back(key, valueOfTree(item));
        return out;
    }
    if (tree.isList() || tree.isTuple()) {
        Value::List out;
        for (const io::TreeValue& item : tree.items())
            out.push_back(valueOfTree(item));
        return out;
    }
    if (tree.isBool())
        return tree.boolean();
    if (tree.isInteger())
        return tree.integer();
    if (tree.isNumber())
        return tree.number();
    return tree.isString() ? Value(tree.string()) : Value();
}

// {"0": {"step": ..., "exp_avg": ...}}, as torch's optimizer state with keys as texts.
io::TreeValue optimizerState(const optim::Optimizer& optimizer)
{
    io::TreeValue::Dict state;
    for (const auto& [key, tensor] : optimizer.stateTensors()) {
        const std::size_t dot = key.find('.');
        const std::string number = key.substr(0, dot);
        if (state.empty() || state.back().first != number)
            state.emplace_back(number, io::TreeValue::Dict{});
        state.back().second.set(key.substr(dot + 1), tensor.toEntry());
    }
    io::TreeValue::List rates;
    for (const double lr : optimizer.learningRates())
        rates.emplace_back(lr);
    return io::TreeValue::Dict{{"type", std::string(optimizer.def().type)}, {"state", state}, {"lr", rates}};
}

StateDict flatState(const io::TreeValue& state)
{
    StateDict out;
    for (const auto& [number, entries] : state.dict())
        for (const auto& [name, tensor] : entries.dict())
            out.add(number + "." + name, tensor.tensor());
    return out;
}

}  // namespace

io::TreeValue Trainer::checkpoint() const
{
    using Dict = io::TreeValue::Dict;
    io::TreeValue tree =
        Dict{{"model", io::TreeValue(m_model.root->state_dict())}, {"optimizer", optimizerState(m_optimizer)}};
    tree.set("scheduler", m_scheduler ? treeOfValue(m_scheduler->state()) : io::TreeValue());
    tree.set("random", Dict{{"seed", m_session.random().seed.toIntegers().front()},
                            {"step", m_session.random().step.toIntegers().front()}});
    tree.set("data", Dict{{"seed", m_settings.seed}, {"epoch", m_epoch}, {"batch", m_inEpoch}});
    tree.set("progress", Dict{{"step", m_step},
                              {"epoch", m_epoch},
                              {"loss_sum", m_lossSum},
                              {"best", m_best},
                              {"best_epoch", m_bestEpoch},
                              {"patience_best", m_patienceBest},
                              {"patience_epoch", m_patienceEpoch}});
    tree.set("epoch", m_epoch);
    tree.set("threads", m_threads);
    return tree;
}

void Trainer::restore(const io::TreeValue& tree)
{
    const io::TreeValue& optimizer = tree.at("optimizer");
    if (optimizer.at("type").string() != m_optimizer.def().type)
        throw FormatError("the checkpoint was trained with " + optimizer.at("type").string() + ", the project says "
                          + std::string(m_optimizer.def().type));
    const io::TreeValue& scheduler = tree.at("scheduler");
    if (scheduler.isNull() == m_scheduler.has_value())
        throw FormatError(scheduler.isNull() ? "the checkpoint has no scheduler, the project has one"
                                             : "the checkpoint has a scheduler, the project has none");
    const io::TreeValue& progress = tree.at("progress");
    const std::int64_t step = progress.at("step").integer();
    const std::int64_t epoch = progress.at("epoch").integer();
    const std::int64_t batch = tree.at("data").at("batch").integer();
    if (step < 0 || epoch < 0 || batch < 0 || batch > m_order.stepsPerEpoch())
        throw FormatError("the checkpoint stands at batch " + std::to_string(batch) + " of epoch "
                          + std::to_string(epoch) + ", but an epoch has " + std::to_string(m_order.stepsPerEpoch())
                          + " batches");
    m_model.root->load_state_dict(io::stateDictOf(tree.at("model"), "model"));
    m_optimizer.loadState(flatState(optimizer.at("state")));
    const auto& rates = optimizer.at("lr").items();
    for (std::size_t g = 0; g < m_optimizer.groupCount() && g < rates.size(); ++g)
        m_optimizer.setLearningRate(g, rates[g].number());
    if (m_scheduler)
        m_scheduler->loadState(valueOfTree(scheduler));
    m_session.manual_seed(tree.at("random").at("seed").integer());
    const std::int64_t drawn = tree.at("random").at("step").integer();
    m_session.random().step.copyFrom(&drawn, sizeof drawn);
    m_step = step;
    m_epoch = epoch;
    m_inEpoch = batch;
    m_lossSum = progress.at("loss_sum").number();
    m_best = progress.at("best").number();
    m_bestEpoch = progress.at("best_epoch").integer();
    m_patienceBest = progress.at("patience_best").number();
    m_patienceEpoch = progress.at("patience_epoch").integer();
}

}  // namespace megalith::train
