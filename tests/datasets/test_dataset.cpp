// SPDX-License-Identifier: GPL-3.0-or-later
// What is done to any source: split, normalisation, order of the batches.
#include "engine/data/batches.h"
#include "tests/datasets/data_test.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>

using namespace megalith;
using namespace megalith::data;
using namespace megalith::data::test;

class TestDataset : public QObject
{
    Q_OBJECT

private slots:
    void theSplitIsDisjointCompleteAndSeeded();
    void theSplitLeavesOneOnEachSide();
    void aWrongValidationIsRefused();
    void withoutAnythingRowsAreThoseOfTheFile();
    void standardIsFittedOnTheTrainingPart();
    void minMaxIsFittedOnTheTrainingPart();
    void aConstantColumnIsDividedByOne();
    void picturesAreNormalisedByChannel();
    void normalisationSurvivesItsJson();
    void damagedNormalisationIsRefused_data();
    void damagedNormalisationIsRefused();
    void aPictureIsNormalisedAsItsTrainingDataWas();
    void aWrongNormalizeIsRefused();
    void loadingCanBeCancelled();
    void progressGrowsToOne();
    void batchesCoverEachEpochOnce();
    void theOrderDependsOnSeedAndEpochAlone();
    void withoutShuffleBatchesAreTheRowsInOrder();
    void dropLastLeavesOutTheRest();
    void impossibleBatchesAreRefused();
    void gatherCopiesRows();

private:
    LoadedData loadText(std::string_view text, std::string_view keys, std::uint64_t seed = 0) const
    {
        m_folder.write("t.csv", text);
        LoadContext context = contextFor({{"x", {2}, DType::F64}}, false);
        context.projectFolder = m_folder.path();
        context.seed = seed;
        return load(parseJson(R"({"source": "csv", "path": "t.csv")" + std::string(keys) + "}"), context);
    }

    // Rows (i, 2 i, y = 3 i) for i below n.
    static std::string rowsOf(int n)
    {
        std::string text = "a,b,y\n";
        for (int i = 0; i < n; ++i)
            text += std::to_string(i) + "," + std::to_string(2 * i) + "," + std::to_string(3 * i) + "\n";
        return text;
    }

    Folder m_folder;
};

void TestDataset::theSplitIsDisjointCompleteAndSeeded()
{
    const std::string text = rowsOf(101);
    const LoadedData loaded = loadText(text, R"(, "validation": 0.2)", 5);
    QCOMPARE(loaded.trainCount(), 81);
    QCOMPARE(loaded.valCount(), 20);
    std::vector<double> seen;
    for (const auto& [inputs, targets] : {std::pair{&loaded.trainInputs.at(0), &*loaded.trainTargets},
                                          std::pair{&loaded.valInputs.at(0), &*loaded.valTargets}})
    {
        const std::vector<double> rows = values<double>(*inputs);
        const std::vector<double> y = values<double>(targets->values);
        for (std::size_t i = 0; i < y.size(); ++i) {
            QCOMPARE(rows[2 * i + 1], 2.0 * rows[2 * i]);
            QCOMPARE(y[i], 3.0 * rows[2 * i]);
            QVERIFY(i == 0 || rows[2 * i] > rows[2 * i - 2]);  // the order of the source
            seen.push_back(rows[2 * i]);
        }
    }
    std::sort(seen.begin(), seen.end());
    QCOMPARE(seen.size(), std::size_t{101});
    for (std::size_t i = 0; i < seen.size(); ++i)
        QCOMPARE(seen[i], static_cast<double>(i));

    QVERIFY(loadText(text, R"(, "validation": 0.2)", 5).valInputs.at(0).bytes == loaded.valInputs.at(0).bytes);
    QVERIFY(loadText(text, R"(, "validation": 0.2)", 6).valInputs.at(0).bytes != loaded.valInputs.at(0).bytes);
}

void TestDataset::theSplitLeavesOneOnEachSide()
{
    QCOMPARE(loadText(rowsOf(10), R"(, "validation": 0.001)").valCount(), 1);
    QCOMPARE(loadText(rowsOf(10), R"(, "validation": 0.999)").trainCount(), 1);
    QCOMPARE(errorOf([&] { loadText(rowsOf(1), R"(, "validation": 0.5)"); }),
             "data.validation is 0.5, but there is only one sample");
}

void TestDataset::aWrongValidationIsRefused()
{
    for (const char* keys :
         {R"(, "validation": 1)", R"(, "validation": -0.1)", R"(, "validation": "tests")", R"(, "validation": true)"})
        QCOMPARE(errorOf([&] { loadText(rowsOf(3), keys); }),
                 "data.validation must be a share from 0 to below 1, or \"test\" for the source's own test part");
    QCOMPARE(errorOf([&] { loadText(rowsOf(3), R"(, "validation": "test")"); }),
             "data.validation is \"test\", but csv has no test part of its own; give a share such as 0.2");
}

void TestDataset::withoutAnythingRowsAreThoseOfTheFile()
{
    const LoadedData loaded = loadText("a,b,y\n3,1,0\n2,9,0\n5,5,0\n", R"(, "validation": 0)");
    QCOMPARE(values<double>(loaded.trainInputs.at(0)), (std::vector<double>{3, 1, 2, 9, 5, 5}));
    QVERIFY(loaded.valInputs.empty());
    QVERIFY(!loaded.valTargets);
}

void TestDataset::standardIsFittedOnTheTrainingPart()
{
    // a: 1, 3: mean 2, deviation 1. b: 10, 40: mean 25, deviation 15.
    const LoadedData loaded = loadText("a,b,y\n1,10,7\n3,40,8\n", R"(, "normalize": "standard")");
    QCOMPARE(values<double>(loaded.trainInputs.at(0)), (std::vector<double>{-1, -1, 1, 1}));
    const InputNormalization& x = *loaded.normalization.find("x");
    QCOMPARE(x.offset, (std::vector<double>{2, 25}));
    QCOMPARE(x.scale, (std::vector<double>{1, 15}));
    QCOMPARE(values<double>(loaded.trainTargets->values), (std::vector<double>{7, 8}));

    const LoadedData split = loadText(rowsOf(100), R"(, "normalize": "standard", "validation": 0.3)", 1);
    const std::vector<double> train = values<double>(split.trainInputs.at(0));
    const std::vector<double> val = values<double>(split.valInputs.at(0));
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < train.size(); i += 2) {
        sum += train[i];
        squares += train[i] * train[i];
    }
    QVERIFY(std::abs(sum) < 1e-12);
    QVERIFY(std::abs(squares / 70.0 - 1.0) < 1e-12);
    const InputNormalization& fitted = *split.normalization.find("x");
    const std::vector<double> y = values<double>(split.valTargets->values);
    for (std::size_t i = 0; i < y.size(); ++i)
        QCOMPARE(val[2 * i], (y[i] / 3.0 - fitted.offset[0]) / fitted.scale[0]);
}

void TestDataset::minMaxIsFittedOnTheTrainingPart()
{
    const LoadedData loaded = loadText("a,b,y\n-1,5,7\n3,6,8\n0,9,9\n", R"(, "normalize": "minmax")");
    QCOMPARE(values<double>(loaded.trainInputs.at(0)), (std::vector<double>{0, 0, 1, 0.25, 0.25, 1}));
    QCOMPARE(loaded.normalization.find("x")->offset, (std::vector<double>{-1, 5}));
    QCOMPARE(loaded.normalization.find("x")->scale, (std::vector<double>{4, 4}));
}

void TestDataset::aConstantColumnIsDividedByOne()
{
    for (const char* keys : {R"(, "normalize": "standard")", R"(, "normalize": "minmax")"}) {
        const LoadedData loaded = loadText("a,b,y\n4,1,0\n4,3,0\n", keys);
        QCOMPARE(loaded.normalization.find("x")->scale.at(0), 1.0);
        QCOMPARE(values<double>(loaded.trainInputs.at(0)).at(0), 0.0);
        QCOMPARE(values<double>(loaded.trainInputs.at(0)).at(2), 0.0);
    }
}

void TestDataset::picturesAreNormalisedByChannel()
{
    QCOMPARE(NormalizationGroups(Shape{3, 2, 2}).count, std::size_t{3});
    QCOMPARE(NormalizationGroups(Shape{3, 2, 2}).groupOf(3), std::size_t{0});
    QCOMPARE(NormalizationGroups(Shape{3, 2, 2}).groupOf(4), std::size_t{1});
    QCOMPARE(NormalizationGroups(Shape{5, 3}).groupOf(4), std::size_t{1});
    QCOMPARE(NormalizationGroups(Shape{}).count, std::size_t{1});

    const Value data = parseJson(R"({"source": "digits", "normalize": "standard"})");
    for (const Shape& shape : {Shape{1, 8, 8}, Shape{8, 8}}) {
        const LoadedData loaded = load(data, contextFor({{"x", shape, DType::F32}}, true));
        const InputNormalization& x = *loaded.normalization.find("x");
        QCOMPARE(x.offset.size(), std::size_t{1});
        QVERIFY(std::abs(x.offset[0] - 4.884164579855314) < 1e-12);  // NumPy's mean of the table
        const float first = values<float>(loaded.trainInputs.at(0)).at(2);
        QCOMPARE(first, static_cast<float>((5.0 - x.offset[0]) / x.scale[0]));
    }
}

void TestDataset::normalisationSurvivesItsJson()
{
    Normalization normalization{
        NormalizationKind::Standard,
        {{"x", {0.1, 1e-300}, {1.0 / 3.0, 2.0}, {"a \"quoted\"", "b"}}, {"tokens", {}, {}, {}}}};
    const std::string json = writeJson(normalization.toValue());
    QVERIFY(Normalization::fromValue(parseJson(json)) == normalization);
    QVERIFY(Normalization::fromValue(parseJson(writeJson(Normalization{}.toValue()))) == Normalization{});
}

void TestDataset::damagedNormalisationIsRefused_data()
{
    QTest::addColumn<QString>("json");
    QTest::newRow("list") << "[]";
    QTest::newRow("no kind") << R"({"inputs": {}})";
    QTest::newRow("unknown kind") << R"({"kind": "whiten", "inputs": {}})";
    QTest::newRow("no inputs") << R"({"kind": "none"})";
    QTest::newRow("no scale") << R"({"kind": "standard", "inputs": {"x": {"offset": [1]}}})";
    QTest::newRow("other length") << R"({"kind": "standard", "inputs": {"x": {"offset": [1], "scale": [1, 2]}}})";
    QTest::newRow("zero") << R"({"kind": "standard", "inputs": {"x": {"offset": [1], "scale": [0]}}})";
    QTest::newRow("text") << R"({"kind": "standard", "inputs": {"x": {"offset": ["nan"], "scale": [1]}}})";
    QTest::newRow("columns") << R"({"kind": "none", "inputs": {"x": {"offset": [], "scale": [], "columns": [1]}}})";
}

void TestDataset::damagedNormalisationIsRefused()
{
    QFETCH(QString, json);
    QVERIFY(!errorOf([&] { Normalization::fromValue(parseJson(json.toStdString())); }).isEmpty());
}

void TestDataset::aPictureIsNormalisedAsItsTrainingDataWas()
{
    const Normalization normalization{NormalizationKind::Standard, {{"x", {100.0}, {50.0}, {}}}};
    const std::vector<std::uint8_t> pixels = {0, 100, 200, 250};
    const StateEntry picture = makeEntry("U8", {1, 1, 2, 2}, std::as_bytes(std::span(pixels)));
    for (const Shape& shape : {Shape{1, 2, 2}, Shape{2, 2}})
        QCOMPARE(values<float>(toSamples(picture, {"x", shape, DType::F32}, normalization, "p.png")),
                 (std::vector<float>{-2, 0, 2, 3}));
    QCOMPARE(values<float>(toSamples(picture, {"y", {1, 2, 2}, DType::F32}, normalization, "p.png")),
             (std::vector<float>{0, 100, 200, 250}));
    QCOMPARE(errorOf([&] {
                 toSamples(picture, {"x", {1, 4, 4}, DType::F32}, normalization, "p.png");
             }),
             "the Input \"x\" takes samples of [1, 4, 4], but p.png has samples of [1, 2, 2]");
    const Normalization three{NormalizationKind::Standard, {{"x", {1, 2, 3}, {1, 1, 1}, {}}}};
    QCOMPARE(errorOf([&] {
                 toSamples(picture, {"x", {1, 2, 2}, DType::F32}, three, "p.png");
             }),
             "p.png: the weights keep a normalisation of 3 values for \"x\", but it has 1");
}

void TestDataset::aWrongNormalizeIsRefused()
{
    QCOMPARE(errorOf([&] { loadText(rowsOf(3), R"(, "normalize": "whiten")"); }),
             "data.normalize is \"whiten\", but it must be none, standard or minmax");
    QCOMPARE(errorOf([&] { loadText(rowsOf(3), R"(, "normalize": true)"); }),
             "data.normalize is true or false, but it must be none, standard or minmax");
}

void TestDataset::loadingCanBeCancelled()
{
    LoadContext context = contextFor({{"x", {1, 8, 8}, DType::F32}}, true);
    context.cancelled = [] { return true; };
    bool cancelled = false;
    try {
        load(parseJson(R"({"source": "digits"})"), context);
    } catch (const Cancelled&) {
        cancelled = true;
    }
    QVERIFY(cancelled);
}

void TestDataset::progressGrowsToOne()
{
    LoadContext context = contextFor({{"x", {4}, DType::F32}}, true);
    std::vector<double> steps;
    context.progress = [&](double done) { steps.push_back(done); };
    load(parseJson(R"({"source": "iris"})"), context);
    QVERIFY(std::is_sorted(steps.begin(), steps.end()));
    QCOMPARE(steps.back(), 1.0);
}

void TestDataset::batchesCoverEachEpochOnce()
{
    BatchOrder order(10, 4, true, false, 3);
    QCOMPARE(order.stepsPerEpoch(), 3);
    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
        order.setEpoch(epoch);
        std::vector<std::int64_t> seen;
        for (std::int64_t step = 0; step < 3; ++step) {
            const auto rows = order.rows(step);
            QCOMPARE(rows.size(), std::size_t(step < 2 ? 4 : 2));
            seen.insert(seen.end(), rows.begin(), rows.end());
        }
        std::sort(seen.begin(), seen.end());
        for (std::size_t i = 0; i < 10; ++i)
            QCOMPARE(seen[i], static_cast<std::int64_t>(i));
    }
}

void TestDataset::theOrderDependsOnSeedAndEpochAlone()
{
    const auto rows = [](std::uint64_t seed, std::int64_t epoch) {
        BatchOrder order(50, 50, true, false, seed);
        order.setEpoch(epoch);
        return std::vector<std::int64_t>(order.rows(0).begin(), order.rows(0).end());
    };
    BatchOrder walked(50, 50, true, false, 1);
    for (std::int64_t epoch = 0; epoch < 4; ++epoch)
        walked.setEpoch(epoch);
    QVERIFY(std::equal(walked.rows(0).begin(), walked.rows(0).end(), rows(1, 3).begin()));
    QVERIFY(rows(1, 3) != rows(1, 2));
    QVERIFY(rows(1, 3) != rows(2, 3));
    QVERIFY(permutation(0, 1).empty());

    // Each of the 24 orders of four, about as often.
    std::map<std::vector<std::int64_t>, int> counts;
    for (std::uint64_t key = 0; key < 24000; ++key)
        ++counts[permutation(4, key)];
    QCOMPARE(counts.size(), std::size_t{24});
    for (const auto& [order, count] : counts)
        QVERIFY2(std::abs(count - 1000) < 160, qPrintable(QString::number(count)));  // 5 deviations
}

void TestDataset::withoutShuffleBatchesAreTheRowsInOrder()
{
    BatchOrder order(10, 4, false, false, 3);
    order.setEpoch(7);
    for (std::int64_t step = 0; step < 3; ++step) {
        const auto rows = order.rows(step);
        for (std::size_t i = 0; i < rows.size(); ++i)
            QCOMPARE(rows[i], step * 4 + static_cast<std::int64_t>(i));
    }
}

void TestDataset::dropLastLeavesOutTheRest()
{
    QCOMPARE(BatchOrder(10, 4, true, true, 0).stepsPerEpoch(), 2);
    QCOMPARE(BatchOrder(8, 4, true, true, 0).stepsPerEpoch(), 2);
    QCOMPARE(BatchOrder(8, 4, true, false, 0).stepsPerEpoch(), 2);
    QCOMPARE(BatchOrder(3, 100, true, false, 0).rows(0).size(), std::size_t{3});
}

void TestDataset::impossibleBatchesAreRefused()
{
    QCOMPARE(errorOf([] { BatchOrder(5, 64, true, true, 0); }),
             "training.drop_last leaves no batch: there are 5 samples, but batch_size is 64");
    QCOMPARE(errorOf([] { BatchOrder(5, 0, true, false, 0); }), "training.batch_size is 0, but it must be at least 1");
    QCOMPARE(errorOf([] { BatchOrder(0, 4, true, false, 0); }), "there are no samples to train on");
    QCOMPARE(errorOf([] { BatchOrder(5, 4, true, false, 0).rows(2); }), "batches: step 2 of an epoch that has 2");
}

void TestDataset::gatherCopiesRows()
{
    const LoadedData loaded = loadText(rowsOf(6), "");
    const std::vector<std::int64_t> rows = {4, 0, 1, 2, 5};
    std::vector<double> out(10);
    gather(loaded.trainInputs.at(0), rows, std::as_writable_bytes(std::span(out)));
    QCOMPARE(out, (std::vector<double>{4, 8, 0, 0, 1, 2, 2, 4, 5, 10}));
    const std::vector<std::int64_t> beyond = {5, 6};
    QCOMPARE(
        errorOf([&] { gather(loaded.trainInputs.at(0), beyond, std::as_writable_bytes(std::span(out)).first(32)); }),
        "gather: row 6 of 6");
    QCOMPARE(errorOf([&] { gather(loaded.trainInputs.at(0), rows, std::as_writable_bytes(std::span(out)).first(32)); }),
             "gather: 5 rows of 16 bytes do not fill 32 bytes");
}

QTEST_APPLESS_MAIN(TestDataset)
#include "test_dataset.moc"
