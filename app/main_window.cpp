// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/system_scheme.h"
#include "app/train_bar.h"
#include "app/training_session.h"
#include "engine/data/dataset.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/charts/loss_chart.h"
#include "widgets/field.h"
#include "widgets/inspector/inspector.h"
#include "widgets/panels/log_panel.h"
#include "widgets/panels/module_palette.h"
#include "widgets/panels/problem_list.h"
#include "widgets/parameters/parameter_panel.h"
#include "widgets/text.h"
#include "widgets/training/training_form.h"

#include <QApplication>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QTabBar>
#include <QTimer>
#include <QUndoView>

#include <unistd.h>

namespace megalith::app {

using ui::qs;
using ui::ss;

namespace {

constexpr int stateVersion = 1;

// Bytes this process holds in memory; 0 where the system does not say.
std::int64_t memoryInUse()
{
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    const QList<QByteArray> fields = file.readAll().split(' ');
    return fields.size() > 1 ? fields[1].toLongLong() * sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace

MainWindow::MainWindow(WindowOptions options) : m_questions(std::move(options.questions))
{
    if (!m_questions)
        m_questions = std::make_unique<Questions>();
    if (options.remember) {
        m_settings = std::make_unique<QSettings>();
        m_system = new SystemScheme(this);
        connect(m_system, &SystemScheme::changed, this, &MainWindow::applyTheme);
        m_theme = static_cast<ThemeChoice>(m_settings->value(QStringLiteral("theme"), 0).toInt());
    }
    // Before any part is made, so that each measures itself in the right font; once more at the end for those that kept the
    // platform's.
    applyTheme();
    m_training = new TrainingSession(m_document, m_model, this);
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    setDockOptions(AllowTabbedDocks | AllowNestedDocks | GroupedDragging);
    for (const auto area :
         {Qt::LeftDockWidgetArea, Qt::RightDockWidgetArea, Qt::BottomDockWidgetArea, Qt::TopDockWidgetArea})
        setTabPosition(area, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    makeParts();
    makeDocks();
    makeActions();
    connectParts();
    connectTraining();
    resize(QSize(1600, 1000).boundedTo(screen()->availableSize()));
    arrangeDocks();
    restorePlace();
    applyTheme();
    newFrom(QStringLiteral(":/samples/empty.megaproj"));
}

MainWindow::~MainWindow()
{
    // Parts hear nothing of the document's end.
    disconnect(&m_document, nullptr, nullptr, nullptr);
    disconnect(&m_model, nullptr, nullptr, nullptr);
    delete takeCentralWidget();
    for (const auto& [name, dock] : m_docks)
        delete dock;
}

void MainWindow::makeParts()
{
    m_canvas = new ui::CanvasView(m_document, this);
    m_palette = new ui::ModulePalette(m_document, this);
    m_inspector = new ui::Inspector(m_document, this);
    m_parameters = new ui::ParameterPanel(m_document, this);
    m_trainingForm = new ui::TrainingForm(m_document, data::sourceNames(), this);
    m_chart = new ui::LossChart(this);
    m_problems = new ui::ProblemList(m_document, this);
    m_log = new ui::LogPanel(this);
    m_historyView = new QUndoView(&m_document.history(), this);
    m_historyView->setEmptyLabel(tr("As opened"));
    m_historyView->setAccessibleName(tr("History"));
    m_trainBar = new TrainBar(this);
    setCentralWidget(m_canvas);

    m_status = new QLabel(this);
    m_facts = new QLabel(this);
    ui::setStyleFlag(*m_facts, "muted", true);
    statusBar()->setSizeGripEnabled(false);
    m_status->setContentsMargins(ui::size::gap2, 0, 0, 0);
    m_facts->setContentsMargins(0, 0, ui::size::gap2, 0);
    statusBar()->addWidget(m_status, 1);
    statusBar()->addPermanentWidget(m_facts);

    m_lookSoon = new QTimer(this);
    m_lookSoon->setSingleShot(true);
    m_lookSoon->setInterval(250);
    m_statusTick = new QTimer(this);
    m_statusTick->start(2000);
}

QDockWidget* MainWindow::addDock(const QString& name, const QString& title, QWidget* widget, Qt::DockWidgetArea area)
{
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(widget);
    addDockWidget(area, dock);
    m_docks[name] = dock;
    connect(dock, &QDockWidget::dockLocationChanged, this, &MainWindow::quietTitles, Qt::QueuedConnection);
    connect(dock, &QDockWidget::topLevelChanged, this, &MainWindow::quietTitles, Qt::QueuedConnection);
    connect(dock, &QDockWidget::visibilityChanged, this, &MainWindow::quietTitles, Qt::QueuedConnection);
    return dock;
}

void MainWindow::makeDocks()
{
    addDock(QStringLiteral("modules"), tr("Modules"), m_palette, Qt::LeftDockWidgetArea);
    addDock(QStringLiteral("attributes"), tr("Attributes"), m_inspector, Qt::RightDockWidgetArea);
    addDock(QStringLiteral("parameters"), tr("Parameters"), m_parameters, Qt::RightDockWidgetArea);
    addDock(QStringLiteral("training"), tr("Training"), m_trainingForm, Qt::RightDockWidgetArea);
    addDock(QStringLiteral("charts"), tr("Charts"), m_chart, Qt::BottomDockWidgetArea);
    addDock(QStringLiteral("problems"), tr("Problems"), m_problems, Qt::BottomDockWidgetArea);
    addDock(QStringLiteral("history"), tr("History"), m_historyView, Qt::BottomDockWidgetArea);
    addDock(QStringLiteral("log"), tr("Log"), m_log, Qt::BottomDockWidgetArea);
}

void MainWindow::arrangeDocks()
{
    tabifyDockWidget(m_docks["attributes"], m_docks["parameters"]);
    tabifyDockWidget(m_docks["parameters"], m_docks["training"]);
    tabifyDockWidget(m_docks["charts"], m_docks["problems"]);
    tabifyDockWidget(m_docks["problems"], m_docks["history"]);
    tabifyDockWidget(m_docks["history"], m_docks["log"]);
    m_docks["attributes"]->raise();
    m_docks["charts"]->raise();
    resizeDocks({m_docks["modules"], m_docks["attributes"]}, {220, 380}, Qt::Horizontal);
    resizeDocks({m_docks["charts"]}, {300}, Qt::Vertical);
}

void MainWindow::quietTitles()
{
    // A dock in tabs has its title there already.
    for (const auto& [name, dock] : m_docks) {
        const bool tabbed = !dock->isFloating() && !tabifiedDockWidgets(dock).isEmpty();
        if (tabbed && !dock->titleBarWidget())
            dock->setTitleBarWidget(new QWidget(dock));
        if (!tabbed && dock->titleBarWidget()) {
            QWidget* empty = dock->titleBarWidget();
            dock->setTitleBarWidget(nullptr);
            empty->deleteLater();
        }
    }
    for (QTabBar* bar : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        bar->setExpanding(false);
        bar->setDrawBase(false);
        bar->setElideMode(Qt::ElideNone);
        bar->setFocusPolicy(Qt::TabFocus);
    }
}

void MainWindow::restorePlace()
{
    if (!m_settings)
        return;
    restoreGeometry(m_settings->value(QStringLiteral("geometry")).toByteArray());
    restoreState(m_settings->value(QStringLiteral("docks")).toByteArray(), stateVersion);
}

void MainWindow::connectParts()
{
    connect(m_palette, &ui::ModulePalette::chosen, m_canvas,
            [this](const QString& type) { m_canvas->addModuleHere(type); });
    connect(m_canvas, &ui::CanvasView::selectionChanged, this, [this](const std::vector<graph::Id>& ids) {
        m_inspector->showNodes(ids);
        if (ids.size() == 1)
            m_parameters->showNode(ids.front());
    });
    connect(m_canvas, &ui::CanvasView::nodeActivated, this, [this] {
        showDock(QStringLiteral("attributes"));
        m_inspector->focusFirst();
    });
    connect(m_problems, &ui::ProblemList::nodeWanted, this, &MainWindow::goToNode);
    connect(m_problems, &ui::ProblemList::settingWanted, this, [this] { showDock(QStringLiteral("training")); });
    connect(m_parameters, &ui::ParameterPanel::nodeWanted, this, &MainWindow::goToNode);
    connect(m_log, &ui::LogPanel::nodeWanted, this, &MainWindow::goToNode);
    connect(m_problems, &ui::ProblemList::countChanged, this, [this](int errors, int warnings) {
        const int all = errors + warnings;
        m_docks["problems"]->setWindowTitle(all == 0 ? tr("Problems") : tr("Problems (%1)").arg(all));
    });
    connect(&m_document, &DocumentController::changed, this, &MainWindow::followDocument);
    connect(&m_document, &DocumentController::reset, this, [this] {
        // Another project's data are to be asked about again, even if they are described alike.
        m_factsOf = Value();
        followDocument();
    });
    connect(&m_document, &DocumentController::refused, this, [this](const QString& reason) { say(reason, true); });
    connect(&m_document, &DocumentController::fileChanged, this, [this] {
        setWindowTitle(tr("%1[*] \u2013 Megalith").arg(m_document.title()));
        setWindowFilePath(m_document.path());
    });
    connect(&m_document, &DocumentController::dirtyChanged, this, [this] {
        setWindowModified(m_document.isDirty());
        updateStatus();
    });
    connect(m_lookSoon, &QTimer::timeout, this, [this] {
        if (!m_training->isRunning() && m_document.analysis().ok())
            m_model.requestSnapshots();
    });
    connect(m_statusTick, &QTimer::timeout, this, &MainWindow::updateStatus);
}

void MainWindow::connectTraining()
{
    connect(m_trainBar, &TrainBar::trainWanted, this, [this] { m_training->start(true); });
    connect(m_trainBar, &TrainBar::stopWanted, m_training, &TrainingSession::stop);
    connect(m_training, &TrainingSession::runningChanged, this, &MainWindow::followTraining);
    connect(m_training, &TrainingSession::progressed, this, [this] {
        const Progress& progress = m_training->progress();
        m_trainBar->setProgress(progress.epoch, progress.share, progress.speed);
        m_status->setText(progress.status);
    });
    connect(m_training, &TrainingSession::started, this, [this](const train::StartEvent& event) {
        m_chart->clear();
        m_chart->setTotalSteps(event.totalSteps);
    });
    connect(m_training, &TrainingSession::step, this,
            [this](const train::StepEvent& event) { m_chart->addStep(event.step, event.loss); });
    connect(m_training, &TrainingSession::epoch, this, [this](const train::EpochEvent& event) {
        if (event.valLoss)
            m_chart->addValidation(event.step, *event.valLoss);
    });
    connect(m_training, &TrainingSession::snapshots, m_parameters, &ui::ParameterPanel::setSnapshots);
    connect(m_training, &TrainingSession::message, this,
            [this](const QString& text) { m_log->model()->add(ui::LogLevel::Note, text); });
    connect(m_training, &TrainingSession::ended, this, [this](const QString& summary, const QString& error) {
        m_hasValues = m_hasValues || m_training->stepsDone() > 0;
        m_log->model()->add(error.isEmpty() ? ui::LogLevel::Note : ui::LogLevel::Error,
                            error.isEmpty() ? summary : summary + QStringLiteral(": ") + error);
        if (!error.isEmpty() && !m_closing)
            tell(error);
        if (m_closing)
            close();
    });
    connect(&m_model, &ModelThread::snapshots, m_parameters, &ui::ParameterPanel::setSnapshots);
    connect(&m_model, &ModelThread::dataFacts, this,
            [this](const std::optional<graph::DataFacts>& facts, const QString& error) {
                if (!error.isEmpty())
                    say(error, true);
                m_document.setFacts(facts);
            });
}

void MainWindow::goToNode(graph::Id node)
{
    m_canvas->goTo(node);
    m_canvas->setFocus();
}

void MainWindow::say(const QString& text, bool refused)
{
    m_status->setText(text);
    m_log->model()->add(refused ? ui::LogLevel::Warning : ui::LogLevel::Note, text);
}

void MainWindow::followDocument()
{
    m_trainBar->setBlocked(m_training->blockedBy());
    if (!m_training->isRunning()) {
        m_model.update(m_document.document(), m_document.path());
        m_lookSoon->start();
    }
    const Value about = Value::List{m_document.document().data, m_document.document().training};
    if (about != m_factsOf) {
        m_factsOf = about;
        m_model.requestFacts(m_document.document(), m_document.folder());
    }
    followTraining();
}

void MainWindow::followTraining()
{
    const bool running = m_training->isRunning();
    m_trainBar->setRunning(running);
    m_train->setEnabled(!running && m_training->blockedBy().isEmpty());
    m_continue->setEnabled(m_train->isEnabled() && m_hasValues);
    m_stop->setEnabled(running);
    const bool free = !m_document.isLocked();
    m_undo->setEnabled(free && m_document.history().canUndo());
    m_redo->setEnabled(free && m_document.history().canRedo());
    m_historyView->setEnabled(free);
    updateStatus();
}

void MainWindow::updateStatus()
{
    const std::int64_t memory = memoryInUse();
    QStringList facts;
    facts << (m_training->device().isEmpty() ? tr("CPU") : m_training->device().toUpper());
    if (memory > 0 && m_settings)
        facts << ui::bytesText(memory);
    const QStringList idle{QString(), tr("Ready to train"), tr("Not ready to train")};
    if (!m_training->isRunning() && idle.contains(m_status->text()))
        m_status->setText(m_training->blockedBy().isEmpty() ? idle[1] : idle[2]);
    facts << (m_document.path().isEmpty() ? tr("never saved") : m_document.isDirty() ? tr("not saved") : tr("saved"));
    m_facts->setText(facts.join(QStringLiteral(" \u00B7 ")));
}

void MainWindow::setTheme(ThemeChoice choice)
{
    m_theme = choice;
    if (m_settings)
        m_settings->setValue(QStringLiteral("theme"), static_cast<int>(choice));
    applyTheme();
}

void MainWindow::applyTheme()
{
    ui::Scheme scheme = m_theme == ThemeChoice::Dark ? ui::Scheme::Dark : ui::Scheme::Light;
    if (m_theme == ThemeChoice::System && m_system)
        scheme = m_system->scheme();
    ui::applyTheme(*qApp, scheme);
}

bool MainWindow::showDock(const QString& name)
{
    const auto it = m_docks.find(name.toLower());
    if (it == m_docks.end())
        return false;
    it->second->show();
    it->second->raise();
    return true;
}

}  // namespace megalith::app
