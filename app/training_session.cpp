// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/training_session.h"

#include "app/cli/run_folder.h"
#include "app/document_controller.h"
#include "engine/core/error.h"
#include "engine/train/workspace.h"
#include "widgets/text.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace megalith::app {

using ui::countText;
using ui::numberText;
using ui::qs;

TrainingSession::TrainingSession(DocumentController& document, ModelThread& model, QObject* parent)
    : QObject(parent)
    , m_document(document)
    , m_model(model)
{
    connect(&model, &ModelThread::news, this, &TrainingSession::hear);
    connect(&model, &ModelThread::failed, this,
            [this](const QString& error) { end(tr("The training ended with an error"), error); });
    connect(&model, &ModelThread::finished, this, [this](const train::DoneEvent& done) {
        const QString steps = tr("%1 steps in %2").arg(countText(done.steps), ui::durationText(done.seconds));
        end(done.stopped        ? tr("Stopped after %1").arg(steps)
            : done.earlyStopped ? tr("Stopped early: no better for a while, after %1").arg(steps)
                                : tr("Trained %1").arg(steps),
            {});
        if (!std::isfinite(done.loss))
            emit message(tr("The training diverged: the loss of the last step is no number. A smaller learning rate or "
                            "clip_grad_norm may help."));
    });
}

TrainingSession::~TrainingSession() = default;

bool TrainingSession::makeFolder()
{
    m_folder.reset();
    if (m_document.path().isEmpty())
        return true;
    try {
        const std::filesystem::path project(m_document.path().toStdU16String());
        m_folder.reset(new cli::RunFolder(cli::RunFolder::next(project)));
        return true;
    } catch (const Error& error) {
        emit ended(tr("The run could not be started"), qs(error.what()));
        return false;
    }
}

QString TrainingSession::blockedBy() const
{
    if (const graph::Diagnostic* error = m_document.firstError())
        return qs(graph::text(*error));
    if (!m_document.document().data.find("source"))
        return tr("there is no data source: choose one in the Training panel");
    return {};
}

void TrainingSession::start(bool fresh)
{
    if (m_running || !blockedBy().isEmpty() || !makeFolder())
        return;
    m_running = true;
    m_stopping = false;
    m_start = {};
    m_last = {};
    m_stepsPerSecond = 0.0;
    m_progress = {tr("Starting"), 0.0, {}, tr("Training \u00B7 starting")};
    m_document.setTrainingLock(tr("The graph is locked while it trains. Stop the training to change it."));
    train::TrainOptions options;
    options.outDir = m_folder ? m_folder->path().string() : std::string();
    options.freshWeights = fresh;
    m_clock.start();
    m_measuredAt = 0;
    m_measuredStep = 0;
    m_model.startTraining(std::move(options));
    emit runningChanged(true);
    emit progressed();
}

void TrainingSession::stop()
{
    if (!m_running || m_stopping)
        return;
    m_stopping = true;
    m_model.stop();
    m_progress.status = tr("Stopping after this step");
    emit progressed();
}

void TrainingSession::hear(const RunNews& news)
{
    if (news.start) {
        m_start = *news.start;
        m_device = qs(m_start.device);
        m_measuredStep = m_start.firstStep;
        const std::int64_t perEpoch = std::max<std::int64_t>(m_start.stepsPerEpoch, 1);
        m_epochs = (m_start.totalSteps + perEpoch - 1) / perEpoch;
        emit started(m_start);
        emit message(tr("Training on %1 samples, %2 for validation")
                         .arg(countText(m_start.trainSamples), countText(m_start.valSamples)));
    }
    for (const train::StepEvent& event : news.steps)
        emit step(event);
    for (const train::EpochEvent& event : news.epochs)
        emit epoch(event);
    if (!news.snapshots.empty())
        emit snapshots(news.snapshots);
    if (news.steps.empty())
        return;
    m_last = news.steps.back();
    measure(m_last.step);
    const double total = static_cast<double>(std::max<std::int64_t>(m_start.totalSteps, 1));
    m_progress.share = std::clamp(static_cast<double>(m_last.step) / total, 0.0, 1.0);
    m_progress.epoch = tr("Epoch %1 of %2").arg(m_last.epoch + 1).arg(std::max(m_epochs, m_last.epoch + 1));
    if (!m_stopping)
        m_progress.status =
            tr("Training \u00B7 step %1 \u00B7 loss %2 \u00B7 lr %3")
                .arg(countText(m_last.step), numberText(m_last.loss), QString::number(m_last.lr, 'g', 4));
    emit progressed();
}

void TrainingSession::measure(std::int64_t step)
{
    const qint64 now = m_clock.elapsed();
    if (now - m_measuredAt < 500 && m_stepsPerSecond > 0.0)
        return;
    const double seconds = static_cast<double>(std::max<qint64>(now - m_measuredAt, 1)) / 1000.0;
    m_stepsPerSecond = static_cast<double>(step - m_measuredStep) / seconds;
    m_measuredAt = now;
    m_measuredStep = step;
    const double perStep = static_cast<double>(m_start.trainSamples)
                           / static_cast<double>(std::max<std::int64_t>(m_start.stepsPerEpoch, 1));
    const auto samples = static_cast<std::int64_t>(std::llround(m_stepsPerSecond * perStep));
    m_progress.speed = tr("%1 samples/s").arg(countText(samples));
    if (m_stepsPerSecond > 0.0)
        m_progress.speed +=
            QStringLiteral(" \u00B7 ")
            + tr("%1 left").arg(ui::durationText(static_cast<double>(m_start.totalSteps - step) / m_stepsPerSecond));
}

void TrainingSession::end(const QString& summary, const QString& error)
{
    if (!m_running)
        return;
    m_running = false;
    m_folder.reset();
    m_progress.status = error.isEmpty() && m_last.step > 0
                            ? summary + QStringLiteral(" \u00B7 ") + tr("loss %1").arg(numberText(m_last.loss))
                            : summary;
    if (error.isEmpty() && !m_stopping)
        m_progress.share = 1.0;
    m_progress.speed = error.isEmpty() ? (m_stopping ? tr("stopped") : tr("done")) : tr("ended with an error");
    m_document.setTrainingLock({});
    if (m_last.step > 0)
        m_document.setValuesDirty(true);
    emit runningChanged(false);
    emit progressed();
    emit ended(summary, error);
}

}  // namespace megalith::app
