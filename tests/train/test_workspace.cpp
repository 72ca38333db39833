// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/graph/project_text.h"
#include "engine/io/atomic_file.h"
#include "engine/io/mega_reader.h"
#include "engine/train/workspace.h"
#include "tests/engine/engine_test.h"

#include <QTemporaryDir>

using namespace megalith;

namespace {

// Everything that draws random numbers or keeps state between steps: dropout, shuffling, momentum, BatchNorm, a schedule.
std::string project(const std::string& optimizer, const std::string& more = "", const std::string& frozen = "")
{
    return R"({"format": "megalith-project", "version": 1, "name": "t", "graph": {"sequential": true, "nodes": [
      {"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [2]}, "pos": [0, 0]},
      {"id": 2, "type": "Linear", "attrs": {"out_features": 16}, "pos": [1, 0])"
           + frozen + R"(},
      {"id": 3, "type": "BatchNorm1d", "attrs": {}, "pos": [2, 0]},
      {"id": 4, "type": "ReLU", "attrs": {}, "pos": [3, 0]},
      {"id": 5, "type": "Dropout", "attrs": {"p": 0.2}, "pos": [4, 0]},
      {"id": 6, "type": "Linear", "attrs": {"out_features": 2}, "pos": [5, 0]},
      {"id": 7, "type": "Output", "name": "y", "attrs": {}, "pos": [6, 0]}],
      "edges": [{"from": [1, "output"], "to": [2, "input"]}, {"from": [2, "output"], "to": [3, "input"]},
       {"from": [3, "output"], "to": [4, "input"]}, {"from": [4, "output"], "to": [5, "input"]},
       {"from": [5, "output"], "to": [6, "input"]}, {"from": [6, "output"], "to": [7, "input"]}]},
      "data": {"source": "moons", "validation": 0.2, "normalize": "standard"},
      "training": {"loss": {"type": "CrossEntropyLoss"}, "optimizer": )"
           + optimizer + R"(,
       "scheduler": {"type": "StepLR", "step_size": 2, "gamma": 0.7}, "batch_size": 30, "shuffle": true, "epochs": 100, "seed": 3,
       "device": "cpu")"
           + more + "}}";
}

const std::string adam = R"({"type": "Adam", "lr": 0.02})";
const std::string sgd = R"({"type": "SGD", "lr": 0.1, "momentum": 0.9})";

// What a process does: a session of its own, from start to end.
struct Process
{
    Session session{2};
    SessionScope scope{session};
    train::Workspace workspace;
    std::vector<double> losses;
    train::DoneEvent done;

    explicit Process(const std::string& text) : workspace(session, graph::parseProject(text, "t.megaproj"), {}) {}

    void run(train::TrainOptions options, std::int64_t cancelAt = -1)
    {
        train::Listener listener;
        listener.step = [this](const train::StepEvent& e) { losses.push_back(e.loss); };
        listener.cancelled = [this, cancelAt] { return static_cast<std::int64_t>(losses.size()) == cancelAt; };
        done = workspace.train(options, listener);
    }

    std::vector<std::byte> bytes()
    {
        std::vector<std::byte> out;
        for (const auto& [key, entry] : workspace.stateDict())
            out.insert(out.end(), entry.bytes().begin(), entry.bytes().end());
        return out;
    }
};

}  // namespace

class TestWorkspace : public QObject
{
    Q_OBJECT

private slots:
    void oneSeedGivesTheSameBitsTwice()
    {
        Process first(project(adam));
        first.run({.steps = 60});
        Process second(project(adam));
        second.run({.steps = 60});
        QCOMPARE(first.losses, second.losses);
        QVERIFY(first.bytes() == second.bytes());
        Process other(project(adam));
        other.run({.steps = 60, .seed = 4});
        QVERIFY(first.bytes() != other.bytes());
    }

    void aResumedRunGivesTheBitsOfAnUninterruptedOne_data()
    {
        QTest::addColumn<QString>("optimizer");
        QTest::newRow("Adam") << QString::fromStdString(adam);
        QTest::newRow("SGD with momentum") << QString::fromStdString(sgd);
    }
    void aResumedRunGivesTheBitsOfAnUninterruptedOne()
    {
        QFETCH(QString, optimizer);
        const QTemporaryDir dir;
        const std::string out = dir.path().toStdString() + "/run 1";
        const std::string text = project(optimizer.toStdString());
        Process whole(text);
        whole.run({.steps = 200});
        std::vector<double> losses;
        {
            Process half(text);
            half.run({.steps = 100, .outDir = out});
            losses = half.losses;
        }
        Process rest(text);
        rest.run({.steps = 200, .outDir = out, .resume = out + "/checkpoint.mega"});
        losses.insert(losses.end(), rest.losses.begin(), rest.losses.end());
        QCOMPARE(losses, whole.losses);
        QVERIFY(rest.bytes() == whole.bytes());
        const std::string csv = io::readWholeText(out + "/metrics.csv");
        QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), 201);
    }

    void cancellingFinishesTheStepAndKeepsTheCheckpoint()
    {
        const QTemporaryDir dir;
        const std::string out = dir.path().toStdString();
        Process p(project(adam));
        p.run({.outDir = out}, 7);
        QVERIFY(p.done.stopped);
        QCOMPARE(p.done.steps, 7);
        QCOMPARE(io::readMegaTree(out + "/checkpoint.mega").at("progress").at("step").integer(), 7);
        for (const char* name : {"best.mega", "last.mega", "metrics.csv"})
            QVERIFY(std::filesystem::exists(out + "/" + name));
    }

    void frozenParametersStayToTheBit()
    {
        const std::string decay = R"({"type": "AdamW", "lr": 0.02, "weight_decay": 0.5})";
        Process p(project(decay, "", R"(, "frozen": ["weight", "bias"])"));
        const StateDict before = p.workspace.stateDict();
        p.run({.steps = 20});
        const StateDict after = p.workspace.stateDict();
        for (const char* key : {"0.weight", "0.bias"})
            QVERIFY(std::ranges::equal(before.find(key)->bytes(), after.find(key)->bytes()));
        QVERIFY(!std::ranges::equal(before.find("4.weight")->bytes(), after.find("4.weight")->bytes()));
    }

    void earlyStoppingEndsARun()
    {
        Process p(project(R"({"type": "SGD", "lr": 0})",
                          R"(, "early_stopping": {"monitor": "val_loss", "patience": 3, "min_delta": 1.0})"));
        p.run({});
        QVERIFY(p.done.earlyStopped);
        QCOMPARE(p.done.epochs, 4);
    }

    void learningLearns()
    {
        Process p(project(adam));
        p.run({.epochs = 30});
        const train::EvalResult result = p.workspace.evaluate();
        QCOMPARE(result.metrics.front().name, std::string("accuracy"));
        QVERIFY2(result.metrics.front().value > 0.9, std::to_string(result.metrics.front().value).c_str());
    }

    void weightsComeBackToTheBitWithTheirNormalisation()
    {
        const QTemporaryDir dir;
        const std::string file = dir.path().toStdString() + "/Gewichte \xe9\x87\x8d\xf0\x9f\x99\x82.mega";
        Process p(project(adam));
        p.run({.steps = 10});
        p.workspace.saveWeights(file);
        Process fresh(project(adam));
        QVERIFY(fresh.workspace.loadWeights(file).ok());
        QVERIFY(fresh.bytes() == p.bytes());
        QVERIFY(fresh.workspace.normalization() == p.workspace.normalization());
        QVERIFY(fresh.workspace.normalization().kind == data::NormalizationKind::Standard);
    }

    void wrongSettingsAreNamed()
    {
        Process negative(project(R"({"type": "Adam", "lr": -1})"));
        COMPARE_ERROR(negative.run({}), "lr");
        Process unknown(project(R"({"type": "Rprop", "lr": 1})"));
        COMPARE_ERROR(unknown.run({}), "Rprop");
        Process device(project(adam));
        COMPARE_ERROR(device.run({.device = "opencl:7"}), "opencl:7");
    }
};

QTEST_GUILESS_MAIN(TestWorkspace)
#include "test_workspace.moc"
