// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/data/dataset.h"
#include "engine/graph/compile.h"
#include "engine/nn/loss.h"
#include "engine/train/settings.h"
#include "engine/train/workspace.h"

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace megalith::train {

struct Batch
{
    Tensors inputs;
    Tensor target;  // empty where the loss takes none
};

// Puts rows of host samples into tensors on the device. The tensors of one number of rows are used again and again, so that a recorded
// step finds its batch where it was.
class BatchLoader
{
public:
    Batch& load(const std::vector<data::Samples>& inputs, const std::optional<data::Targets>& targets,
                std::span<const std::int64_t> rows);

private:
    std::vector<std::pair<std::int64_t, Batch>> m_batches;
    std::vector<std::byte> m_bytes;
};

// Which outputs of the network the loss takes, in the order of its arguments. Error names the Output that is missing.
std::vector<std::size_t> lossOutputs(const nn::LossDef& loss, const std::string& chosen,
                                     const std::vector<std::string>& outputs);

// A compiled model with its loss.
class Scorer
{
public:
    Scorer(graph::CompiledModel& model, const Settings& settings);

    // Runs the model in the mode it is in.
    Tensor loss(const Batch& batch);
    // Mean loss and metrics over the validation part, in eval mode and without recording. Stops early when cancelled says so.
    EvalResult evaluate(const data::LoadedData& data, const std::function<bool()>& cancelled);

private:
    Tensor lossOf(const Tensors& outputs, const Tensor& target);

    graph::CompiledModel& m_model;
    nn::Loss m_loss;
    std::vector<std::size_t> m_outputs;
    BatchLoader m_loader;
};

}  // namespace megalith::train
