// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/graph/graph_fixture.h"

#include "engine/autograd/autograd.h"
#include "engine/backend/session.h"
#include "engine/core/error.h"
#include "engine/graph/compile.h"
#include "engine/graph/edit.h"
#include "engine/ops/functions.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace megalith;
using namespace megalith::graph;
using fixture::chain;
using fixture::parse;
using fixture::projectWith;
using fixture::thrown;

namespace {

QString keysOf(const StateDict& state)
{
    QStringList keys;
    for (const auto& [key, entry] : state)
        keys << QString::fromStdString(key);
    return keys.join(' ');
}

Tensor ramp(const Shape& shape, double step = 0.1)
{
    std::vector<double> values(static_cast<std::size_t>(numel(shape)));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = step * static_cast<double>(i) - 0.5;
    return ops::fromDoubles(shape, values, DType::F64);
}

Tensor run(const CompiledModel& model, const Tensor& x)
{
    return model.root->forward({x}).front();
}

void expectNear(const Tensor& got, const Tensor& want)
{
    QCOMPARE(got.shape(), want.shape());
    const std::vector<double> a = got.toDoubles();
    const std::vector<double> b = want.toDoubles();
    for (std::size_t i = 0; i < a.size(); ++i)
        QVERIFY2(std::abs(a[i] - b[i]) <= 1e-12 * std::max(1.0, std::abs(b[i])),
                 qPrintable(QString("%1 instead of %2").arg(a[i]).arg(b[i])));
}

bool sameBits(const Tensor& a, const Tensor& b)
{
    const StateEntry x = a.toEntry();
    const StateEntry y = b.toEntry();
    return x.shape == y.shape && x.dtype == y.dtype && std::ranges::equal(x.bytes(), y.bytes());
}

}  // namespace

class TestCompile : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void sequential();
    void namesAndKeys();
    void valuesOfAGraph();
    void twoInputsAndOutputs();
    void composedModules();
    void sharedModuleIsOne();
    void tiedTensorIsOne();
    void bareTensors();
    void constantsAreNoParameters();
    void detachHoldsGradientsBack();
    void frozenGetsNoGradient();
    void initIsFollowed();
    void freshValuesFollowSeedAndKey();
    void storeKeepsWhatFits();
    void renamingKeepsValues();
    void dropoutStreamsDiffer();
    void doublesForFloats();
    void errorsAreRefused();

private:
    std::unique_ptr<Session> m_session;
    std::unique_ptr<SessionScope> m_scope;
};

void TestCompile::init()
{
    m_session = std::make_unique<Session>(1);
    m_scope = std::make_unique<SessionScope>(*m_session);
}

void TestCompile::cleanup()
{
    m_scope.reset();
    m_session.reset();
}

void TestCompile::sequential()
{
    ParameterStore store;
    const Document document = chain(R"({"shape": [10]})",
                                    {{"Linear", R"({"out_features": 10})", R"(, "frozen": ["weight", "bias"])"},
                                     {"ReLU"},
                                     {"Linear", R"({"out_features": 3})"}},
                                    true);
    const CompiledModel model = compile(document, store, 0);
    QCOMPARE(keysOf(model.root->state_dict()), QString("0.weight 0.bias 2.weight 2.bias"));
    QCOMPARE(nn::countParameters(*model.root), std::int64_t{143});
    QCOMPARE(nn::countParameters(*model.root, true), std::int64_t{33});
    QCOMPARE(model.inputs, std::vector<std::string>{"x"});
    QCOMPARE(model.inputMetas.front().shape, Shape{10});
    QCOMPARE(model.outputs, std::vector<std::string>{"y"});
    QCOMPARE(run(model, ops::ones({7, 10})).shape(), (Shape{7, 3}));
    const QString printed = QString::fromStdString(nn::text(*model.root, false));
    QCOMPARE(printed, QString("Sequential(\n  (0): Linear(in_features=10, out_features=10, bias=True)\n  (1): ReLU()\n"
                              "  (2): Linear(in_features=10, out_features=3, bias=True)\n)"));
}

void TestCompile::namesAndKeys()
{
    ParameterStore store;
    const Document document = chain(R"({"shape": [1, 8, 8]})", {{"Conv2d", R"({"out_channels": 4, "kernel_size": 3})"},
                                                                {"BatchNorm2d"},
                                                                {"Flatten"},
                                                                {"Linear", R"({"out_features": 2, "bias": false})"}});
    const CompiledModel model = compile(document, store, 0);
    QCOMPARE(
        keysOf(model.root->state_dict()),
        QString("m1.weight m1.bias m2.weight m2.bias m2.running_mean m2.running_var m2.num_batches_tracked m4.weight"));
    QStringList state;
    for (const StateBinding& binding : model.state)
        state << QString::fromStdString(binding.key);
    QCOMPARE(state.join(' '), keysOf(model.root->state_dict()));
    QCOMPARE(store.size(), std::size_t{8});
}

void TestCompile::valuesOfAGraph()
{
    // A skip connection, and a step whose input is needed later.
    ParameterStore store;
    const Document document = parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [6]}}, {"id": 2, "type": "Linear", "name": "a", "attrs": {"out_features": 6}},
           {"id": 3, "type": "Tanh", "name": "t"}, {"id": 4, "type": "Add", "name": "s"}, {"id": 5, "type": "Cat", "name": "c", "attrs": {"dim": 1}}, {"id": 6, "type": "Output", "name": "y"})",
        R"({"from": [1, "output"], "to": [2, "input"]}, {"from": [2, "output"], "to": [3, "input"]}, {"from": [1, "output"], "to": [4, "input"]},
           {"from": [3, "output"], "to": [4, "other"]}, {"from": [4, "output"], "to": [5, "0"]}, {"from": [1, "output"], "to": [5, "1"]},
           {"from": [3, "output"], "to": [5, "2"]}, {"from": [5, "output"], "to": [6, "input"]})"));
    const CompiledModel model = compile(document, store, 3, DType::F64);
    const Tensor x = ramp({3, 6});
    const nn::ModulePtr a = model.root->child("a");
    const Tensor t = ops::tanh(ops::linear(x, (*a)["weight"], (*a)["bias"]));
    expectNear(run(model, x), ops::cat({ops::add(x, t), x, t}, 1));
}

void TestCompile::twoInputsAndOutputs()
{
    ParameterStore store;
    const Document document = parse(projectWith(
        R"({"id": 5, "type": "Input", "name": "b", "attrs": {"shape": [2]}}, {"id": 2, "type": "Input", "name": "a", "attrs": {"shape": [2], "dtype": "float64"}},
           {"id": 9, "type": "Output", "name": "sum"}, {"id": 7, "type": "Output", "name": "twice"}, {"id": 3, "type": "Add", "name": "s"}, {"id": 4, "type": "Mul", "name": "m", "attrs": {"other": 2}})",
        R"({"from": [2, "output"], "to": [3, "input"]}, {"from": [5, "output"], "to": [3, "other"]}, {"from": [3, "output"], "to": [9, "input"]},
           {"from": [5, "output"], "to": [4, "input"]}, {"from": [4, "output"], "to": [7, "input"]})"));
    const CompiledModel model = compile(document, store, 0, DType::F64);
    QCOMPARE(model.inputs, (std::vector<std::string>{"a", "b"}));
    QCOMPARE(model.outputs, (std::vector<std::string>{"twice", "sum"}));
    const Tensors out = model.root->forward({ramp({1, 2}), ramp({1, 2}, 1.0)});
    expectNear(out[0], ops::mul(ramp({1, 2}, 1.0), 2.0));
    expectNear(out[1], ops::add(ramp({1, 2}), ramp({1, 2}, 1.0)));
    QCOMPARE(thrown([&] { model.root->forward({ramp({1, 2})}); }), QString("Model takes 2 inputs, not 1"));
}

void TestCompile::composedModules()
{
    ParameterStore store;
    const Document document = parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [5]}}, {"id": 2, "type": "Block", "name": "b1"}, {"id": 3, "type": "Block", "name": "b2", "attrs": {"width": 2}},
           {"id": 4, "type": "Output", "name": "y"})",
        R"({"from": [1, "output"], "to": [2, "in"]}, {"from": [2, "out"], "to": [3, "in"]}, {"from": [3, "out"], "to": [4, "input"]})",
        R"(, "modules": {"Block": {"args": {"width": 3}, "nodes": [{"id": 100, "type": "Input", "name": "in"}, {"id": 101, "type": "Linear", "name": "fc", "attrs": {"out_features": "=width"}},
            {"id": 102, "type": "Tanh", "name": "act"}, {"id": 103, "type": "Output", "name": "out"}],
            "edges": [{"from": [100, "output"], "to": [101, "input"]}, {"from": [101, "output"], "to": [102, "input"]}, {"from": [102, "output"], "to": [103, "input"]}]}})"));
    const CompiledModel model = compile(document, store, 0, DType::F64);
    QCOMPARE(keysOf(model.root->state_dict()), QString("b1.fc.weight b1.fc.bias b2.fc.weight b2.fc.bias"));
    QCOMPARE(model.root->child("b1")->typeName(), std::string("Block"));
    const auto block = [&](const char* name, const Tensor& x) {
        const nn::ModulePtr fc = model.root->child(name)->child("fc");
        return ops::tanh(ops::linear(x, (*fc)["weight"], (*fc)["bias"]));
    };
    const Tensor x = ramp({2, 5});
    expectNear(run(model, x), block("b2", block("b1", x)));
    QVERIFY(store.find({{3, 101}, "weight"}).is((*model.root->child("b2")->child("fc"))["weight"]));
}

void TestCompile::sharedModuleIsOne()
{
    ParameterStore store;
    const Document document = parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [4]}}, {"id": 7, "type": "Linear", "name": "owner", "attrs": {"out_features": 4}},
           {"id": 3, "type": "Linear", "name": "again", "shares": 7}, {"id": 4, "type": "Output", "name": "y"})",
        R"({"from": [1, "output"], "to": [3, "input"]}, {"from": [3, "output"], "to": [7, "input"]}, {"from": [7, "output"], "to": [4, "input"]})"));
    const CompiledModel model = compile(document, store, 0, DType::F64);
    QVERIFY(model.root->child("again") == model.root->child("owner"));
    QCOMPARE(keysOf(model.root->state_dict()), QString("again.weight again.bias owner.weight owner.bias"));
    QCOMPARE(nn::countParameters(*model.root), std::int64_t{20});
    QCOMPARE(store.size(), std::size_t{2});
    QVERIFY(store.find({{7}, "weight"}));
    const StateDict state = model.root->state_dict();
    QVERIFY(state.find("again.weight")->sameTensor(*state.find("owner.weight")));
}

void TestCompile::tiedTensorIsOne()
{
    ParameterStore store;
    const Document document =
        chain(R"({"shape": [4]})", {{"Linear", R"({"out_features": 4})", R"(, "ties": {"weight": "m2.weight"})"},
                                    {"Linear", R"({"out_features": 4})"}});
    const CompiledModel model = compile(document, store, 0, DType::F64);
    QVERIFY((*model.root->child("m1"))["weight"].is((*model.root->child("m2"))["weight"]));
    QVERIFY(!(*model.root->child("m1"))["bias"].is((*model.root->child("m2"))["bias"]));
    QCOMPARE(nn::countParameters(*model.root), std::int64_t{16 + 4 + 4});
    QCOMPARE(keysOf(model.root->state_dict()), QString("m1.weight m1.bias m2.weight m2.bias"));
    // Both uses add to one gradient.
    backward(ops::sum(run(model, ramp({2, 4}))));
    QVERIFY((*model.root->child("m1"))["weight"].grad());
}

void TestCompile::bareTensors()
{
    ParameterStore store;
    const Document document = parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [3]}}, {"id": 2, "type": "Parameter", "name": "scale", "attrs": {"shape": [3], "values": [1, 2, 3]}},
           {"id": 3, "type": "Mul", "name": "m"}, {"id": 4, "type": "Buffer", "name": "shift", "attrs": {"shape": [3], "fill": 0.5}}, {"id": 5, "type": "Add", "name": "s"},
           {"id": 7, "type": "Buffer", "name": "hidden", "attrs": {"shape": [1], "fill": 2, "persistent": false}}, {"id": 8, "type": "Mul", "name": "m2"}, {"id": 6, "type": "Output", "name": "y"})",
        R"({"from": [1, "output"], "to": [3, "input"]}, {"from": [2, "output"], "to": [3, "other"]}, {"from": [3, "output"], "to": [5, "input"]},
           {"from": [4, "output"], "to": [5, "other"]}, {"from": [5, "output"], "to": [8, "input"]}, {"from": [7, "output"], "to": [8, "other"]}, {"from": [8, "output"], "to": [6, "input"]})"));
    const CompiledModel model = compile(document, store, 0);
    QCOMPARE(keysOf(model.root->state_dict()), QString("scale shift"));
    QCOMPARE(model.root->named_buffers().size(), std::size_t{2});
    QCOMPARE(run(model, ops::ones({1, 3})).toDoubles(), (std::vector<double>{3, 5, 7}));
    QVERIFY((*model.root)["scale"].requires_grad());
    QVERIFY(!(*model.root)["shift"].requires_grad());
}

void TestCompile::constantsAreNoParameters()
{
    ParameterStore store;
    const Document document = parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [2]}}, {"id": 2, "type": "Constant", "name": "c", "attrs": {"shape": [2], "values": [2, 3], "requires_grad": true}},
           {"id": 3, "type": "Mul", "name": "m"}, {"id": 4, "type": "Output", "name": "y"})",
        R"({"from": [1, "output"], "to": [3, "input"]}, {"from": [2, "output"], "to": [3, "other"]}, {"from": [3, "output"], "to": [4, "input"]})"));
    const CompiledModel model = compile(document, store, 0);
    QVERIFY(model.root->state_dict().empty());
    QVERIFY(model.root->parameters().empty());
    const Tensor y = run(model, ops::ones({1, 2}));
    QCOMPARE(y.toDoubles(), (std::vector<double>{2, 3}));
    QVERIFY(y.requires_grad());
}

void TestCompile::detachHoldsGradientsBack()
{
    ParameterStore store;
    const Document document = chain(
        R"({"shape": [3]})", {{"Linear", R"({"out_features": 3})"}, {"Detach"}, {"Linear", R"({"out_features": 1})"}});
    const CompiledModel model = compile(document, store, 0);
    QCOMPARE(keysOf(model.root->state_dict()), QString("m1.weight m1.bias m3.weight m3.bias"));
    backward(ops::sum(run(model, ops::ones({2, 3}))));
    QVERIFY(!(*model.root->child("m1"))["weight"].grad());
    QVERIFY((*model.root->child("m3"))["weight"].grad());
}

void TestCompile::frozenGetsNoGradient()
{
    ParameterStore store;
    Document document = chain(R"({"shape": [3]})", {{"Linear", R"({"out_features": 3})", R"(, "frozen": ["weight"])"}});
    const CompiledModel model = compile(document, store, 0);
    backward(ops::sum(run(model, ops::ones({2, 3}))));
    QVERIFY(!(*model.root->child("m1"))["weight"].grad());
    QVERIFY((*model.root->child("m1"))["bias"].grad());
    // Thawed: the same values, now with a gradient.
    const Tensor before = store.find({{2}, "weight"});
    apply(document, setFrozen(document, 2, "weight", false));
    const CompiledModel again = compile(document, store, 0);
    QVERIFY((*again.root->child("m1"))["weight"].is(before));
    QVERIFY(before.requires_grad());
}

void TestCompile::initIsFollowed()
{
    ParameterStore store;
    const Document document =
        chain(R"({"shape": [3]})",
              {{"Linear", R"({"out_features": 2})",
                R"(, "init": {"weight": {"type": "constant_", "val": 0.25}, "bias": {"type": "ones_"}})"}});
    const CompiledModel model = compile(document, store, 0);
    QCOMPARE((*model.root->child("m1"))["weight"].toDoubles(), std::vector<double>(6, 0.25));
    QCOMPARE((*model.root->child("m1"))["bias"].toDoubles(), std::vector<double>(2, 1.0));
}

void TestCompile::freshValuesFollowSeedAndKey()
{
    const Document small = chain(R"({"shape": [3]})", {{"Linear", R"({"out_features": 2})"}});
    const Document large =
        chain(R"({"shape": [3]})", {{"Linear", R"({"out_features": 2})"}, {"Linear", R"({"out_features": 2})"}});
    ParameterStore a;
    ParameterStore b;
    ParameterStore c;
    const CompiledModel first = compile(small, a, 1);
    const CompiledModel second = compile(large, b, 1);
    const CompiledModel third = compile(small, c, 2);
    // One more layer changes nothing for those before it.
    QVERIFY(sameBits((*first.root->child("m1"))["weight"], (*second.root->child("m1"))["weight"]));
    QVERIFY(!sameBits((*first.root->child("m1"))["weight"], (*third.root->child("m1"))["weight"]));
    // kaiming_uniform_ with a = sqrt 5 and the bias stay within 1 / sqrt(fan_in).
    for (const Tensor& tensor : first.root->parameters())
        for (const double value : tensor.toDoubles())
            QVERIFY(std::abs(value) <= 1.0 / std::sqrt(3.0) + 1e-7);
}

void TestCompile::storeKeepsWhatFits()
{
    ParameterStore store;
    Document document =
        chain(R"({"shape": [3]})", {{"Linear", R"({"out_features": 4})"}, {"Linear", R"({"out_features": 2})"}});
    compile(document, store, 0);
    const Tensor weight1 = store.find({{2}, "weight"});
    const Tensor bias2 = store.find({{3}, "bias"});
    const Edit back = apply(document, setAttr(document, 2, "out_features", Value(5)));
    const CompiledModel resized = compile(document, store, 0);
    QCOMPARE(resized.replaced.size(), std::size_t{3});  // weight and bias of the first, weight of the second
    QVERIFY(store.find({{3}, "bias"}).is(bias2));
    QCOMPARE(store.find({{2}, "weight"}).shape(), (Shape{5, 3}));
    // Undo: what gave way comes back.
    apply(document, back);
    for (const StoredTensor& old : resized.replaced)
        store.put(old.first, old.second);
    QVERIFY(compile(document, store, 0).replaced.empty());
    QVERIFY(store.find({{2}, "weight"}).is(weight1));
    // A deleted node's values wait in the store.
    const Edit undelete = apply(document, removeNodesAndBridge(document, {}, std::vector<Id>{3}));
    compile(document, store, 0);
    apply(document, undelete);
    compile(document, store, 0);
    QVERIFY(store.find({{3}, "bias"}).is(bias2));
    QCOMPARE(store.removeAllBut({{{2}, "weight"}}).size(), std::size_t{3});
    QCOMPARE(store.size(), std::size_t{1});
}

void TestCompile::renamingKeepsValues()
{
    ParameterStore store;
    Document document = parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [3]}}, {"id": 2, "type": "Parameter", "name": "p", "attrs": {"shape": [3], "fill": 1}},
           {"id": 3, "type": "Mul", "name": "m"}, {"id": 6, "type": "Output", "name": "y"})",
        R"({"from": [1, "output"], "to": [3, "input"]}, {"from": [2, "output"], "to": [3, "other"]}, {"from": [3, "output"], "to": [6, "input"]})"));
    compile(document, store, 0);
    const Tensor value = store.find({{2}, "value"});
    apply(document, rename(document, 2, "scale"));
    const CompiledModel model = compile(document, store, 0);
    QCOMPARE(keysOf(model.root->state_dict()), QString("scale"));
    QVERIFY((*model.root)["scale"].is(value));
}

void TestCompile::dropoutStreamsDiffer()
{
    ParameterStore store;
    const Document document = parse(projectWith(
        R"({"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [1000]}}, {"id": 2, "type": "Dropout", "name": "d1"}, {"id": 3, "type": "Dropout", "name": "d2"},
           {"id": 4, "type": "Output", "name": "a"}, {"id": 5, "type": "Output", "name": "b"})",
        R"({"from": [1, "output"], "to": [2, "input"]}, {"from": [1, "output"], "to": [3, "input"]}, {"from": [2, "output"], "to": [4, "input"]},
           {"from": [3, "output"], "to": [5, "input"]})"));
    const CompiledModel model = compile(document, store, 0);
    const Tensors out = model.root->forward({ops::ones({1, 1000})});
    QVERIFY(!sameBits(out[0], out[1]));
    model.root->eval();
    QVERIFY(!model.root->child("d1")->training());
    QCOMPARE(model.root->forward({ops::ones({1, 1000})})[1].toDoubles(), std::vector<double>(1000, 1.0));
}

void TestCompile::doublesForFloats()
{
    ParameterStore store;
    const Document document = chain(R"({"shape": [3]})", {{"Linear", R"({"out_features": 2})"}});
    compile(document, store, 0);
    const std::vector<double> single = store.find({{2}, "weight"}).toDoubles();
    const CompiledModel model = compile(document, store, 0, DType::F64);
    QCOMPARE(store.find({{2}, "weight"}).dtype(), DType::F64);
    QCOMPARE(store.find({{2}, "weight"}).toDoubles(), single);
    QCOMPARE(model.inputMetas.front().dtype, DType::F64);
    QVERIFY(model.replaced.empty());
    QVERIFY(store.find({{2}, "weight"}).requires_grad());
}

void TestCompile::errorsAreRefused()
{
    ParameterStore store;
    const Document document =
        chain(R"({"shape": [3]})", {{"Linear", R"({"in_features": 4, "out_features": 2})"}, {"ReLU"}});
    QCOMPARE(thrown([&] { compile(document, store, 0); }), QString("m1: input ends in 3 but in_features is 4"));
    QCOMPARE(store.size(), std::size_t{0});
}

QTEST_APPLESS_MAIN(TestCompile)
#include "test_compile.moc"
