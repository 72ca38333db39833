// SPDX-License-Identifier: GPL-3.0-or-later
// What the built-in and installed sources hold. Numbers of digits, iris and Fashion-MNIST: NumPy on scikit-learn's tables and
// Debian's files.
#include "tests/datasets/data_test.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>

using namespace megalith;
using namespace megalith::data;
using namespace megalith::data::test;

class TestSources : public QObject
{
    Q_OBJECT

private slots:
    void everySourceHasAName();
    void anUnknownSourceIsSaidByName();
    void digitsAreTheUciTestPart();
    void irisIsFishersTable();
    void irisSpeciesAreNumbersForALossOfValues();
    void generatedPointsTakeTurnsAndDependOnTheSeed_data();
    void generatedPointsTakeTurnsAndDependOnTheSeed();
    void generatedShapesAreWhatTheirNamesSay();
    void aWrongOptionIsRefused();
    void fashionMnistIsDebiansPackage();
    void fashionMnistIsOfferedWhereItIsMissing();
};

void TestSources::everySourceHasAName()
{
    const std::vector<std::string> names = sourceNames();
    for (const char* name : {"moons", "circles", "spirals", "blobs", "xor", "regression-1d", "digits", "iris",
                             "fashion-mnist", "csv", "idx", "npy"})
        QVERIFY2(std::find(names.begin(), names.end(), name) != names.end(), name);
}

void TestSources::anUnknownSourceIsSaidByName()
{
    QVERIFY(errorOf([] {
                sourceFacts(parseJson(R"({"source": "mooons"})"), {});
            }).startsWith("data.source \"mooons\" is not known; there are moons, circles, "));
    QCOMPARE(errorOf([] { sourceFacts(parseJson("{}"), {}); }), "data.source is missing: it says what to train on");
}

void TestSources::digitsAreTheUciTestPart()
{
    const Value data = parseJson(R"({"source": "digits"})");
    const SourceFacts facts = sourceFacts(data, {});
    QCOMPARE(facts.count, 1797);
    QCOMPARE(facts.testCount, 0);
    QCOMPARE(facts.classCount, 10);
    QVERIFY(facts.inputs.at(0).sample == (Shape{1, 8, 8}));

    const LoadedData loaded = load(data, contextFor({{"x", {1, 8, 8}, DType::F32}}, true));
    QCOMPARE(loaded.trainCount(), 1797);
    QVERIFY(loaded.valInputs.empty());
    QVERIFY(!loaded.valTargets);
    const std::vector<float> pixels = values<float>(loaded.trainInputs.at(0));
    double sum = 0.0;
    for (const float pixel : pixels) {
        QVERIFY(pixel >= 0.0f && pixel <= 16.0f);
        sum += static_cast<double>(pixel);
    }
    QCOMPARE(sum, 561718.0);
    const std::vector<float> firstRow(pixels.begin(), pixels.begin() + 8);
    QCOMPARE(firstRow, (std::vector<float>{0, 0, 5, 13, 9, 1, 0, 0}));

    const Targets& targets = *loaded.trainTargets;
    QVERIFY(targets.classes);
    QVERIFY(targets.values.sample.empty());
    std::vector<int> counts(10);
    for (const std::int64_t label : values<std::int64_t>(targets.values))
        ++counts.at(static_cast<std::size_t>(label));
    QCOMPARE(counts, (std::vector<int>{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}));
    QCOMPARE(targets.classNames.at(7), "7");
    QVERIFY(targets.classNames == facts.classNames);

    // The channel may be left out.
    QCOMPARE(load(data, contextFor({{"x", {8, 8}, DType::F32}}, true)).trainCount(), 1797);
    QCOMPARE(errorOf([&] {
                 load(data, contextFor({{"x", {64}, DType::F32}}, true));
             }),
             "the Input \"x\" takes samples of [64], but digits has samples of [1, 8, 8]");
}

void TestSources::irisIsFishersTable()
{
    const Value data = parseJson(R"({"source": "iris"})");
    const SourceFacts facts = sourceFacts(data, {});
    QCOMPARE(facts.count, 150);
    QVERIFY(facts.inputs.at(0).sample == Shape{4});
    QVERIFY(facts.classNames == (std::vector<std::string>{"setosa", "versicolor", "virginica"}));
    QVERIFY(facts.inputColumns
            == (std::vector<std::string>{"sepal length", "sepal width", "petal length", "petal width"}));
    QVERIFY(facts.targetColumns == std::vector<std::string>{"species"});

    const LoadedData loaded = load(data, contextFor({{"x", {4}, DType::F64}}, true));
    std::vector<double> means(4);
    const std::vector<double> lengths = values<double>(loaded.trainInputs.at(0));
    for (std::size_t i = 0; i < lengths.size(); ++i)
        means[i % 4] += lengths[i] / 150.0;
    const std::vector<double> expected = {5.84333333, 3.05733333, 3.758, 1.19933333};
    for (std::size_t i = 0; i < 4; ++i)
        QVERIFY(std::abs(means[i] - expected[i]) < 1e-8);
    std::map<std::int64_t, int> counts;
    for (const std::int64_t label : values<std::int64_t>(loaded.trainTargets->values))
        ++counts[label];
    QVERIFY(counts == (std::map<std::int64_t, int>{{0, 50}, {1, 50}, {2, 50}}));
}

void TestSources::irisSpeciesAreNumbersForALossOfValues()
{
    const LoadedData loaded = load(parseJson(R"({"source": "iris"})"), contextFor({{"x", {4}, DType::F32}}, false));
    const Targets& targets = *loaded.trainTargets;
    QVERIFY(!targets.classes);
    QVERIFY(targets.values.sample == Shape{1});
    const std::vector<float> numbers = values<float>(targets.values);
    QCOMPARE(numbers.front(), 0.0f);
    QCOMPARE(numbers.back(), 2.0f);
}

void TestSources::generatedPointsTakeTurnsAndDependOnTheSeed_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<int>("classes");
    QTest::newRow("moons") << "moons" << 2;
    QTest::newRow("circles") << "circles" << 2;
    QTest::newRow("spirals") << "spirals" << 2;
    QTest::newRow("blobs") << "blobs" << 3;
    QTest::newRow("xor") << "xor" << 2;
}

void TestSources::generatedPointsTakeTurnsAndDependOnTheSeed()
{
    QFETCH(QString, source);
    QFETCH(int, classes);
    const Value data = Value::Object{{"source", source.toStdString()}, {"samples", 90}};
    const SourceFacts facts = sourceFacts(data, {});
    QCOMPARE(facts.count, 90);
    QCOMPARE(facts.classCount, classes);
    QVERIFY(facts.inputs.at(0).sample == Shape{2});
    QCOMPARE(sourceFacts(Value::Object{{"source", source.toStdString()}}, {}).count, 1000);

    LoadContext context = contextFor({{"x", {2}, DType::F32}}, true);
    context.seed = 3;
    const LoadedData first = load(data, context);
    const LoadedData again = load(data, context);
    context.seed = 4;
    const LoadedData other = load(data, context);
    QVERIFY(first.trainInputs.at(0).bytes == again.trainInputs.at(0).bytes);
    QVERIFY(first.trainInputs.at(0).bytes != other.trainInputs.at(0).bytes);
    const std::vector<std::int64_t> labels = values<std::int64_t>(first.trainTargets->values);
    QCOMPARE(labels.size(), std::size_t{90});
    for (std::size_t i = 0; i < labels.size(); ++i)
        QCOMPARE(labels[i], static_cast<std::int64_t>(i % static_cast<std::size_t>(classes)));
    for (const float coordinate : values<float>(first.trainInputs.at(0)))
        QVERIFY(std::abs(coordinate) < 6.0f);
}

void TestSources::generatedShapesAreWhatTheirNamesSay()
{
    const auto points = [](const char* source, const char* noise) {
        const Value data = parseJson(std::string(R"({"source": ")") + source + R"(", "noise": )" + noise + "}");
        LoadContext context = contextFor({{"x", {source == std::string("regression-1d") ? 1 : 2}, DType::F64}},
                                         source != std::string("regression-1d"));
        return load(data, context);
    };
    const LoadedData circle = points("circles", "0");
    const std::vector<double> xy = values<double>(circle.trainInputs.at(0));
    for (std::size_t i = 0; i < 1000; ++i)
        QVERIFY(std::abs(std::hypot(xy[2 * i], xy[2 * i + 1]) - (i % 2 == 0 ? 1.0 : 0.5)) < 1e-12);

    const LoadedData square = points("xor", "0");
    const std::vector<double> corners = values<double>(square.trainInputs.at(0));
    for (std::size_t i = 0; i < 1000; ++i) {
        QVERIFY(std::abs(corners[2 * i]) <= 1.0 && std::abs(corners[2 * i + 1]) <= 1.0);
        QCOMPARE(corners[2 * i] * corners[2 * i + 1] < 0.0, i % 2 == 1);
    }

    const LoadedData moon = points("moons", "0");
    const std::vector<double> moons = values<double>(moon.trainInputs.at(0));
    for (std::size_t i = 0; i < 1000; ++i) {
        const double x = i % 2 == 0 ? moons[2 * i] : 1.0 - moons[2 * i];
        const double y = i % 2 == 0 ? moons[2 * i + 1] : 0.5 - moons[2 * i + 1];
        QVERIFY(std::abs(x * x + y * y - 1.0) < 1e-12 && y >= 0.0);
    }

    const LoadedData curve = points("regression-1d", "0");
    const std::vector<double> x = values<double>(curve.trainInputs.at(0));
    const std::vector<double> y = values<double>(curve.trainTargets->values);
    QVERIFY(curve.trainTargets->values.dtype == DType::F64);
    QVERIFY(curve.trainTargets->values.sample == Shape{1});
    for (std::size_t i = 0; i < 1000; ++i)
        QCOMPARE(y[i], std::sin(x[i]));
}

void TestSources::aWrongOptionIsRefused()
{
    for (const char* text : {R"({"source": "moons", "samples": 0})", R"({"source": "moons", "samples": 100000000000})",
                             R"({"source": "moons", "samples": 1.5})", R"({"source": "moons", "samples": "many"})"})
        QCOMPARE(errorOf([&] { sourceFacts(parseJson(text), {}); }),
                 "data.samples must be a whole number from 1 to 10000000");
    for (const char* text : {R"({"source": "xor", "noise": -1})", R"({"source": "xor", "noise": "nan"})"})
        QVERIFY(errorOf([&] { sourceFacts(parseJson(text), {}); }).startsWith("data.noise must be a number"));
}

void TestSources::fashionMnistIsDebiansPackage()
{
    if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist"))
        QSKIP("the package dataset-fashion-mnist is not installed");
    const Value data = parseJson(R"({"source": "fashion-mnist", "validation": "test"})");
    const SourceFacts facts = sourceFacts(data, {});
    QCOMPARE(facts.count, 60000);
    QCOMPARE(facts.testCount, 10000);
    QCOMPARE(facts.classNames.at(9), "Ankle boot");
    QVERIFY(facts.inputs.at(0).sample == (Shape{1, 28, 28}));

    const LoadedData loaded = load(data, contextFor({{"x", {1, 28, 28}, DType::F32}}, true));
    QCOMPARE(loaded.trainCount(), 60000);
    QCOMPARE(loaded.valCount(), 10000);
    std::vector<std::int64_t> labels = values<std::int64_t>(loaded.trainTargets->values);
    labels.resize(10);
    QCOMPARE(labels, (std::vector<std::int64_t>{9, 0, 0, 3, 0, 2, 7, 2, 5, 5}));
    labels = values<std::int64_t>(loaded.valTargets->values);
    labels.resize(10);
    QCOMPARE(labels, (std::vector<std::int64_t>{9, 2, 1, 1, 6, 1, 4, 6, 5, 7}));
    double first = 0.0;
    const std::vector<float> pixels = values<float>(loaded.trainInputs.at(0));
    for (std::size_t i = 0; i < 784; ++i)
        first += static_cast<double>(pixels[i]);
    QCOMPARE(first, 76247.0);
}

void TestSources::fashionMnistIsOfferedWhereItIsMissing()
{
    const Folder folder;
    const QString error = errorOf([&] {
        load(parseJson(R"({"source": "fashion-mnist", "path": "nowhere"})"), [&] {
            LoadContext context = contextFor({{"x", {1, 28, 28}, DType::F32}}, true);
            context.projectFolder = folder.path();
            return context;
        }());
    });
    QVERIFY(error.startsWith("fashion-mnist is not installed: there is no "));
    QVERIFY(error.endsWith("sudo apt install dataset-fashion-mnist"));
}

QTEST_APPLESS_MAIN(TestSources)
#include "test_sources.moc"
