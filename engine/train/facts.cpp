// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/facts.h"

#include "engine/core/error.h"
#include "engine/nn/loss.h"

#include <algorithm>

namespace megalith::train {

namespace {

// The share or the word in "data.validation", as counts.
std::int64_t trainCount(const Value& data, const data::SourceFacts& facts)
{
    const Value* share = data.find("validation");
    if (share == nullptr || !share->isNumber())
        return facts.count;
    return facts.count - static_cast<std::int64_t>(share->number() * static_cast<double>(facts.count) + 0.5);
}

bool takesClasses(const graph::Document& document)
{
    const Value* loss = document.training.find("loss");
    const Value* type = loss == nullptr ? nullptr : loss->find("type");
    const nn::LossDef* def = type != nullptr && type->isString() ? nn::findLoss(type->string()) : nullptr;
    return def != nullptr && def->classes;
}

std::int64_t ignoredClass(const graph::Document& document)
{
    const Value* loss = document.training.find("loss");
    const Value* ignored = loss == nullptr ? nullptr : loss->find("ignore_index");
    return ignored != nullptr && ignored->isInteger() ? ignored->integer() : -100;
}

}  // namespace

std::optional<graph::DataFacts> factsOf(const graph::Document& document, const std::filesystem::path& projectFolder,
                                        std::string& problem)
{
    if (document.data.isNull())
        return std::nullopt;
    try {
        const data::SourceFacts source = data::sourceFacts(document.data, projectFolder, ignoredClass(document));
        graph::DataFacts facts;
        facts.inputProblem = [source](const std::vector<std::pair<std::string, TensorMeta>>& inputs) {
            std::vector<data::InputSpec> specs;
            for (const auto& [name, meta] : inputs)
                specs.push_back({name, meta.shape, meta.dtype});
            return data::inputProblem(source, specs);
        };
        if (takesClasses(document))
            facts.classes = source.classCount;
        facts.trainSamples = trainCount(document.data, source);
        return facts;
    } catch (const Error& e) {
        problem = e.what();
        return std::nullopt;
    }
}

graph::Analysis checkProject(const graph::Document& document, const std::filesystem::path& projectFolder)
{
    std::string problem;
    const std::optional<graph::DataFacts> facts = factsOf(document, projectFolder, problem);
    graph::CheckOptions options;
    options.facts = facts ? &*facts : nullptr;
    graph::Analysis analysis = graph::analyze(document, options);
    if (!problem.empty()) {
        graph::Diagnostic d;
        d.path = "data";
        d.rule = "data";
        d.message = problem.starts_with("data: ") ? problem.substr(6) : problem;
        analysis.diagnostics.push_back(std::move(d));
        ++analysis.errors;
    }
    return analysis;
}

graph::Analysis trainingProblems(const graph::Document& document, const data::LoadedData& data)
{
    graph::DataFacts facts;
    facts.trainSamples = data.trainCount();
    graph::CheckOptions options;
    options.facts = &facts;
    return graph::analyze(document, options);
}

std::optional<Shape> scoredOutput(const graph::Document& document, const Settings& settings)
{
    graph::CheckOptions options;
    options.settings = false;
    const graph::Analysis analysis = graph::analyze(document, options);
    for (const graph::NodeInfo& node : analysis.nodes) {
        if (node.type != "Output" || node.path.size() != 1
            || (!settings.lossOutput.empty() && node.name != settings.lossOutput))
            continue;
        if (node.inputs.empty() || !node.inputs.front().shape.known)
            return std::nullopt;
        Shape shape = graph::at(node.inputs.front().shape, 2).shape;
        if (shape.empty() || shape.front() != 2)
            return std::nullopt;
        shape.erase(shape.begin());
        return shape;
    }
    return std::nullopt;
}

}  // namespace megalith::train
