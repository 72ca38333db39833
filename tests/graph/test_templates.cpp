// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/graph/graph_fixture.h"

#include "engine/core/json.h"
#include "engine/graph/check.h"
#include "engine/graph/summary.h"
#include "engine/graph/templates.h"

#include <QTest>

using namespace megalith;
using namespace megalith::graph;
using fixture::chain;
using fixture::parse;
using fixture::projectWith;
using fixture::report;
using fixture::thrown;

namespace {

QStringList typesOf(const Document& document)
{
    QStringList types;
    for (const Id id : order(document.root))
        types << QString::fromStdString(document.root.nodes.at(id).type);
    return types;
}

}  // namespace

class TestTemplates : public QObject
{
    Q_OBJECT

private slots:
    void everyBuiltInSource_data();
    void everyBuiltInSource();
    void sizes();
    void sizesThatFitASource();
    void cnnOfDigits();
    void refusals();
    void summaryOfTheDescription();
    void summaryOfComposedModules();
    void drawingOfAGraph();
};

void TestTemplates::everyBuiltInSource_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("output");
    const auto row = [](const char* source, const char* loss, const char* output) {
        QTest::newRow(source) << source << loss << output;
    };
    row("digits", "CrossEntropyLoss", "[N, 10]");
    row("iris", "CrossEntropyLoss", "[N, 3]");
    row("moons", "CrossEntropyLoss", "[N, 2]");
    row("circles", "CrossEntropyLoss", "[N, 2]");
    row("spirals", "CrossEntropyLoss", "[N, 2]");
    row("xor", "CrossEntropyLoss", "[N, 2]");
    row("blobs", "CrossEntropyLoss", "[N, 3]");
    row("regression-1d", "MSELoss", "[N, 1]");
}

void TestTemplates::everyBuiltInSource()
{
    QFETCH(QString, source);
    QFETCH(QString, loss);
    QFETCH(QString, output);
    const Document document = newFromTemplate("mlp", "d", builtInData(source.toStdString()));
    const Analysis analysis = analyze(document);
    QCOMPARE(report(analysis), QString());
    QCOMPARE(document.training.find("loss")->find("type")->string(), loss.toStdString());
    QCOMPARE(QString::fromStdString(text(analysis.first(outputNodes(document.root).front())->inputs.front().shape)),
             output);
    QVERIFY(parse(projectText(document)).sameContent(document));
}

void TestTemplates::sizes()
{
    const Document document = newFromTemplate("mlp", "m", std::nullopt, {10, 4, 3});
    const Analysis analysis = analyze(document);
    QCOMPARE(analysis.errors, std::int64_t{0});
    QCOMPARE(analysis.totals.parameters, std::int64_t{59});
    QCOMPARE(typesOf(document), (QStringList{"Input", "Linear", "ReLU", "Linear", "Output"}));
    QVERIFY(document.root.sequential);
    QVERIFY(document.data.isNull());
    QCOMPARE(analysis.nodes[1].tensors.front().key, std::string("0.weight"));
    QCOMPARE(analysis.nodes[3].tensors.front().key, std::string("2.weight"));
    QVERIFY(parse(projectText(document)).sameContent(document));
}

void TestTemplates::sizesThatFitASource()
{
    const Document iris = newFromTemplate("mlp", "m", std::nullopt, {4, 8, 3});
    QCOMPARE(writeJson(iris.data), std::string(R"({"source": "iris", "validation": 0.2, "normalize": "standard"})"));
    const Document digits = newFromTemplate("mlp", "m", builtInData("digits"), {64, 32, 10});
    QCOMPARE(typesOf(digits), (QStringList{"Input", "Flatten", "Linear", "ReLU", "Linear", "Output"}));
    QCOMPARE(report(analyze(digits)), QString());
}

void TestTemplates::cnnOfDigits()
{
    const Document document = newFromTemplate("cnn", "c");
    QCOMPARE(report(analyze(document)), QString());
    QCOMPARE(document.data.find("source")->string(), std::string("digits"));
    TemplateData large;
    large.source = "fashion-mnist";
    large.testPart = true;
    large.sample = {1, 28, 28};
    large.image = true;
    large.classes = 10;
    const Document fashion = newFromTemplate("cnn", "f", large);
    const Analysis analysis = analyze(fashion);
    QCOMPARE(report(analysis), QString());
    QCOMPARE(typesOf(fashion), (QStringList{"Input", "Conv2d", "ReLU", "MaxPool2d", "Conv2d", "ReLU", "MaxPool2d",
                                            "Flatten", "Linear", "ReLU", "Linear", "Output"}));
    QCOMPARE(fashion.root.named("conv1")->attrs.find("out_channels")->integer(), std::int64_t{16});
    QCOMPARE(fashion.root.named("fc2")->attrs.find("out_features")->integer(), std::int64_t{10});
    QCOMPARE(fashion.training.find("epochs")->integer(), std::int64_t{5});
}

void TestTemplates::refusals()
{
    QCOMPARE(thrown([] { newFromTemplate("gan", "g"); }),
             QString("there is no template called gan; there are mlp, cnn"));
    QCOMPARE(thrown([] { newFromTemplate("cnn", "g", builtInData("iris")); }),
             QString("the cnn template needs pictures, and iris has none"));
    QCOMPARE(thrown([] {
                 newFromTemplate("mlp", "g", builtInData("iris"), {5, 3});
             }),
             QString("iris has samples of 4 numbers, but the sizes begin with 5"));
    QCOMPARE(thrown([] {
                 newFromTemplate("mlp", "g", builtInData("iris"), {4, 2});
             }),
             QString("iris has 3 classes, but the sizes end with 2"));
    QCOMPARE(thrown([] { newFromTemplate("mlp", "g", std::nullopt, {4}); }),
             QString("layer sizes are at least two numbers: those of the input and of the output"));
    QCOMPARE(thrown([] {
                 newFromTemplate("mlp", "g", std::nullopt, {4, 0, 2});
             }),
             QString("a layer needs a size of at least 1, not 0"));
}

void TestTemplates::summaryOfTheDescription()
{
    const Document document = chain(R"({"shape": [10]})",
                                    {{"Linear", R"({"out_features": 10})", R"(, "frozen": ["weight", "bias"])"},
                                     {"ReLU"},
                                     {"Linear", R"({"out_features": 3})"}},
                                    true);
    const Summary summary = summarize(document, analyze(document));
    const std::vector<std::string> lines = summaryLines(summary);
    QCOMPARE(lines.size(), std::size_t{4});
    const Value first = parseJson(lines[0]);
    QCOMPARE(writeJson(*first.find("output_shape")), std::string("[10]"));
    QCOMPARE(first.find("parameters")->integer(), std::int64_t{110});
    QCOMPARE(first.find("trainable")->integer(), std::int64_t{0});
    QCOMPARE(writeJson(*first.find("keys")), std::string(R"(["0.weight", "0.bias"])"));
    QCOMPARE(writeJson(first.find("tensors")->list()[0]),
             std::string(
                 R"({"key": "0.weight", "shape": [10, 10], "numel": 100, "kind": "parameter", "trainable": false})"));
    QCOMPARE(
        lines.back(),
        std::string(
            R"({"event": "total", "parameters": 143, "trainable": 33, "frozen": 110, "buffers": 0, "parameter_bytes": 572, "buffer_bytes": 0})"));
    const QString tree = QString::fromStdString(summaryTree(summary));
    QVERIFY2(tree.contains("  (1): ReLU()  "), qPrintable(tree));
    QVERIFY2(tree.contains("(33 trainable, 110 frozen), 572 bytes"), qPrintable(tree));
}

void TestTemplates::summaryOfComposedModules()
{
    const Document document = parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [5]}}, {"id": 2, "type": "Block", "name": "b"}, {"id": 5, "type": "Add", "name": "s"}, {"id": 4, "type": "Output", "name": "y"})",
        R"({"from": [1, "output"], "to": [2, "in"]}, {"from": [2, "out"], "to": [5, "input"]}, {"from": [1, "output"], "to": [5, "other"]}, {"from": [5, "output"], "to": [4, "input"]})",
        R"(, "modules": {"Block": {"nodes": [{"id": 100, "type": "Input", "name": "in"}, {"id": 101, "type": "Linear", "name": "fc", "attrs": {"out_features": 5}},
            {"id": 103, "type": "Output", "name": "out"}], "edges": [{"from": [100, "output"], "to": [101, "input"]}, {"from": [101, "output"], "to": [103, "input"]}]}})"));
    const Summary summary = summarize(document, analyze(document));
    QCOMPARE(summary.rows.size(), std::size_t{2});
    QCOMPARE(summary.rows[0].name, std::string("b"));
    QCOMPARE(summary.rows[0].parameters, std::int64_t{30});
    QVERIFY(summary.rows[0].tensors.empty());
    QCOMPARE(summary.rows[1].name, std::string("b.fc"));
    const QString tree = QString::fromStdString(summaryTree(summary));
    QVERIFY2(tree.startsWith("Model(\n  (b): Block("), qPrintable(tree));
    QVERIFY2(tree.contains("\n    (fc): Linear(in_features=5, out_features=5, bias=True)"), qPrintable(tree));
    QVERIFY2(tree.contains("\n  )\n)\n"), qPrintable(tree));
}

void TestTemplates::drawingOfAGraph()
{
    const Document document = parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [6]}}, {"id": 2, "type": "Linear", "name": "a", "attrs": {"out_features": 6}}, {"id": 3, "type": "ReLU", "name": "r"},
           {"id": 4, "type": "Add", "name": "s"}, {"id": 5, "type": "Output", "name": "y"})",
        R"({"from": [1, "output"], "to": [2, "input"]}, {"from": [2, "output"], "to": [3, "input"]}, {"from": [1, "output"], "to": [4, "input"]},
           {"from": [3, "output"], "to": [4, "other"]}, {"from": [4, "output"], "to": [5, "input"]})"));
    const QString drawn = QString::fromStdString(drawing(document, analyze(document)));
    QCOMPARE(drawn, QString("●    x  Input   [N, 6]\n"
                            "├─●  a  Linear  [N, 6]  42\n"
                            "│ ●  r  ReLU    [N, 6]\n"
                            "●─╯  s  Add     [N, 6]\n"
                            "●    y  Output  [N, 6]\n"));
    QVERIFY(drawing(document, analyze(document), false).find("*-'  s") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestTemplates)
#include "test_templates.moc"
