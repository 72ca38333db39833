// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_thread.h"

#include "engine/backend/session.h"
#include "engine/core/error.h"
#include "engine/train/facts.h"
#include "engine/train/workspace.h"
#include "widgets/text.h"
#include "widgets/theme.h"

#include <QCoreApplication>
#include <QTimer>

#include <chrono>
#include <filesystem>

namespace megalith::app {

using ui::qs;
using ui::ss;

namespace {

using Clock = std::chrono::steady_clock;

QString reason(const std::exception& error)
{
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return QCoreApplication::translate("ModelThread", "There is not enough memory for this model");
    return qs(error.what());
}

}  // namespace

// What lives on the thread: the session first, destroyed last.
class ModelThread::Worker
{
public:
    Session session;
    SessionScope scope{session};
    graph::Document document;
    std::string path;
    bool edited = true;
    std::unique_ptr<train::Workspace> workspace;

    train::Workspace& ready()
    {
        if (!workspace)
            workspace = std::make_unique<train::Workspace>(session, document, path);
        else if (edited)
            workspace->setDocument(document);
        workspace->setPath(path);
        edited = false;
        return *workspace;
    }
};

ModelThread::ModelThread(QObject* parent) : QObject(parent), m_tick(new QTimer(this))
{
    m_tick->setInterval(ui::size::tickMs);
    connect(m_tick, &QTimer::timeout, this, &ModelThread::collect);
    m_thread = std::thread([this] { run(); });
}

ModelThread::~ModelThread()
{
    {
        const std::lock_guard lock(m_mutex);
        m_end = true;
        m_cancel = true;
        m_jobs.clear();
    }
    m_wake.notify_one();
    m_thread.join();
}

void ModelThread::post(Task task, When when)
{
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.push_back({std::move(task), when});
    }
    m_wake.notify_one();
}

void ModelThread::toWindow(std::function<void()> call)
{
    // Dropped with this object when it goes first.
    QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
}

void ModelThread::run()
{
    Worker worker;
    for (;;) {
        Task task;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_end || !m_jobs.empty(); });
            if (m_end)
                return;
            task = std::move(m_jobs.front().task);
            m_jobs.pop_front();
        }
        task(worker);
    }
}

void ModelThread::doBetweenSteps(Worker& worker)
{
    for (;;) {
        Task task;
        {
            const std::lock_guard lock(m_mutex);
            if (m_end || m_jobs.empty() || m_jobs.front().when != When::BetweenSteps)
                return;
            task = std::move(m_jobs.front().task);
            m_jobs.pop_front();
        }
        task(worker);
    }
}

void ModelThread::open(graph::Document document, const QString& projectPath)
{
    post([document = std::move(document), path = ss(projectPath)](Worker& worker) {
        worker.workspace.reset();
        worker.document = document;
        worker.path = path;
    });
}

void ModelThread::update(graph::Document document, const QString& projectPath)
{
    post([document = std::move(document), path = ss(projectPath)](Worker& worker) {
        worker.document = document;
        worker.path = path;
        worker.edited = true;
    });
}

void ModelThread::loadWeights(const QString& path, bool strict, Answer answer)
{
    post([this, path = ss(path), strict, answer = std::move(answer)](Worker& worker) {
        QString error;
        try {
            const nn::LoadReport report = worker.ready().loadWeights(path, strict);
            error = report.ok() ? QString() : qs(report.text());
        } catch (const std::exception& problem) {
            error = reason(problem);
        }
        toWindow([answer, error] { answer(error); });
    });
}

void ModelThread::saveWeights(const QString& path, Answer answer)
{
    post(
        [this, path = ss(path), answer = std::move(answer)](Worker& worker) {
            QString error;
            try {
                worker.ready().saveWeights(path);
            } catch (const std::exception& problem) {
                error = reason(problem);
            }
            toWindow([answer, error] { answer(error); });
        },
        When::BetweenSteps);
}

void ModelThread::startTraining(train::TrainOptions options)
{
    m_cancel = false;
    m_training = true;
    m_tick->start();
    post([this, options = std::move(options)](Worker& worker) { runTraining(worker, options); });
}

void ModelThread::stop()
{
    m_cancel = true;
}

void ModelThread::runTraining(Worker& worker, const train::TrainOptions& options)
{
    Clock::time_point nextLook = Clock::now();
    train::Listener listener;
    listener.cancelled = [this] { return m_cancel.load(); };
    listener.start = [this](const train::StartEvent& event) {
        const std::lock_guard lock(m_mutex);
        m_news.start = event;
    };
    listener.epoch = [this](const train::EpochEvent& event) {
        const std::lock_guard lock(m_mutex);
        m_news.epochs.push_back(event);
    };
    listener.step = [this, &worker, &nextLook](const train::StepEvent& event) {
        {
            const std::lock_guard lock(m_mutex);
            m_news.steps.push_back(event);
        }
        doBetweenSteps(worker);
        const Clock::time_point now = Clock::now();
        if (now < nextLook)
            return;
        std::vector<train::TensorSnapshot> looked = worker.workspace->snapshots();
        // Looking takes at most a fiftieth of the time.
        nextLook = now + std::max<Clock::duration>(std::chrono::milliseconds(100), 50 * (Clock::now() - now));
        const std::lock_guard lock(m_mutex);
        m_news.snapshots = std::move(looked);
    };
    try {
        const train::DoneEvent done = worker.ready().train(options, listener);
        std::vector<train::TensorSnapshot> last = worker.workspace->snapshots();
        {
            const std::lock_guard lock(m_mutex);
            m_news.snapshots = std::move(last);
        }
        toWindow([this, done] {
            m_training = false;
            collect();
            emit finished(done);
        });
    } catch (const std::exception& problem) {
        toWindow([this, error = reason(problem)] {
            m_training = false;
            collect();
            emit failed(error);
        });
    }
}

void ModelThread::collect()
{
    RunNews fresh;
    {
        const std::lock_guard lock(m_mutex);
        std::swap(fresh, m_news);
    }
    if (!fresh.empty())
        emit news(fresh);
    if (!m_training)
        m_tick->stop();
}

void ModelThread::requestSnapshots()
{
    post(
        [this](Worker& worker) {
            try {
                worker.ready().model();
                std::vector<train::TensorSnapshot> looked = worker.workspace->snapshots();
                toWindow([this, looked = std::move(looked)] {
                    emit valuesReady();
                    emit snapshots(looked);
                });
            } catch (const std::exception&) {
                // The document has an error, which check has said already.
            }
        },
        When::BetweenSteps);
}

void ModelThread::requestFacts(graph::Document document, const QString& folder)
{
    post([this, document = std::move(document), folder = folder.toStdU16String()](Worker&) {
        std::optional<graph::DataFacts> facts;
        QString error;
        try {
            std::string problem;
            facts = train::factsOf(document, std::filesystem::path(folder), problem);
            error = qs(problem);
        } catch (const std::exception& problem) {
            error = reason(problem);
        }
        toWindow([this, facts, error] { emit dataFacts(facts, error); });
    });
}

}  // namespace megalith::app
