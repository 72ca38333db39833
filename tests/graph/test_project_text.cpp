// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/graph/graph_fixture.h"

#include "engine/core/error.h"

#include <QTest>

#include <clocale>
#include <random>

using namespace megalith;
using namespace megalith::graph;
using fixture::parse;
using fixture::projectWith;
using fixture::thrown;

namespace {

// The example of the file format's description, letter for letter.
const char* const example = R"({
  "format": "megalith-project",
  "version": 1,
  "name": "digits-mlp",
  "weights": "digits-mlp.mega",
  "graph": {
    "sequential": false,
    "nodes": [
      {"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [1, 8, 8]}, "pos": [0, 0]},
      {"id": 2, "type": "Flatten", "name": "flatten", "attrs": {}, "pos": [200, 0]},
      {"id": 3, "type": "Linear", "name": "fc1", "attrs": {"in_features": null, "out_features": 128}, "pos": [400, 0], "frozen": ["weight"], "init": {"weight": {"type": "kaiming_uniform_", "a": 2.23606797749979}}},
      {"id": 4, "type": "ReLU", "name": "relu", "attrs": {}, "pos": [600, 0], "note": "free text"},
      {"id": 5, "type": "Linear", "name": "fc2", "attrs": {"out_features": 10}, "pos": [800, 0]},
      {"id": 6, "type": "Output", "name": "y", "attrs": {}, "pos": [1000, 0]}
    ],
    "edges": [
      {"from": [1, "output"], "to": [2, "input"]},
      {"from": [2, "output"], "to": [3, "input"], "via": [[300, -40]]}
    ],
    "modules": {
      "Block": {"args": {"width": 16}, "sequential": false, "nodes": [], "edges": []}
    },
    "frames": [
      {"id": 20, "title": "head", "rect": [380, -40, 500, 120], "color": "#88aacc"}
    ]
  },
  "data": {"source": "digits", "validation": 0.2, "normalize": "standard"},
  "training": {
    "loss": {"type": "CrossEntropyLoss"},
    "optimizer": {"type": "Adam", "lr": 0.001},
    "scheduler": null,
    "batch_size": 64,
    "shuffle": true,
    "drop_last": false,
    "epochs": 10,
    "clip_grad_norm": null,
    "early_stopping": null,
    "seed": 0,
    "device": "auto"
  }
}
)";

const char* const oneLinear = R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [4]}},
    {"id": 2, "type": "Linear", "name": "fc", "attrs": {"out_features": 3}}, {"id": 3, "type": "Output", "name": "y"})";
const char* const oneLinearEdges =
    R"({"from": [1, "output"], "to": [2, "input"]}, {"from": [2, "output"], "to": [3, "input"]})";

// Block holds in -> Add(in, in) -> out; ids from 100 on.
const char* const blockModule = R"(, "modules": {"Block": {"args": {}, "sequential": false, "nodes": [
    {"id": 100, "type": "Input", "name": "in"}, {"id": 101, "type": "Tanh", "name": "act"}, {"id": 102, "type": "Output", "name": "out"}],
    "edges": [{"from": [100, "output"], "to": [101, "input"]}, {"from": [101, "output"], "to": [102, "input"]}]}})";

void expectSameBytes(const std::string& got, const std::string& want)
{
    QCOMPARE(QString::fromStdString(got), QString::fromStdString(want));
}

}  // namespace

class TestProjectText : public QObject
{
    Q_OBJECT

private slots:
    void exampleOfTheDescriptionStaysByteForByte();
    void orderOfNodesEdgesModulesAndFrames();
    void numbersAreShortAndKeepTheirValue();
    void localeDoesNotMatter();
    void unknownThingsAreKept();
    void higherVersionIsReadOnly();
    void brokenRule_data();
    void brokenRule();
    void otherFile_data();
    void otherFile();
    void sequentialNames();
    void sequentialModuleInside();
    void tenThousandNodes();
    void damagedTextNeverCrashes();
    void deepNesting();
};

void TestProjectText::exampleOfTheDescriptionStaysByteForByte()
{
    const Document document = parse(example);
    expectSameBytes(projectText(document), example);
    QCOMPARE(document.root.nodes.at(3).frozen, std::vector<std::string>{"weight"});
    QVERIFY(document.root.nodes.at(3).attrs.find("in_features")->isNull());
    QCOMPARE(document.nextId, Id{21});
    QVERIFY(parse(projectText(document)).sameContent(document));
}

void TestProjectText::orderOfNodesEdgesModulesAndFrames()
{
    const std::string mixed = projectWith(
        R"({"id": 9, "type": "Output", "name": "y"}, {"name": "c", "id": 5, "type": "Cat", "attrs": {"dim": 1}},
           {"id": 2, "type": "Input", "name": "x", "attrs": {"shape": [4]}}, {"id": 3, "type": "Input", "name": "z", "attrs": {"shape": [4]}})",
        R"({"from": [5, "output"], "to": [9, "input"]}, {"from": [3, "output"], "to": [5, "1"]}, {"to": [5, "0"], "from": [2, "output"]})",
        R"(, "frames": [{"id": 30, "rect": [0, 0, 1, 1]}, {"id": 20, "rect": [0, 0, 1, 1]}],
           "modules": {"Zeta": {"nodes": [], "edges": []}, "Alpha": {"nodes": [], "edges": []}})");
    const std::string text = projectText(parse(mixed));
    std::size_t last = 0;
    for (const char* part :
         {R"("nodes": [)", R"({"id": 2, "type": "Input", "name": "x", "attrs": {"shape": [4]}, "pos": [0, 0]},)",
          R"({"id": 3,)", R"({"id": 5, "type": "Cat", "name": "c",)", R"({"id": 9,)",
          R"({"from": [2, "output"], "to": [5, "0"]},)", R"({"from": [3, "output"], "to": [5, "1"]},)",
          R"({"from": [5, "output"], "to": [9, "input"]})", R"("Alpha": {"args": {}, )", R"("Zeta")",
          R"({"id": 20, "title": "", "rect": [0, 0, 1, 1]},)", R"({"id": 30,)"})
    {
        const std::size_t at = text.find(part, last);
        QVERIFY2(at != std::string::npos, part);
        last = at;
    }
    expectSameBytes(projectText(parse(text)), text);
}

void TestProjectText::numbersAreShortAndKeepTheirValue()
{
    const std::string text = projectText(parse(projectWith(
        R"({"id": 1, "type": "Dropout", "name": "d", "attrs": {"p": 0.1, "a": 3.0, "b": 1e-05, "c": -0.0, "e": 0.30000000000000004, "f": 12345678901234567890},
            "pos": [100000.0, -12.50]})",
        "")));
    QVERIFY2(
        text.find(
            R"("attrs": {"p": 0.1, "a": 3, "b": 1e-05, "c": 0, "e": 0.30000000000000004, "f": 12345678901234567168}, "pos": [100000, -12.5])")
            != std::string::npos,
        text.c_str());
    expectSameBytes(projectText(parse(text)), text);
}

void TestProjectText::localeDoesNotMatter()
{
    const std::string before = std::setlocale(LC_ALL, nullptr);
    bool changed = false;
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"})
        changed = changed || std::setlocale(LC_ALL, name) != nullptr;
    const std::string text = projectText(parse(example));
    std::setlocale(LC_ALL, before.c_str());
    expectSameBytes(text, example);
    if (!changed)
        QSKIP("no locale with a decimal comma is installed: only the C locale was tried");
}

void TestProjectText::unknownThingsAreKept()
{
    const std::string text = R"({
  "future": {"a": [1, 2.5, null]},
  "format": "megalith-project",
  "version": 1,
  "name": "t",
  "graph": {
    "zoom": 1.5,
    "sequential": false,
    "nodes": [
      {"id": 1, "type": "Input", "glow": true, "name": "x", "attrs": {"shape": [4]}, "pos": [0, 0]},
      {"type": "Hologram", "attrs": {"z": 1, "a": [1, 2.5], "b": {"c": null}}, "id": 2, "colour": [1, 2], "name": "h", "pos": [5, 5], "shade": 0.5}
    ],
    "edges": [
      {"from": [1, "output"], "to": [2, "anything"], "style": "dashed"},
      {"from": [2, "beam"], "to": [2, "other"]}
    ],
    "modules": {
      "Block": {
        "args": {},
        "icon": "b",
        "sequential": false,
        "nodes": [
          {"id": 4, "type": "Output", "name": "out", "attrs": {}, "pos": [0, 0]}
        ],
        "edges": []
      }
    },
    "frames": [
      {"id": 3, "title": "t", "rect": [0, 0, 1, 1], "round": 4}
    ]
  },
  "data": {"source": "digits", "later": {"x": 1}},
  "training": {
    "loss": {"type": "FutureLoss", "gamma": 2},
    "telemetry": false
  },
  "last": "kept"
}
)";
    expectSameBytes(projectText(parse(text)), text);
}

void TestProjectText::higherVersionIsReadOnly()
{
    std::string text = example;
    text.replace(text.find("\"version\": 1"), 12, "\"version\": 2");
    const Document document = parse(text);
    QVERIFY(document.readOnly());
    QCOMPARE(document.version, std::int64_t{2});
    expectSameBytes(projectText(document), text);
}

void TestProjectText::brokenRule_data()
{
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("edges");
    QTest::addColumn<QString>("more");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const QString& nodes, const QString& edges, const char* message,
                        const char* more = "") { QTest::newRow(name) << nodes << edges << more << message; };
    const QString nodes = oneLinear;
    const QString edges = oneLinearEdges;
    row("dangling to", nodes, edges + R"(, {"from": [2, "output"], "to": [9, "input"]})",
        "graph.edges[2].to: node 9 does not exist");
    row("dangling from", nodes, R"({"from": [8, "output"], "to": [2, "input"]})",
        "graph.edges[0].from: node 8 does not exist");
    row("duplicate id", nodes + R"(, {"id": 2, "type": "ReLU", "name": "r"})", edges,
        "graph.nodes[3].id: 2 is the id of graph.nodes[1] already");
    row("duplicate id in a module", R"({"id": 101, "type": "ReLU", "name": "r"})", "",
        "graph.modules.Block.nodes[1].id: 101 is the id of graph.nodes[0] already", blockModule);
    row("id of a frame", nodes, edges, "graph.frames[0].id: 2 is the id of graph.nodes[1] already",
        R"(, "frames": [{"id": 2, "rect": [0, 0, 1, 1]}])");
    row("duplicate name", nodes + R"(, {"id": 4, "type": "ReLU", "name": "fc"})", edges,
        "graph.nodes[3].name: node 2 is named \"fc\" already");
    row("name with a digit first", R"({"id": 1, "type": "ReLU", "name": "1a"})", "",
        "graph.nodes[0].name: \"1a\" is no name: letters, digits and _ make one, and it does not start with a digit");
    row("name with a dot", R"({"id": 1, "type": "ReLU", "name": "a.b"})", "",
        "graph.nodes[0].name: \"a.b\" is no name: letters, digits and _ make one, and it does not start with a digit");
    row("no name", R"({"id": 1, "type": "ReLU"})", "", "graph.nodes[0].name: is missing");
    row("no id", R"({"type": "ReLU", "name": "r"})", "", "graph.nodes[0].id: is missing");
    row("id of text", R"({"id": "1", "type": "ReLU", "name": "r"})", "",
        "graph.nodes[0].id: must be a whole number, not a text");
    row("negative id", R"({"id": -1, "type": "ReLU", "name": "r"})", "",
        "graph.nodes[0].id: must be a whole number from 1 to 9007199254740991, not -1");
    row("attrs of list", R"({"id": 1, "type": "ReLU", "name": "r", "attrs": []})", "",
        "graph.nodes[0].attrs: must be an object, not a list");
    row("pos of three", R"({"id": 1, "type": "ReLU", "name": "r", "pos": [1, 2, 3]})", "",
        "graph.nodes[0].pos: must be 2 numbers, not 3");
    row("frozen of text", R"({"id": 1, "type": "ReLU", "name": "r", "frozen": "weight"})", "",
        "graph.nodes[0].frozen: must be a list, not a text");
    row("init without type", R"({"id": 1, "type": "Linear", "name": "r", "init": {"weight": {"a": 1}}})", "",
        "graph.nodes[0].init.weight.type: is missing");
    row("unknown input", nodes, R"({"from": [1, "output"], "to": [2, "inputs"]})",
        "graph.edges[0].to: node 2 (Linear fc) has no input \"inputs\"; it has input");
    row("unknown output", nodes, R"({"from": [1, "out"], "to": [2, "input"]})",
        "graph.edges[0].from: node 1 (Input x) has no output \"out\"; it has output");
    row("unknown port of a module",
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [4]}}, {"id": 2, "type": "Block", "name": "b"})",
        R"({"from": [1, "output"], "to": [2, "input"]})",
        "graph.edges[0].to: node 2 (Block b) has no input \"input\"; it has in", blockModule);
    row("two wires into one input", nodes, edges + R"(, {"from": [1, "output"], "to": [3, "input"]})",
        "graph.edges[2].to: input \"input\" of node 3 has a wire already (edges[1])");
    row("endpoint of one", nodes, R"({"from": [1], "to": [2, "input"]})",
        "graph.edges[0].from: must be [id, port], not 1 items");
    row("shares a missing node", R"({"id": 1, "type": "ReLU", "name": "r", "shares": 7})", "",
        "graph.nodes[0].shares: node 7 does not exist in this graph");
    row("shares another type",
        R"({"id": 1, "type": "ReLU", "name": "r", "shares": 2}, {"id": 2, "type": "Tanh", "name": "t"})", "",
        "graph.nodes[0].shares: node 2 is a Tanh, not a ReLU");
    row("shares itself", R"({"id": 1, "type": "ReLU", "name": "r", "shares": 1})", "",
        "graph.nodes[0].shares: nodes share each other in a circle");
    row("recursion", "", "", "graph.modules.A: it would contain itself (A -> B -> A)",
        R"(, "modules": {"A": {"nodes": [{"id": 1, "type": "B", "name": "b"}], "edges": []},
            "B": {"nodes": [{"id": 2, "type": "A", "name": "a"}], "edges": []}})");
    row("bad module name", "", "",
        "graph.modules: \"2x\" is no name: letters, digits and _ make one, and it does not start with a digit",
        R"(, "modules": {"2x": {"nodes": [], "edges": []}})");
    row("module called Input", "", "", "graph.modules.Input: this name is taken by a type of node",
        R"(, "modules": {"Input": {"nodes": [], "edges": []}})");
    row("module without nodes", "", "", "graph.modules.A.nodes: is missing", R"(, "modules": {"A": {"edges": []}})");
    row("branch in a chain", "", "",
        "graph.modules.A.edges[1].from: node 1 has a wire already, and a sequential graph has no branches",
        R"(, "modules": {"A": {"sequential": true, "nodes": [{"id": 1, "type": "ReLU"}, {"id": 2, "type": "ReLU"}, {"id": 3, "type": "ReLU"}],
            "edges": [{"from": [1, "output"], "to": [2, "input"]}, {"from": [1, "output"], "to": [3, "input"]}]}})");
    row("two wires into a node of a chain", "", "",
        "graph.modules.A.edges[1].to: node 3 has a wire already, and a sequential graph has no branches",
        R"(, "modules": {"A": {"sequential": true, "nodes": [{"id": 1, "type": "ReLU"}, {"id": 2, "type": "ReLU"}, {"id": 3, "type": "Add"}],
            "edges": [{"from": [1, "output"], "to": [3, "input"]}, {"from": [2, "output"], "to": [3, "other"]}]}})");
    row("wrong position in a chain", "", "",
        "graph.modules.A.nodes[1].name: must be \"1\", its position in the chain, not \"2\"",
        R"(, "modules": {"A": {"sequential": true, "nodes": [{"id": 1, "type": "ReLU", "name": "0"}, {"id": 2, "type": "ReLU", "name": "2"}],
            "edges": [{"from": [1, "output"], "to": [2, "input"]}]}})");
    row("sequential of text", "", "", "graph.modules.A.sequential: must be true or false, not a text",
        R"(, "modules": {"A": {"sequential": "yes", "nodes": [], "edges": []}})");
}

void TestProjectText::brokenRule()
{
    QFETCH(QString, nodes);
    QFETCH(QString, edges);
    QFETCH(QString, more);
    QFETCH(QString, message);
    const std::string text = projectWith(nodes.toStdString(), edges.toStdString(), more.toStdString());
    QCOMPARE(thrown([&] { parse(text); }), "t.megaproj: " + message);
}

void TestProjectText::otherFile_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const QByteArray& text, const char* message) {
        QTest::newRow(name) << text << QString(message);
    };
    row("empty", "", "the file is empty; a project is a JSON document");
    row("blank", " \n", "the file is empty; a project is a JSON document");
    row("zip", QByteArray("PK\x03\x04rest"), "this is a zip archive, not a project");
    row("html", "<!DOCTYPE html><html></html>", "this is an HTML page, not a project");
    row("lfs", "version https://git-lfs.github.com/spec/v1\noid",
        "this is a Git LFS pointer, whose file has yet to be fetched (git lfs pull), not a project");
    row("weights", QByteArray("MEGA\x01\0\0\0", 8), "this is a weights file (.mega), not a project");
    row("zero bytes at its end", QByteArray("{}\n\0\0", 5), "byte 3 is zero; JSON is text");
    row("list", "[1, 2]", "a project is a JSON object, not a list");
    row("other format", R"({"format": "notebook", "version": 1})",
        "format: must be \"megalith-project\", not \"notebook\"");
    row("no format", R"({"version": 1})", "format: is missing");
    row("no version", R"({"format": "megalith-project", "graph": {}})", "version: is missing");
    row("version 0", R"({"format": "megalith-project", "version": 0})", "version: must be a whole number from 1 on");
    row("no graph", R"({"format": "megalith-project", "version": 1})", "graph: is missing");
    row("data of text",
        R"({"format": "megalith-project", "version": 1, "graph": {"nodes": [], "edges": []}, "data": "digits"})",
        "data: must be an object, not a text");
}

void TestProjectText::otherFile()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    QCOMPARE(thrown([&] { parse(std::string_view(text.constData(), static_cast<std::size_t>(text.size()))); }),
             "t.megaproj: " + message);
}

void TestProjectText::sequentialNames()
{
    const Document document =
        fixture::chain(R"({"shape": [10]})",
                       {{"Linear", R"({"out_features": 10})"}, {"ReLU"}, {"Linear", R"({"out_features": 3})"}}, true);
    QCOMPARE(document.root.nodes.at(2).name, std::string("0"));
    QCOMPARE(document.root.nodes.at(3).name, std::string("1"));
    QCOMPARE(document.root.nodes.at(4).name, std::string("2"));
    const std::string text = projectText(document);
    QVERIFY(text.find(R"({"id": 4, "type": "Linear", "name": "2",)") != std::string::npos);
    expectSameBytes(projectText(parse(text)), text);
}

void TestProjectText::sequentialModuleInside()
{
    // The chain decides, not the ids: 12 comes before 11.
    const Document document = parse(projectWith("", "", R"(, "modules": {"A": {"sequential": true,
        "nodes": [{"id": 11, "type": "ReLU"}, {"id": 12, "type": "Tanh"}, {"id": 10, "type": "Input"}, {"id": 13, "type": "Output"}],
        "edges": [{"from": [10, "output"], "to": [12, "input"]}, {"from": [12, "output"], "to": [11, "input"]}, {"from": [11, "output"], "to": [13, "input"]}]}})"));
    const Body& body = document.modules.at("A");
    QCOMPARE(body.nodes.at(12).name, std::string("0"));
    QCOMPARE(body.nodes.at(11).name, std::string("1"));
    QCOMPARE(body.nodes.at(10).name, std::string("input"));
    QCOMPARE(body.nodes.at(13).name, std::string("output"));
}

void TestProjectText::tenThousandNodes()
{
    std::string nodes = R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [4]}})";
    std::string edges;
    for (int i = 2; i <= 10000; ++i) {
        const std::string id = std::to_string(i);
        nodes += R"(, {"id": )" + id + R"(, "type": "ReLU", "name": "r)" + id + R"("})";
        edges += (i == 2 ? "" : ", ");
        edges += R"({"from": [)" + std::to_string(i - 1) + R"(, "output"], "to": [)" + id + R"(, "input"]})";
    }
    const Document document = parse(projectWith(nodes, edges));
    QCOMPARE(document.root.nodes.size(), std::size_t{10000});
    QCOMPARE(document.root.edges.size(), std::size_t{9999});
    QVERIFY(parse(projectText(document)).sameContent(document));
    QCOMPARE(order(document.root).back(), Id{10000});
}

void TestProjectText::damagedTextNeverCrashes()
{
    const std::string whole = example;
    // Without its last brace; the line's end behind it may be missing.
    for (std::size_t length = 0; length <= whole.rfind('}'); length += 3)
        QVERIFY2(!thrown([&] { parse(std::string_view(whole).substr(0, length)); }).isEmpty(),
                 std::to_string(length).c_str());

    std::mt19937 random(1);
    int read = 0;
    for (int round = 0; round < 1500; ++round) {
        std::string damaged = whole;
        const auto place = [&] { return static_cast<std::size_t>(random() % damaged.size()); };
        for (unsigned i = 0; i <= random() % 3; ++i) {
            switch (random() % 4) {
            case 0: damaged[place()] = static_cast<char>(random() % 256); break;
            case 1: damaged[place()] ^= static_cast<char>(1 << random() % 8); break;
            case 2: damaged.erase(place(), random() % 40); break;
            default: damaged.insert(place(), damaged.substr(place(), random() % 60));
            }
        }
        try {
            const Document document = parse(damaged);
            const std::string text = projectText(document);
            expectSameBytes(projectText(parse(text)), text);
            ++read;
        } catch (const Error&) {
        }
    }
    QVERIFY(read > 10);
}

void TestProjectText::deepNesting()
{
    const std::string deep(100000, '[');
    QVERIFY(thrown([&] { parse("{\"format\": " + deep); }).startsWith("t.megaproj: "));
    std::string modules = R"(, "modules": {)";
    for (int i = 0; i < 3000; ++i)
        modules += (i == 0 ? "" : ", ") + ("\"M" + std::to_string(i)) + R"(": {"nodes": [{"id": )"
                   + std::to_string(i + 1) + R"(, "type": "M)" + std::to_string(i + 1)
                   + R"(", "name": "m"}], "edges": []})";
    const Document document = parse(projectWith("", "", modules + "}"));
    QCOMPARE(document.modules.size(), std::size_t{3000});
}

QTEST_APPLESS_MAIN(TestProjectText)
#include "test_project_text.moc"
