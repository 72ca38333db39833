// SPDX-License-Identifier: GPL-3.0-or-later
// The main window with a real model: train without blocking, stop, save, reopen.
#include "app/main_window.h"
#include "app/train_bar.h"
#include "app/training_session.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/charts/loss_chart.h"
#include "widgets/panels/log_model.h"
#include "widgets/panels/log_panel.h"
#include "widgets/parameters/parameter_model.h"
#include "widgets/parameters/parameter_panel.h"

#include <QAccessible>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <memory>

using namespace megalith;
using namespace megalith::app;

namespace {

class Answers : public Questions
{
public:
    Save saveChanges(QWidget*, const QString&) override { return save; }
    bool stopTraining(QWidget*) override { return true; }
    void tell(QWidget*, const QString& problem) override { told << problem; }
    QString fileToOpen(QWidget*, const QString&, const QString&) override { return file; }
    QString fileToSave(QWidget*, const QString&, const QString&) override { return file; }

    Save save = Save::Discard;
    QString file;
    QStringList told;
};

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

constexpr int patience = 120'000;

}  // namespace

class TestWindow : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void trainsWithoutBlockingAndStops();
    void savesAndReopensTheSameBits();
    void weightsThatDoNotFitAreSaid();
    void trainSaysWhyItCannot();
    void closingWhileTrainingStops();
    void everythingHasANameForTheBlind();
    void nothingIsCutOff_data();
    void nothingIsCutOff();

private:
    void open(const char* epochs = "40");
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<MainWindow> m_window;
    Answers* m_answers = nullptr;
};

void TestWindow::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    auto answers = std::make_unique<Answers>();
    m_answers = answers.get();
    m_window = std::make_unique<MainWindow>(WindowOptions{false, std::move(answers)});
    m_window->resize(1280, 800);
    m_window->show();
}

void TestWindow::cleanup()
{
    m_window.reset();
    m_folder.reset();
}

void TestWindow::open(const char* epochs)
{
    // Two classes of two numbers: a step takes next to no time.
    const QString path = m_folder->filePath(QStringLiteral("tiny.megaproj"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(R"({
  "format": "megalith-project",
  "version": 1,
  "name": "tiny",
  "graph": {
    "sequential": false,
    "nodes": [
      {"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [2]}, "pos": [0, 0]},
      {"id": 2, "type": "Linear", "name": "fc1", "attrs": {"out_features": 16}, "pos": [240, 0]},
      {"id": 3, "type": "ReLU", "name": "relu", "attrs": {}, "pos": [480, 0]},
      {"id": 4, "type": "Linear", "name": "head", "attrs": {"out_features": 2}, "pos": [720, 0]},
      {"id": 5, "type": "Output", "name": "y", "attrs": {}, "pos": [960, 0]}
    ],
    "edges": [
      {"from": [1, "output"], "to": [2, "input"]},
      {"from": [2, "output"], "to": [3, "input"]},
      {"from": [3, "output"], "to": [4, "input"]},
      {"from": [4, "output"], "to": [5, "input"]}
    ],
    "modules": {},
    "frames": []
  },
  "data": {"source": "moons", "validation": 0.2},
  "training": {
    "loss": {"type": "CrossEntropyLoss"},
    "optimizer": {"type": "Adam", "lr": 0.01},
    "batch_size": 32,
    "epochs": EPOCHS
  }
}
)")
                   .replace("EPOCHS", epochs));
    file.close();
    QCOMPARE(m_window->openProject(path), QString());
    QVERIFY2(m_window->document().analysis().ok(), qPrintable(m_answers->told.join(QLatin1Char(' '))));
}

void TestWindow::trainsWithoutBlockingAndStops()
{
    open("100000");
    // The longest time between two beats of a clock in the window's own thread.
    QElapsedTimer clock;
    qint64 longest = 0;
    QTimer beat;
    connect(&beat, &QTimer::timeout, this, [&] { longest = std::max(longest, clock.restart()); });
    QTest::mouseClick(m_window->trainBar().trainButton(), Qt::LeftButton);
    QVERIFY(m_window->training().isRunning());
    QVERIFY(m_window->document().isLocked());
    clock.start();
    beat.start(5);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->chart().training().x.size() >= 20, patience);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->parameters().model()->snapshot(0) != nullptr, patience);
    const double norm = m_window->parameters().model()->snapshot(0)->norm;
    QTRY_VERIFY_WITH_TIMEOUT(m_window->parameters().model()->snapshot(0)->norm != norm, patience);
    beat.stop();
    QVERIFY(m_window->trainBar().epochLabel()->text().startsWith(QStringLiteral("Epoch ")));
    QTest::mouseClick(m_window->trainBar().stopButton(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->training().isRunning(), patience);
    QVERIFY(!m_window->document().isLocked());
    QVERIFY2(longest < 2000, qPrintable(QString::number(longest)));
    QVERIFY(m_window->document().isDirty());
    QVERIFY(m_answers->told.isEmpty());
}

void TestWindow::savesAndReopensTheSameBits()
{
    open("2");
    m_window->training().start(true);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->training().isRunning(), patience);
    const QString path = m_folder->filePath(QStringLiteral("trained.megaproj"));
    bool saved = false;
    m_window->saveTo(path, [&](bool done) { saved = done; });
    QTRY_VERIFY_WITH_TIMEOUT(saved, patience);
    QVERIFY(!m_window->document().isDirty());
    const QByteArray project = bytesOf(path), weights = bytesOf(m_folder->filePath(QStringLiteral("trained.mega")));
    QVERIFY(!weights.isEmpty());
    QVERIFY(project.contains("\"weights\": \"trained.mega\""));

    QCOMPARE(m_window->openProject(path), QString());
    QTRY_VERIFY_WITH_TIMEOUT(m_window->hasValues(), patience);
    saved = false;
    const QString copy = m_folder->filePath(QStringLiteral("again/trained.megaproj"));
    QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("again")));
    m_window->saveTo(copy, [&](bool done) { saved = done; });
    QTRY_VERIFY_WITH_TIMEOUT(saved, patience);
    QCOMPARE(bytesOf(copy), project);
    QCOMPARE(bytesOf(m_folder->filePath(QStringLiteral("again/trained.mega"))), weights);
}

void TestWindow::weightsThatDoNotFitAreSaid()
{
    open();
    m_window->document().setWeightsFile(QStringLiteral("tiny.mega"));
    QCOMPARE(m_window->document().save(m_window->document().path()), QString());
    const int before = m_window->log().model()->rowCount();
    QCOMPARE(m_window->openProject(m_window->document().path()), QString());
    QVERIFY(m_window->log().model()->rowCount() > before);
    QVERIFY(!m_window->hasValues());
    QFile broken(m_folder->filePath(QStringLiteral("tiny.mega")));
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.write("no weights");
    broken.close();
    QCOMPARE(m_window->openProject(m_window->document().path()), QString());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->waitsForValues(), patience);
    QVERIFY(!m_window->hasValues());
    const QString last =
        m_window->log().model()->index(m_window->log().model()->rowCount() - 1, ui::LogModel::What).data().toString();
    QVERIFY2(last.contains(QStringLiteral("fresh weights")), qPrintable(last));
}

void TestWindow::trainSaysWhyItCannot()
{
    open();
    QVERIFY(m_window->trainBar().trainButton()->isEnabled());
    m_window->document().change([](const graph::Document& d) { return graph::setAttr(d, 2, "in_features", Value(3)); });
    QVERIFY(!m_window->trainBar().trainButton()->isEnabled());
    QVERIFY(m_window->trainBar().trainButton()->toolTip().contains(QStringLiteral("fc1")));
    m_window->document().history().undo();
    QVERIFY(m_window->trainBar().trainButton()->isEnabled());
}

void TestWindow::closingWhileTrainingStops()
{
    open("100000");
    m_window->training().start(true);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->chart().training().empty(), patience);
    m_window->close();
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->isVisible(), patience);
    QVERIFY(!m_window->training().isRunning());
}

void TestWindow::everythingHasANameForTheBlind()
{
    open();
    for (QWidget* widget : m_window->findChildren<QWidget*>()) {
        if (!(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisibleTo(m_window.get())
            || widget->inherits("QTabBar") || widget->inherits("QScrollArea"))
            continue;
        const QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(widget);
        QVERIFY2(interface && !interface->text(QAccessible::Name).isEmpty(),
                 qPrintable(QString::fromLatin1(widget->metaObject()->className()) + QLatin1Char(' ')
                            + widget->objectName() + QStringLiteral(" in ")
                            + QString::fromLatin1(widget->parent()->metaObject()->className())));
    }
}

void TestWindow::nothingIsCutOff_data()
{
    QTest::addColumn<QString>("dock");
    for (const char* name : {"attributes", "parameters", "training", "charts", "problems", "log", "history"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestWindow::nothingIsCutOff()
{
    QFETCH(QString, dock);
    open();
    m_window->canvas().goTo(2);
    QVERIFY(m_window->showDock(dock));
    QTest::qWait(50);
    for (const QLabel* label : m_window->findChildren<QLabel*>()) {
        if (!label->isVisible() || label->text().isEmpty() || label->wordWrap())
            continue;
        QVERIFY2(label->width() >= label->fontMetrics().horizontalAdvance(label->text()), qPrintable(label->text()));
        QVERIFY2(label->height() >= label->fontMetrics().height() - 1, qPrintable(label->text()));
    }
    for (const QPushButton* button : m_window->findChildren<QPushButton*>())
        if (button->isVisible())
            QVERIFY2(button->width() >= button->fontMetrics().horizontalAdvance(button->text()) + 8,
                     qPrintable(button->text()));
}

QTEST_MAIN(TestWindow)
#include "test_window.moc"
