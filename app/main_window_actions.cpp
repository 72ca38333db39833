// SPDX-License-Identifier: GPL-3.0-or-later
// Menus and the tool bar of MainWindow.
#include "app/main_window.h"
#include "app/train_bar.h"
#include "app/training_session.h"
#include "engine/graph/templates.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/text.h"

#include <QAction>
#include <QActionGroup>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QToolBar>

namespace megalith::app {

QAction* MainWindow::action(QMenu* menu, const QString& text, const QKeySequence& keys, std::function<void()> run,
                            const QString& tip)
{
    auto* made = new QAction(text, this);
    made->setShortcut(keys);
    if (!tip.isEmpty())
        made->setToolTip(tip);
    connect(made, &QAction::triggered, this, [run = std::move(run)] { run(); });
    menu->addAction(made);
    return made;
}

void MainWindow::makeActions()
{
    makeFileMenu();
    makeEditMenu();
    makeViewMenu();
    makeGraphMenu();
    makeTrainMenu();
    makeHelpMenu();
    makeToolBar();
}

void MainWindow::makeFileMenu()
{
    QMenu* file = menuBar()->addMenu(tr("&File"));
    QMenu* fresh = file->addMenu(tr("&New"));
    m_new = action(
        fresh, tr("Input and output"), QKeySequence::New,
        [this] { whenSafe([this] { newFrom(QStringLiteral(":/samples/empty.megaproj")); }); },
        tr("A new network with an Input and an Output"));
    m_new->setIconText(tr("New"));
    for (const graph::TemplateDef& def : graph::allTemplates()) {
        const QString name = ui::qs(def.name);
        action(fresh, name + QStringLiteral(": ") + ui::qs(def.doc), {},
               [this, name] { whenSafe([this, name] { newFromTemplate(name); }); });
    }
    QMenu* samples = file->addMenu(tr("Sa&mples"));
    for (const QString& name : {QStringLiteral("digits-mlp"), QStringLiteral("digits-cnn")})
        action(samples, name, {}, [this, name] {
            whenSafe([this, name] { newFrom(QStringLiteral(":/samples/%1.megaproj").arg(name)); });
        });
    m_open = action(
        file, tr("&Open..."), QKeySequence::Open, [this] { fileOpen(); }, tr("Open a project"));
    m_open->setIconText(tr("Open"));
    m_recent = file->addMenu(tr("Open &recent"));
    connect(m_recent, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
    m_recent->setEnabled(m_settings != nullptr);
    file->addSeparator();
    m_save = action(
        file, tr("&Save"), QKeySequence::Save, [this] { fileSave(); }, tr("Save the project and its weights"));
    m_save->setIconText(tr("Save"));
    action(file, tr("Save &as..."), QKeySequence::SaveAs, [this] { fileSaveAs(); });
    action(
        file, tr("&Export weights..."), {}, [this] { exportWeights(); }, tr("Write the state_dict as a .mega file"));
    file->addSeparator();
    action(file, tr("&Quit"), QKeySequence::Quit, [this] { close(); });
}

void MainWindow::makeEditMenu()
{
    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    QUndoStack& history = m_document.history();
    m_undo = action(edit, tr("&Undo"), QKeySequence::Undo, [this] {
        if (!m_document.isLocked())
            m_document.history().undo();
    });
    m_redo = action(edit, tr("&Redo"), QKeySequence::Redo, [this] {
        if (!m_document.isLocked())
            m_document.history().redo();
    });
    m_undo->setIconText(tr("Undo"));
    m_redo->setIconText(tr("Redo"));
    const auto follow = [this, &history] {
        const bool free = !m_document.isLocked();
        const QString undo = history.undoText(), redo = history.redoText();
        m_undo->setText(undo.isEmpty() ? tr("&Undo") : tr("&Undo %1").arg(undo));
        m_redo->setText(redo.isEmpty() ? tr("&Redo") : tr("&Redo %1").arg(redo));
        m_undo->setIconText(tr("Undo"));
        m_redo->setIconText(tr("Redo"));
        m_undo->setEnabled(free && history.canUndo());
        m_redo->setEnabled(free && history.canRedo());
    };
    connect(&history, &QUndoStack::indexChanged, this, follow);
    connect(&m_document, &DocumentController::lockChanged, this, follow);
    follow();
    edit->addSeparator();
    action(
        edit, tr("&Delete"), {}, [this] { m_canvas->deleteSelected(); },
        tr("Delete what is selected (Del on the canvas)"));
    action(edit, tr("Du&plicate"), QKeySequence(tr("Ctrl+D")), [this] { m_canvas->duplicateSelected(); });
    action(edit, tr("Select &all nodes"), {}, [this] { m_canvas->selectAll(); });
}

void MainWindow::makeViewMenu()
{
    QMenu* view = menuBar()->addMenu(tr("&View"));
    action(view, tr("Zoom &in"), QKeySequence::ZoomIn, [this] { m_canvas->zoomBy(1.2); });
    action(view, tr("Zoom &out"), QKeySequence::ZoomOut, [this] { m_canvas->zoomBy(1 / 1.2); });
    action(view, tr("&100 %"), QKeySequence(tr("Ctrl+0")),
           [this] { m_canvas->zoomTo(1.0, m_canvas->viewport()->rect().center()); });
    action(
        view, tr("&Fit the network"), QKeySequence(tr("Ctrl+9")), [this] { m_canvas->fit(); }, tr("F on the canvas"));
    view->addSeparator();
    m_panels = view->addMenu(tr("&Panels"));
    for (const QString& name : {QStringLiteral("modules"), QStringLiteral("attributes"), QStringLiteral("parameters"),
                                QStringLiteral("training"), QStringLiteral("charts"), QStringLiteral("problems"),
                                QStringLiteral("history"), QStringLiteral("log")})
        m_panels->addAction(m_docks[name]->toggleViewAction());
    m_panels->addSeparator();
    action(m_panels, tr("Back to their places"), {}, [this] {
        for (const auto& [name, dock] : m_docks) {
            dock->setFloating(false);
            dock->show();
            const bool left = name == QLatin1String("modules");
            const bool right = name == QLatin1String("attributes") || name == QLatin1String("parameters")
                               || name == QLatin1String("training");
            addDockWidget(left    ? Qt::LeftDockWidgetArea
                          : right ? Qt::RightDockWidgetArea
                                  : Qt::BottomDockWidgetArea,
                          dock);
        }
        arrangeDocks();
    });
    QMenu* theme = view->addMenu(tr("&Theme"));
    m_themes = new QActionGroup(this);
    const std::pair<QString, ThemeChoice> choices[] = {
        {tr("&System"), ThemeChoice::System}, {tr("&Light"), ThemeChoice::Light}, {tr("&Dark"), ThemeChoice::Dark}};
    for (const auto& [text, choice] : choices) {
        QAction* made = action(theme, text, {}, [this, choice = choice] { setTheme(choice); });
        made->setCheckable(true);
        made->setChecked(choice == m_theme);
        m_themes->addAction(made);
    }
}

void MainWindow::makeGraphMenu()
{
    QMenu* graph = menuBar()->addMenu(tr("&Graph"));
    action(
        graph, tr("&Add module..."), {},
        [this] {
            const std::vector<graph::Id> selected = m_canvas->canvas().selectedNodes();
            m_canvas->openAddList(m_canvas->viewport()->rect().center(), selected.size() == 1 ? selected.front() : 0);
        },
        tr("Tab on the canvas"));
    action(graph, tr("&Rename..."), QKeySequence(Qt::Key_F2), [this] { m_canvas->renameSelected(); });
    action(
        graph, tr("Freeze or &unfreeze"), QKeySequence(tr("Ctrl+Shift+F")), [this] { m_canvas->freezeSelected(); },
        tr("Of what is selected: no gradient is computed for it, the optimizer leaves it alone"));
    action(
        graph, tr("&Close the gap"), {}, [this] { m_canvas->deleteSelected(true); },
        tr("Delete what is selected and join what it joined (Ctrl+Del on the canvas)"));
}

void MainWindow::makeTrainMenu()
{
    QMenu* train = menuBar()->addMenu(tr("&Train"));
    m_train = action(
        train, tr("&Train"), QKeySequence(Qt::Key_F5), [this] { m_training->start(true); },
        tr("From fresh weights, drawn from the seed"));
    m_continue = action(train, tr("&Continue from the present weights"), QKeySequence(tr("Ctrl+F5")),
                        [this] { m_training->start(false); });
    m_stop = action(train, tr("&Stop"), QKeySequence(tr("Shift+F5")), [this] { m_training->stop(); });
    train->addSeparator();
    action(train, tr("&Settings"), {}, [this] { showDock(QStringLiteral("training")); });
    m_continue->setEnabled(false);
    m_stop->setEnabled(false);
}

void MainWindow::makeHelpMenu()
{
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    action(help, tr("&About Megalith"), {}, [this] {
        QMessageBox::about(
            this, tr("About Megalith"),
            tr("Megalith %1\nA desktop IDE for neural networks.\nGNU General Public License, version 3 or later.")
                .arg(QStringLiteral(MEGALITH_VERSION)));
    });
}

void MainWindow::makeToolBar()
{
    QToolBar* bar = addToolBar(tr("Main"));
    bar->setObjectName(QStringLiteral("main"));
    bar->setMovable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
    bar->addAction(m_new);
    bar->addAction(m_open);
    bar->addAction(m_save);
    bar->addSeparator();
    bar->addAction(m_undo);
    bar->addAction(m_redo);
    bar->addSeparator();
    bar->addWidget(m_trainBar);
    for (QAction* made : {m_new, m_open, m_save, m_undo, m_redo})
        if (QWidget* button = bar->widgetForAction(made))
            button->setFocusPolicy(Qt::TabFocus);
}

}  // namespace megalith::app
