// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/check.h"
#include "engine/graph/document.h"
#include "engine/train/events.h"

#include <QObject>
#include <QString>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

class QTimer;

namespace megalith::train {
class Workspace;
struct TrainOptions;
}  // namespace megalith::train

namespace megalith::app {

// What a run has said since it was asked last.
struct RunNews
{
    std::optional<train::StartEvent> start;
    std::vector<train::StepEvent> steps;
    std::vector<train::EpochEvent> epochs;
    std::vector<train::TensorSnapshot> snapshots;
    bool empty() const { return !start && steps.empty() && epochs.empty() && snapshots.empty(); }
};

// The thread that owns a document's tensors. Everything is asked for by value and answered by value, in the window's thread.
class ModelThread : public QObject
{
    Q_OBJECT
public:
    explicit ModelThread(QObject* parent = nullptr);
    // Stops a run and waits for its step to end.
    ~ModelThread() override;

    // Another project: all values begin anew.
    void open(graph::Document document, const QString& projectPath);
    // The same project, edited or saved elsewhere: values of tensors that keep their shape stay.
    void update(graph::Document document, const QString& projectPath);

    // Answers take what went wrong, empty when it was done.
    using Answer = std::function<void(const QString& error)>;
    void loadWeights(const QString& path, bool strict, Answer answer);
    void saveWeights(const QString& path, Answer answer);
    void startTraining(train::TrainOptions options);
    void stop();
    bool isTraining() const { return m_training; }
    // snapshots() follows, if the document has no error.
    void requestSnapshots();
    // dataFacts() follows.
    void requestFacts(graph::Document document, const QString& folder);

signals:
    void news(const megalith::app::RunNews& news);  // at most 20 times a second
    void finished(const megalith::train::DoneEvent& done);
    void failed(const QString& error);
    void snapshots(const std::vector<megalith::train::TensorSnapshot>& snapshots);
    void dataFacts(const std::optional<megalith::graph::DataFacts>& facts, const QString& error);
    void valuesReady();  // a model with values is there

private:
    class Worker;
    using Task = std::function<void(Worker&)>;
    // What may also be done between two steps of a run: look and save.
    enum class When { Idle, BetweenSteps };
    struct Job
    {
        Task task;
        When when;
    };
    void post(Task task, When when = When::Idle);
    void run();
    void doBetweenSteps(Worker& worker);
    void runTraining(Worker& worker, const train::TrainOptions& options);
    void toWindow(std::function<void()> call);
    void collect();

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<Job> m_jobs;
    RunNews m_news;
    std::atomic<bool> m_cancel = false;
    bool m_end = false;
    bool m_training = false;  // of the window's thread
    QTimer* m_tick;
    std::thread m_thread;
};

}  // namespace megalith::app
