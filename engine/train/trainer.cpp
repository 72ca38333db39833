// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/trainer.h"

#include "engine/autograd/autograd.h"
#include "engine/backend/session.h"
#include "engine/core/error.h"
#include "engine/ops/functions.h"
#include "engine/optim/clip.h"

#include <algorithm>
#include <cmath>

namespace megalith::train {

namespace {

optim::Optimizer optimizerOf(nn::Module& model, const Settings& settings)
{
    bool trainable = false;
    for (const Tensor& p : model.parameters())
        trainable = trainable || p.requires_grad();
    if (!trainable)
        throw Error(model.parameters().empty() ? "nothing to train: the network has no parameters"
                                               : "nothing to train: every parameter is frozen");
    return optim::makeOptimizer(settings.optimizer.type, optim::groupsByKey(model, settings.paramGroups),
                                settings.optimizer.args);
}

std::optional<optim::Scheduler> schedulerOf(const Settings& settings, const optim::Optimizer& optimizer)
{
    if (!settings.scheduler)
        return std::nullopt;
    return optim::makeScheduler(settings.scheduler->type, settings.scheduler->args, optimizer.learningRates());
}

}  // namespace

Trainer::Trainer(Session& session, graph::CompiledModel& model, const data::LoadedData& data, const Settings& settings,
                 std::int64_t threads)
    : m_session(session)
    , m_model(model)
    , m_data(data)
    , m_settings(settings)
    , m_scorer(model, settings)
    , m_optimizer(optimizerOf(*model.root, settings))
    , m_scheduler(schedulerOf(settings, m_optimizer))
    , m_order(data.trainCount(), settings.batchSize, settings.shuffle, settings.dropLast,
              static_cast<std::uint64_t>(settings.seed))
    , m_threads(threads)
{
    session.manual_seed(settings.seed);
    model.root->zero_grad();
    for (std::size_t g = 0; m_scheduler && g < m_optimizer.groupCount(); ++g)
        m_optimizer.setLearningRate(g, m_scheduler->lr(g));
}

void Trainer::clip()
{
    if (m_settings.clipGradNorm)
        optim::clip_grad_norm_(m_optimizer.params(), *m_settings.clipGradNorm);
    if (m_settings.clipGradValue)
        optim::clip_grad_value_(m_optimizer.params(), *m_settings.clipGradValue);
}

StepEvent Trainer::trainStep()
{
    m_order.setEpoch(m_epoch);
    const std::span<const std::int64_t> rows = m_order.rows(m_inEpoch);
    const Batch& batch = m_loader.load(m_data.trainInputs, m_data.trainTargets, rows);
    m_model.root->train();
    m_optimizer.zero_grad();
    const Tensor loss = m_scorer.loss(batch);
    backward(loss);
    clip();
    StepEvent event{m_step + 1, m_epoch, loss.item(), m_optimizer.learningRate()};
    m_optimizer.step();
    ops::addScalar_(m_session.random().step, 1.0);
    ++m_step;
    ++m_inEpoch;
    m_lossSum += event.loss;
    if (m_scheduler && m_scheduler->perBatch()) {
        m_scheduler->step();
        for (std::size_t g = 0; g < m_optimizer.groupCount(); ++g)
            m_optimizer.setLearningRate(g, m_scheduler->lr(g));
    }
    return event;
}

EpochEvent Trainer::finishEpoch(const std::function<bool()>& cancelled)
{
    EpochEvent event;
    event.epoch = m_epoch;
    event.step = m_step;
    event.loss = m_lossSum / static_cast<double>(m_inEpoch);
    event.lr = m_optimizer.learningRate();
    if (m_data.valCount() > 0) {
        EvalResult result = m_scorer.evaluate(m_data, cancelled);
        event.valLoss = result.loss;
        event.valMetrics = std::move(result.metrics);
    }
    judge(event);
    if (m_scheduler && !m_scheduler->perBatch()) {
        m_scheduler->step(event.valLoss.value_or(event.loss));
        for (std::size_t g = 0; g < m_optimizer.groupCount(); ++g)
            m_optimizer.setLearningRate(g, m_scheduler->lr(g));
    }
    ++m_epoch;
    m_inEpoch = 0;
    m_lossSum = 0.0;
    return event;
}

// Whether the epoch is the best so far, and how long nothing got better.
void Trainer::judge(EpochEvent& event)
{
    const double score = event.valLoss.value_or(event.loss);
    event.best = std::isfinite(score) && (m_bestEpoch < 0 || score < m_best);
    if (event.best) {
        m_best = score;
        m_bestEpoch = event.epoch;
    }
    if (!m_settings.earlyStopping)
        return;
    const EarlyStopping& rule = *m_settings.earlyStopping;
    double watched = score;
    bool larger = false;
    if (rule.monitor == "loss")
        watched = event.loss;
    for (const Metric& metric : event.valMetrics)
        if (rule.monitor == "val_" + metric.name) {
            watched = metric.value;
            larger = metric.name == "accuracy";
        }
    const bool better = larger ? watched > m_patienceBest + rule.minDelta : watched < m_patienceBest - rule.minDelta;
    if (m_patienceEpoch < 0 || better || (std::isnan(m_patienceBest) && !std::isnan(watched))) {
        m_patienceBest = watched;
        m_patienceEpoch = event.epoch;
    }
}

bool Trainer::shouldStop() const
{
    return m_settings.earlyStopping && m_patienceEpoch >= 0
           && m_epoch - 1 - m_patienceEpoch >= std::max<std::int64_t>(m_settings.earlyStopping->patience, 1);
}

}  // namespace megalith::train
