// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/graph/graph_fixture.h"

#include "engine/graph/check.h"

#include <QTest>

#include <algorithm>

using namespace megalith;
using namespace megalith::graph;
using fixture::chain;
using fixture::graphOnly;
using fixture::parse;
using fixture::projectWith;
using fixture::report;

namespace {

QString outputText(const Analysis& analysis, Id node)
{
    const NodeInfo* info = analysis.first(node);
    if (info == nullptr || info->outputs.empty())
        return {};
    return QString::fromStdString(text(info->outputs.front().shape));
}

// Block(width): in -> fc (Linear(=width)) -> out
const char* const blockModule = R"(, "modules": {"Block": {"args": {"width": 16}, "nodes": [
    {"id": 100, "type": "Input", "name": "in"}, {"id": 101, "type": "Linear", "name": "fc", "attrs": {"out_features": "=width"}},
    {"id": 102, "type": "Output", "name": "out"}],
    "edges": [{"from": [100, "output"], "to": [101, "input"]}, {"from": [101, "output"], "to": [102, "input"]}]}})";

std::string twoBlocks(const std::string& first, const std::string& second, const std::string& more = {})
{
    return projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [5]}}, {"id": 2, "type": "Block", "name": "b1", )"
            + first + R"(}, {"id": 3, "type": "Block", "name": "b2", )" + second
            + R"(}, {"id": 4, "type": "Output", "name": "y"})",
        R"({"from": [1, "output"], "to": [2, "in"]}, {"from": [2, "out"], "to": [3, "in"]}, {"from": [3, "out"], "to": [4, "input"]})",
        blockModule, more);
}

}  // namespace

class TestCheck : public QObject
{
    Q_OBJECT

private slots:
    void countsOfTheDescription();
    void shapesOfACnn();
    void batchInShapes();
    void sizesFollowFromWires();
    void oneCauseIsOneError();
    void shapeErrors_data();
    void shapeErrors();
    void attributeErrors_data();
    void attributeErrors();
    void fixSetsTheSize();
    void wires();
    void cycle();
    void endsAreNeeded();
    void unknownTypes();
    void composedModules();
    void errorInsideAModuleIsSaidOnce();
    void sharedModules();
    void tiedTensors();
    void frozenAndInit();
    void bareTensors();
    void absurdSizes();
    void manyInstances();
    void tenThousandNodes();
};

void TestCheck::countsOfTheDescription()
{
    const Document document = chain(R"({"shape": [10]})",
                                    {{"Linear", R"({"out_features": 10})", R"(, "frozen": ["weight", "bias"])"},
                                     {"ReLU"},
                                     {"Linear", R"({"out_features": 3})"}},
                                    true);
    const Analysis analysis = graphOnly(document);
    QCOMPARE(report(analysis), QString());
    QCOMPARE(analysis.totals.parameters, std::int64_t{143});
    QCOMPARE(analysis.totals.trainable, std::int64_t{33});
    QCOMPARE(analysis.totals.frozen, std::int64_t{110});
    QCOMPARE(analysis.totals.parameterBytes, std::int64_t{572});
    QStringList keys;
    for (const NodeInfo& info : analysis.nodes)
        for (const TensorInfo& tensor : info.tensors)
            keys << QString::fromStdString(tensor.key);
    QCOMPARE(keys.join(' '), QString("0.weight 0.bias 2.weight 2.bias"));
    QCOMPARE(graphOnly(chain(R"({"shape": [4]})", {{"Linear", R"({"out_features": 3})"}})).totals.parameters,
             std::int64_t{15});
}

void TestCheck::shapesOfACnn()
{
    const Document document =
        chain(R"({"shape": [1, 28, 28]})", {{"Conv2d", R"({"out_channels": 16, "kernel_size": 3})"},
                                            {"BatchNorm2d"},
                                            {"ReLU"},
                                            {"MaxPool2d", R"({"kernel_size": 2})"},
                                            {"Conv2d", R"({"out_channels": 32, "kernel_size": 3})"},
                                            {"MaxPool2d", R"({"kernel_size": 2})"},
                                            {"Flatten"},
                                            {"Linear", R"({"in_features": null, "out_features": 10})"}});
    const Analysis analysis = graphOnly(document);
    QCOMPARE(report(analysis), QString());
    QCOMPARE(outputText(analysis, 1), QString("[N, 1, 28, 28]"));
    QCOMPARE(outputText(analysis, 2), QString("[N, 16, 26, 26]"));
    QCOMPARE(outputText(analysis, 7), QString("[N, 32, 5, 5]"));
    QCOMPARE(outputText(analysis, 8), QString("[N, 800]"));
    QCOMPARE(outputText(analysis, 9), QString("[N, 10]"));
    QCOMPARE(analysis.first(9)->attrs.integer("in_features"), std::int64_t{800});
    QCOMPARE(analysis.first(6)->attrs.integer("in_channels"), std::int64_t{16});
    QCOMPARE(analysis.totals.parameters, std::int64_t{16 * 9 + 16 + 32 + 32 * 16 * 9 + 32 + 8010});
    QCOMPARE(analysis.totals.buffers, std::int64_t{33});
    QCOMPARE(analysis.totals.bufferBytes, std::int64_t{32 * 4 + 8});
}

void TestCheck::batchInShapes()
{
    const Document document = chain(R"({"shape": [4, 16]})", {{"Flatten", R"({"start_dim": 0})"}});
    QCOMPARE(outputText(graphOnly(document), 2), QString("[64N]"));
    const Document cat = parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [4]}}, {"id": 2, "type": "Constant", "name": "c", "attrs": {"shape": [3, 4]}},
           {"id": 3, "type": "Cat", "name": "cat"}, {"id": 4, "type": "Output", "name": "y"})",
        R"({"from": [1, "output"], "to": [3, "0"]}, {"from": [2, "output"], "to": [3, "1"]}, {"from": [3, "output"], "to": [4, "input"]})"));
    const Analysis analysis = graphOnly(cat);
    QCOMPARE(report(analysis), QString());
    QCOMPARE(outputText(analysis, 3), QString("[N + 3, 4]"));
    QCOMPARE(elements(analysis.first(3)->outputs.front().shape, 5), std::int64_t{32});
    const Document wide =
        chain(R"({"shape": [4]})", {{"Flatten", R"({"start_dim": 0})"}, {"Linear", R"({"out_features": 2})"}});
    QCOMPARE(
        report(graphOnly(wide)),
        QString(
            "error m2 shape: a size would follow from the batch size, which is not always the same\nnote y waiting: waits for m2"));
}

void TestCheck::sizesFollowFromWires()
{
    // The document keeps what it says; the analysis knows the number.
    const Document document = chain(R"({"shape": [6]})", {{"Linear", R"({"in_features": null, "out_features": 3})"}});
    QVERIFY(document.root.nodes.at(2).attrs.find("in_features")->isNull());
    QCOMPARE(graphOnly(document).first(2)->attrs.integer("in_features"), std::int64_t{6});
}

void TestCheck::oneCauseIsOneError()
{
    const Document document =
        chain(R"({"shape": [6]})",
              {{"Linear", R"({"in_features": 7, "out_features": 3})"}, {"ReLU"}, {"Linear", R"({"out_features": 2})"}});
    const Analysis analysis = graphOnly(document);
    QCOMPARE(report(analysis),
             QString("error m1.input shape: input ends in 6 but in_features is 7\nnote m2 waiting: waits for m1\n"
                     "note m3 waiting: waits for m1\nnote y waiting: waits for m1"));
    QCOMPARE(analysis.errors, std::int64_t{1});
    QCOMPARE(analysis.first(2)->state, State::Error);
    QCOMPARE(analysis.first(3)->state, State::Waiting);
    QCOMPARE(analysis.first(3)->waitsFor, std::string("m1"));
    QCOMPARE(outputText(analysis, 3), QString("?"));
}

void TestCheck::shapeErrors_data()
{
    QTest::addColumn<QString>("input");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("attrs");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* input, const char* type, const char* attrs, const char* message) {
        QTest::newRow(name) << input << type << attrs << message;
    };
    row("rank", R"({"shape": [784]})", "Conv2d", R"({"out_channels": 4, "kernel_size": 3, "in_channels": 1})",
        "expected [N, C, H, W]");
    row("channels", R"({"shape": [3, 8, 8]})", "Conv2d", R"({"in_channels": 16, "out_channels": 4, "kernel_size": 3})",
        "input has 3 channels but in_channels is 16");
    row("window", R"({"shape": [1, 4, 4]})", "Conv2d", R"({"out_channels": 4, "kernel_size": 5})",
        "a window of height 5 does not fit into 4");
    row("dtype", R"({"shape": [4], "dtype": "int64"})", "Linear", R"({"out_features": 2})",
        "input is int64, expected floating numbers");
    row("reshape", R"({"shape": [6]})", "Reshape", R"({"shape": [4, 2]})",
        "a sample has 6 elements [6] but shape [4, 2] has 8");
}

void TestCheck::shapeErrors()
{
    QFETCH(QString, input);
    QFETCH(QString, type);
    QFETCH(QString, attrs);
    QFETCH(QString, message);
    const std::string typeText = type.toStdString();
    const std::string attrsText = attrs.toStdString();
    const Analysis analysis = graphOnly(chain(input.toStdString(), {{typeText, attrsText}}));
    QCOMPARE(analysis.errors, std::int64_t{1});
    const QString found = report(analysis);
    QVERIFY2(found.startsWith("error m1.input shape: "), qPrintable(found));
    QVERIFY2(found.contains(message), qPrintable(found));
    QVERIFY2(!found.contains(QString::number(1000003)), qPrintable(found));
}

void TestCheck::attributeErrors_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("attrs");
    QTest::addColumn<QStringList>("parts");
    const auto row = [](const char* name, const char* type, const char* attrs, const QStringList& parts) {
        QTest::newRow(name) << type << attrs << parts;
    };
    row("missing", "Linear", "{}", {"out_features"});
    row("unknown", "Linear", R"({"out_features": 2, "units": 3})",
        {"Linear has no argument \"units\"; it has in_features, out_features, bias"});
    row("type", "Linear", R"({"out_features": "many"})", {"out_features", "whole number"});
    row("range", "Linear", R"({"out_features": 0})", {"out_features", "0"});
    row("object", "Linear", R"({"out_features": {"a": 1}})", {"out_features must not be an object"});
    row("two at once", "Linear", R"({"out_features": -1, "bias": 3})", {"out_features", "bias"});
    row("probability", "Dropout", R"({"p": 1.5})", {"p", "1.5"});
    row("argument at the root", "Linear", R"({"out_features": "=width"})",
        {"out_features: \"=width\" names an argument, and only a composed module has some"});
}

void TestCheck::attributeErrors()
{
    QFETCH(QString, type);
    QFETCH(QString, attrs);
    QFETCH(QStringList, parts);
    const std::string typeText = type.toStdString();
    const std::string attrsText = attrs.toStdString();
    const Analysis analysis = graphOnly(chain(R"({"shape": [4]})", {{typeText, attrsText}}));
    QVERIFY(analysis.errors >= 1);
    const QString found = report(analysis);
    QVERIFY2(found.startsWith("error m1 attribute: "), qPrintable(found));
    for (const QString& part : parts)
        QVERIFY2(found.contains(part), qPrintable(found));
}

void TestCheck::fixSetsTheSize()
{
    Document document =
        chain(R"({"shape": [1, 8, 8]})", {{"Flatten"}, {"Linear", R"({"in_features": 784, "out_features": 10})"}});
    const Analysis analysis = graphOnly(document);
    QCOMPARE(analysis.diagnostics.front().fixes.size(), std::size_t{1});
    QCOMPARE(analysis.diagnostics.front().fixes.front().text, std::string("set in_features to 64"));
    apply(document, analysis.diagnostics.front().fixes.front().edit);
    QVERIFY(graphOnly(document).ok());
}

void TestCheck::wires()
{
    const Analysis analysis = graphOnly(parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [4]}}, {"id": 2, "type": "MatMul", "name": "m"}, {"id": 3, "type": "Output", "name": "y"},
           {"id": 4, "type": "Cat", "name": "c"}, {"id": 5, "type": "ReLU", "name": "r"})",
        R"({"from": [1, "output"], "to": [2, "input"]}, {"from": [2, "output"], "to": [3, "input"]}, {"from": [1, "output"], "to": [4, "1"]},
           {"from": [1, "output"], "to": [5, "input"]})")));
    QCOMPARE(
        report(analysis),
        QString("error m.other wire: other is not wired\nnote y waiting: waits for m\nerror c.0 wire: 0 is not wired\n"
                "warning r unused: its output leads nowhere"));
    // Add takes a number instead of a second wire.
    QVERIFY(graphOnly(chain(R"({"shape": [4]})", {{"Add", R"({"other": 2})"}})).ok());
    QVERIFY(!graphOnly(chain(R"({"shape": [4]})", {{"Add"}})).ok());
}

void TestCheck::cycle()
{
    const Analysis analysis = graphOnly(parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [4]}}, {"id": 2, "type": "Add", "name": "a"}, {"id": 3, "type": "ReLU", "name": "r"},
           {"id": 4, "type": "Tanh", "name": "t"}, {"id": 5, "type": "Output", "name": "y"})",
        R"({"from": [1, "output"], "to": [2, "input"]}, {"from": [4, "output"], "to": [2, "other"]}, {"from": [2, "output"], "to": [3, "input"]},
           {"from": [3, "output"], "to": [4, "input"]}, {"from": [4, "output"], "to": [5, "input"]})")));
    QCOMPARE(analysis.errors, std::int64_t{1});
    QVERIFY2(report(analysis).contains("error a cycle: the wires form a circle: a -> r -> t -> a"),
             qPrintable(report(analysis)));
}

void TestCheck::endsAreNeeded()
{
    QCOMPARE(report(graphOnly(parse(projectWith("", "")))),
             QString("error graph input: there is no Input node: add one for the data to come in\n"
                     "error graph output: there is no Output node: add one for what the network gives"));
}

void TestCheck::unknownTypes()
{
    const Analysis analysis = graphOnly(chain(R"({"shape": [4]})", {{"Hologram", R"({"a": 1})"}, {"ReLU"}}));
    QCOMPARE(
        report(analysis),
        QString(
            "error m1 type: this version knows no type \"Hologram\"\nnote m2 waiting: waits for m1\nnote y waiting: waits for m1"));
}

void TestCheck::composedModules()
{
    const Analysis analysis = graphOnly(parse(
        twoBlocks(R"("attrs": {"width": 7}, "frozen": ["fc.weight"])", R"("init": {"fc.bias": {"type": "ones_"}})")));
    QCOMPARE(report(analysis), QString());
    QCOMPARE(outputText(analysis, 2), QString("[N, 7]"));
    QCOMPARE(outputText(analysis, 3), QString("[N, 16]"));
    const NodeInfo* first = analysis.find({2, 101});
    const NodeInfo* second = analysis.find({3, 101});
    QVERIFY(first != nullptr && second != nullptr);
    QCOMPARE(first->attrs.integer("in_features"), std::int64_t{5});
    QCOMPARE(second->attrs.integer("in_features"), std::int64_t{7});
    QCOMPARE(first->tensors[0].key, std::string("b1.fc.weight"));
    QVERIFY(!first->tensors[0].trainable);
    QVERIFY(second->tensors[0].trainable);
    QCOMPARE(second->tensors[1].init.type, std::string("ones_"));
    QCOMPARE(analysis.totals.parameters, std::int64_t{5 * 7 + 7 + 7 * 16 + 16});
    QCOMPARE(analysis.totals.frozen, std::int64_t{35});
    QCOMPARE(analysis.parametersOf(analysis.byId.at(2)), std::int64_t{42});
    QStringList names;
    for (const NodeInfo& info : analysis.nodes)
        names << QString::fromStdString(info.name);
    QCOMPARE(names.join(' '), QString("x b1 b1.in b1.fc b1.out b2 b2.in b2.fc b2.out y"));
}

void TestCheck::errorInsideAModuleIsSaidOnce()
{
    const Analysis wrong = graphOnly(parse(twoBlocks(R"("attrs": {"width": 0})", R"("attrs": {"depth": 3})")));
    QCOMPARE(wrong.errors, std::int64_t{2});
    const QString found = report(wrong);
    QVERIFY2(found.contains("error b1.fc attribute: "), qPrintable(found));
    QVERIFY2(found.contains("error b2 attribute: Block has no argument \"depth\"; it has width"), qPrintable(found));
    QCOMPARE(wrong.first(2)->state, State::Error);
    const std::string text = twoBlocks(R"("attrs": {})", R"("attrs": {})");
    std::string broken = text;
    broken.replace(broken.find("=width"), 6, "=depth");
    const Analysis twice = graphOnly(parse(broken));
    QCOMPARE(twice.errors, std::int64_t{1});
    QVERIFY2(report(twice).startsWith("error b1.fc attribute: out_features: module Block has no argument \"depth\""),
             qPrintable(report(twice)));
}

void TestCheck::sharedModules()
{
    const auto shared = [](const char* second) {
        return graphOnly(parse(projectWith(
            R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [5]}}, {"id": 2, "type": "Linear", "name": "a", "attrs": {"out_features": 5}},
               {"id": 3, "type": "Linear", "name": "b", "shares": 2, "frozen": ["bias"]}, {"id": 4, "type": "Output", "name": "y"}, {"id": 5, "type": "Linear", "name": "c", )"
                + std::string(second) + "}",
            R"({"from": [1, "output"], "to": [2, "input"]}, {"from": [2, "output"], "to": [3, "input"]}, {"from": [3, "output"], "to": [5, "input"]},
               {"from": [5, "output"], "to": [4, "input"]})")));
    };
    const Analysis analysis = shared(R"("attrs": {"out_features": 2})");
    QCOMPARE(report(analysis), QString());
    QCOMPARE(analysis.totals.parameters, std::int64_t{30 + 12});
    QCOMPARE(analysis.totals.frozen, std::int64_t{5});
    QCOMPARE(analysis.first(3)->sharedWith, std::optional(analysis.byId.at(2)));
    QCOMPARE(analysis.first(3)->tensors[0].key, std::string("b.weight"));
    QCOMPARE(analysis.first(3)->tensors[0].tiedTo, std::string("a.weight"));
    QCOMPARE(analysis.parametersOf(analysis.byId.at(3)), std::int64_t{30});
}

void TestCheck::tiedTensors()
{
    const auto tied = [](const char* ties, const char* out) {
        return graphOnly(parse(projectWith(
            R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [5]}}, {"id": 2, "type": "Linear", "name": "a", "attrs": {"out_features": 5}},
               {"id": 3, "type": "Linear", "name": "b", "attrs": {"out_features": )"
                + std::string(out) + "}, \"ties\": " + ties + R"(}, {"id": 4, "type": "Output", "name": "y"})",
            R"({"from": [1, "output"], "to": [2, "input"]}, {"from": [2, "output"], "to": [3, "input"]}, {"from": [3, "output"], "to": [4, "input"]})")));
    };
    const Analysis analysis = tied(R"({"weight": "a.weight"})", "5");
    QCOMPARE(report(analysis), QString());
    QCOMPARE(analysis.totals.parameters, std::int64_t{25 + 5 + 5});
    QCOMPARE(report(tied(R"({"weight": "a.w"})", "5")), QString("error b ties: there is no parameter \"a.w\""));
    QCOMPARE(report(tied(R"({"weight": "a.weight"})", "3")),
             QString("error b ties: weight has shape [3, 5] but a.weight has [5, 5]"));
    QCOMPARE(report(tied(R"({"weight": "b.weight"})", "5")),
             QString("error b ties: weight is tied to itself in a circle"));
    QCOMPARE(report(tied(R"({"wheel": "a.weight"})", "5")),
             QString("error b ties: ties names \"wheel\", but the parameters are weight, bias"));
}

void TestCheck::frozenAndInit()
{
    const auto linear = [](const char* more) {
        return graphOnly(chain(R"({"shape": [4]})", {{"Linear", R"({"out_features": 3})", more}}));
    };
    QCOMPARE(report(linear(R"(, "frozen": ["wieght"])")),
             QString("warning m1 frozen: frozen names \"wieght\", but the parameters are weight, bias"));
    QCOMPARE(report(linear(R"(, "init": {"weight": {"type": "xavier_uniform_", "gain": 2}})")), QString());
    QVERIFY(report(linear(R"(, "init": {"weight": {"type": "magic_"}})"))
                .startsWith("error m1 init: init of weight: there is no initialisation called magic_"));
    QVERIFY(report(linear(R"(, "init": {"bias": {"type": "kaiming_uniform_"}})"))
                .startsWith("error m1 init: init of bias: "));
}

void TestCheck::bareTensors()
{
    const Analysis analysis = graphOnly(parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [4]}}, {"id": 2, "type": "Parameter", "name": "scale", "attrs": {"shape": [4], "fill": 1}, "frozen": ["scale"]},
           {"id": 3, "type": "Mul", "name": "m"}, {"id": 4, "type": "Buffer", "name": "count", "attrs": {"shape": [], "dtype": "int64", "persistent": false}},
           {"id": 5, "type": "Constant", "name": "c", "attrs": {"shape": [2, 2], "values": [[1, 2], [3, 4.5]], "requires_grad": true}}, {"id": 6, "type": "Output", "name": "y"})",
        R"({"from": [1, "output"], "to": [3, "input"]}, {"from": [2, "output"], "to": [3, "other"]}, {"from": [3, "output"], "to": [6, "input"]})")));
    QCOMPARE(analysis.errors, std::int64_t{0});
    QCOMPARE(analysis.first(2)->tensors.front().key, std::string("scale"));
    QVERIFY(!analysis.first(2)->tensors.front().trainable);
    QVERIFY(!analysis.first(4)->tensors.front().persistent);
    QVERIFY(analysis.first(5)->tensors.empty());
    QCOMPARE(outputText(analysis, 5), QString("[2, 2]"));
    QCOMPARE(analysis.totals.parameters, std::int64_t{4});
    QCOMPARE(analysis.totals.buffers, std::int64_t{1});
}

void TestCheck::absurdSizes()
{
    CheckOptions usual;
    usual.settings = false;
    usual.memory = std::int64_t{16} << 30;
    const Analysis large =
        analyze(chain(R"({"shape": [1000000]})", {{"Linear", R"({"out_features": 1000000000})"}}), usual);
    QCOMPARE(
        report(large),
        QString(
            "error m1 size: weight of shape [1000000000, 1000000] would need 3.6 PiB, more than the 16.0 GiB of this machine"));
    const Analysis overflow = graphOnly(chain(R"({"shape": [9000000000000000000, 9000000000]})", {{"Flatten"}}));
    QVERIFY(overflow.errors >= 1);
    CheckOptions little;
    little.settings = false;
    little.memory = 1000;
    const Analysis sum = analyze(chain(R"({"shape": [10]})", {{"Linear", R"({"out_features": 10})"}}), little);
    QCOMPARE(
        report(sum),
        QString(
            "error graph size: training would need about 1.4 KiB with a batch of 1, more than the 1000 bytes of this machine"));
}

void TestCheck::manyInstances()
{
    // Each module holds the next one twice: 2^30 instances.
    std::string modules =
        R"(, "modules": {"M30": {"nodes": [{"id": 9000, "type": "Input", "name": "in"}, {"id": 9001, "type": "Output", "name": "out"}],
        "edges": [{"from": [9000, "output"], "to": [9001, "input"]}]})";
    for (int i = 0; i < 30; ++i) {
        const auto id = [i](int k) { return std::to_string(100 + 10 * i + k); };
        const std::string inner = "M" + std::to_string(i + 1);
        modules += ", \"M" + std::to_string(i) + R"(": {"nodes": [{"id": )" + id(0)
                   + R"(, "type": "Input", "name": "in"}, {"id": )" + id(1) + ", \"type\": \"" + inner
                   + R"(", "name": "a"}, {"id": )" + id(2) + ", \"type\": \"" + inner + R"(", "name": "b"}, {"id": )"
                   + id(3) + R"(, "type": "Output", "name": "out"}], "edges": [{"from": [)" + id(0)
                   + R"(, "output"], "to": [)" + id(1) + R"(, "in"]}, {"from": [)" + id(1) + R"(, "out"], "to": [)"
                   + id(2) + R"(, "in"]}, {"from": [)" + id(2) + R"(, "out"], "to": [)" + id(3) + R"(, "input"]}]})";
    }
    const Analysis analysis = graphOnly(parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [4]}}, {"id": 2, "type": "M0", "name": "m"}, {"id": 3, "type": "Output", "name": "y"})",
        R"({"from": [1, "output"], "to": [2, "in"]}, {"from": [2, "out"], "to": [3, "input"]})", modules + "}")));
    QVERIFY(!analysis.ok());
    QVERIFY(report(analysis).contains("the modules make more than 200000 nodes in all"));
}

void TestCheck::tenThousandNodes()
{
    std::string nodes = R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [4]}})";
    std::string edges;
    for (int i = 2; i <= 10000; ++i) {
        const std::string id = std::to_string(i);
        nodes +=
            R"(, {"id": )" + id
            + (i == 10000 ? R"(, "type": "Output", "name": "y"})" : R"(, "type": "ReLU", "name": "r)" + id + R"("})");
        edges += (i == 2 ? "" : ", ");
        edges += R"({"from": [)" + std::to_string(i - 1) + R"(, "output"], "to": [)" + id + R"(, "input"]})";
    }
    const Analysis analysis = graphOnly(parse(projectWith(nodes, edges)));
    QCOMPARE(report(analysis), QString());
    QCOMPARE(analysis.nodes.size(), std::size_t{10000});
}

QTEST_APPLESS_MAIN(TestCheck)
#include "test_check.moc"
