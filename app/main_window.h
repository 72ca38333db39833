// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/document_controller.h"
#include "app/model_thread.h"
#include "app/questions.h"
#include "widgets/theme.h"

#include <QMainWindow>

#include <functional>
#include <map>
#include <memory>

class QAction;
class QActionGroup;
class QLabel;
class QMenu;
class QSettings;
class QTimer;
class QUndoView;

namespace megalith::ui {
class CanvasView;
class Inspector;
class LogPanel;
class LossChart;
class ModulePalette;
class ParameterPanel;
class ProblemList;
class TrainingForm;
}  // namespace megalith::ui

namespace megalith::app {

class SystemScheme;
class TrainBar;
class TrainingSession;

enum class ThemeChoice { System, Light, Dark };

struct WindowOptions
{
    bool remember = true;  // place, docks, theme, recent files: QSettings
    std::unique_ptr<Questions> questions = nullptr;
};

class MainWindow : public QMainWindow
{
    Q_OBJECT
public:
    explicit MainWindow(WindowOptions options = {});
    ~MainWindow() override;

    // Empty when it was opened; a failure is told in a message box as well.
    QString openProject(const QString& path);
    // Asks nothing. done(true) when project and weights are written.
    void saveTo(const QString& path, std::function<void(bool)> done = {});
    void newFrom(const QString& resource);
    void newFromTemplate(const QString& name);
    void setTheme(ThemeChoice choice);
    bool showDock(const QString& name);  // "parameters"; false when there is none
    bool hasValues() const { return m_hasValues; }
    bool waitsForValues() const { return m_loading; }

    DocumentController& document() { return m_document; }
    ui::CanvasView& canvas() const { return *m_canvas; }
    ui::Inspector& inspector() const { return *m_inspector; }
    ui::ParameterPanel& parameters() const { return *m_parameters; }
    ui::ProblemList& problems() const { return *m_problems; }
    ui::LossChart& chart() const { return *m_chart; }
    ui::LogPanel& log() const { return *m_log; }
    TrainBar& trainBar() const { return *m_trainBar; }
    TrainingSession& training() const { return *m_training; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    // main_window.cpp
    void makeParts();
    void makeDocks();
    QDockWidget* addDock(const QString& name, const QString& title, QWidget* widget, Qt::DockWidgetArea area);
    void arrangeDocks();
    void quietTitles();
    void connectParts();
    void connectTraining();
    void goToNode(graph::Id node);
    void say(const QString& text, bool refused = false);
    void followDocument();
    void followTraining();
    void updateStatus();
    void applyTheme();
    void restorePlace();

    // main_window_actions.cpp
    void makeActions();
    void makeFileMenu();
    void makeEditMenu();
    void makeViewMenu();
    void makeGraphMenu();
    void makeTrainMenu();
    void makeHelpMenu();
    void makeToolBar();
    QAction* action(QMenu* menu, const QString& text, const QKeySequence& keys, std::function<void()> run,
                    const QString& tip = {});

    // main_window_files.cpp
    void fileOpen();
    void fileSave(std::function<void(bool)> done = {});
    void fileSaveAs(std::function<void(bool)> done = {});
    void exportWeights();
    // Goes on when nothing unsaved is lost.
    void whenSafe(std::function<void()> go);
    void opened();
    void loadProjectWeights();
    void showLastRun();
    void remember(const QString& path);
    void fillRecent();
    void tell(const QString& problem);

    std::unique_ptr<Questions> m_questions;
    std::unique_ptr<QSettings> m_settings;
    DocumentController m_document;
    ModelThread m_model;
    TrainingSession* m_training = nullptr;
    SystemScheme* m_system = nullptr;
    ThemeChoice m_theme = ThemeChoice::System;

    ui::CanvasView* m_canvas = nullptr;
    ui::ModulePalette* m_palette = nullptr;
    ui::Inspector* m_inspector = nullptr;
    ui::ParameterPanel* m_parameters = nullptr;
    ui::TrainingForm* m_trainingForm = nullptr;
    ui::LossChart* m_chart = nullptr;
    ui::ProblemList* m_problems = nullptr;
    ui::LogPanel* m_log = nullptr;
    QUndoView* m_historyView = nullptr;
    TrainBar* m_trainBar = nullptr;
    QLabel *m_status = nullptr, *m_facts = nullptr;
    std::map<QString, QDockWidget*> m_docks;

    QAction *m_undo = nullptr, *m_redo = nullptr, *m_new = nullptr, *m_open = nullptr, *m_save = nullptr;
    QAction *m_train = nullptr, *m_continue = nullptr, *m_stop = nullptr;
    QMenu *m_recent = nullptr, *m_panels = nullptr;
    QActionGroup* m_themes = nullptr;
    QTimer *m_lookSoon = nullptr, *m_statusTick = nullptr;
    Value m_factsOf;           // the data and training that were asked about
    bool m_hasValues = false;  // trained or loaded
    bool m_loading = false;
    bool m_closing = false;
};

}  // namespace megalith::app
