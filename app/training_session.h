// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model_thread.h"

#include <QElapsedTimer>
#include <QObject>

#include <memory>

namespace megalith::cli {
class RunFolder;
}

namespace megalith::app {

class DocumentController;

// What a run looks like from the window: whether one is on, how far it is, how fast.
struct Progress
{
    QString epoch;  // "Epoch 7 of 20"
    double share = 0.0;
    QString speed;   // "18,400 samples/s · 9 s left"
    QString status;  // "Training · step 6,540 · loss 0.213 · lr 0.001"
};

// Starts and stops runs, locks the document meanwhile, and turns what the thread says into what the window shows.
class TrainingSession : public QObject
{
    Q_OBJECT
public:
    TrainingSession(DocumentController& document, ModelThread& model, QObject* parent = nullptr);
    ~TrainingSession() override;

    // fresh: from the seed; else from the values that are there.
    void start(bool fresh);
    void stop();
    bool isRunning() const { return m_running; }
    // Why it cannot be started now; empty when it can.
    QString blockedBy() const;
    const Progress& progress() const { return m_progress; }
    QString device() const { return m_device; }
    // Of the run that is on, or was the last.
    std::int64_t stepsDone() const { return m_last.step; }

signals:
    void runningChanged(bool running);
    void progressed();
    void started(const megalith::train::StartEvent& event);
    void step(const megalith::train::StepEvent& event);
    void epoch(const megalith::train::EpochEvent& event);
    void snapshots(const std::vector<megalith::train::TensorSnapshot>& snapshots);
    void message(const QString& text);
    // error: empty when it came to its end or was stopped.
    void ended(const QString& summary, const QString& error);

private:
    bool makeFolder();
    void hear(const RunNews& news);
    void measure(std::int64_t step);
    void end(const QString& summary, const QString& error);

    DocumentController& m_document;
    ModelThread& m_model;
    std::unique_ptr<cli::RunFolder> m_folder;  // of the run; a project that was never saved has none
    bool m_running = false;
    bool m_stopping = false;
    QString m_device;
    train::StartEvent m_start;
    train::StepEvent m_last;
    Progress m_progress;
    std::int64_t m_epochs = 0;
    QElapsedTimer m_clock;
    qint64 m_measuredAt = 0;
    std::int64_t m_measuredStep = 0;
    double m_stepsPerSecond = 0.0;
};

}  // namespace megalith::app
