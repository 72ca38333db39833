// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/graph/summary.h"

#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/project.h"

#include <memory>

namespace megalith::cli {

namespace {

struct SummaryCall
{
    std::string project;
    bool json = false;
};

int summary(const SummaryCall& call, Output& out)
{
    const Project project = openProject(call.project);
    const graph::Analysis analysis = analyse(project, Look::Network);
    requireSound(project, analysis);
    const graph::Summary found = graph::summarize(project.document, analysis);
    if (call.json) {
        for (const std::string& line : graph::summaryLines(found))
            out.line(line);
        return 0;
    }
    if (out.terminal())
        out.write(graph::drawing(project.document, analysis) + "\n");
    out.write(graph::summaryTree(found));
    out.flush();
    return 0;
}

}  // namespace

Run summaryCommand(Options& options)
{
    const auto call = std::make_shared<SummaryCall>();
    options.positional(call->project, "PROJECT", "The project, a .megaproj file");
    options.flag(call->json, "--json", "One JSON object per line");
    return [call](Output& out) { return summary(*call, out); };
}

}  // namespace megalith::cli
