// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/autograd/autograd.h"
#include "engine/nn/loss.h"
#include "tests/nn/nn_test.h"

using namespace megalith;
using namespace megalith::test;

namespace {

struct ModuleGolden
{
    const char* type;
    Attrs attrs;
    Shape input;
    bool training;
    Shape outputShape;
    std::vector<double> output, inputGrad;
    std::vector<std::vector<double>> parameterGrads, buffers;
};

struct LossGolden
{
    const char* type;
    Attrs attrs;
    Shape output, targetShape;
    bool probabilities;
    std::vector<double> target, loss, grad;
};

#include "tests/nn/module_goldens.h"

Tensor waveTensor(const Shape& shape, double factor, double phase, double scale)
{
    return ops::fromDoubles(shape, wave(shape, factor, phase, scale), DType::F64);
}

// The values that goldens.py gives parameters and running averages.
void setValues(nn::Module& module)
{
    double k = 0.0;
    for (const auto& [name, tensor] : module.named_parameters())
        tensor.copyFrom(waveTensor(tensor.shape(), 0.9, 0.2 * k++, 0.5).toEntry());
    if (const Tensor mean = module.find("running_mean"))
        mean.copyFrom(waveTensor(mean.shape(), 0.4, 0.1, 0.3).toEntry());
    if (const Tensor variance = module.find("running_var"))
        variance.copyFrom(ops::add(waveTensor(variance.shape(), 0.6, 0.2, 0.5), 1.0).toEntry());
}

#define COMPARE_VALUES(actual, expected) \
    QVERIFY2(difference(actual, expected) < 1e-10, (std::to_string(difference(actual, expected)) + " apart").c_str())

}  // namespace

class TestModuleValues : public QObject
{
    Q_OBJECT

private slots:
    void modulesAreThoseOfPyTorch_data();
    void modulesAreThoseOfPyTorch();
    void lossesAreThoseOfPyTorch_data();
    void lossesAreThoseOfPyTorch();
    void lossesTakeOneNumberPerSample();
    void lossesSayWhatDoesNotFit();
    void classNumbersAreChecked();
};

void TestModuleValues::modulesAreThoseOfPyTorch_data()
{
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < moduleGoldens.size(); ++i)
        QTest::addRow("%zu %s", i, moduleGoldens[i].type) << static_cast<int>(i);
}

void TestModuleValues::modulesAreThoseOfPyTorch()
{
    QFETCH(int, row);
    const ModuleGolden& golden = moduleGoldens[static_cast<std::size_t>(row)];
    const Engine engine;
    const nn::ModulePtr module = nn::make(golden.type, golden.attrs);
    module->to(DType::F64).train(golden.training);
    setValues(*module);
    Tensor x = waveTensor(golden.input, 0.7, 0.3, 1.5);
    {
        const NoGrad off;
        (*module)(ops::mul(x, 0.5));
    }
    x.requires_grad_();
    const Tensor y = (*module)(x);
    QCOMPARE(y.shape(), golden.outputShape);
    backward(y, waveTensor(y.shape(), 0.5, 1.1, 1.0));
    COMPARE_VALUES(y.toDoubles(), golden.output);
    COMPARE_VALUES(x.grad().toDoubles(), golden.inputGrad);
    const std::vector<Tensor> parameters = module->parameters();
    QCOMPARE(parameters.size(), golden.parameterGrads.size());
    for (std::size_t i = 0; i < parameters.size(); ++i)
        COMPARE_VALUES(parameters[i].grad().toDoubles(), golden.parameterGrads[i]);
    const std::vector<Tensor> buffers = module->buffers();
    QCOMPARE(buffers.size(), golden.buffers.size());
    for (std::size_t i = 0; i < buffers.size(); ++i)
        COMPARE_VALUES(buffers[i].toDoubles(), golden.buffers[i]);
}

void TestModuleValues::lossesAreThoseOfPyTorch_data()
{
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < lossGoldens.size(); ++i)
        QTest::addRow("%zu %s", i, lossGoldens[i].type) << static_cast<int>(i);
}

void TestModuleValues::lossesAreThoseOfPyTorch()
{
    QFETCH(int, row);
    const LossGolden& golden = lossGoldens[static_cast<std::size_t>(row)];
    const Engine engine;
    nn::Loss loss = nn::makeLoss(golden.type, golden.attrs);
    Tensor x = waveTensor(golden.output, 0.7, 0.3, 1.5);
    x.requires_grad_();
    const bool classes = loss.def().classes && !golden.probabilities;
    const Tensor target = ops::fromDoubles(golden.targetShape, golden.target, classes ? DType::I64 : DType::F64);
    const Tensor y = loss(x, target);
    backward(y, y.rank() == 0 ? Tensor() : waveTensor(y.shape(), 0.5, 1.1, 1.0));
    COMPARE_VALUES(y.toDoubles(), golden.loss);
    COMPARE_VALUES(x.grad().toDoubles(), golden.grad);
}

void TestModuleValues::lossesTakeOneNumberPerSample()
{
    const Engine engine;
    nn::Loss mse = nn::makeLoss("MSELoss");
    const Tensor output = ops::fromDoubles({3, 1}, {1, 2, 3});
    QCOMPARE(mse(output, ops::fromDoubles({3}, {1, 2, 5})).item(),
             mse(output, ops::fromDoubles({3, 1}, {1, 2, 5})).item());
    nn::Loss bce = nn::makeLoss("BCEWithLogitsLoss");
    const Tensor labels = ops::fromDoubles({3}, {0, 1, 1}, DType::I64);
    QCOMPARE(bce(output, labels).item(), bce(output, ops::fromDoubles({3, 1}, {0, 1, 1})).item());
}

void TestModuleValues::lossesSayWhatDoesNotFit()
{
    const Engine engine;
    const auto error = [](const char* type, const Attrs& attrs, const Shape& output, const TensorMeta& target) {
        return errorOf([&] {
            const nn::LossDef& def = *nn::findLoss(type);
            const TensorMeta meta{DType::F32, output};
            nn::checkLoss(def, attrs, {&meta, 1});
            nn::checkTarget(def, {&meta, 1}, target);
        });
    };
    const std::vector<double> two{1.0, 2.0};
    COMPARE_TEXT(error("CrossEntropyLoss", {}, {8, 10}, {DType::I64, {8}}), "no error");
    COMPARE_TEXT(error("CrossEntropyLoss", {}, {8, 10}, {DType::F32, {8, 10}}), "no error");
    COMPARE_TEXT(error("CrossEntropyLoss", {}, {8}, {DType::I64, {8}}),
                 "CrossEntropyLoss: expected scores [N, C, ...] with the classes in dimension 1, found [8]");
    COMPARE_TEXT(error("CrossEntropyLoss", {}, {8, 10}, {DType::I64, {8, 1}}),
                 "CrossEntropyLoss: the target is [8, 1], expected [8] for an output [8, 10]");
    COMPARE_TEXT(error("CrossEntropyLoss", {}, {8, 10}, {DType::F32, {8}}),
                 "CrossEntropyLoss: the target is float32, expected class numbers (int64) for an output [8, 10]");
    COMPARE_TEXT(error("CrossEntropyLoss", {{"weight", two}}, {8, 3}, {DType::I64, {8}}),
                 "CrossEntropyLoss: weight has shape [2] but there are 3 classes: one number for each is needed");
    COMPARE_TEXT(error("CrossEntropyLoss", {{"label_smoothing", 2.0}}, {8, 3}, {DType::I64, {8}}),
                 "CrossEntropyLoss: label_smoothing must be a number from 0 to 1, not 2.0");
    COMPARE_TEXT(error("MSELoss", {}, {8, 2}, {DType::F32, {8}}),
                 "MSELoss: the target is [8], expected [8, 2] for an output [8, 2]");
    COMPARE_TEXT(error("MSELoss", {{"weight", two}}, {8, 2}, {DType::F32, {8, 2}}),
                 "MSELoss has no argument weight; it takes reduction");
    COMPARE_TEXT(error("MSELoss", {{"reduction", std::string("none")}}, {8, 2}, {DType::F32, {8, 2}}),
                 "MSELoss: reduction 'none' gives one loss for each element; training needs 'mean' or 'sum'");
    COMPARE_TEXT(errorOf([] { nn::makeLoss("L3Loss"); }),
                 "there is no loss called L3Loss; there are CrossEntropyLoss, MSELoss, BCEWithLogitsLoss");
    const TensorMeta scores{DType::F32, {8, 10}};
    QCOMPARE(nn::classCount(*nn::findLoss("CrossEntropyLoss"), {&scores, 1}), 10);
    QCOMPARE(nn::classCount(*nn::findLoss("MSELoss"), {&scores, 1}), 0);
}

void TestModuleValues::classNumbersAreChecked()
{
    const Engine engine;
    nn::Loss loss = nn::makeLoss("CrossEntropyLoss");
    const Tensor output = ops::ones({3, 5});
    const auto targets = [](double last) { return ops::fromDoubles({3}, {0, 4, last}, DType::I64); };
    const auto with = [&](double last) { return errorOf([&] { loss(output, targets(last)); }); };
    COMPARE_TEXT(with(5), "cross_entropy: class 5 is outside the 5 classes of the input");
    COMPARE_TEXT(with(-1), "cross_entropy: class -1 is outside the 5 classes of the input");
    COMPARE_TEXT(with(-100), "no error");
    COMPARE_TEXT(errorOf([&] { nn::checkClasses(targets(5), 5); }),
                 "target 5 of element 2 is no class: the output tells 5 apart, numbered 0 to 4");
    COMPARE_TEXT(errorOf([&] { nn::checkClasses(targets(-1), 5, -1); }), "no error");
}

QTEST_APPLESS_MAIN(TestModuleValues)
#include "test_module_values.moc"
