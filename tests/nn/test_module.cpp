// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/autograd/autograd.h"
#include "tests/nn/nn_test.h"
#include "tests/nn/print_goldens.h"

using namespace megalith;
using namespace megalith::test;

namespace {

std::int64_t totalBuffers(const nn::Module& module)
{
    std::int64_t count = 0;
    for (const Tensor& buffer : module.buffers())
        count += buffer.numel();
    return count;
}

// The network of the guide: a module of one's own.
class GuideMlp : public nn::Module
{
public:
    GuideMlp() : Module("MLP") {}
    Tensors forward(const Tensors& inputs) override { return {(*fc2)((*relu)((*fc1)(inputs[0])))}; }

    nn::ModulePtr fc1 = register_module("fc1", nn::Linear(4, 8));
    nn::ModulePtr relu = register_module("relu", nn::ReLU());
    nn::ModulePtr fc2 = register_module("fc2", nn::Linear(8, 1));
};

class Scale : public nn::Module
{
public:
    Scale() : Module("Scale") {}
    Tensor center = register_buffer("center", ops::zeros({3}));
    Tensor scratch = register_buffer("scratch", ops::zeros({3}), false);
    Tensor gain = register_parameter("gain", ops::ones({3}));
};

}  // namespace

class TestModule : public QObject
{
    Q_OBJECT

private slots:
    void countsOfTheLesson();
    void mlpHasTheLessonsKeys();
    void countsDoNotChangeWithTheBatch();
    void aModuleOfOnesOwnIsCallable();
    void aPlainTensorIsNoParameter();
    void buffersAreListedButNotAllSaved();
    void aSharedModuleCountsOnce();
    void aSharedTensorCountsOnce();
    void applyVisitsChildrenFirstAndASharedOneOnce();
    void evalOnTheRootTurnsEveryDescendant();
    void dropoutIsExactInEval();
    void twoDropoutsDrawDifferently();
    void frozenParametersGetNoGradient();
    void zeroGradTakesGradientsAway();
    void hooksSeeInputsAndOutputs();
    void namesAreChecked();
    void aModuleCannotContainItself();
    void aModuleOnTheStackListsItself();
    void toConvertsAndKeepsWhatIsShared();
    void callsAreChecked();
    void absentValuesWaitForTensors();
    void batchNormAveragesPlainlyWithoutMomentum();
    void printsAsPyTorch();
    void printsShapes();
};

void TestModule::countsOfTheLesson()
{
    const Engine engine;
    const nn::ModulePtr model = nn::Sequential({nn::Linear(10, 10), nn::ReLU(), nn::Linear(10, 3)});
    QCOMPARE(nn::countParameters(*model), 143);
    COMPARE_TEXT(namesOf(model->state_dict()), "0.weight 0.bias 2.weight 2.bias");
    nn::freeze(*model->child("0"));
    QCOMPARE(nn::countParameters(*model, true), 33);
    QCOMPARE(nn::countParameters(*model), 143);
    QCOMPARE(nn::countParameters(*nn::ReLU()), 0);
}

void TestModule::mlpHasTheLessonsKeys()
{
    const Engine engine;
    const nn::ModulePtr model = nn::mlp({10, 4, 3});
    QCOMPARE(nn::countParameters(*model), 59);
    COMPARE_TEXT(namesOf(model->state_dict()), "net.0.weight net.0.bias net.2.weight net.2.bias");
    QCOMPARE((*model)(ops::ones({5, 10})).shape(), (Shape{5, 3}));
    COMPARE_TEXT(errorOf([] { nn::mlp({10}); }), "mlp: at least two sizes are needed, the input's and the output's");
}

void TestModule::countsDoNotChangeWithTheBatch()
{
    const Engine engine;
    const nn::ModulePtr linear = nn::Linear(4, 3);
    QCOMPARE((*linear)(ops::ones({2, 4})).shape(), (Shape{2, 3}));
    QCOMPARE(nn::countParameters(*linear), 15);
    QCOMPARE((*linear)(ops::ones({200, 4})).shape(), (Shape{200, 3}));
    QCOMPARE(nn::countParameters(*linear), 15);
}

void TestModule::aModuleOfOnesOwnIsCallable()
{
    const Engine engine;
    const auto model = std::make_shared<GuideMlp>();
    QCOMPARE((*model)(ops::ones({3, 4})).shape(), (Shape{3, 1}));
    COMPARE_TEXT(namesOf(model->named_parameters()), "fc1.weight fc1.bias fc2.weight fc2.bias");
    COMPARE_TEXT(namesOf(model->named_parameters("net")), "net.fc1.weight net.fc1.bias net.fc2.weight net.fc2.bias");
    QVERIFY(model->named_parameters({}, false).empty());
    COMPARE_TEXT(namesOf(model->named_children()), "fc1 relu fc2");
    COMPARE_TEXT(namesOf(model->named_modules()), " fc1 relu fc2");
    QCOMPARE(model->modules().front(), model);
}

void TestModule::aPlainTensorIsNoParameter()
{
    const Engine engine;
    const auto model = std::make_shared<GuideMlp>();
    const Tensor scale = ops::ones({3}).requires_grad_();
    QCOMPARE(nn::countParameters(*model), 4 * 8 + 8 + 8 + 1);
    for (const Tensor& parameter : model->parameters())
        QVERIFY(!parameter.is(scale));
}

void TestModule::buffersAreListedButNotAllSaved()
{
    const Engine engine;
    Scale scale;
    COMPARE_TEXT(namesOf(scale.state_dict()), "gain center");
    COMPARE_TEXT(namesOf(scale.named_buffers()), "center scratch");
    COMPARE_TEXT(namesOf(scale.named_parameters()), "gain");
    QVERIFY(scale.isPersistent("center"));
    QVERIFY(!scale.isPersistent("scratch"));
    QVERIFY(scale.gain.requires_grad());
    QVERIFY(!scale.center.requires_grad());
}

void TestModule::aSharedModuleCountsOnce()
{
    const Engine engine;
    const nn::ModulePtr shared = nn::Linear(3, 3);
    const nn::ModulePtr model = nn::Sequential({shared, nn::ReLU(), shared});
    QCOMPARE(nn::countParameters(*model), 12);
    COMPARE_TEXT(namesOf(model->named_parameters()), "0.weight 0.bias");
    COMPARE_TEXT(namesOf(model->named_modules()), " 0 1");
    const StateDict state = model->state_dict();
    COMPARE_TEXT(namesOf(state), "0.weight 0.bias 2.weight 2.bias");
    QVERIFY(state.find("0.weight")->sameTensor(*state.find("2.weight")));
    QVERIFY(!state.find("0.weight")->sameTensor(*state.find("0.bias")));
    // Both places compute: relu(x W + b) W + b differs from x W + b.
    const Tensor x = ops::ones({1, 3});
    QVERIFY(difference((*model)(x).toDoubles(), (*shared)(x).toDoubles()) > 1e-3);
}

void TestModule::aSharedTensorCountsOnce()
{
    const Engine engine;
    const nn::ModulePtr model = nn::Sequential({nn::Linear(3, 3), nn::Linear(3, 3)});
    model->child("1")->setTensor("weight", (*model->child("0"))["weight"]);
    QCOMPARE(nn::countParameters(*model), 9 + 3 + 3);
    COMPARE_TEXT(namesOf(model->named_parameters()), "0.weight 0.bias 1.bias");
    COMPARE_TEXT(namesOf(model->state_dict()), "0.weight 0.bias 1.weight 1.bias");
}

void TestModule::applyVisitsChildrenFirstAndASharedOneOnce()
{
    const Engine engine;
    const nn::ModulePtr shared = nn::Linear(3, 3);
    const nn::ModulePtr model = nn::Sequential({nn::Sequential({shared, nn::Tanh()}), shared});
    std::vector<std::string> visited;
    model->apply([&visited](nn::Module& module) { visited.push_back(module.typeName()); });
    COMPARE_TEXT(joined(visited), "Linear Tanh Sequential Sequential");
}

void TestModule::evalOnTheRootTurnsEveryDescendant()
{
    const Engine engine;
    const nn::ModulePtr model = nn::Sequential({nn::Sequential({nn::Dropout(), nn::BatchNorm1d(3)}), nn::Dropout()});
    model->eval();
    for (const nn::ModulePtr& module : model->modules())
        QVERIFY(!module->training());
    {
        const NoGrad off;
        QVERIFY(!model->training());
        model->train();
    }
    for (const nn::ModulePtr& module : model->modules())
        QVERIFY(module->training());
}

void TestModule::dropoutIsExactInEval()
{
    const Engine engine;
    const nn::ModulePtr drop = nn::Dropout(0.5);
    const Tensor ones = ops::ones({10000});
    const Tensor dropped = (*drop)(ones);
    QVERIFY(std::abs(ops::mean(dropped).item() - 1.0) < 0.05);
    for (const double value : dropped.toDoubles())
        QVERIFY(value == 0.0 || value == 2.0);
    drop->eval();
    QCOMPARE(ops::mean((*drop)(ones)).item(), 1.0);
}

void TestModule::twoDropoutsDrawDifferently()
{
    const Engine engine;
    const nn::ModulePtr first = nn::Dropout(0.5);
    const nn::ModulePtr second = nn::Dropout(0.5);
    const Tensor ones = ops::ones({1000});
    QVERIFY((*first)(ones).toDoubles() != (*second)(ones).toDoubles());
    QCOMPARE((*first)(ones).toDoubles(), (*first)(ones).toDoubles());
}

void TestModule::frozenParametersGetNoGradient()
{
    const Engine engine;
    const nn::ModulePtr model = nn::Sequential({nn::Linear(4, 5), nn::ReLU(), nn::Linear(5, 2)});
    nn::freeze(*model->child("0"));
    backward(ops::sum((*model)(ops::ones({3, 4}))));
    QVERIFY(!(*model->child("0"))["weight"].grad());
    QVERIFY(!(*model->child("0"))["bias"].grad());
    QVERIFY((*model->child("2"))["weight"].grad());
    nn::freeze(*model);
    QVERIFY(errorOf([&] {
                backward(ops::sum((*model)(ops::ones({3, 4}))));
            }).find("requires grad")
            != std::string::npos);
    model->requires_grad_();
    QCOMPARE(nn::countParameters(*model, true), nn::countParameters(*model));
}

void TestModule::zeroGradTakesGradientsAway()
{
    const Engine engine;
    const nn::ModulePtr linear = nn::Linear(2, 2);
    backward(ops::sum((*linear)(ops::ones({3, 2}))));
    const std::vector<double> once = (*linear)["weight"].grad().toDoubles();
    backward(ops::sum((*linear)(ops::ones({3, 2}))));
    QCOMPARE((*linear)["weight"].grad().toDoubles().front(), 2.0 * once.front());
    linear->zero_grad();
    QVERIFY(!(*linear)["weight"].grad());
}

void TestModule::hooksSeeInputsAndOutputs()
{
    const Engine engine;
    const nn::ModulePtr model = nn::Sequential({nn::Linear(3, 2), nn::ReLU()});
    std::vector<Shape> seen;
    const auto handle =
        model->child("0")->register_forward_hook([&seen](nn::Module&, const Tensors& inputs, const Tensors& outputs) {
            seen.push_back(inputs[0].shape());
            seen.push_back(outputs[0].shape());
        });
    (*model)(ops::ones({5, 3}));
    QCOMPARE(seen, (std::vector<Shape>{{5, 3}, {5, 2}}));
    model->child("0")->remove_forward_hook(handle);
    (*model)(ops::ones({5, 3}));
    QCOMPARE(seen.size(), std::size_t{2});
}

void TestModule::namesAreChecked()
{
    const Engine engine;
    Scale scale;
    COMPARE_TEXT(errorOf([&] { scale.register_parameter("", ops::ones({1})); }), "Scale: a name must not be empty");
    COMPARE_TEXT(errorOf([&] { scale.register_buffer("a.b", ops::ones({1})); }),
                 "Scale: the name a.b must not hold a dot: dots separate modules in keys");
    COMPARE_TEXT(errorOf([&] { scale.register_module("gain", nn::ReLU()); }), "Scale: the name gain is taken");
    COMPARE_TEXT(errorOf([&] { scale.register_module("none", nullptr); }),
                 "Scale: there is no module to register as none");
    COMPARE_TEXT(errorOf([&] { scale["nothing"]; }), "Scale has no tensor called nothing");
    COMPARE_TEXT(errorOf([&] { scale.setTensor("nothing", {}); }), "Scale has no parameter or buffer called nothing");
    QVERIFY(!scale.find("nothing"));
    scale.register_parameter("bias", {});
    QVERIFY(scale.hasParameter("bias"));
    COMPARE_TEXT(namesOf(scale.state_dict()), "gain center");
    const Tensor made = ops::mul(scale.gain, 2.0);
    QVERIFY(errorOf([&] { scale.register_parameter("made", made); }).find("made by an operation") != std::string::npos);
}

void TestModule::aModuleCannotContainItself()
{
    const Engine engine;
    const nn::ModulePtr outer = nn::Sequential({});
    const nn::ModulePtr inner = nn::Sequential({});
    outer->register_module("inner", inner);
    COMPARE_TEXT(errorOf([&] { inner->register_module("outer", outer); }),
                 "Sequential: outer contains this very module; a module cannot be inside itself");
    QVERIFY(errorOf([&] { inner->register_module("self", inner); }) != "no error");
}

void TestModule::aModuleOnTheStackListsItself()
{
    const Engine engine;
    Scale scale;
    QCOMPARE(scale.modules().front().get(), static_cast<nn::Module*>(&scale));
    scale.eval();
    QVERIFY(!scale.training());
}

void TestModule::toConvertsAndKeepsWhatIsShared()
{
    const Engine engine;
    const nn::ModulePtr model = nn::Sequential({nn::Linear(3, 3), nn::Linear(3, 3), nn::BatchNorm1d(3)});
    model->child("1")->setTensor("weight", (*model->child("0"))["weight"]);
    (*model->child("0"))["bias"].requires_grad_(false);
    const std::vector<double> before = (*model->child("0"))["weight"].toDoubles();
    model->to(DType::F64);
    QCOMPARE((*model->child("0"))["weight"].dtype(), DType::F64);
    QVERIFY((*model->child("0"))["weight"].is((*model->child("1"))["weight"]));
    QVERIFY((*model->child("0"))["weight"].requires_grad());
    QVERIFY(!(*model->child("0"))["bias"].requires_grad());
    QCOMPARE((*model->child("0"))["weight"].toDoubles(), before);
    QCOMPARE((*model->child("2"))["running_var"].dtype(), DType::F64);
    QCOMPARE((*model->child("2"))["num_batches_tracked"].dtype(), DType::I64);
    QCOMPARE((*model)(ops::ones({4, 3}, DType::F64)).dtype(), DType::F64);
    QVERIFY(errorOf([&] { model->to(DType::I64); }).find("floating") != std::string::npos);
}

void TestModule::callsAreChecked()
{
    const Engine engine;
    COMPARE_TEXT(errorOf([] { nn::Module("Net")(ops::ones({1})); }),
                 "Net has no forward: a module of your own overrides it");
    COMPARE_TEXT(errorOf([] { (*nn::ReLU())({ops::ones({1}), ops::ones({1})}); }), "ReLU takes 1 input, not 2");
    COMPARE_TEXT(errorOf([] { (*nn::make("MatMul"))({ops::ones({1, 1})}); }), "MatMul: other is missing");
    COMPARE_TEXT(errorOf([] { nn::make("Cat")->forward({}); }), "Cat: 0 is missing");
    COMPARE_TEXT(errorOf([] { nn::make("Lineal"); }), "there is no module called Lineal");
    COMPARE_TEXT(errorOf([] {
                     nn::make("Linear", {{"out_features", std::int64_t{3}}});
                 }),
                 "Linear: in_features must be given: there is no wire that it could follow from");
    COMPARE_TEXT(errorOf([] {
                     nn::make("Linear", {{"out_features", std::int64_t{0}}});
                 }),
                 "Linear: out_features must be a whole number >= 1, not 0");
    QVERIFY(errorOf([] {
                (*nn::BatchNorm1d(3))(ops::ones({1, 3}));
            }).find("one value per channel")
            != std::string::npos);
    COMPARE_TEXT(errorOf([] {
                     (*nn::BatchNorm2d(3))(ops::ones({2, 3}));
                 }),
                 "BatchNorm2d: expected [N, C, H, W], found [2, 3]");
}

void TestModule::absentValuesWaitForTensors()
{
    const Engine engine;
    nn::Module linear(*nn::findModule("Linear"), {{"in_features", std::int64_t{2}}, {"out_features", std::int64_t{1}}},
                      nn::Module::Values::Absent);
    QVERIFY(linear.hasParameter("weight"));
    QVERIFY(linear.parameters().empty());
    linear.setTensor("weight", ops::fromDoubles({1, 2}, {2.0, 3.0}).requires_grad_());
    linear.setTensor("bias", ops::fromDoubles({1}, {1.0}).requires_grad_());
    QCOMPARE(linear(ops::fromDoubles({1, 2}, {10.0, 100.0})).item(), 321.0);
}

void TestModule::batchNormAveragesPlainlyWithoutMomentum()
{
    const Engine engine;
    const nn::ModulePtr norm = nn::make("BatchNorm1d", {{"num_features", std::int64_t{1}}, {"momentum", AttrValue()}});
    (*norm)(ops::fromDoubles({2, 1}, {1.0, 3.0}));
    (*norm)(ops::fromDoubles({2, 1}, {5.0, 5.0}));
    QCOMPARE((*norm)["num_batches_tracked"].item(), 2.0);
    QCOMPARE((*norm)["running_mean"].item(), 3.5);
    QCOMPARE((*norm)["running_var"].item(), 1.0);
    norm->eval();
    (*norm)(ops::fromDoubles({1, 1}, {9.0}));
    QCOMPARE((*norm)["num_batches_tracked"].item(), 2.0);
}

void TestModule::printsAsPyTorch()
{
    const Engine engine;
    const nn::ModulePtr lesson = nn::Sequential({nn::Linear(10, 4), nn::ReLU(), nn::Linear(4, 3)});
    COMPARE_TEXT(nn::text(*lesson, false), lessonText);
    const auto whole = [](std::int64_t value) { return AttrValue(value); };
    const auto pair = [](std::int64_t a, std::int64_t b) { return AttrValue(std::vector<std::int64_t>{a, b}); };
    const nn::ModulePtr cnn = nn::Sequential(
        {nn::Conv2d(1, 16, 3), nn::BatchNorm2d(16), nn::make("ReLU", {{"inplace", true}}), nn::MaxPool2d(2),
         nn::Sequential(
             {nn::make("Conv2d", {{"in_channels", whole(16)},
                                  {"out_channels", whole(32)},
                                  {"kernel_size", pair(3, 5)},
                                  {"stride", whole(2)},
                                  {"padding", pair(1, 2)},
                                  {"dilation", whole(2)},
                                  {"groups", whole(4)},
                                  {"bias", false}}),
              nn::make("Conv2d", {{"in_channels", whole(32)},
                                  {"out_channels", whole(32)},
                                  {"kernel_size", whole(3)},
                                  {"padding", std::string("same")}}),
              nn::make("BatchNorm2d",
                       {{"num_features", whole(32)}, {"eps", 1e-3}, {"momentum", AttrValue()}, {"affine", false}}),
              nn::Sequential({})}),
         nn::make("AvgPool2d", {{"kernel_size", pair(2, 3)}, {"stride", whole(1)}, {"padding", whole(1)}}),
         nn::make("MaxPool2d",
                  {{"kernel_size", whole(3)}, {"stride", whole(2)}, {"padding", whole(1)}, {"ceil_mode", true}}),
         nn::make("AdaptiveAvgPool2d", {{"output_size", pair(nn::noneEntry, 7)}}), nn::AdaptiveAvgPool2d(1),
         nn::Flatten(), nn::Dropout(), nn::Linear(64, 10, false),
         nn::make("BatchNorm1d", {{"num_features", whole(10)}, {"track_running_stats", false}}), nn::Tanh(),
         nn::Sigmoid(), nn::Softmax(1), nn::make("LogSoftmax"), nn::make("Identity", {{"unused", true}})});
    COMPARE_TEXT(nn::text(*cnn, false), cnnText);
}

void TestModule::printsShapes()
{
    const Engine engine;
    const nn::ModulePtr net = nn::Sequential({nn::Linear(10, 4), nn::ReLU()});
    COMPARE_TEXT(nn::text(*net), "Sequential(\n"
                                 "  (0): Linear(in_features=10, out_features=4, bias=True)  weight [4, 10], bias [4]\n"
                                 "  (1): ReLU()\n"
                                 ")");
    Scale scale;
    COMPARE_TEXT(nn::text(scale), "Scale()  gain [3]");
    scale.register_module("net", net->child("1"));
    COMPARE_TEXT(nn::text(scale), "Scale(  gain [3]\n  (net): ReLU()\n)");
    QCOMPARE(totalBuffers(scale), 6);
}

QTEST_APPLESS_MAIN(TestModule)
#include "test_module.moc"
