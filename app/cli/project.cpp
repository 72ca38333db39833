// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/project.h"

#include "app/cli/command.h"
#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/io/project_io.h"
#include "engine/train/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace megalith::cli {

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
    if (look == Look::NetworkAndTraining)
        return train::checkProject(project.document, project.folder());
    graph::CheckOptions options;
    options.settings = false;
    return graph::analyze(project.document, options);
}

void requireSound(const Project& project, const graph::Analysis& analysis)
{
    const auto first = std::ranges::find(analysis.diagnostics, graph::Severity::Error, &graph::Diagnostic::severity);
    if (first == analysis.diagnostics.end())
        return;
    std::string more;
    if (analysis.errors > 1)
        more = fmt::format(" ({} in all, which megalith check lists)", counted(analysis.errors, "error"));
    throw Error(project.shown() + ": " + graph::text(*first) + more);
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
