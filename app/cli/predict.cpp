// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/predict_files.h"
#include "app/cli/project.h"
#include "engine/backend/session.h"
#include "engine/core/error.h"
#include "engine/train/workspace.h"

#include <filesystem>
#include <memory>
#include <optional>

namespace megalith::cli {

namespace {

struct PredictCall
{
    std::string project;
    std::optional<std::string> weights, output, device;
    std::vector<std::string> inputs;
};

// "x=FILE" or FILE: the numbers that were asked about are not written over.
void requireOtherFile(const std::string& output, const std::vector<std::string>& inputs)
{
    std::error_code ignored;
    for (const std::string& input : inputs)
        for (const std::string& file : {input, input.substr(input.find('=') + 1)})
            if (std::filesystem::equivalent(file, output, ignored))
                throw Error("predict: " + output + " is an input; --output has to name another file");
}

int predict(const PredictCall& call, Output& out)
{
    if (call.output) {
        requireOutputFormat(*call.output);
        requireOtherFile(*call.output, call.inputs);
    }
    const Project project = openProject(call.project);
    requireSound(project, analyse(project, Look::Network));
    Session session;
    const SessionScope scope(session);
    session.selectDevice(call.device.value_or("auto"));
    train::Workspace workspace(session, project.document, project.path.string());
    workspace.loadWeights(*call.weights);
    const NamedEntries inputs = readInputs(call.inputs, workspace.inputs(), workspace.normalization());
    const NamedEntries outputs = workspace.predict(inputs);
    if (!call.output) {
        out.write(csvText(outputs));
        out.flush();
        return 0;
    }
    for (const std::string& file : writeOutputs(*call.output, outputs))
        out.line(file);
    return 0;
}

}  // namespace

Run predictCommand(Options& options)
{
    const auto call = std::make_shared<PredictCall>();
    options.positional(call->project, "PROJECT", "The project, a .megaproj file");
    options.text(call->weights, "--weights", "FILE", "The weights", true);
    options.texts(call->inputs, "--input", "[NAME=]FILE",
                  "An .npy as it is, or a .csv or .png, which are normalised as in training; once for each Input",
                  true);
    options.text(call->output, "--output", "FILE",
                 "An .npy or .csv file; with several Outputs FILE-NAME. Without it the numbers are printed");
    options.text(call->device, "--device", "D", "auto, cpu, opencl or opencl:I");
    return [call](Output& out) { return predict(*call, out); };
}

}  // namespace megalith::cli
