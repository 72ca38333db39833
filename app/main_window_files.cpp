// SPDX-License-Identifier: GPL-3.0-or-later
// Files of MainWindow: projects, weights, recent ones, closing.
#include "app/main_window.h"
#include "app/run_files.h"
#include "app/training_session.h"
#include "engine/core/error.h"
#include "engine/graph/project_text.h"
#include "engine/graph/templates.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/charts/loss_chart.h"
#include "widgets/panels/log_panel.h"
#include "widgets/text.h"

#include <QCloseEvent>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QSettings>
#include <QTimer>

namespace megalith::app {

using ui::qs;
using ui::ss;

namespace {

constexpr int recentKept = 10;
constexpr auto recentKey = "recent";

QString projectDropped(const QMimeData* data)
{
    const QList<QUrl> urls = data->urls();
    if (urls.size() != 1 || !urls.front().isLocalFile())
        return {};
    const QString path = urls.front().toLocalFile();
    return path.endsWith(QStringLiteral(".megaproj"), Qt::CaseInsensitive) ? path : QString();
}

}  // namespace

void MainWindow::tell(const QString& problem)
{
    m_log->model()->add(ui::LogLevel::Error, problem);
    m_questions->tell(this, problem);
}

QString MainWindow::openProject(const QString& path)
{
    const QString problem = m_document.open(path);
    if (!problem.isEmpty()) {
        tell(problem);
        return problem;
    }
    opened();
    remember(m_document.path());
    loadProjectWeights();
    showLastRun();
    return {};
}

void MainWindow::newFrom(const QString& resource)
{
    QFile file(resource);
    if (!file.open(QIODevice::ReadOnly)) {
        tell(tr("%1: %2").arg(resource, file.errorString()));
        return;
    }
    try {
        graph::Document document = graph::parseProject(file.readAll().toStdString(), ss(resource));
        m_document.setDocument(std::move(document), {});
        opened();
    } catch (const Error& error) {
        tell(qs(error.what()));
    }
}

void MainWindow::newFromTemplate(const QString& name)
{
    try {
        m_document.setDocument(graph::newFromTemplate(ss(name), ss(name)), {});
        opened();
    } catch (const Error& error) {
        tell(qs(error.what()));
    }
}

void MainWindow::opened()
{
    m_hasValues = false;
    m_loading = false;
    m_model.open(m_document.document(), m_document.path());
    m_chart->clear();
    m_lookSoon->start();
    m_canvas->fit();
    followTraining();
}

void MainWindow::loadProjectWeights()
{
    const QString relative = qs(m_document.document().weights);
    if (relative.isEmpty())
        return;
    const QString path = QDir(m_document.folder()).filePath(relative);
    if (!QFileInfo::exists(path)) {
        say(tr("%1 is not there: the project opens with fresh weights").arg(relative), true);
        return;
    }
    m_loading = true;
    m_model.loadWeights(path, true, [this, relative](const QString& error) {
        m_loading = false;
        if (error.isEmpty()) {
            m_hasValues = true;
            say(tr("Weights of %1 are loaded").arg(relative));
            m_lookSoon->start(0);
        } else {
            say(tr("%1 does not fit, the project opens with fresh weights: %2").arg(relative, error), true);
        }
        followTraining();
    });
}

void MainWindow::showLastRun()
{
    const std::optional<RunCurves> curves = readCurves(lastRunFolder(m_document.path()));
    if (!curves)
        return;
    for (const RunCurves::Step& step : curves->steps)
        m_chart->addStep(step.step, step.loss);
    for (const RunCurves::Step& step : curves->validation)
        m_chart->addValidation(step.step, step.loss);
}

void MainWindow::fileOpen()
{
    whenSafe([this] {
        const QString path = m_questions->fileToOpen(this, m_document.folder(), tr("Megalith projects (*.megaproj)"));
        if (!path.isEmpty())
            openProject(path);
    });
}

void MainWindow::fileSave(std::function<void(bool)> done)
{
    if (m_document.path().isEmpty())
        fileSaveAs(std::move(done));
    else
        saveTo(m_document.path(), std::move(done));
}

void MainWindow::fileSaveAs(std::function<void(bool)> done)
{
    const QString folder = m_document.folder().isEmpty() ? QDir::homePath() : m_document.folder();
    QString path =
        m_questions->fileToSave(this, folder + QLatin1Char('/') + m_document.title() + QStringLiteral(".megaproj"),
                                tr("Megalith projects (*.megaproj)"));
    if (path.isEmpty()) {
        if (done)
            done(false);
        return;
    }
    if (!path.endsWith(QStringLiteral(".megaproj"), Qt::CaseInsensitive))
        path += QStringLiteral(".megaproj");
    saveTo(path, std::move(done));
}

void MainWindow::saveTo(const QString& path, std::function<void(bool)> done)
{
    const auto finish = [this, done = std::move(done)](const QString& problem) {
        if (!problem.isEmpty())
            tell(problem);
        if (done)
            done(problem.isEmpty());
    };
    const auto saveProject = [this, path, finish] {
        const QString problem = m_document.save(path);
        if (problem.isEmpty()) {
            remember(m_document.path());
            m_model.update(m_document.document(), m_document.path());
            say(tr("Saved %1").arg(QFileInfo(path).fileName()));
        }
        finish(problem);
    };
    if (!m_hasValues && !m_training->isRunning()) {
        // Weights that nobody trained can be drawn again from the seed.
        saveProject();
        return;
    }
    // Weights first: a project never names a file that is not there.
    const QFileInfo file(path);
    const QString weights = file.completeBaseName() + QStringLiteral(".mega");
    m_model.saveWeights(file.absoluteDir().filePath(weights),
                        [this, weights, saveProject, finish](const QString& error) {
                            if (!error.isEmpty()) {
                                finish(error);
                                return;
                            }
                            m_document.setWeightsFile(weights);
                            m_document.setValuesDirty(false);
                            saveProject();
                        });
}

void MainWindow::exportWeights()
{
    const QString folder = m_document.folder().isEmpty() ? QDir::homePath() : m_document.folder();
    QString path =
        m_questions->fileToSave(this, folder + QLatin1Char('/') + m_document.title() + QStringLiteral(".mega"),
                                tr("MegaTensors weights (*.mega)"));
    if (path.isEmpty())
        return;
    if (!path.endsWith(QStringLiteral(".mega"), Qt::CaseInsensitive))
        path += QStringLiteral(".mega");
    m_model.saveWeights(path, [this, path](const QString& error) {
        if (error.isEmpty())
            say(tr("Wrote %1").arg(QFileInfo(path).fileName()));
        else
            tell(error);
    });
}

void MainWindow::whenSafe(std::function<void()> go)
{
    if (m_training->isRunning()) {
        say(tr("A training is running: stop it first"), true);
        return;
    }
    if (!m_document.isDirty()) {
        go();
        return;
    }
    switch (m_questions->saveChanges(this, m_document.title())) {
    case Questions::Save::Cancel: return;
    case Questions::Save::Discard: go(); return;
    case Questions::Save::Save:
        fileSave([go = std::move(go)](bool saved) {
            if (saved)
                go();
        });
        return;
    }
}

void MainWindow::remember(const QString& path)
{
    if (!m_settings)
        return;
    QStringList recent = m_settings->value(QLatin1String(recentKey)).toStringList();
    recent.removeAll(path);
    recent.prepend(path);
    m_settings->setValue(QLatin1String(recentKey), QStringList(recent.mid(0, recentKept)));
}

void MainWindow::fillRecent()
{
    m_recent->clear();
    for (const QString& path : m_settings->value(QLatin1String(recentKey)).toStringList())
        m_recent->addAction(path, this, [this, path] { whenSafe([this, path] { openProject(path); }); });
    if (m_recent->isEmpty())
        m_recent->addAction(tr("No project was opened yet"))->setEnabled(false);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (m_training->isRunning()) {
        event->ignore();
        if (!m_closing && m_questions->stopTraining(this)) {
            m_closing = true;
            m_training->stop();
        }
        return;
    }
    if (m_document.isDirty()) {
        const Questions::Save answer = m_questions->saveChanges(this, m_document.title());
        if (answer != Questions::Save::Discard) {
            event->ignore();
            m_closing = false;
            if (answer == Questions::Save::Save)
                fileSave([this](bool saved) {
                    if (saved)
                        close();
                });
            return;
        }
    }
    if (m_settings) {
        m_settings->setValue(QStringLiteral("geometry"), saveGeometry());
        m_settings->setValue(QStringLiteral("docks"), saveState(1));
    }
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!projectDropped(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    const QString path = projectDropped(event->mimeData());
    if (path.isEmpty())
        return;
    event->acceptProposedAction();
    whenSafe([this, path] { openProject(path); });
}

}  // namespace megalith::app
