// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/nn/init.h"

#include "tests/nn/nn_test.h"

#include <numeric>

using namespace megalith;
using namespace megalith::test;

namespace {

std::vector<double> filled(const Shape& shape, const nn::Init& init, std::uint64_t key = 1, DType dtype = DType::F32)
{
    const Tensor tensor = ops::empty(shape, dtype);
    nn::fill(tensor, init, key);
    return tensor.toDoubles();
}

double mean(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values)
{
    const double middle = mean(values);
    double sum = 0.0;
    for (const double value : values)
        sum += (value - middle) * (value - middle);
    return std::sqrt(sum / static_cast<double>(values.size()));
}

double largest(const std::vector<double>& values)
{
    double most = 0.0;
    for (const double value : values)
        most = std::max(most, std::abs(value));
    return most;
}

bool near(double a, double b, double relative)
{
    return std::abs(a - b) <= relative * std::abs(b);
}

}  // namespace

class TestInit : public QObject
{
    Q_OBJECT

private slots:
    void linearStartsAsPyTorchs();
    void convolutionStartsAsPyTorchs();
    void theSameSeedGivesTheSameModules();
    void uniformAndNormal();
    void truncatedNormalStaysInRange();
    void xavierAndKaiming();
    void gains();
    void orthogonalIsOrthogonal();
    void sparseHasItsZeros();
    void eyeAndDiracPassThrough();
    void constants();
    void oneKeyGivesOneTensor();
    void errorsNameTheFunction();
};

void TestInit::linearStartsAsPyTorchs()
{
    const Engine engine;
    const nn::ModulePtr linear = nn::Linear(256, 400);
    const double bound = 1.0 / std::sqrt(256.0);
    const std::vector<double> weight = (*linear)["weight"].toDoubles();
    const std::vector<double> bias = (*linear)["bias"].toDoubles();
    QVERIFY(largest(weight) <= bound && largest(weight) > 0.999 * bound);
    QVERIFY(near(deviation(weight), bound / std::sqrt(3.0), 0.01));
    QVERIFY(std::abs(mean(weight)) < 0.01 * bound);
    QVERIFY(largest(bias) <= bound && largest(bias) > 0.95 * bound);
}

void TestInit::convolutionStartsAsPyTorchs()
{
    const Engine engine;
    const nn::ModulePtr conv = nn::make("Conv2d", {{"in_channels", std::int64_t{8}},
                                                   {"out_channels", std::int64_t{64}},
                                                   {"kernel_size", std::vector<std::int64_t>{3, 5}},
                                                   {"groups", std::int64_t{2}}});
    const double bound = 1.0 / std::sqrt(4.0 * 3.0 * 5.0);
    QCOMPARE((*conv)["weight"].shape(), (Shape{64, 4, 3, 5}));
    QVERIFY(largest((*conv)["weight"].toDoubles()) <= bound);
    QVERIFY(largest((*conv)["weight"].toDoubles()) > 0.99 * bound);
    QVERIFY(largest((*conv)["bias"].toDoubles()) <= bound);
    const nn::ModulePtr norm = nn::BatchNorm2d(3);
    QCOMPARE((*norm)["weight"].toDoubles(), std::vector<double>(3, 1.0));
    QCOMPARE((*norm)["bias"].toDoubles(), std::vector<double>(3, 0.0));
    QCOMPARE((*norm)["running_var"].toDoubles(), std::vector<double>(3, 1.0));
}

void TestInit::theSameSeedGivesTheSameModules()
{
    const auto make = [](std::int64_t seed) {
        Session session;
        const SessionScope scope(session);
        session.manual_seed(seed);
        std::vector<double> all;
        for (int time = 0; time < 2; ++time) {
            if (time == 1)
                session.manual_seed(seed);
            const nn::ModulePtr model = nn::mlp({5, 4, 3});
            for (const Tensor& parameter : model->parameters()) {
                const std::vector<double> values = parameter.toDoubles();
                all.insert(all.end(), values.begin(), values.end());
            }
        }
        return all;
    };
    const std::vector<double> first = make(7);
    const auto half = first.begin() + static_cast<std::ptrdiff_t>(first.size() / 2);
    QVERIFY(std::equal(first.begin(), half, half));
    QCOMPARE(make(7), first);
    QVERIFY(make(8) != first);
}

void TestInit::uniformAndNormal()
{
    const Engine engine;
    const std::vector<double> uniform = filled({100, 200}, {"uniform_", {{"a", -1.0}, {"b", 3.0}}});
    QVERIFY(near(mean(uniform), 1.0, 0.03) && near(deviation(uniform), 4.0 / std::sqrt(12.0), 0.02));
    QVERIFY(*std::min_element(uniform.begin(), uniform.end()) >= -1.0
            && *std::max_element(uniform.begin(), uniform.end()) <= 3.0);
    const std::vector<double> normal = filled({100, 200}, {"normal_", {{"mean", 2.0}, {"std", 0.5}}});
    QVERIFY(near(mean(normal), 2.0, 0.01) && near(deviation(normal), 0.5, 0.02));
}

void TestInit::truncatedNormalStaysInRange()
{
    const Engine engine;
    const std::vector<double> values = filled({20000}, {"trunc_normal_", {{"a", -1.0}, {"b", 2.0}}});
    QVERIFY(*std::min_element(values.begin(), values.end()) >= -1.0
            && *std::max_element(values.begin(), values.end()) <= 2.0);
    // Mean and deviation of the normal distribution cut to [-1, 2].
    QVERIFY(std::abs(mean(values) - 0.2296) < 0.02 && near(deviation(values), 0.7209, 0.02));
    const std::vector<double> wide = filled({20000}, {"trunc_normal_", {{"std", 0.02}}});
    QVERIFY(near(deviation(wide), 0.02, 0.03) && largest(wide) < 0.12);
}

void TestInit::xavierAndKaiming()
{
    const Engine engine;
    const Shape shape{120, 40, 3, 3};
    const double in = 40 * 9;
    const double out = 120 * 9;
    const std::vector<double> xavier = filled(shape, {"xavier_uniform_", {{"gain", 2.0}}});
    QVERIFY(near(largest(xavier), 2.0 * std::sqrt(6.0 / (in + out)), 0.001));
    QVERIFY(near(deviation(filled(shape, {"xavier_normal_"})), std::sqrt(2.0 / (in + out)), 0.02));
    const std::vector<double> kaiming = filled(shape, {"kaiming_uniform_", {{"nonlinearity", std::string("relu")}}});
    QVERIFY(near(largest(kaiming), std::sqrt(6.0 / in), 0.001));
    const nn::Init fanOut{"kaiming_normal_", {{"a", 0.5}, {"mode", std::string("fan_out")}}};
    QVERIFY(near(deviation(filled(shape, fanOut)), std::sqrt(2.0 / 1.25 / out), 0.02));
}

// The table of torch.nn.init.calculate_gain.
void TestInit::gains()
{
    QCOMPARE(nn::calculate_gain("linear"), 1.0);
    QCOMPARE(nn::calculate_gain("conv2d"), 1.0);
    QCOMPARE(nn::calculate_gain("sigmoid"), 1.0);
    QCOMPARE(nn::calculate_gain("tanh"), 5.0 / 3.0);
    QCOMPARE(nn::calculate_gain("relu"), std::sqrt(2.0));
    QCOMPARE(nn::calculate_gain("leaky_relu"), std::sqrt(2.0 / 1.0001));
    QCOMPARE(nn::calculate_gain("leaky_relu", 1.0), 1.0);
    QCOMPARE(nn::calculate_gain("selu"), 0.75);
    COMPARE_TEXT(errorOf([] { nn::calculate_gain("softest"); }),
                 "calculate_gain: there is no nonlinearity called softest");
}

void TestInit::orthogonalIsOrthogonal()
{
    const Engine engine;
    for (const Shape& shape : {Shape{5, 5}, Shape{3, 7}, Shape{7, 3}, Shape{4, 3, 2}, Shape{1, 1}}) {
        const std::vector<double> q = filled(shape, {"orthogonal_", {{"gain", 2.0}}}, 3, DType::F64);
        const auto rows = static_cast<std::size_t>(shape[0]);
        const std::size_t columns = q.size() / rows;
        const bool byRow = rows <= columns;
        const std::size_t n = std::min(rows, columns);
        const std::size_t length = std::max(rows, columns);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                double product = 0.0;
                for (std::size_t k = 0; k < length; ++k)
                    product +=
                        byRow ? q[i * columns + k] * q[j * columns + k] : q[k * columns + i] * q[k * columns + j];
                QVERIFY(std::abs(product - (i == j ? 4.0 : 0.0)) < 1e-12);
            }
    }
}

void TestInit::sparseHasItsZeros()
{
    const Engine engine;
    const std::vector<double> values = filled({10, 50}, {"sparse_", {{"sparsity", 0.31}, {"std", 0.5}}});
    for (std::size_t column = 0; column < 50; ++column) {
        int zeros = 0;
        for (std::size_t row = 0; row < 10; ++row)
            zeros += values[row * 50 + column] == 0.0 ? 1 : 0;
        QCOMPARE(zeros, 4);
    }
    QVERIFY(near(deviation(values), 0.5 * std::sqrt(0.6), 0.1));
}

void TestInit::eyeAndDiracPassThrough()
{
    const Engine engine;
    QCOMPARE(filled({2, 3}, {"eye_"}), (std::vector<double>{1, 0, 0, 0, 1, 0}));
    const Tensor weight = ops::empty({4, 2, 3, 3});
    nn::fill(weight, {"dirac_", {{"groups", std::int64_t{2}}}}, 0);
    const Tensor x = ops::fromDoubles({1, 4, 4, 4}, wave({1, 4, 4, 4}, 0.7, 0.3, 1.0));
    const Tensor y =
        ops::conv2d(x, weight, {}, {.padTop = 1, .padLeft = 1, .padBottom = 1, .padRight = 1, .groups = 2});
    QVERIFY(difference(y.toDoubles(), x.toDoubles()) < 1e-7);
}

void TestInit::constants()
{
    const Engine engine;
    QCOMPARE(filled({3}, {"zeros_"}), std::vector<double>(3, 0.0));
    QCOMPARE(filled({3}, {"ones_"}), std::vector<double>(3, 1.0));
    QCOMPARE(filled({3}, nn::constant(0.25)), std::vector<double>(3, 0.25));
    QVERIFY(filled({0, 3}, {"xavier_uniform_"}).empty());
    QVERIFY(nn::uniformByFanIn(0).type == "zeros_");
}

void TestInit::oneKeyGivesOneTensor()
{
    const Engine engine;
    for (const nn::InitDef& def : nn::allInits()) {
        nn::Init init{std::string(def.type), {}};
        for (const nn::AttrSpec& spec : def.args)
            if (spec.required)
                init.args.set(spec.name, 0.5);
        const Shape shape = def.type == "dirac_" ? Shape{4, 4, 3} : Shape{6, 5};
        QCOMPARE(filled(shape, init, 11), filled(shape, init, 11));
        const bool random = def.type != "constant_" && def.type != "zeros_" && def.type != "ones_" && def.type != "eye_"
                            && def.type != "dirac_";
        QCOMPARE(filled(shape, init, 11) != filled(shape, init, 12), random);
    }
}

void TestInit::errorsNameTheFunction()
{
    const auto error = [](const nn::Init& init, const Shape& shape) {
        return errorOf([&] { nn::checkInit(init, shape); });
    };
    QVERIFY(error({"kaiming_", {}}, {2, 2})
                .starts_with("there is no initialisation called kaiming_; there are uniform_, normal_"));
    COMPARE_TEXT(error({"uniform_", {{"low", 1.0}}}, {2}), "uniform_ has no argument low; it takes a, b");
    COMPARE_TEXT(error({"uniform_", {{"a", 2.0}}}, {2}), "uniform_: a (2.0) must not be above b (1.0)");
    COMPARE_TEXT(error({"constant_", {}}, {2}), "constant_: val is missing: it must be a number");
    COMPARE_TEXT(error({"normal_", {{"std", -1.0}}}, {2}), "normal_: std must be a number >= 0, not -1.0");
    COMPARE_TEXT(error({"xavier_uniform_", {}}, {2}),
                 "xavier_uniform_: needs at least two dimensions, outputs and inputs, not a tensor of shape [2]");
    COMPARE_TEXT(error({"eye_", {}}, {2, 2, 2}),
                 "eye_: needs a matrix of two dimensions, not a tensor of shape [2, 2, 2]");
    COMPARE_TEXT(error({"dirac_", {{"groups", std::int64_t{3}}}}, {4, 2, 3}),
                 "dirac_: groups (3) must divide the first size of [4, 2, 3]");
    COMPARE_TEXT(error({"kaiming_uniform_", {{"mode", std::string("both")}}}, {2, 2}),
                 "kaiming_uniform_: mode must be one of 'fan_in', 'fan_out', not 'both'");
    COMPARE_TEXT(error({"orthogonal_", {}}, {4, 3, 2}), "no error");
}

QTEST_APPLESS_MAIN(TestInit)
#include "test_init.moc"
