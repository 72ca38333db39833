// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/progress.h"
#include "app/cli/project.h"
#include "engine/backend/session.h"
#include "engine/train/workspace.h"

#include <memory>
#include <optional>

namespace megalith::cli {

namespace {

struct EvalCall
{
    std::string project;
    std::optional<std::string> weights, device;
    bool json = false;
};

int evaluate(const EvalCall& call, Output& out)
{
    const Project project = openProject(call.project);
    requireSound(project, analyse(project, Look::NetworkAndTraining));
    Session session;
    const SessionScope scope(session);
    session.selectDevice(call.device.value_or("auto"));
    train::Workspace workspace(session, project.document, project.path.string());
    workspace.loadWeights(*call.weights);
    const train::EvalResult result = workspace.evaluate();
    if (call.json) {
        Value::Object metrics;
        for (const train::Metric& metric : result.metrics)
            metrics.emplace_back(metric.name, metric.value);
        out.json(Value::Object{{"loss", result.loss}, {"samples", result.samples}, {"metrics", std::move(metrics)}});
        return 0;
    }
    std::string text = "loss " + shortNumber(result.loss);
    for (const train::Metric& metric : result.metrics)
        text += ", " + metric.name + " " + shortNumber(metric.value);
    out.line(text + " on " + counted(result.samples, "sample"));
    return 0;
}

}  // namespace

Run evalCommand(Options& options)
{
    const auto call = std::make_shared<EvalCall>();
    options.positional(call->project, "PROJECT", "The project, a .megaproj file");
    options.text(call->weights, "--weights", "FILE", "The weights", true);
    options.text(call->device, "--device", "D", "auto, cpu, opencl or opencl:I");
    options.flag(call->json, "--json", "One JSON object");
    return [call](Output& out) { return evaluate(*call, out); };
}

}  // namespace megalith::cli
