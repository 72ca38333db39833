// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/project.h"

#include "app/cli/command.h"
#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/io/project_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace megalith::cli {

namespace {

// What class targets are ignored; -100 as in PyTorch.
std::int64_t ignoreIndexOf(const Value& training)
{
    constexpr std::int64_t usual = -100;
    const Value* loss = training.find("loss");
    const Value* index = loss == nullptr ? nullptr : loss->find("ignore_index");
    return index != nullptr && index->isInteger() ? index->integer() : usual;
}

// How many samples are left for training.
std::int64_t trainSamples(const data::SourceFacts& source, const Value& data)
{
    const Value* validation = data.find("validation");
    if (validation == nullptr || !validation->isNumber() || !(validation->number() > 0.0) || source.count < 2)
        return source.count;
    const auto part = static_cast<std::int64_t>(std::round(static_cast<double>(source.count) * validation->number()));
    return source.count - std::clamp<std::int64_t>(part, 1, source.count - 1);
}

graph::DataFacts factsOf(const data::SourceFacts& source, const Value& data)
{
    graph::DataFacts facts;
    for (const data::InputFacts& input : source.inputs)
        facts.inputs[input.name] = TensorMeta{input.dtype, input.sample};
    facts.inputProblem = [source](const std::vector<std::pair<std::string, TensorMeta>>& inputs) {
        std::vector<data::InputSpec> specs;
        for (const auto& [name, meta] : inputs)
            specs.push_back({name, meta.shape, meta.dtype});
        return data::inputProblem(source, specs);
    };
    facts.classes = source.classCount;
    if (source.hasTargets)
        facts.target = TensorMeta{DType::F32, source.targetSample};
    facts.trainSamples = trainSamples(source, data);
    return facts;
}

}  // namespace

std::filesystem::path Project::weights() const
{
    return document.weights.empty() ? std::filesystem::path() : folder() / document.weights;
}

Project openProject(const std::string& path)
{
    Project project{path, io::readProject(path)};
    if (project.document.readOnly())
        printNote(fmt::format("{} is of version {}, which is above 1: it can be looked at, not changed", path,
                              project.document.version));
    return project;
}

graph::Analysis analyse(const Project& project, Look look)
{
    graph::CheckOptions options;
    options.settings = look == Look::NetworkAndTraining;
    const graph::Document& document = project.document;
    const Value* source = document.data.find("source");
    if (!options.settings || source == nullptr || !source->isString())
        return graph::analyze(document, options);
    try {
        const data::SourceFacts known =
            data::sourceFacts(document.data, project.folder(), ignoreIndexOf(document.training));
        const graph::DataFacts facts = factsOf(known, document.data);
        options.facts = &facts;
        return graph::analyze(document, options);
    } catch (const Error& error) {
        options.facts = nullptr;
        graph::Analysis analysis = graph::analyze(document, options);
        graph::Diagnostic diagnostic;
        diagnostic.path = "data";
        diagnostic.rule = "data";
        diagnostic.message = error.what();
        analysis.diagnostics.push_back(std::move(diagnostic));
        ++analysis.errors;
        return analysis;
    }
}

void requireSound(const Project& project, const graph::Analysis& analysis)
{
    const auto first = std::ranges::find(analysis.diagnostics, graph::Severity::Error, &graph::Diagnostic::severity);
    if (first == analysis.diagnostics.end())
        return;
    std::string more;
    if (analysis.errors > 1)
        more = fmt::format(" ({} in all; megalith check lists them)", counted(analysis.errors, "error"));
    throw Error(project.shown() + ": " + graph::text(*first) + more);
}

std::vector<data::InputSpec> inputSpecs(const Project& project, const graph::Analysis& analysis)
{
    std::vector<data::InputSpec> specs;
    for (const graph::Id id : graph::inputNodes(project.document.root)) {
        const graph::NodeInfo* info = analysis.first(id);
        if (info == nullptr || info->outputs.empty() || !info->outputs.front().shape.known)
            continue;
        TensorMeta meta = graph::at(info->outputs.front().shape, 1);
        meta.shape.erase(meta.shape.begin());
        specs.push_back({info->name, std::move(meta.shape), meta.dtype});
    }
    return specs;
}

std::string counted(std::int64_t count, std::string_view what)
{
    return fmt::format("{} {}{}", withThousands(count), what, count == 1 ? "" : "s");
}

std::string sizeShown(std::int64_t bytes)
{
    constexpr std::array<std::string_view, 4> units = {"KiB", "MiB", "GiB", "TiB"};
    constexpr double step = 1024.0;
    if (bytes < 1024)
        return counted(bytes, "byte");
    double size = static_cast<double>(bytes) / step;
    std::size_t unit = 0;
    while (size >= step && unit + 1 < units.size()) {
        size /= step;
        ++unit;
    }
    return fmt::format("{:.1f} {}", size, units[unit]);
}

}  // namespace megalith::cli
