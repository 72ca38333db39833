// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/document_controller.h"
#include "app/run_files.h"
#include "tests/paths.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace megalith;
using namespace megalith::app;

namespace {

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

graph::Id add(DocumentController& c, const char* type)
{
    graph::Id id = 0;
    c.change([&](const graph::Document& d) {
        graph::Added added = graph::addNode(d, "", type, {0, 0});
        id = added.id;
        return added.edit;
    });
    return id;
}

}  // namespace

class TestController : public QObject
{
    Q_OBJECT

private slots:
    void init() { QVERIFY(m_folder.isValid()); }
    void savesTheSameBytesAfterReopening();
    void undoAllGivesTheSavedBytes();
    void whatChangesNothingIsNoEntry();
    void dirtyFollowsTheHistory();
    void refusalsComeBackAsASentence();
    void lockedRefuses();
    void fileErrorsAreOneSentence();
    void anUnreadableProjectLeavesThePresentOne();
    void theLatestRunIsFound();
    void curvesAreReadFromMetrics();

private:
    QString at(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }
    QTemporaryDir m_folder;
};

void TestController::savesTheSameBytesAfterReopening()
{
    for (const char* sample : {"digits-mlp", "digits-cnn"}) {
        const QString source = QString::fromUtf8(test::sourceFolder)
                               + QStringLiteral("/resources/samples/%1.megaproj").arg(QLatin1String(sample));
        DocumentController controller;
        QCOMPARE(controller.open(source), QString());
        QVERIFY2(controller.analysis().ok(), controller.firstError() ? controller.firstError()->message.c_str() : "");
        QCOMPARE(controller.save(at("Kopie \u6a21\u578b.megaproj")), QString());
        QCOMPARE(bytesOf(at("Kopie \u6a21\u578b.megaproj")), bytesOf(source));
    }
}

void TestController::undoAllGivesTheSavedBytes()
{
    DocumentController controller;
    const graph::Id input = add(controller, "Input");
    QCOMPARE(controller.save(at("a.megaproj")), QString());
    const QByteArray before = bytesOf(at("a.megaproj"));
    const graph::Id linear = add(controller, "Linear");
    controller.change([&](const graph::Document& d) {
        return graph::connect(d, "", {input, "output"}, {linear, "input"});
    });
    controller.change([&](const graph::Document& d) { return graph::setAttr(d, linear, "out_features", Value(7)); });
    controller.change([&](const graph::Document& d) { return graph::rename(d, linear, "head"); });
    controller.change([&](const graph::Document& d) { return graph::setFrozen(d, linear, "weight", true); });
    const std::vector<graph::Id> ids = {linear};
    controller.change([&](const graph::Document& d) { return graph::removeNodes(d, "", ids); });
    QCOMPARE(controller.history().count(), 7);
    QVERIFY(!controller.history().undoText().isEmpty());
    controller.history().setIndex(1);
    QCOMPARE(controller.save(at("a.megaproj")), QString());
    QCOMPARE(bytesOf(at("a.megaproj")), before);
    controller.history().setIndex(6);
    QCOMPARE(controller.document().node(linear)->name, std::string("head"));
}

void TestController::whatChangesNothingIsNoEntry()
{
    DocumentController controller;
    const graph::Id linear = add(controller, "Linear");
    controller.history().undo();
    QVERIFY(controller.history().canRedo());
    controller.history().redo();
    controller.history().undo();
    controller.history().redo();
    const int entries = controller.history().count();
    const std::string name = controller.document().node(linear)->name;
    QCOMPARE(controller.change([&](const graph::Document& d) { return graph::rename(d, linear, name); }), QString());
    QCOMPARE(controller.history().count(), entries);
}

void TestController::dirtyFollowsTheHistory()
{
    DocumentController controller;
    QVERIFY(!controller.isDirty());
    add(controller, "ReLU");
    QVERIFY(controller.isDirty());
    QCOMPARE(controller.save(at("dirty.megaproj")), QString());
    QVERIFY(!controller.isDirty());
    controller.history().undo();
    QVERIFY(controller.isDirty());
    controller.history().redo();
    QVERIFY(!controller.isDirty());
    controller.setValuesDirty(true);
    QVERIFY(controller.isDirty());
}

void TestController::refusalsComeBackAsASentence()
{
    DocumentController controller;
    const graph::Id relu = add(controller, "ReLU");
    QSignalSpy refused(&controller, &ui::DocumentHost::refused);
    const QString why = controller.change([&](const graph::Document& d) {
        return graph::connect(d, "", {relu, "output"}, {relu, "input"});
    });
    QVERIFY(!why.isEmpty());
    QCOMPARE(refused.size(), 1);
    QCOMPARE(controller.history().count(), 1);
}

void TestController::lockedRefuses()
{
    DocumentController controller;
    controller.setTrainingLock(QStringLiteral("it trains"));
    QCOMPARE(add(controller, "ReLU"), graph::Id{0});
    QVERIFY(controller.document().root.nodes.empty());
    controller.setTrainingLock({});
    QVERIFY(add(controller, "ReLU") != 0);
}

void TestController::fileErrorsAreOneSentence()
{
    DocumentController controller;
    for (const QString& path : {at("missing.megaproj"), m_folder.path()}) {
        const QString problem = controller.open(path);
        QVERIFY(!problem.isEmpty());
        QVERIFY(!problem.contains(QLatin1Char('\n')));
    }
    const QString problem = controller.save(at("no/such/folder/a.megaproj"));
    QVERIFY(!problem.isEmpty());
    QVERIFY(!QFile::exists(at("no")));
}

void TestController::anUnreadableProjectLeavesThePresentOne()
{
    DocumentController controller;
    const graph::Id relu = add(controller, "ReLU");
    QFile broken(at("broken.megaproj"));
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.write("{\"format\": \"megalith-project\", \"version\": 1,");
    broken.close();
    QVERIFY(controller.open(at("broken.megaproj")).contains(QStringLiteral("broken.megaproj")));
    QVERIFY(controller.document().node(relu) != nullptr);
    QVERIFY(controller.history().canUndo());
}

void TestController::theLatestRunIsFound()
{
    const QString project = at("net.megaproj");
    QCOMPARE(lastRunFolder({}), QString());
    QCOMPARE(lastRunFolder(project), QString());
    for (const char* run : {"net.runs/9", "net.runs/10", "net.runs/11"})
        QVERIFY(QDir(m_folder.path()).mkpath(QString::fromLatin1(run)));
    QCOMPARE(lastRunFolder(project), QString());
    for (const char* run : {"net.runs/9", "net.runs/10"}) {
        QFile metrics(m_folder.filePath(QString::fromLatin1(run) + QStringLiteral("/metrics.csv")));
        QVERIFY(metrics.open(QIODevice::WriteOnly));
    }
    QVERIFY(lastRunFolder(project).endsWith(QStringLiteral("net.runs/10")));
}

void TestController::curvesAreReadFromMetrics()
{
    QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("c.runs/2")));
    QFile metrics(at("c.runs/2/metrics.csv"));
    QVERIFY(metrics.open(QIODevice::WriteOnly));
    metrics.write("step,epoch,loss,lr,val_loss,val_accuracy,seconds\n1,0,2.5,0.1,,,0.1\n2,0,nan,0.1,2.25,0.5,0.2\n");
    metrics.close();
    const auto curves = readCurves(lastRunFolder(at("c.megaproj")));
    QVERIFY(curves.has_value());
    QCOMPARE(curves->steps.size(), std::size_t{2});
    QCOMPARE(curves->steps[0].loss, 2.5);
    QVERIFY(std::isnan(curves->steps[1].loss));
    QCOMPARE(curves->validation.size(), std::size_t{1});
    QCOMPARE(curves->validation[0].step, std::int64_t{2});
}

QTEST_GUILESS_MAIN(TestController)
#include "test_controller.moc"
