// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/listing.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/project.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace megalith::cli {

namespace {

struct CheckCall
{
    std::string project;
    bool json = false;
    std::optional<std::string> fix;
};

Paint paintOf(graph::Severity severity)
{
    switch (severity) {
    case graph::Severity::Error: return Paint::Bad;
    case graph::Severity::Warning: return Paint::Careful;
    case graph::Severity::Note: return Paint::Faint;
    }
    return Paint::Plain;
}

void printJson(const graph::Analysis& analysis, Output& out)
{
    for (const graph::Diagnostic& diagnostic : analysis.diagnostics) {
        Value::List fixes;
        for (const graph::Fix& fix : diagnostic.fixes)
            fixes.push_back(fix.text);
        out.json(Value::Object{{"severity", graph::severityName(diagnostic.severity)},
                               {"node", diagnostic.node},
                               {"path", diagnostic.path},
                               {"port", diagnostic.port},
                               {"rule", diagnostic.rule},
                               {"message", diagnostic.message},
                               {"fixes", std::move(fixes)}});
    }
    out.json(Value::Object{{"event", "done"},
                           {"errors", analysis.errors},
                           {"warnings", analysis.warnings},
                           {"parameters", analysis.totals.parameters},
                           {"trainable", analysis.totals.trainable}});
}

void printText(const Project& project, const graph::Analysis& analysis, Output& out)
{
    printListing(analysis, out);
    for (const graph::Diagnostic& diagnostic : analysis.diagnostics) {
        const std::string severity(graph::severityName(diagnostic.severity));
        out.line(out.painted(paintOf(diagnostic.severity), severity + ":") + " " + graph::text(diagnostic));
        for (const graph::Fix& fix : diagnostic.fixes)
            out.line("       " + out.painted(Paint::Faint, "to mend it: " + fix.text));
    }
    if (!analysis.diagnostics.empty())
        out.line({});
    out.line(fmt::format("{}: {}, {}; {}", project.shown(), counted(analysis.errors, "error"),
                         counted(analysis.warnings, "warning"), totalsText(analysis.totals)));
}

int check(const CheckCall& call, Output& out)
{
    if (call.fix)
        throw WrongCall("check: --fix does not exist yet; it comes with a later version");
    const Project project = openProject(call.project);
    const graph::Analysis analysis = analyse(project, Look::NetworkAndTraining);
    if (call.json)
        printJson(analysis, out);
    else
        printText(project, analysis, out);
    requireSound(project, analysis);
    return 0;
}

}  // namespace

Run checkCommand(Options& options)
{
    const auto call = std::make_shared<CheckCall>();
    options.positional(call->project, "PROJECT", "The project, a .megaproj file");
    options.flag(call->json, "--json", "One JSON object per line");
    options.text(call->fix, "--fix", "N", "Comes with a later version");
    return [call](Output& out) { return check(*call, out); };
}

}  // namespace megalith::cli
