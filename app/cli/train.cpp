// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/progress.h"
#include "app/cli/project.h"
#include "app/cli/run_folder.h"
#include "app/cli/signals.h"
#include "engine/backend/session.h"
#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/graph/edit.h"
#include "engine/train/workspace.h"

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace megalith::cli {

namespace {

struct TrainCall
{
    std::string project;
    std::optional<std::string> init, device, out, resume;
    std::optional<std::int64_t> epochs, steps, seed;
    bool noStrict = false;
    bool json = false;
    bool quiet = false;
};

double milliseconds(double seconds)
{
    return std::round(seconds * 1e3) / 1e3;
}

Value numberOrNull(const std::optional<double>& number)
{
    return number ? Value(*number) : Value();
}

// The events as lines of JSON.
class JsonEvents
{
public:
    explicit JsonEvents(Output& out) : m_out(out) {}

    void start(const train::StartEvent& event, const std::string& folder)
    {
        m_out.json(Value::Object{{"event", "start"},
                                 {"device", event.device},
                                 {"parameters", event.parameters},
                                 {"train_samples", event.trainSamples},
                                 {"val_samples", event.valSamples},
                                 {"steps_per_epoch", event.stepsPerEpoch},
                                 {"total_steps", event.totalSteps},
                                 {"first_step", event.firstStep},
                                 {"out", folder}});
    }
    void step(const train::StepEvent& event)
    {
        m_out.json(Value::Object{
            {"event", "step"}, {"step", event.step}, {"epoch", event.epoch}, {"loss", event.loss}, {"lr", event.lr}});
    }
    void epoch(const train::EpochEvent& event)
    {
        Value::Object line{{"event", "epoch"},   {"epoch", event.epoch}, {"step", event.step},
                           {"loss", event.loss}, {"lr", event.lr},       {"val_loss", numberOrNull(event.valLoss)}};
        for (const train::Metric& metric : event.valMetrics)
            line.emplace_back("val_" + metric.name, metric.value);
        line.emplace_back("seconds", milliseconds(event.seconds));
        line.emplace_back("best", event.best);
        m_out.json(std::move(line));
    }
    void done(const train::DoneEvent& event)
    {
        m_out.json(Value::Object{{"event", event.stopped ? "stopped" : "done"},
                                 {"steps", event.steps},
                                 {"epochs", event.epochs},
                                 {"best_epoch", event.bestEpoch < 0 ? Value() : Value(event.bestEpoch)},
                                 {"seconds", milliseconds(event.seconds)},
                                 {"early_stopped", event.earlyStopped}});
    }

private:
    Output& m_out;
};

train::Listener listenerOf(const TrainCall& call, const Project& project, const std::string& folder, JsonEvents& json,
                           Progress& progress)
{
    train::Listener listener;
    listener.cancelled = [] { return StopSignals::asked() != 0; };
    if (call.json) {
        listener.start = [&json, folder](const train::StartEvent& event) { json.start(event, folder); };
        listener.step = [&json](const train::StepEvent& event) { json.step(event); };
        listener.epoch = [&json](const train::EpochEvent& event) { json.epoch(event); };
    } else {
        const std::string title = project.path.stem().string();
        listener.start = [&progress, title](const train::StartEvent& event) { progress.start(event, title); };
        listener.step = [&progress](const train::StepEvent& event) { progress.step(event); };
        listener.epoch = [&progress](const train::EpochEvent& event) { progress.epoch(event); };
    }
    return listener;
}

train::TrainOptions optionsOf(const TrainCall& call, const std::string& folder)
{
    train::TrainOptions options;
    options.epochs = call.epochs;
    options.steps = call.steps;
    options.seed = call.seed;
    options.device = call.device.value_or("");
    options.outDir = folder;
    options.resume = call.resume.value_or("");
    options.freshWeights = !call.init;
    return options;
}

void printList(const std::string& what, const std::vector<std::string>& names)
{
    for (const std::string& name : names)
        printNote(what + " " + name);
}

void loadInitial(const TrainCall& call, train::Workspace& workspace)
{
    const nn::LoadReport report = workspace.loadWeights(*call.init, !call.noStrict);
    printList("missing in " + *call.init + ":", report.missing);
    printList("unexpected in " + *call.init + ":", report.unexpected);
    printList("wrong size:", report.wrongSizes);
}

// The seed decides what --init --no-strict leaves fresh, so the document has it before values are made.
graph::Document seeded(const TrainCall& call, graph::Document document)
{
    const std::array<std::string, 1> path{"seed"};
    if (call.init && call.seed)
        graph::apply(document, graph::setSetting(document, "training", path, *call.seed));
    return document;
}

int trainProject(const TrainCall& call, Output& out)
{
    if (call.init && call.resume)
        throw WrongCall("train: --init and --resume exclude each other: a checkpoint brings its own weights");
    if (call.noStrict && !call.init)
        throw WrongCall("train: --no-strict says how --init loads; without --init it means nothing");
    const StopSignals stopping;
    const Project project = openProject(call.project);
    requireSound(project, analyse(project, Look::NetworkAndTraining));
    Session session;
    const SessionScope scope(session);
    session.selectDevice(call.device.value_or("auto"));
    train::Workspace workspace(session, seeded(call, project.document), project.path.string());
    if (call.init)
        loadInitial(call, workspace);
    const RunFolder folder = call.out ? RunFolder::given(*call.out) : RunFolder::next(project.path);

    // Who reads along may go away; the run is not lost for that.
    out.keepGoing();
    JsonEvents json(out);
    Progress progress(out, call.quiet);
    train::DoneEvent done;
    try {
        done = workspace.train(optionsOf(call, folder.path().string()),
                               listenerOf(call, project, folder.path().string(), json, progress));
    } catch (const Cancelled&) {
        done.stopped = true;
    } catch (...) {
        progress.clear();
        throw;
    }
    if (call.json)
        json.done(done);
    else
        progress.done(done, folder.path().string());
    if (!call.quiet && !std::isfinite(done.loss))
        printNote("the loss of the last step is " + shortestText(done.loss)
                  + ": the training diverged; a smaller learning rate or clip_grad_norm may help");
    if (!out.failure().empty())
        throw Error(out.failure());
    return done.stopped ? StopSignals::exitCode() : 0;
}

}  // namespace

Run trainCommand(Options& options)
{
    const auto call = std::make_shared<TrainCall>();
    options.positional(call->project, "PROJECT", "The project, a .megaproj file");
    options.text(call->init, "--init", "WEIGHTS", "Start from the weights in this file instead of fresh ones");
    options.flag(call->noStrict, "--no-strict", "With --init: load what fits, list what does not");
    options.whole(call->epochs, "--epochs", "N", "How many epochs in all, also with --resume");
    options.whole(call->steps, "--steps", "N", "How many steps in all, also with --resume");
    options.text(call->device, "--device", "D", "auto, cpu, opencl or opencl:I");
    options.whole(call->seed, "--seed", "S", "Instead of the project's seed");
    options.text(call->out, "--out", "DIR",
                 "Where best.mega, last.mega, checkpoint.mega and metrics.csv go; else a new NAME.runs/N/ beside the "
                 "project");
    options.text(call->resume, "--resume", "CHECKPOINT", "Go on from a checkpoint.mega");
    options.flag(call->json, "--json", "One JSON object per line");
    options.flag(call->quiet, "--quiet", "Print nothing but errors");
    return [call](Output& out) { return trainProject(*call, out); };
}

}  // namespace megalith::cli
