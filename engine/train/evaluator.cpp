// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/evaluator.h"

#include "engine/autograd/autograd.h"
#include "engine/core/error.h"
#include "engine/data/batches.h"
#include "engine/ops/functions.h"
#include "engine/train/metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace megalith::train {

namespace {

constexpr std::int64_t evalRows = 256;
constexpr std::size_t keptBatches = 4;

Shape batchShape(std::int64_t rows, const Shape& sample)
{
    Shape shape{rows};
    shape.insert(shape.end(), sample.begin(), sample.end());
    return shape;
}

}  // namespace

Batch& BatchLoader::load(const std::vector<data::Samples>& inputs, const std::optional<data::Targets>& targets,
                         std::span<const std::int64_t> rows)
{
    const auto count = static_cast<std::int64_t>(rows.size());
    auto place =
        std::find_if(m_batches.begin(), m_batches.end(), [count](const auto& entry) { return entry.first == count; });
    if (place == m_batches.end()) {
        Batch batch;
        for (const data::Samples& samples : inputs)
            batch.inputs.push_back(ops::empty(batchShape(count, samples.sample), samples.dtype));
        if (targets)
            batch.target = ops::empty(batchShape(count, targets->values.sample), targets->values.dtype);
        if (m_batches.size() >= keptBatches)
            m_batches.erase(m_batches.begin());
        m_batches.emplace_back(count, std::move(batch));
        place = m_batches.end() - 1;
    }
    const auto put = [&](const Tensor& to, const data::Samples& samples) {
        m_bytes.resize(rows.size() * samples.rowBytes());
        data::gather(samples, rows, m_bytes);
        to.copyFrom(m_bytes.data(), m_bytes.size());
    };
    for (std::size_t i = 0; i < inputs.size(); ++i)
        put(place->second.inputs[i], inputs[i]);
    if (targets)
        put(place->second.target, targets->values);
    return place->second;
}

std::vector<std::size_t> lossOutputs(const nn::LossDef& loss, const std::string& chosen,
                                     const std::vector<std::string>& outputs)
{
    const auto place = [&](std::string_view name) {
        const auto it = std::find(outputs.begin(), outputs.end(), name);
        if (it == outputs.end())
            throw Error("training.loss: " + std::string(loss.type) + " takes the Output " + std::string(name)
                        + ", and there is none of that name");
        return static_cast<std::size_t>(it - outputs.begin());
    };
    if (!chosen.empty())
        return {place(chosen)};
    if (loss.arguments.size() == 1) {
        if (outputs.size() != 1)
            throw Error("training.loss: the network has " + std::to_string(outputs.size())
                        + " Outputs; say with \"output\" which one the loss takes");
        return {0};
    }
    std::vector<std::size_t> out;
    for (const std::string_view name : loss.arguments)
        out.push_back(place(name));
    return out;
}

Scorer::Scorer(graph::CompiledModel& model, const Settings& settings)
    : m_model(model)
    , m_loss(nn::makeLoss(settings.loss.type, settings.loss.args))
    , m_outputs(lossOutputs(m_loss.def(), settings.lossOutput, model.outputs))
{}

Tensor Scorer::lossOf(const Tensors& outputs, const Tensor& target)
{
    Tensors taken;
    for (const std::size_t i : m_outputs)
        taken.push_back(outputs[i]);
    return m_loss(taken, target);
}

Tensor Scorer::loss(const Batch& batch)
{
    return lossOf((*m_model.root)(batch.inputs), batch.target);
}

EvalResult Scorer::evaluate(const data::LoadedData& data, const std::function<bool()>& cancelled)
{
    const NoGrad off;
    const bool wasTraining = m_model.root->training();
    m_model.root->eval();
    MetricSum metrics(m_loss.def().type);
    const std::int64_t ignored = m_loss.attrs().has("ignore_index") ? m_loss.attrs().integer("ignore_index") : -100;
    EvalResult result;
    double sum = 0.0;
    std::vector<std::int64_t> rows;
    for (std::int64_t begin = 0; begin < data.valCount() && !(cancelled && cancelled()); begin += evalRows) {
        rows.resize(static_cast<std::size_t>(std::min(evalRows, data.valCount() - begin)));
        std::iota(rows.begin(), rows.end(), begin);
        const Batch& batch = m_loader.load(data.valInputs, data.valTargets, rows);
        const Tensors outputs = (*m_model.root)(batch.inputs);
        sum += lossOf(outputs, batch.target).item() * static_cast<double>(rows.size());
        if (batch.target && m_outputs.size() == 1)
            metrics.add(outputs[m_outputs.front()], batch.target, ignored);
        result.samples += static_cast<std::int64_t>(rows.size());
    }
    m_model.root->train(wasTraining);
    result.loss = result.samples > 0 ? sum / static_cast<double>(result.samples) : std::nan("");
    result.metrics = metrics.result();
    return result;
}

}  // namespace megalith::train
