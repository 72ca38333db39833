// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/workspace.h"

#include "engine/autograd/autograd.h"
#include "engine/backend/session.h"
#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/graph/check.h"
#include "engine/graph/project_text.h"
#include "engine/io/mega_reader.h"
#include "engine/io/state_dict_view.h"
#include "engine/io/weights_format.h"
#include "engine/ops/functions.h"
#include "engine/train/facts.h"
#include "engine/train/run_files.h"
#include "engine/train/trainer.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace megalith::train {

namespace {

double secondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The first error of the drawing, as a sentence with its place.
void requireNoErrors(const graph::Analysis& analysis)
{
    for (const graph::Diagnostic& d : analysis.diagnostics)
        if (d.severity == graph::Severity::Error)
            throw Error(graph::text(d));
}

TensorSnapshot snapshotOf(const std::string& key, const Tensor& tensor)
{
    const StateEntry entry = tensor.toEntry();
    const io::TensorStats stats = io::statsOf(entry);
    TensorSnapshot out;
    out.key = key;
    out.shape = tensor.shape();
    out.minimum = stats.min;
    out.maximum = stats.max;
    out.mean = stats.mean;
    out.deviation = stats.std;
    out.norm = stats.norm;
    out.zeros = stats.zeros;
    out.nans = stats.nan;
    out.infs = stats.inf;
    constexpr std::size_t bins = 40;
    out.histogram.assign(bins, 0);
    const double width = stats.max - stats.min;
    for (const double x : io::valuesOf(entry)) {
        if (!std::isfinite(x))
            continue;
        const double place =
            width > 0.0 ? (x - stats.min) / width * static_cast<double>(bins) : static_cast<double>(bins) / 2.0;
        ++out.histogram[std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, place)))];
    }
    return out;
}

}  // namespace

struct Workspace::Impl
{
    Session& session;
    graph::Document document;
    std::string path;
    graph::ParameterStore store;
    std::optional<graph::CompiledModel> model;
    std::optional<data::LoadedData> data;
    std::string dataKey;  // what `data` was loaded for
    data::Normalization normalization;
    std::int64_t step = 0;

    std::filesystem::path folder() const
    {
        return path.empty() ? std::filesystem::current_path()
                            : std::filesystem::absolute(std::filesystem::path(path)).parent_path();
    }

    std::uint64_t seed() const
    {
        const Value* value = document.training.find("seed");
        return value != nullptr && value->isInteger() ? static_cast<std::uint64_t>(value->integer()) : 0;
    }

    graph::CompiledModel& compiled() { return compiled(seed()); }
    graph::CompiledModel& compiled(std::uint64_t withSeed)
    {
        if (!model) {
            graph::CheckOptions options;
            options.settings = false;
            const graph::Analysis analysis = graph::analyze(document, options);
            requireNoErrors(analysis);
            model = graph::compile(document, analysis, store, withSeed);
        }
        return *model;
    }

    std::vector<data::InputSpec> inputSpecs()
    {
        std::vector<data::InputSpec> out;
        const graph::CompiledModel& m = compiled();
        for (std::size_t i = 0; i < m.inputs.size(); ++i)
            out.push_back({m.inputs[i], m.inputMetas[i].shape, m.inputMetas[i].dtype});
        return out;
    }

    const data::LoadedData& loaded(const Settings& settings, const std::function<bool()>& cancelled);
    void loadState(const StateDict& state, bool strict, nn::LoadReport& report, const std::string& shown);
    io::Metadata metadata() const
    {
        io::Metadata out;
        if (normalization.kind != data::NormalizationKind::None)
            out.emplace_back("megalith.normalize", writeJson(normalization.toValue()));
        return out;
    }
};

const data::LoadedData& Workspace::Impl::loaded(const Settings& settings, const std::function<bool()>& cancelled)
{
    data::LoadContext context;
    context.projectFolder = folder();
    context.seed = static_cast<std::uint64_t>(settings.seed);
    context.inputs = inputSpecs();
    const nn::LossDef& loss = *nn::findLoss(settings.loss.type);
    context.targetsAreClasses = loss.classes;
    if (loss.classes) {
        const nn::Loss made = nn::makeLoss(settings.loss.type, settings.loss.args);
        if (made.attrs().has("ignore_index"))
            context.ignoreIndex = made.attrs().integer("ignore_index");
        context.outputShape = scoredOutput(document, settings);
    }
    context.cancelled = cancelled;
    std::string key = writeJson(document.data) + std::to_string(settings.seed) + settings.loss.type
                      + std::to_string(context.ignoreIndex) + path;
    for (const data::InputSpec& input : context.inputs)
        key += input.name + text(input.shape) + std::string(dtypeName(input.dtype));
    if (context.outputShape)
        key += text(*context.outputShape);
    if (!data || key != dataKey) {
        data.reset();
        if (document.data.isNull())
            throw DataError("data: the project names no data source");
        data = data::load(document.data, context);
        dataKey = key;
    }
    normalization = data->normalization;
    return *data;
}

void Workspace::Impl::loadState(const StateDict& state, bool strict, nn::LoadReport& report, const std::string& shown)
{
    try {
        report = compiled().root->load_state_dict(state, strict);
    } catch (const Error& e) {
        throw Error(shown + ": " + e.what());
    }
}

Workspace::Workspace(Session& session, graph::Document document, std::string projectPath)
    : m_impl(new Impl{session, std::move(document), std::move(projectPath), {}, {}, {}, {}, {}, 0})
{}

Workspace::~Workspace() = default;

void Workspace::setDocument(graph::Document document)
{
    m_impl->document = std::move(document);
    m_impl->model.reset();
}

void Workspace::setPath(std::string projectPath)
{
    m_impl->path = std::move(projectPath);
}

const graph::Document& Workspace::document() const
{
    return m_impl->document;
}

nn::Module& Workspace::model()
{
    return *m_impl->compiled().root;
}

StateDict Workspace::stateDict()
{
    return model().state_dict();
}

nn::LoadReport Workspace::loadWeights(const std::string& path, bool strict)
{
    nn::LoadReport report;
    const io::Weights weights = io::readWeights(path);
    if (const Value* kept = io::findMetadata(weights.metadata, "megalith.normalize"))
        m_impl->normalization = data::Normalization::fromValue(kept->isString() ? parseJson(kept->string()) : *kept);
    m_impl->loadState(weights.tensors, strict, report, path);
    return report;
}

void Workspace::saveWeights(const std::string& path)
{
    io::writeWeights(path, stateDict(), m_impl->metadata());
}

const data::Normalization& Workspace::normalization() const
{
    return m_impl->normalization;
}

std::vector<data::InputSpec> Workspace::inputs()
{
    return m_impl->inputSpecs();
}

std::vector<std::string> Workspace::outputs()
{
    return m_impl->compiled().outputs;
}

namespace {

// One call of Workspace::train: steps until the end, an epoch's worth of news at a time.
class Run
{
public:
    Run(Trainer& trainer, RunFiles* files, const Listener& listener, const io::Metadata& metadata,
        std::string projectText, nn::Module& model)
        : m_trainer(trainer)
        , m_files(files)
        , m_listener(listener)
        , m_metadata(metadata)
        , m_projectText(std::move(projectText))
        , m_model(model)
    {}

    DoneEvent operator()(std::int64_t totalSteps, std::int64_t& shownStep)
    {
        DoneEvent done;
        while (m_trainer.step() < totalSteps && !done.stopped && !done.earlyStopped) {
            const StepEvent event = m_trainer.trainStep();
            shownStep = event.step;
            done.loss = event.loss;
            if (m_files != nullptr)
                m_files->step(event, secondsSince(m_start));
            if (m_listener.step)
                m_listener.step(event);
            if (m_trainer.atEpochEnd())
                done.earlyStopped = endEpoch();
            done.stopped = m_listener.cancelled && m_listener.cancelled();
            if (m_files != nullptr && m_files->due())
                write();
        }
        if (m_files != nullptr) {
            if (m_trainer.bestEpoch() < 0)
                m_files->setBest(m_model.state_dict());
            write();
        }
        done.steps = m_trainer.step();
        done.epochs = m_trainer.epoch();
        done.bestEpoch = m_trainer.bestEpoch();
        done.seconds = secondsSince(m_start);
        return done;
    }

private:
    bool endEpoch()
    {
        EpochEvent event = m_trainer.finishEpoch({});
        event.seconds = secondsSince(m_start);
        if (m_files != nullptr) {
            m_files->epoch(event);
            if (event.best)
                m_files->setBest(m_model.state_dict());
        }
        if (m_listener.epoch)
            m_listener.epoch(event);
        return m_trainer.shouldStop();
    }

    void write() { m_files->write(m_model.state_dict(), m_trainer.checkpoint(), m_metadata, m_projectText); }

    Trainer& m_trainer;
    RunFiles* m_files;
    const Listener& m_listener;
    const io::Metadata& m_metadata;
    std::string m_projectText;
    nn::Module& m_model;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

std::int64_t stepsOf(const TrainOptions& options, const Settings& settings, std::int64_t perEpoch)
{
    const std::int64_t epochs = options.epochs.value_or(settings.epochs);
    std::int64_t byEpochs = 0;
    if (__builtin_mul_overflow(epochs, perEpoch, &byEpochs))
        byEpochs = INT64_MAX;
    return options.steps ? (options.epochs ? std::min(*options.steps, byEpochs) : *options.steps) : byEpochs;
}

std::string metricName(const Settings& settings)
{
    const bool accuracy = nn::findLoss(settings.loss.type)->classes || settings.loss.type == "BCEWithLogitsLoss";
    return accuracy ? "accuracy" : "mae";
}

}  // namespace

DoneEvent Workspace::train(const TrainOptions& options, const Listener& listener)
{
    Impl& m = *m_impl;
    Settings settings = readSettings(m.document.training);
    if (options.seed)
        settings.seed = *options.seed;
    m.session.selectDevice(options.device.empty() ? settings.device : options.device);
    if (options.freshWeights) {
        m.store.clear();
        m.model.reset();
    }
    graph::CompiledModel& model = m.compiled(static_cast<std::uint64_t>(settings.seed));
    const data::LoadedData& data = m.loaded(settings, listener.cancelled);
    requireNoErrors(trainingProblems(m.document, data));

    Trainer trainer(m.session, model, data, settings, omp_get_max_threads());
    if (!options.resume.empty()) {
        try {
            trainer.restore(io::readMegaTree(options.resume));
        } catch (const Error& e) {
            throw Error(std::string(e.what()).starts_with(options.resume) ? std::string(e.what())
                                                                          : options.resume + ": " + e.what());
        }
    }
    std::optional<RunFiles> files;
    if (!options.outDir.empty()) {
        files.emplace(options.outDir, trainer.step(), metricName(settings));
        if (!options.resume.empty())
            files->keepBestOf(std::filesystem::path(options.resume).parent_path());
    }

    const std::int64_t total = stepsOf(options, settings, trainer.stepsPerEpoch());
    if (listener.start) {
        StartEvent start;
        start.device = m.session.device().info().id;
        start.parameters = nn::countParameters(*model.root);
        start.trainSamples = data.trainCount();
        start.valSamples = data.valCount();
        start.stepsPerEpoch = trainer.stepsPerEpoch();
        start.totalSteps = total;
        start.firstStep = trainer.step();
        listener.start(start);
    }
    const io::Metadata metadata = m.metadata();
    return Run(trainer, files ? &*files : nullptr, listener, metadata, graph::projectText(m.document),
               *model.root)(total, m.step);
}

EvalResult Workspace::evaluate(const std::function<bool()>& cancelled)
{
    Impl& m = *m_impl;
    const Settings settings = readSettings(m.document.training);
    graph::CompiledModel& model = m.compiled();
    const data::LoadedData& data = m.loaded(settings, cancelled);
    if (data.valCount() == 0)
        throw DataError("data.validation is 0: there is no validation part to evaluate on");
    return Scorer(model, settings).evaluate(data, cancelled);
}

std::vector<std::pair<std::string, StateEntry>> Workspace::predict(
    const std::vector<std::pair<std::string, StateEntry>>& inputs)
{
    const NoGrad off;
    graph::CompiledModel& model = m_impl->compiled();
    Tensors given;
    for (std::size_t i = 0; i < model.inputs.size(); ++i) {
        const std::string& name = model.inputs[i];
        const auto it =
            std::find_if(inputs.begin(), inputs.end(), [&](const auto& entry) { return entry.first == name; });
        if (it == inputs.end())
            throw Error("predict: nothing is given for the Input " + name);
        const StateEntry& entry = it->second;
        const Shape& sample = model.inputMetas[i].shape;
        if (entry.shape.size() != sample.size() + 1
            || !std::equal(sample.begin(), sample.end(), entry.shape.begin() + 1))
            throw ShapeError("predict: the Input " + name + " takes [N" + (sample.empty() ? "" : ", ")
                             + text(sample).substr(1) + ", found " + text(entry.shape));
        if (!given.empty() && given.front().size(0) != entry.shape.front())
            throw ShapeError("predict: " + model.inputs.front() + " has " + std::to_string(given.front().size(0))
                             + " rows, " + name + " " + std::to_string(entry.shape.front()));
        given.push_back(ops::empty(entry.shape, model.inputMetas[i].dtype));
        given.back().copyFrom(entry);
    }
    const bool wasTraining = model.root->training();
    model.root->eval();
    const Tensors outputs = (*model.root)(given);
    model.root->train(wasTraining);
    std::vector<std::pair<std::string, StateEntry>> out;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        out.emplace_back(model.outputs[i], outputs[i].toEntry());
    return out;
}

std::vector<TensorSnapshot> Workspace::snapshots(const std::vector<std::string>& keys)
{
    std::vector<TensorSnapshot> out;
    nn::Module& root = model();
    const auto add = [&](const std::string& key, const Tensor& tensor) {
        if (keys.empty() || std::find(keys.begin(), keys.end(), key) != keys.end()) {
            out.push_back(snapshotOf(key, tensor));
            out.back().step = m_impl->step;
        }
    };
    for (const auto& [key, tensor] : root.named_parameters())
        add(key, tensor);
    for (const auto& [key, tensor] : root.named_buffers())
        add(key, tensor);
    return out;
}

}  // namespace megalith::train
