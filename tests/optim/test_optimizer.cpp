// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/autograd/autograd.h"
#include "engine/optim/clip.h"
#include "engine/optim/optimizer.h"
#include "tests/nn/nn_test.h"

using namespace megalith;
using namespace megalith::test;

namespace {

struct OptimizerGolden
{
    const char* type;
    Attrs args;
    std::vector<double> values;
    double single;  // how far PyTorch in f32 is from them
};
#include "tests/optim/optimizer_goldens.h"

constexpr int steps = 20;

// The push of goldens.py: of sum(p^2 / 2), and a wave that moves from step to step.
Tensor gradient(const Tensor& parameter, int step)
{
    const Tensor push =
        ops::fromDoubles(parameter.shape(), wave(parameter.shape(), 0.7, 1.3 * step, 1.0), parameter.dtype());
    return ops::add(parameter.detach(), push);
}

std::vector<Tensor> twoParameters(DType dtype = DType::F64)
{
    return {ops::fromDoubles({3}, {1.0, -2.0, 0.5}, dtype).requires_grad_(),
            ops::fromDoubles({2, 1}, {0.25, -0.75}, dtype).requires_grad_()};
}

// The second parameter rests in the first three steps, as in goldens.py.
void run(optim::Optimizer& optimizer, const std::vector<Tensor>& parameters, int from, int to)
{
    for (int step = from; step < to; ++step) {
        parameters[0].setGrad(gradient(parameters[0], step));
        parameters[1].setGrad(step >= 3 ? gradient(parameters[1], step) : Tensor());
        optimizer.step();
    }
}

std::vector<double> valuesOf(const std::vector<Tensor>& parameters)
{
    std::vector<double> values;
    for (const Tensor& parameter : parameters) {
        const std::vector<double> own = parameter.toDoubles();
        values.insert(values.end(), own.begin(), own.end());
    }
    return values;
}

StateDict stateOf(const optim::Optimizer& optimizer)
{
    StateDict state;
    for (const auto& [key, tensor] : optimizer.stateTensors())
        state.add(key, tensor.toEntry());
    return state;
}

void addRows()
{
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < optimizerGoldens.size(); ++i)
        QTest::addRow("%zu %s", i, optimizerGoldens[i].type) << static_cast<int>(i);
}

}  // namespace

class TestOptimizer : public QObject
{
    Q_OBJECT

private slots:
    void updatesAreThoseOfPyTorch_data() { addRows(); }
    void updatesAreThoseOfPyTorch();
    void singlePrecisionFollows_data() { addRows(); }
    void singlePrecisionFollows();
    void goesOnFromASavedState_data() { addRows(); }
    void goesOnFromASavedState();
    void stateIsNamedAsTorchs();
    void aStateThatDoesNotFitChangesNothing();
    void frozenParametersStayBitEqual();
    void groupsHaveTheirOwnArguments();
    void theRateCanBeSetBetweenSteps();
    void zeroGradTakesGradientsAway();
    void wrongArgumentsAreNamed_data();
    void wrongArgumentsAreNamed();
    void wrongParametersAreNamed();
    void clippingByNorm();
    void clippingByValue();
    void aStepOfTraining();
};

void TestOptimizer::updatesAreThoseOfPyTorch()
{
    QFETCH(int, row);
    const OptimizerGolden& golden = optimizerGoldens[static_cast<std::size_t>(row)];
    const Engine engine;
    const std::vector<Tensor> parameters = twoParameters();
    optim::Optimizer optimizer = optim::makeOptimizer(golden.type, parameters, golden.args);
    run(optimizer, parameters, 0, steps);
    QVERIFY2(difference(valuesOf(parameters), golden.values) < 1e-12,
             std::to_string(difference(valuesOf(parameters), golden.values)).c_str());
}

void TestOptimizer::singlePrecisionFollows()
{
    QFETCH(int, row);
    const OptimizerGolden& golden = optimizerGoldens[static_cast<std::size_t>(row)];
    const Engine engine;
    const std::vector<Tensor> parameters = twoParameters(DType::F32);
    optim::Optimizer optimizer = optim::makeOptimizer(golden.type, parameters, golden.args);
    run(optimizer, parameters, 0, steps);
    QVERIFY2(difference(valuesOf(parameters), golden.values) < std::max(2e-6, 3 * golden.single),
             std::to_string(difference(valuesOf(parameters), golden.values)).c_str());
}

void TestOptimizer::goesOnFromASavedState()
{
    QFETCH(int, row);
    const OptimizerGolden& golden = optimizerGoldens[static_cast<std::size_t>(row)];
    const Engine engine;
    const std::vector<Tensor> whole = twoParameters();
    optim::Optimizer through = optim::makeOptimizer(golden.type, whole, golden.args);
    run(through, whole, 0, 2);
    const std::vector<Tensor> resumed = twoParameters();
    for (std::size_t i = 0; i < whole.size(); ++i)
        resumed[i].copyFrom(whole[i].toEntry());
    optim::Optimizer second = optim::makeOptimizer(golden.type, resumed, golden.args);
    second.loadState(stateOf(through));
    run(through, whole, 2, steps);
    run(second, resumed, 2, steps);
    QCOMPARE(valuesOf(resumed), valuesOf(whole));
}

void TestOptimizer::stateIsNamedAsTorchs()
{
    const Engine engine;
    const auto names = [](const char* type, const Attrs& args) {
        return namesOf(optim::makeOptimizer(type, twoParameters(), args).stateTensors());
    };
    COMPARE_TEXT(names("SGD", {}), "");
    COMPARE_TEXT(names("SGD", {{"momentum", 0.9}}), "0.step 0.momentum_buffer 1.step 1.momentum_buffer");
    COMPARE_TEXT(names("Adam", {}), "0.step 0.exp_avg 0.exp_avg_sq 1.step 1.exp_avg 1.exp_avg_sq");
    COMPARE_TEXT(names("AdamW", {{"amsgrad", true}}),
                 "0.step 0.exp_avg 0.exp_avg_sq 0.max_exp_avg_sq 1.step 1.exp_avg 1.exp_avg_sq 1.max_exp_avg_sq");
    const std::vector<Tensor> parameters = twoParameters();
    optim::Optimizer adam = optim::makeOptimizer("Adam", parameters);
    run(adam, parameters, 0, 5);
    QCOMPARE(adam.stateTensors()[0].second.item(), 5.0);
    QCOMPARE(adam.stateTensors()[3].second.item(), 2.0);
}

void TestOptimizer::aStateThatDoesNotFitChangesNothing()
{
    const Engine engine;
    const std::vector<Tensor> parameters = twoParameters();
    optim::Optimizer adam = optim::makeOptimizer("Adam", parameters);
    run(adam, parameters, 0, 5);
    const StateDict before = stateOf(adam);
    const optim::Optimizer sgd = optim::makeOptimizer("SGD", twoParameters(), {{"momentum", 0.9}});
    COMPARE_TEXT(errorOf([&] { adam.loadState(stateOf(sgd)); }),
                 "Adam: 2 entries of the saved state belong to no parameter; it is of another optimizer or model");
    StateDict wrong;
    wrong.add("0.exp_avg", ops::zeros({4}).toEntry());
    COMPARE_TEXT(errorOf([&] { adam.loadState(wrong); }), "Adam: state 0.exp_avg is F32 [4], expected F64 [3]");
    for (const auto& [key, entry] : stateOf(adam))
        QVERIFY(std::ranges::equal(entry.bytes(), before.find(key)->bytes()));
    adam.loadState({});
    for (const auto& [key, tensor] : adam.stateTensors())
        QCOMPARE(ops::sum(tensor).item(), 0.0);
}

void TestOptimizer::frozenParametersStayBitEqual()
{
    for (const char* type : {"SGD", "Adam", "AdamW"}) {
        const Engine engine;
        const std::vector<Tensor> parameters = twoParameters(DType::F32);
        Attrs args{{"lr", 0.1}, {"weight_decay", 0.1}};
        if (std::string(type) == "SGD")
            args.set("momentum", 0.9);
        optim::Optimizer optimizer = optim::makeOptimizer(type, parameters, args);
        run(optimizer, parameters, 0, 5);
        const std::vector<double> before = parameters[1].toDoubles();
        // With a gradient left over from before it was frozen, and without one.
        Tensor(parameters[1]).requires_grad_(false);
        optimizer.step();
        optimizer.zero_grad();
        optimizer.step();
        QCOMPARE(parameters[1].toDoubles(), before);
    }
}

void TestOptimizer::groupsHaveTheirOwnArguments()
{
    const Engine engine;
    const nn::ModulePtr model = nn::mlp({2, 3, 1});
    const auto groups = optim::groupsByKey(*model, {{{"net.2.bias", "net.2.weight"}, {{"lr", 0.5}}}});
    optim::Optimizer optimizer = optim::makeOptimizer("SGD", groups, {{"lr", 0.1}, {"momentum", 0.9}});
    QCOMPARE(optimizer.groupCount(), std::size_t{2});
    QCOMPARE(optimizer.learningRates(), (std::vector<double>{0.1, 0.5}));
    QCOMPARE(optimizer.args(1).real("momentum"), 0.9);
    QVERIFY(optimizer.params(0)[0].is(model->parameters()[0]));
    QVERIFY(optimizer.params(1)[0].is(model->parameters()[3]));
    const std::vector<double> before = valuesOf(model->parameters());
    for (const Tensor& parameter : model->parameters())
        parameter.setGrad(ops::ones(parameter.shape()));
    optimizer.step();
    const std::vector<double> after = valuesOf(model->parameters());
    QVERIFY(std::abs(before.front() - after.front() - 0.1) < 1e-6);
    QVERIFY(std::abs(before.back() - after.back() - 0.5) < 1e-6);
    COMPARE_TEXT(errorOf([&] { optim::groupsByKey(*model, {{{"net.9.bias"}}}); }),
                 "param_groups[0]: no parameter is called net.9.bias");
    COMPARE_TEXT(errorOf([&] {
                     optim::groupsByKey(*model, {{{"net.0.bias"}}, {{"net.0.bias"}}});
                 }),
                 "param_groups[1]: net.0.bias is in a group already");
    COMPARE_TEXT(errorOf([&] { optim::groupsByKey(*model, {{}}); }), "param_groups[0]: it has no params");
    const auto all = optim::groupsByKey(*model, {{{"net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"}}});
    QCOMPARE(all.size(), std::size_t{1});
}

void TestOptimizer::theRateCanBeSetBetweenSteps()
{
    const Engine engine;
    const Tensor parameter = ops::zeros({1}).requires_grad_();
    optim::Optimizer sgd = optim::makeOptimizer("SGD", std::vector<Tensor>{parameter}, {{"lr", 1.0}});
    parameter.setGrad(ops::ones({1}));
    sgd.step();
    sgd.setLearningRate(0, 0.25);
    sgd.step();
    QCOMPARE(parameter.item(), -1.25);
    QCOMPARE(sgd.learningRate(), 0.25);
    COMPARE_TEXT(errorOf([&] { sgd.setLearningRate(0, std::nan("")); }), "SGD: lr must be a finite number, not nan");
}

void TestOptimizer::zeroGradTakesGradientsAway()
{
    const Engine engine;
    const std::vector<Tensor> parameters = twoParameters();
    optim::Optimizer sgd = optim::makeOptimizer("SGD", parameters, {{"momentum", 0.9}, {"weight_decay", 0.1}});
    run(sgd, parameters, 0, 5);
    sgd.zero_grad();
    QVERIFY(!parameters[0].grad());
    const std::vector<double> before = valuesOf(parameters);
    sgd.step();
    QCOMPARE(valuesOf(parameters), before);
}

void TestOptimizer::wrongArgumentsAreNamed_data()
{
    QTest::addColumn<QString>("found");
    QTest::addColumn<QString>("expected");
    const auto add = [](const char* type, const Attrs& args, const char* expected) {
        const optim::OptimizerDef& def = *optim::findOptimizer(type);
        QTest::newRow(expected) << QString::fromStdString(errorOf([&] { optim::complete(def, args); })) << expected;
    };
    add("SGD", {{"lr", -0.1}}, "SGD: lr must be a number >= 0, not -0.1");
    add("SGD", {{"lr", std::nan("")}}, "SGD: lr must be a number >= 0, not nan");
    add("Adam", {{"lr", HUGE_VAL}}, "Adam: lr must be a finite number, not inf");
    add("Adam", {{"lr", std::string("fast")}}, "Adam: lr must be a number >= 0, not 'fast'");
    add("SGD", {{"momentum", -0.5}}, "SGD: momentum must be a number >= 0, not -0.5");
    add("SGD", {{"weight_decay", -1.0}}, "SGD: weight_decay must be a number >= 0, not -1.0");
    add("SGD", {{"nesterov", true}}, "SGD: nesterov needs a momentum above 0 and a dampening of 0");
    add("SGD", {{"nesterov", true}, {"momentum", 0.9}, {"dampening", 0.1}},
        "SGD: nesterov needs a momentum above 0 and a dampening of 0");
    add("SGD", {{"betas", std::vector<double>{0.9, 0.99}}},
        "SGD has no argument betas; it takes lr, momentum, dampening, weight_decay, nesterov, maximize");
    add("Adam", {{"betas", std::vector<double>{0.9, 1.0}}}, "Adam: betas must be below 1, not (0.9, 1.0)");
    add("AdamW", {{"betas", std::vector<double>{-0.1, 0.9}}},
        "AdamW: betas must be 2 numbers from 0 to 1, not (-0.1, 0.9)");
    add("Adam", {{"betas", std::vector<double>{0.9}}}, "Adam: betas must be 2 numbers from 0 to 1, not (0.9,)");
    add("Adam", {{"eps", -1e-8}}, "Adam: eps must be a number >= 0, not -1e-08");
    add("Adam", {{"lr", std::int64_t{0}}, {"betas", std::vector<std::int64_t>{0, 0}}}, "no error");
}

void TestOptimizer::wrongArgumentsAreNamed()
{
    QFETCH(QString, found);
    QFETCH(QString, expected);
    QCOMPARE(found, expected);
}

void TestOptimizer::wrongParametersAreNamed()
{
    const Engine engine;
    const std::vector<Tensor> parameters = twoParameters();
    COMPARE_TEXT(errorOf([] { optim::makeOptimizer("SGD", std::vector<Tensor>{}); }),
                 "SGD: there is no parameter to optimize");
    COMPARE_TEXT(errorOf([&] {
                     optim::makeOptimizer("SGD", std::vector<Tensor>{parameters[0], parameters[0]});
                 }),
                 "SGD: a parameter of shape [3] is given twice");
    QVERIFY(errorOf([&] { optim::makeOptimizer("SGD", std::vector<Tensor>{ops::mul(parameters[0], 2.0)}); })
            != "no error");
    COMPARE_TEXT(errorOf([&] { optim::makeOptimizer("Sgd", parameters); }),
                 "there is no optimizer called Sgd; there are SGD, Adam, AdamW");
}

void TestOptimizer::clippingByNorm()
{
    const Engine engine;
    const std::vector<Tensor> parameters = twoParameters();
    parameters[0].setGrad(ops::fromDoubles({3}, {3.0, 0.0, 4.0}, DType::F64));
    parameters[1].setGrad(ops::fromDoubles({2, 1}, {0.0, 12.0}, DType::F64));
    QCOMPARE(optim::clip_grad_norm_(parameters, 26.0).item(), 13.0);
    QCOMPARE(parameters[0].grad().toDoubles(), (std::vector<double>{3.0, 0.0, 4.0}));
    QCOMPARE(optim::clip_grad_norm_(parameters, 6.5).item(), 13.0);
    const double factor = 6.5 / (13.0 + 1e-6);
    QVERIFY(difference(parameters[1].grad().toDoubles(), {0.0, 12.0 * factor}) < 1e-14);
    QVERIFY(std::abs(optim::clip_grad_norm_(parameters, 1.0, HUGE_VAL).item() - 12.0 * factor) < 1e-12);
    QVERIFY(difference(parameters[0].grad().toDoubles(), {0.25, 0.0, 1.0 / 3.0}) < 1e-6);
    parameters[0].setGrad({});
    parameters[1].setGrad({});
    QCOMPARE(optim::clip_grad_norm_(parameters, 1.0).item(), 0.0);
    QVERIFY(errorOf([&] { optim::clip_grad_norm_(parameters, std::nan("")); }) != "no error");
    QVERIFY(errorOf([&] { optim::clip_grad_norm_(parameters, 1.0, 3.0); }) != "no error");
}

void TestOptimizer::clippingByValue()
{
    const Engine engine;
    const std::vector<Tensor> parameters = twoParameters();
    parameters[0].setGrad(ops::fromDoubles({3}, {3.0, -0.5, -4.0}, DType::F64));
    optim::clip_grad_value_(parameters, 2.0);
    QCOMPARE(parameters[0].grad().toDoubles(), (std::vector<double>{2.0, -0.5, -2.0}));
    QVERIFY(errorOf([&] { optim::clip_grad_value_(parameters, -1.0); }) != "no error");
}

void TestOptimizer::aStepOfTraining()
{
    const Engine engine;
    const nn::ModulePtr model = nn::mlp({2, 16, 1});
    optim::Optimizer adam = optim::makeOptimizer("Adam", model->parameters(), {{"lr", 0.02}});
    const Tensor x = ops::fromDoubles({4, 2}, {0, 0, 0, 1, 1, 0, 1, 1});
    const Tensor y = ops::fromDoubles({4, 1}, {0, 1, 1, 0});
    double first = 0.0;
    double last = 0.0;
    for (int step = 0; step < 300; ++step) {
        adam.zero_grad();
        const Tensor loss = ops::mse_loss((*model)(x), y, ops::Reduction::Mean);
        backward(loss);
        adam.step();
        last = loss.item();
        first = step == 0 ? last : first;
    }
    QVERIFY2(last < 0.01 && first > 0.1, std::to_string(last).c_str());
}

QTEST_APPLESS_MAIN(TestOptimizer)
#include "test_optimizer.moc"
