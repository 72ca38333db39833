// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/data/dataset.h"
#include "engine/graph/document.h"
#include "engine/nn/module.h"
#include "engine/train/events.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace megalith {
class Session;
}

namespace megalith::train {

struct TrainOptions
{
    std::optional<std::int64_t> epochs = {};  // totals, counted from the beginning; nothing: what the project says
    std::optional<std::int64_t> steps = {};
    std::optional<std::int64_t> seed = {};
    std::string device = {};  // empty: what the project says
    std::string outDir = {};  // best.mega, last.mega, checkpoint.mega, metrics.csv go here; empty: no files are written
    std::string resume = {};  // a checkpoint.mega
    bool freshWeights = true;  // initialise from the seed; false: go on from the values that are there
};

// Called on the thread that trains. cancelled is asked between steps; when it says true the step is finished, the checkpoint
// written, and DoneEvent says stopped.
struct Listener
{
    std::function<void(const StartEvent&)> start;
    std::function<void(const StepEvent&)> step;
    std::function<void(const EpochEvent&)> epoch;
    std::function<bool()> cancelled;
};

struct EvalResult
{
    double loss = 0.0;
    std::int64_t samples = 0;
    std::vector<Metric> metrics;
};

// One project with its values: compiles, loads, trains, evaluates, predicts. Lives on one thread, the one that owns tensors.
class Workspace
{
public:
    // projectPath: for relative data paths and messages; may be empty for an untitled project.
    Workspace(Session& session, graph::Document document, std::string projectPath);
    ~Workspace();

    // Values of tensors whose key and shape stay are kept.
    void setDocument(graph::Document document);
    const graph::Document& document() const;

    // Throws Error with the first diagnostic when the document has an error.
    nn::Module& model();
    StateDict stateDict();
    nn::LoadReport loadWeights(const std::string& path, bool strict = true);
    void saveWeights(const std::string& path);  // .mega, with megalith.normalize when known
    void setPath(std::string projectPath);      // the project was saved under another name
    // How inputs are normalised: of the weights that were loaded, or of the data that were trained on.
    const data::Normalization& normalization() const;
    std::vector<data::InputSpec> inputs();  // the Input nodes, by id
    std::vector<std::string> outputs();     // names of the Output nodes, by id

    DoneEvent train(const TrainOptions& options, const Listener& listener);
    EvalResult evaluate(const std::function<bool()>& cancelled = {});
    // One entry per Input node by name, batch in front, used as it is. In eval mode.
    std::vector<std::pair<std::string, StateEntry>> predict(
        const std::vector<std::pair<std::string, StateEntry>>& inputs);

    // Statistics of parameters and buffers (all, or the named ones), between steps as well.
    std::vector<TensorSnapshot> snapshots(const std::vector<std::string>& keys = {});

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace megalith::train
