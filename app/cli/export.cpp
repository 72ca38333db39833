// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/project.h"
#include "engine/backend/session.h"
#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/io/weights_format.h"
#include "engine/train/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>

namespace megalith::cli {

namespace {

struct ExportCall
{
    std::string project;
    std::optional<std::string> weights, to, framework;
};

std::string extensionOf(const std::string& path)
{
    std::string extension = std::filesystem::path(path).extension().string();
    for (char& c : extension)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return extension;
}

void requireWritable(const ExportCall& call)
{
    constexpr std::array<std::string_view, 5> later = {".safetensors", ".pt", ".npz", ".onnx", ".py"};
    const std::string extension = extensionOf(*call.to);
    if (std::ranges::find(later, extension) != later.end())
        throw WrongCall("export: writing " + extension + " does not exist yet; it comes with a later version");
    if (extension != ".mega")
        throw WrongCall("export: "
                        + (extension.empty() ? *call.to + " has no ending" : "no format ends in " + extension)
                        + "; what can be written is .mega");
    if (call.framework)
        throw WrongCall("export: --framework is for .py, which does not exist yet; it comes with a later version");
}

// Where the values came from, for the last line.
std::string loadValues(const ExportCall& call, const Project& project, train::Workspace& workspace)
{
    if (call.weights) {
        workspace.loadWeights(*call.weights);
        return "the weights of " + *call.weights;
    }
    const std::filesystem::path beside = project.weights();
    std::error_code ignored;
    if (!beside.empty() && std::filesystem::exists(beside, ignored)) {
        workspace.loadWeights(beside.string());
        return "the weights of " + beside.string();
    }
    const std::string missing =
        beside.empty() ? "" : "; " + beside.string() + ", which the project names, is not there";
    return "fresh weights, drawn by the project's seed" + missing;
}

void requireSame(const StateDict& written, const StateDict& read, const std::string& path)
{
    const auto differs = [&](const std::string& what) {
        throw Error(path + ": read back, it is not what was written: " + what);
    };
    if (written.size() != read.size())
        differs(
            fmt::format("{} instead of {}", counted(static_cast<std::int64_t>(read.size()), "tensor"), written.size()));
    for (const auto& [key, entry] : written) {
        const StateEntry* other = read.find(key);
        if (other == nullptr)
            differs(key + " is missing");
        else if (other->dtype != entry.dtype || other->shape != entry.shape
                 || !std::ranges::equal(other->bytes(), entry.bytes()))
            differs(key + " differs");
    }
}

int exportWeights(const ExportCall& call, Output& out)
{
    requireWritable(call);
    const Project project = openProject(call.project);
    const graph::Analysis analysis = analyse(project, Look::Network);
    requireSound(project, analysis);
    Session session;
    const SessionScope scope(session);
    train::Workspace workspace(session, project.document, project.path.string());
    const std::string source = loadValues(call, project, workspace);
    workspace.saveWeights(*call.to);

    const StateDict state = workspace.stateDict();
    requireSame(state, io::readWeights(*call.to).tensors, *call.to);
    std::int64_t bytes = 0;
    std::set<const void*> counts;
    for (const auto& [key, entry] : state)
        if (entry.size > 0 && counts.insert(entry.data.get()).second)
            bytes += static_cast<std::int64_t>(entry.size);
    out.line(fmt::format("{}: {}", *call.to, source));
    out.line(fmt::format("{}, {}, {}; read back and equal in every bit",
                         counted(static_cast<std::int64_t>(state.size()), "tensor"),
                         counted(analysis.totals.parameters, "parameter"), sizeShown(bytes)));
    return 0;
}

}  // namespace

Run exportCommand(Options& options)
{
    const auto call = std::make_shared<ExportCall>();
    options.positional(call->project, "PROJECT", "The project, a .megaproj file");
    options.text(call->weights, "--weights", "FILE",
                 "Which weights; else those that the project names, and where there are none, fresh ones");
    options.text(call->to, "--to", "FILE", "What to write; its ending says the format: .mega", true);
    options.text(call->framework, "--framework", "NAME", "Comes with a later version");
    return [call](Output& out) { return exportWeights(*call, out); };
}

}  // namespace megalith::cli
