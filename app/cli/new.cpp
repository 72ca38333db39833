// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/project.h"
#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/data/dataset.h"
#include "engine/graph/templates.h"
#include "engine/io/project_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace megalith::cli {

namespace fs = std::filesystem;

namespace {

struct NewCall
{
    std::string name;
    std::optional<std::string> templateName, data, sizes;
};

std::string templateNames()
{
    std::string names;
    for (const graph::TemplateDef& def : graph::allTemplates())
        names += (names.empty() ? "" : ", ") + std::string(def.name);
    return names;
}

void requireTemplate(const std::string& name)
{
    const auto all = graph::allTemplates();
    if (std::ranges::find(all, name, &graph::TemplateDef::name) == all.end())
        throw WrongCall("new: the template " + name + " does not exist; there are " + templateNames());
}

std::vector<std::int64_t> sizesOf(const NewCall& call)
{
    std::vector<std::int64_t> sizes;
    if (!call.sizes)
        return sizes;
    if (*call.templateName != "mlp")
        throw WrongCall("new: --sizes are the layer sizes of mlp, not of " + *call.templateName);
    for (std::size_t at = 0; at <= call.sizes->size();) {
        const std::size_t comma = std::min(call.sizes->find(',', at), call.sizes->size());
        const std::optional<std::int64_t> size = parseInteger(std::string_view(*call.sizes).substr(at, comma - at));
        if (!size || *size < 1)
            throw WrongCall("new: --sizes are whole numbers of at least 1 with commas between them, not "
                            + *call.sizes);
        sizes.push_back(*size);
        at = comma + 1;
    }
    if (sizes.size() < 2)
        throw WrongCall("new: --sizes are at least two numbers, those of the input and of the output");
    return sizes;
}

// A table beside the project: its columns say what the network is for.
graph::TemplateData tableData(const std::string& file, const fs::path& projectFolder)
{
    // What a project names is relative to its folder.
    fs::path path(file);
    if (path.is_relative() && !projectFolder.empty())
        path = fs::proximate(path, projectFolder);
    const Value settings = Value::Object{{"source", "csv"}, {"path", path.string()}};
    const data::SourceFacts facts = data::sourceFacts(settings, projectFolder);
    graph::TemplateData data;
    data.source = "csv";
    data.path = path.string();
    data.sample = facts.inputs.empty() ? Shape{} : facts.inputs.front().sample;
    data.classes = facts.classCount;
    data.target = facts.targetSample;
    return data;
}

std::optional<graph::TemplateData> dataOf(const NewCall& call, const fs::path& project)
{
    if (!call.data)
        return std::nullopt;
    if (std::optional<graph::TemplateData> known = graph::builtInData(*call.data))
        return known;
    if (fs::path(*call.data).extension() == ".csv")
        return tableData(*call.data, project.parent_path());
    const std::vector<std::string> sources = data::sourceNames();
    if (std::ranges::find(sources, *call.data) != sources.end())
        throw WrongCall("new: " + *call.data
                        + " needs files: make the project with a built-in source and write into it "
                          "where they are, or name a .csv file");
    std::vector<std::string_view> names;
    for (const std::string& source : sources)
        names.push_back(source);
    const std::string near = nearest(*call.data, names);
    throw WrongCall("new: there is no data source " + *call.data
                    + (near.empty() ? "" : "; did you mean " + near + "?"));
}

fs::path pathOf(const std::string& name)
{
    fs::path path(name);
    if (path.extension() != ".megaproj")
        path += ".megaproj";
    if (path.stem().empty() || path.stem() == ".megaproj")
        throw WrongCall("new: a project needs a name, and " + name + " is none");
    return path;
}

int makeProject(const NewCall& call, Output& out)
{
    requireTemplate(*call.templateName);
    const std::vector<std::int64_t> sizes = sizesOf(call);
    const fs::path path = pathOf(call.name);
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(path, ignored)))
        throw Error(path.string() + " is there already; nothing was changed");
    const std::optional<graph::TemplateData> data = dataOf(call, path);
    const Project project{path, graph::newFromTemplate(*call.templateName, path.stem().string(), data, sizes)};
    io::saveProject(project.document, path);
    const graph::Analysis analysis = analyse(project, Look::Network);
    const Value* source = project.document.data.find("source");
    out.line(fmt::format("{}: {}{}, {}", path.string(), *call.templateName,
                         source != nullptr && source->isString() ? " on " + source->string() : std::string(),
                         counted(analysis.totals.parameters, "parameter")));
    return 0;
}

}  // namespace

Run newCommand(Options& options)
{
    const auto call = std::make_shared<NewCall>();
    options.positional(call->name, "NAME", "The project NAME.megaproj; may begin with a folder");
    options.text(call->templateName, "--template", "NAME", "What to begin with: " + templateNames(), true);
    options.text(call->data, "--data", "SOURCE", "A built-in source (digits, iris, moons, ...) or a .csv file");
    options.text(call->sizes, "--sizes", "10,4,3", "The layer sizes of mlp, the input's first");
    return [call](Output& out) { return makeProject(*call, out); };
}

}  // namespace megalith::cli
