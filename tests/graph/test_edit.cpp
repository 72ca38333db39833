// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/graph/graph_fixture.h"

#include "engine/core/error.h"
#include "engine/graph/edit.h"

#include <QTest>

#include <random>

using namespace megalith;
using namespace megalith::graph;
using fixture::parse;
using fixture::thrown;

namespace {

// x -> fc1 -> relu -> y, and a module Block (in -> act -> out) with instances b1 and b2.
Document sample()
{
    return parse(fixture::projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [4]}}, {"id": 2, "type": "Linear", "name": "fc1", "attrs": {"out_features": 4}},
           {"id": 3, "type": "Block", "name": "b1", "frozen": ["act.weight"]}, {"id": 4, "type": "Block", "name": "b2"},
           {"id": 5, "type": "Output", "name": "y"}, {"id": 6, "type": "Linear", "name": "again", "shares": 2, "ties": {"bias": "fc1.bias"}})",
        R"({"from": [1, "output"], "to": [2, "input"]}, {"from": [2, "output"], "to": [3, "in"]}, {"from": [3, "out"], "to": [4, "in"]},
           {"from": [4, "out"], "to": [5, "input"]})",
        R"(, "modules": {"Block": {"args": {"width": 4}, "nodes": [
            {"id": 100, "type": "Input", "name": "in"}, {"id": 101, "type": "Linear", "name": "act", "attrs": {"out_features": "=width"}},
            {"id": 102, "type": "Output", "name": "out"}],
            "edges": [{"from": [100, "output"], "to": [101, "input"]}, {"from": [101, "output"], "to": [102, "input"]}]}},
            "frames": [{"id": 50, "title": "f", "rect": [0, 0, 10, 10]}])",
        R"(, "training": {"loss": {"type": "MSELoss", "output": "y"}, "optimizer": {"type": "SGD", "lr": 0.1, "param_groups": [{"params": ["fc1.weight"]}]}})"));
}

// A document that an edit made must be one that its file gives back.
void expectReadable(const Document& document)
{
    const Document again = parse(projectText(document));
    // A node of an unknown type also remembers the order of its keys once it was read.
    QCOMPARE(QString::fromStdString(projectText(again)), QString::fromStdString(projectText(document)));
}

// The edit does what `check` sees; undone, the bytes are the old ones; done again, the new ones.
void expectUndoable(Document& document, const Edit& edit)
{
    const std::string before = projectText(document);
    const Edit back = apply(document, edit);
    const std::string after = projectText(document);
    expectReadable(document);
    const Edit forth = apply(document, back);
    QCOMPARE(QString::fromStdString(projectText(document)), QString::fromStdString(before));
    apply(document, forth);
    QCOMPARE(QString::fromStdString(projectText(document)), QString::fromStdString(after));
}

class Monkey
{
public:
    Monkey(Document& document, unsigned seed) : m_document(document), m_random(seed) {}

    Edit next()
    {
        const std::string module = pick(4) == 0 && m_document.modules.contains("Block") ? "Block" : "";
        const Body& body = *m_document.body(module);
        switch (pick(15)) {
        case 0:
        case 1: return addNode(m_document, module, type(module), point()).edit;
        case 2: return addNodeAfter(m_document, module, type(module), node(body), point()).edit;
        case 3:
        case 4:
            return graph::connect(m_document, module, {node(body), "output"},
                                  {node(body), pick(3) == 0 ? "other" : "input"});
        case 5: return graph::disconnect(m_document, module, edge(body));
        case 6: return removeNodes(m_document, module, std::vector<Id>{node(body), node(body)});
        case 7: return removeNodesAndBridge(m_document, module, std::vector<Id>{node(body)});
        case 8: return rename(m_document, node(body), "n" + std::to_string(pick(40)));
        case 9:
            return setAttr(m_document, node(body), "out_features",
                           pick(3) == 0 ? std::optional<Value>() : Value(std::int64_t{pick(9)} + 1));
        case 10:
            return move(m_document, std::vector<std::pair<Id, Point>>{{node(body), point()}, {node(body), point()}});
        case 11:
            return duplicate(m_document, module, std::vector<Id>{node(body), node(body), node(body)}, {10.5, 20}).edit;
        case 12:
            return pick(2) == 0 ? addFrame(m_document, "f", {1, 2, 3, 4}, "#fff").edit
                                : Edit{SetFrame{50, std::nullopt}};
        case 13:
            return pick(2) == 0 ? setFrozen(m_document, node(body), "weight", pick(2) == 0)
                                : Edit{SetSequential{module, !body.sequential, {}}};
        default:
            return setSetting(m_document, "training", std::vector<std::string>{"optimizer", "lr"},
                              Value(0.001 * pick(100)));
        }
    }

private:
    int pick(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
    Point point() { return {static_cast<double>(pick(100)), pick(100) / 4.0}; }
    std::string type(const std::string& module)
    {
        const std::vector<std::string> types{"Linear", "ReLU",  "Add",     "Cat",
                                             "Output", "Input", "Unheard", module.empty() ? "Block" : "Conv2d"};
        return types[static_cast<std::size_t>(pick(static_cast<int>(types.size())))];
    }
    Id node(const Body& body)
    {
        if (body.nodes.empty())
            return 12345678;
        return std::next(body.nodes.begin(), pick(static_cast<int>(body.nodes.size())))->first;
    }
    Endpoint edge(const Body& body)
    {
        return body.edges.empty() ? Endpoint{1, "none"}
                                  : std::next(body.edges.begin(), pick(static_cast<int>(body.edges.size())))->first;
    }

    Document& m_document;
    std::mt19937 m_random;
};

}  // namespace

class TestEdit : public QObject
{
    Q_OBJECT

private slots:
    void addingNamesAndNumbers();
    void addingIntoAWire();
    void connecting();
    void removing();
    void removingAndBridging();
    void removingAnOwner();
    void renaming();
    void renamingAPort();
    void catStaysWithoutGaps();
    void chains();
    void refusals();
    void failedCompositeChangesNothing();
    void idsAreNeverUsedTwice();
    void aThousandRandomEdits_data();
    void aThousandRandomEdits();
    void largeEditsAreNotQuadratic();
};

void TestEdit::addingNamesAndNumbers()
{
    Document document = sample();
    const auto nameOfNext = [&](std::string_view type) {
        const Added added = addNode(document, {}, type, {1, 2});
        apply(document, added.edit);
        return document.root.nodes.at(added.id).name;
    };
    QCOMPARE(nameOfNext("Linear"), std::string("fc2"));
    QCOMPARE(nameOfNext("Conv2d"), std::string("conv1"));
    QCOMPARE(nameOfNext("Conv2d"), std::string("conv2"));
    QCOMPARE(nameOfNext("ReLU"), std::string("relu"));
    QCOMPARE(nameOfNext("ReLU"), std::string("relu2"));
    QCOMPARE(nameOfNext("BatchNorm2d"), std::string("bn1"));
    QCOMPARE(nameOfNext("LogSoftmax"), std::string("log_softmax"));
    QCOMPARE(nameOfNext("Block"), std::string("block1"));
    QCOMPARE(nameOfNext("Input"), std::string("x2"));
    expectReadable(document);
}

void TestEdit::addingIntoAWire()
{
    Document document = sample();
    const Added added = addNodeAfter(document, {}, "ReLU", 1, {});
    expectUndoable(document, added.edit);
    QCOMPARE(document.root.edgeInto({2, "input"})->from.node, added.id);
    QCOMPARE(document.root.edgeInto({added.id, "input"})->from.node, Id{1});
}

void TestEdit::connecting()
{
    Document document = sample();
    expectUndoable(document, graph::connect(document, {}, {1, "output"}, {3, "in"}));
    QCOMPARE(document.root.edgeInto({3, "in"})->from.node, Id{1});
    QVERIFY(isEmpty(graph::connect(document, {}, {1, "output"}, {3, "in"})));
    QCOMPARE(thrown([&] {
                 graph::connect(document, {}, {4, "out"}, {3, "in"});
             }),
             QString("a wire from b2 to b1 would close a circle"));
    QCOMPARE(thrown([&] {
                 graph::connect(document, {}, {4, "out"}, {4, "in"});
             }),
             QString("a wire from b2 to b2 would close a circle"));
    QCOMPARE(thrown([&] {
                 graph::connect(document, {}, {1, "out"}, {2, "input"});
             }),
             QString("node 1 (Input x) has no output \"out\"; it has output"));
    QCOMPARE(thrown([&] {
                 graph::connect(document, {}, {1, "output"}, {3, "input"});
             }),
             QString("node 3 (Block b1) has no input \"input\"; it has in"));
}

void TestEdit::removing()
{
    Document document = sample();
    expectUndoable(document, removeNodes(document, {}, std::vector<Id>{3, 4}));
    QCOMPARE(document.root.edges.size(), std::size_t{1});
    // An Output of a module: the wires of its instances go too.
    Document other = sample();
    expectUndoable(other, removeNodes(other, "Block", std::vector<Id>{100, 102}));
    QCOMPARE(other.root.edges.size(), std::size_t{1});
    QVERIFY(other.root.edgeInto({2, "input"}) != nullptr);
}

void TestEdit::removingAndBridging()
{
    Document document = sample();
    expectUndoable(document, removeNodesAndBridge(document, {}, std::vector<Id>{3, 4}));
    QCOMPARE(document.root.edgeInto({5, "input"})->from, (Endpoint{2, "output"}));
}

void TestEdit::removingAnOwner()
{
    Document document = sample();
    apply(document, addNode(document, {}, "Linear", {}).edit);
    Node third = document.root.nodes.at(103);
    third.shares = 2;
    apply(document, {SetNode{{}, 103, third}});
    QCOMPARE(thrown([&] { apply(document, {SetNode{{}, 2, std::nullopt}}); }), QString("node 2 (fc1) still has wires"));
    expectUndoable(document, removeNodes(document, {}, std::vector<Id>{2}));
    QVERIFY(!document.root.nodes.at(6).shares);
    QCOMPARE(document.root.nodes.at(103).shares, std::optional<Id>(6));
}

void TestEdit::renaming()
{
    Document document = sample();
    expectUndoable(document, rename(document, 2, "first"));
    QCOMPARE(document.root.nodes.at(2).name, std::string("first"));
    QCOMPARE(document.root.nodes.at(6).ties.find("bias")->string(), std::string("first.bias"));
    QCOMPARE(writeJson(*document.training.find("optimizer")->find("param_groups")),
             std::string(R"([{"params": ["first.weight"]}])"));
    expectUndoable(document, rename(document, 101, "linear"));
    QCOMPARE(document.root.nodes.at(3).frozen, std::vector<std::string>{"linear.weight"});
    expectUndoable(document, rename(document, 5, "out"));
    QCOMPARE(document.training.find("loss")->find("output")->string(), std::string("out"));
    QCOMPARE(thrown([&] { rename(document, 2, "b1"); }), QString("b1 is the name of node 3 already"));
    QVERIFY(thrown([&] { rename(document, 2, "1st"); }).startsWith("\"1st\" is no name"));
    QVERIFY(isEmpty(rename(document, 2, "first")));
}

void TestEdit::renamingAPort()
{
    Document document = sample();
    expectUndoable(document, rename(document, 100, "signal"));
    QVERIFY(document.root.edgeInto({3, "signal"}) != nullptr);
    QVERIFY(document.root.edgeInto({4, "signal"}) != nullptr);
    expectUndoable(document, rename(document, 102, "result"));
    QCOMPARE(document.root.edgeInto({5, "input"})->from, (Endpoint{4, "result"}));
    QCOMPARE(document.root.edgeInto({4, "signal"})->from, (Endpoint{3, "result"}));
}

void TestEdit::catStaysWithoutGaps()
{
    Document document = sample();
    const Added cat = addNode(document, {}, "Cat", {});
    apply(document, cat.edit);
    for (int i = 0; i < 3; ++i)
        apply(document, graph::connect(document, {}, {i == 1 ? Id{2} : Id{1}, "output"}, {cat.id, std::to_string(i)}));
    QCOMPARE(portNames(document, document.root, document.root.nodes.at(cat.id), PortSide::Input).size(),
             std::size_t{4});
    expectUndoable(document, graph::disconnect(document, {}, {cat.id, "0"}));
    QCOMPARE(document.root.edgeInto({cat.id, "0"})->from.node, Id{2});
    QCOMPARE(document.root.edgeInto({cat.id, "1"})->from.node, Id{1});
    QVERIFY(document.root.edgeInto({cat.id, "2"}) == nullptr);
    expectUndoable(document, removeNodes(document, {}, std::vector<Id>{2, 6}));
    QCOMPARE(document.root.edgeInto({cat.id, "0"})->from.node, Id{1});
    QVERIFY(document.root.edgeInto({cat.id, "1"}) == nullptr);
}

void TestEdit::chains()
{
    Document document = fixture::chain(R"({"shape": [4]})", {{"Linear", R"({"out_features": 3})"}, {"ReLU"}, {"Tanh"}});
    const std::string before = projectText(document);
    const Edit back = apply(document, {SetSequential{{}, true, {}}});
    QCOMPARE(document.root.nodes.at(4).name, std::string("2"));
    // Into the chain: everything behind moves on by one.
    const Added added = addNodeAfter(document, {}, "Dropout", 2, {});
    expectUndoable(document, added.edit);
    QCOMPARE(document.root.nodes.at(added.id).name, std::string("1"));
    QCOMPARE(document.root.nodes.at(4).name, std::string("3"));
    expectUndoable(document, removeNodesAndBridge(document, {}, std::vector<Id>{2}));
    QCOMPARE(document.root.nodes.at(4).name, std::string("2"));
    QCOMPARE(thrown([&] {
                 apply(document, {SetEdge{{}, {4, "input"}, Edge{{1, "output"}, {4, "input"}, {}, {}}}});
             }),
             QString("node 1 leads on already, and a sequential graph has no branches"));
    QCOMPARE(thrown([&] { rename(document, 4, "tanh"); }), QString("in a sequential graph the position is the name"));
    Document again = fixture::chain(R"({"shape": [4]})", {{"Linear", R"({"out_features": 3})"}, {"ReLU"}, {"Tanh"}});
    const Edit undo = apply(again, {SetSequential{{}, true, {}}});
    apply(again, undo);
    QCOMPARE(QString::fromStdString(projectText(again)), QString::fromStdString(before));
    QVERIFY(!isEmpty(back));
}

void TestEdit::refusals()
{
    Document document = sample();
    const std::string before = projectText(document);
    const auto refuse = [&](const Edit& edit, const char* why) {
        QCOMPARE(thrown([&] { apply(document, edit); }), QString(why));
        QCOMPARE(QString::fromStdString(projectText(document)), QString::fromStdString(before));
    };
    Node node;
    node.id = 50;
    node.type = "ReLU";
    node.name = "r";
    refuse({SetNode{{}, 50, node}}, "id 50 is used already");
    node.id = 100;
    refuse({SetNode{{}, 100, node}}, "id 100 is used already");
    node.id = 7;
    refuse({SetNode{"None", 7, node}}, "there is no module \"None\"");
    node.name = "fc1";
    refuse({SetNode{{}, 7, node}}, "fc1 is the name of node 2 already");
    node.name = "loop";
    node.type = "Block";
    refuse({SetNode{"Block", 7, node}}, "module Block would contain itself");
    refuse({SetNode{{}, 99, std::nullopt}}, "node 99 does not exist");
    refuse({SetEdge{{}, {9, "input"}, Edge{{1, "output"}, {9, "input"}, {}, {}}}}, "node 9 does not exist");
    refuse({SetEdge{{}, {9, "input"}, std::nullopt}}, "no wire leads into input of node 9");
    refuse({SetProject{"version", Value(2)}}, "version is no part of a project");
    refuse({SetProject{"data", Value("digits")}}, "data must be an object");
    Node renamed = document.modules.at("Block").nodes.at(100);
    renamed.name = "other";
    refuse({SetNode{"Block", 100, renamed}}, "port in of Block is wired: take the wire of node 3 away first");
    Node retyped = document.root.nodes.at(3);
    retyped.type = "ReLU";
    refuse({SetNode{{}, 3, retyped}}, "node 3 (ReLU b1) has no input \"in\"; it has input, and a wire leads there");
    document.version = 2;
    QCOMPARE(thrown([&] {
                 apply(document, {SetProject{"name", Value("x")}});
             }),
             QString("this project is of version 2 and can only be looked at"));
}

void TestEdit::failedCompositeChangesNothing()
{
    Document document = sample();
    const std::string before = projectText(document);
    Edit good = removeNodes(document, {}, std::vector<Id>{3});
    auto& edits = std::get<Composite>(good.what).edits;
    edits.push_back({SetProject{"name", Value("changed")}});
    edits.push_back({SetNode{{}, 77, std::nullopt}});
    QCOMPARE(thrown([&] { apply(document, good); }), QString("node 77 does not exist"));
    QCOMPARE(QString::fromStdString(projectText(document)), QString::fromStdString(before));
}

void TestEdit::idsAreNeverUsedTwice()
{
    Document document = sample();
    const Added first = addNode(document, {}, "ReLU", {});
    apply(document, apply(document, first.edit));
    const Added second = addNode(document, {}, "ReLU", {});
    QVERIFY(second.id > first.id);
}

void TestEdit::aThousandRandomEdits_data()
{
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 4; ++seed)
        QTest::addRow("seed %u", seed) << seed;
}

void TestEdit::aThousandRandomEdits()
{
    QFETCH(unsigned, seed);
    Document document = sample();
    const std::string start = projectText(document);
    Monkey monkey(document, seed);
    std::vector<Edit> undo;
    int tries = 0;
    while (undo.size() < 1000 && ++tries < 20000) {
        const std::string before = projectText(document);
        try {
            undo.push_back(apply(document, monkey.next()));
        } catch (const Error&) {
            QCOMPARE(projectText(document) == before, true);
            continue;
        }
        if (undo.size() % 50 == 0)
            expectReadable(document);
    }
    QCOMPARE(undo.size(), std::size_t{1000});
    const std::string end = projectText(document);
    std::vector<Edit> redo;
    while (!undo.empty()) {
        redo.push_back(apply(document, undo.back()));
        undo.pop_back();
    }
    QCOMPARE(QString::fromStdString(projectText(document)), QString::fromStdString(start));
    while (!redo.empty()) {
        apply(document, redo.back());
        redo.pop_back();
    }
    QCOMPARE(QString::fromStdString(projectText(document)), QString::fromStdString(end));
}

void TestEdit::largeEditsAreNotQuadratic()
{
    Document document;
    document.name = "large";
    Composite all{"Paste", {}};
    constexpr int count = 10000;
    for (int i = 1; i <= count; ++i) {
        Node node;
        node.id = i;
        node.type = "ReLU";
        node.name = "r" + std::to_string(i);
        all.edits.push_back({SetNode{{}, i, std::move(node)}});
        if (i > 1) {
            const Endpoint to{i, "input"};
            all.edits.push_back({SetEdge{{}, to, Edge{{i - 1, "output"}, to, {}, {}}}});
        }
    }
    apply(document, {std::move(all)});
    QCOMPARE(document.root.nodes.size(), std::size_t{count});
    QVERIFY(wouldCycle(document.root, count, 1));
    QVERIFY(!wouldCycle(document.root, 1, count));
    std::vector<Id> half;
    for (Id id = 1; id <= count; id += 2)
        half.push_back(id);
    apply(document, removeNodesAndBridge(document, {}, half));
    QCOMPARE(document.root.nodes.size(), std::size_t{count / 2});
}

QTEST_APPLESS_MAIN(TestEdit)
#include "test_edit.moc"
