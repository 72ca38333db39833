// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/data/batches.h"
#include "engine/data/dataset.h"
#include "engine/graph/compile.h"
#include "engine/io/tree.h"
#include "engine/optim/optimizer.h"
#include "engine/optim/scheduler.h"
#include "engine/train/evaluator.h"

#include <optional>
#include <vector>

namespace megalith::train {

// One training: model, data, optimizer, schedule, and where they stand. Lives on the model thread.
class Trainer
{
public:
    Trainer(Session& session, graph::CompiledModel& model, const data::LoadedData& data, const Settings& settings,
            std::int64_t threads);

    std::int64_t step() const { return m_step; }
    std::int64_t epoch() const { return m_epoch; }
    std::int64_t stepsPerEpoch() const { return m_order.stepsPerEpoch(); }

    // One optimizer step on the next batch.
    StepEvent trainStep();
    bool atEpochEnd() const { return m_inEpoch == m_order.stepsPerEpoch(); }
    // What ends an epoch: validation, and the schedule moves. To be called when its last batch is done.
    EpochEvent finishEpoch(const std::function<bool()>& cancelled);
    bool shouldStop() const;

    std::int64_t bestEpoch() const { return m_bestEpoch; }
    io::TreeValue checkpoint() const;
    // FormatError names what does not fit. Throws before anything is changed where it can.
    void restore(const io::TreeValue& checkpoint);

private:
    void clip();
    void judge(EpochEvent& event);

    Session& m_session;
    graph::CompiledModel& m_model;
    const data::LoadedData& m_data;
    const Settings m_settings;
    Scorer m_scorer;
    optim::Optimizer m_optimizer;
    std::optional<optim::Scheduler> m_scheduler;
    data::BatchOrder m_order;
    BatchLoader m_loader;
    std::int64_t m_threads;
    std::int64_t m_step = 0;
    std::int64_t m_epoch = 0;
    std::int64_t m_inEpoch = 0;
    double m_lossSum = 0.0;
    double m_best = 0.0;
    std::int64_t m_bestEpoch = -1;
    std::int64_t m_patienceEpoch = -1;  // the last epoch that was better by min_delta
    double m_patienceBest = 0.0;
};

}  // namespace megalith::train
