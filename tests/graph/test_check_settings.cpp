// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/graph/graph_fixture.h"

#include "engine/graph/check.h"

#include <QTest>

using namespace megalith;
using namespace megalith::graph;
using fixture::chain;
using fixture::goodSettings;
using fixture::graphOnly;
using fixture::parse;
using fixture::projectWith;
using fixture::report;

// What check says of "data" and "training", and of the network beside them.
class TestCheckSettings : public QObject
{
    Q_OBJECT

private slots:
    void nothingToTrain();
    void settings_data();
    void settings();
    void outputsAndLoss();
    void batchOfOne();
    void dataFacts();
};

void TestCheckSettings::nothingToTrain()
{
    const Analysis frozen =
        analyze(chain(R"({"shape": [4]})", {{"Linear", R"({"out_features": 3})", R"(, "frozen": ["weight", "bias"])"}},
                      false, goodSettings));
    QCOMPARE(report(frozen), QString("warning graph trainable: nothing to train: every parameter is frozen"));
    const Analysis none = analyze(chain(R"({"shape": [4]})", {{"ReLU"}}, false, goodSettings));
    QCOMPARE(report(none), QString("warning graph trainable: nothing to train: the network has no parameters"));
}

void TestCheckSettings::settings_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* key, const char* value, const char* path, const char* part) {
        QTest::addRow("%s %s", key, value) << key << value << path << part;
    };
    row("batch_size", "0", "training.batch_size", "must be a whole number of at least 1, not 0");
    row("batch_size", "2.5", "training.batch_size", "must be a whole number of at least 1, not 2.5");
    row("epochs", "-1", "training.epochs", "of at least 0, not -1");
    row("shuffle", "1", "training.shuffle", "must be true or false, not 1");
    row("clip_grad_norm", "0", "training.clip_grad_norm", "must be a number above 0 or null, not 0");
    row("optimizer", R"({"type": "SGD", "lr": -0.1})", "training.optimizer.lr", "-0.1");
    row("optimizer", R"({"type": "SGD", "lr": "nan"})", "training.optimizer.lr", "nan");
    row("optimizer", R"({"type": "SGD", "lr": null})", "training.optimizer.lr", "lr");
    row("optimizer", R"({"type": "Sgd", "lr": 1})", "training.optimizer.type",
        "there is no optimizer called \"Sgd\"; there are SGD");
    row("optimizer", R"({"type": "SGD", "lr": 0.1, "speed": 2})", "training.optimizer.speed",
        "SGD has no such argument");
    row("optimizer", R"({"lr": 0.1})", "training.optimizer.type", "is missing");
    row("optimizer", R"({"type": "SGD", "lr": 0.1, "param_groups": [{"params": ["m1.w"]}]})",
        "training.optimizer.param_groups[0].params", "there is no parameter \"m1.w\"");
    row("loss", R"({"type": "Loss"})", "training.loss.type", "there is no loss called \"Loss\"");
    row("loss", R"("MSELoss")", "training.loss", "must be an object, not \"MSELoss\"");
    row("loss", R"({"type": "MSELoss", "output": "z"})", "training.loss.output", "\"z\"");
    row("scheduler", R"({"type": "StepLR"})", "training.scheduler", "step_size");
    row("scheduler", R"({"type": "Steps"})", "training.scheduler.type", "there is no scheduler called \"Steps\"");
    row("early_stopping", R"({"patience": -1})", "training.early_stopping.patience", "of at least 0, not -1");
}

void TestCheckSettings::settings()
{
    QFETCH(QString, key);
    QFETCH(QString, value);
    QFETCH(QString, path);
    QFETCH(QString, part);
    Document document = chain(R"({"shape": [4]})", {{"Linear", R"({"out_features": 3})"}}, false, goodSettings);
    QCOMPARE(report(analyze(document)), QString());
    apply(document, setSetting(document, "training", std::vector<std::string>{key.toStdString()},
                               parseJson(value.toStdString())));
    const Analysis analysis = analyze(document);
    QCOMPARE(analysis.errors, std::int64_t{1});
    const Diagnostic& found = analysis.diagnostics.front();
    QCOMPARE(QString::fromStdString(found.path), path);
    QCOMPARE(found.rule, std::string("setting"));
    QVERIFY2(QString::fromStdString(found.message).contains(part), found.message.c_str());
}

void TestCheckSettings::outputsAndLoss()
{
    Document document = parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [5]}}, {"id": 2, "type": "Linear", "name": "fc", "attrs": {"out_features": 2}},
           {"id": 3, "type": "Output", "name": "first"}, {"id": 4, "type": "Output", "name": "second"})",
        R"({"from": [1, "output"], "to": [2, "input"]}, {"from": [2, "output"], "to": [3, "input"]}, {"from": [1, "output"], "to": [4, "input"]})",
        {}, goodSettings));
    QCOMPARE(
        report(analyze(document)),
        QString(
            "error training.loss setting: the network has several outputs (first, second): say with \"output\" which one the loss takes"));
    apply(document, setSetting(document, "training", std::vector<std::string>{"loss", "output"}, Value("second")));
    QCOMPARE(report(analyze(document)), QString());
}

void TestCheckSettings::batchOfOne()
{
    Document document =
        chain(R"({"shape": [4]})", {{"Linear", R"({"out_features": 3})"}, {"BatchNorm1d"}}, false, goodSettings);
    QVERIFY(analyze(document).ok());
    DataFacts facts;
    facts.trainSamples = 17;  // 8 + 8 + 1
    const Analysis last = analyze(document, &facts);
    QVERIFY2(report(last).startsWith("error m2.input batch: a batch of [1, 3] has one value per channel"),
             qPrintable(report(last)));
    apply(document, setSetting(document, "training", std::vector<std::string>{"drop_last"}, Value(true)));
    QVERIFY(analyze(document, &facts).ok());
    apply(document, setSetting(document, "training", std::vector<std::string>{"batch_size"}, Value(1)));
    QVERIFY(!analyze(document).ok());
    QVERIFY(graphOnly(document).ok());
}

void TestCheckSettings::dataFacts()
{
    Document document = chain(R"({"shape": [4]})", {{"Linear", R"({"out_features": 3})"}}, false, goodSettings);
    apply(document,
          setSetting(document, "training", std::vector<std::string>{"loss", "type"}, Value("CrossEntropyLoss")));
    DataFacts facts;
    facts.classes = 10;
    facts.inputs[""] = {DType::F32, {1, 8, 8}};
    QCOMPARE(report(analyze(document, &facts)),
             QString("error training.loss data: the data has 10 classes but the output tells only 3 apart\n"
                     "error x data: its shape is [4] but the data's samples are [1, 8, 8]"));
    facts.classes = 3;
    facts.inputProblem = [](const auto& inputs) {
        return inputs.front().second.shape == Shape{4} ? std::nullopt : std::optional<std::string>("does not fit");
    };
    QCOMPARE(report(analyze(document, &facts)), QString());
}

QTEST_APPLESS_MAIN(TestCheckSettings)
#include "test_check_settings.moc"
