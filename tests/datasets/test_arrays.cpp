// SPDX-License-Identifier: GPL-3.0-or-later
// The sources npy and idx, and the forms that targets take.
#include "engine/io/npy.h"
#include "tests/datasets/data_test.h"
#include "tests/paths.h"

#include <QtTest>

#include <limits>
#include <span>

using namespace megalith;
using namespace megalith::data;
using namespace megalith::data::test;

class TestArrays : public QObject
{
    Q_OBJECT

private slots:
    void floatsStayExactly();
    void everyDTypeBecomesNumbers();
    void tokensAndMasksAreNotNormalised();
    void whatIsNoTokenOrMaskIsRefused();
    void severalInputsGoByName();
    void valuesKeepTheirShape();
    void classesAreSortedAndNumbered();
    void ignoredTargetsStayAsTheyAre();
    void noClassGetsTheIgnoredNumber();
    void floatingTargetsOfTheOutputsShapeAreProbabilities();
    void countsMustMeet();
    void theLossMustHaveItsTargets();
    void shapesMustMeet();
    void badArraysAreRefused();
    void idxIsReadPackedAndNot();
    void idxNumbersAreBigEndian();
    void badIdxFilesAreRefused_data();
    void badIdxFilesAreRefused();

private:
    template<typename T>
    void writeArray(std::string_view name, std::string_view tag, const Shape& shape,
                    const std::vector<T>& numbers) const
    {
        const std::span<const T> span(numbers);
        io::writeNpy(m_folder.path() / name, makeEntry(tag, shape, std::as_bytes(span)));
    }
    LoadContext context(std::vector<InputSpec> inputs, bool classes) const
    {
        LoadContext result = contextFor(std::move(inputs), classes);
        result.projectFolder = m_folder.path();
        return result;
    }

    Folder m_folder;
    const Value m_xy = parseJson(R"({"source": "npy", "inputs": "x.npy", "targets": "y.npy"})");
    const Value m_x = parseJson(R"({"source": "npy", "inputs": "x.npy"})");
    const InputSpec m_one{"x", {1}, DType::F32};
};

void TestArrays::floatsStayExactly()
{
    const std::vector<float> numbers = {0.1f, -0.0f, 1e-45f, 3.4e38f, std::numeric_limits<float>::quiet_NaN(), 1.0f};
    writeArray<float>("x.npy", "F32", {2, 3}, numbers);
    LoadContext request = context({{"x", {3}, DType::F32}}, false);
    request.hasTargets = false;
    const LoadedData loaded = load(m_x, request);
    QCOMPARE(loaded.trainInputs.at(0).bytes.size(), numbers.size() * sizeof(float));
    QVERIFY(std::memcmp(loaded.trainInputs.at(0).bytes.data(), numbers.data(), numbers.size() * sizeof(float)) == 0);

    const std::vector<double> doubles = {0.1, 1.0 / 3.0};
    writeArray<double>("x.npy", "F64", {2, 1}, doubles);
    request.inputs = {{"x", {1}, DType::F64}};
    QCOMPARE(values<double>(load(m_x, request).trainInputs.at(0)), doubles);
    request.inputs = {m_one};
    QCOMPARE(values<float>(load(m_x, request).trainInputs.at(0)), (std::vector<float>{0.1f, 1.0f / 3.0f}));
}

void TestArrays::everyDTypeBecomesNumbers()
{
    LoadContext request = context({m_one}, false);
    request.hasTargets = false;
    const auto first = [&] { return values<float>(load(m_x, request).trainInputs.at(0)); };
    writeArray<std::int8_t>("x.npy", "I8", {2, 1}, {-128, 127});
    QCOMPARE(first(), (std::vector<float>{-128, 127}));
    writeArray<std::uint8_t>("x.npy", "U8", {2, 1}, {0, 255});
    QCOMPARE(first(), (std::vector<float>{0, 255}));
    writeArray<std::int16_t>("x.npy", "I16", {1, 1}, {-32768});
    QCOMPARE(first(), (std::vector<float>{-32768}));
    writeArray<std::uint16_t>("x.npy", "U16", {1, 1}, {65535});
    QCOMPARE(first(), (std::vector<float>{65535}));
    writeArray<std::int32_t>("x.npy", "I32", {1, 1}, {-5});
    QCOMPARE(first(), (std::vector<float>{-5}));
    writeArray<std::uint32_t>("x.npy", "U32", {1, 1}, {4000000000u});
    QCOMPARE(first(), (std::vector<float>{4e9f}));
    writeArray<std::uint16_t>("x.npy", "F16", {1, 1}, {0x3E00});
    QCOMPARE(first(), (std::vector<float>{1.5}));
    writeArray<std::uint8_t>("x.npy", "BOOL", {2, 1}, {1, 0});
    QCOMPARE(first(), (std::vector<float>{1, 0}));
}

void TestArrays::tokensAndMasksAreNotNormalised()
{
    writeArray<std::int32_t>("t.npy", "I32", {2, 2}, {7, 9, 2, 4});
    writeArray<std::uint8_t>("m.npy", "BOOL", {2, 1}, {0, 1});
    const Value data =
        parseJson(R"({"source": "npy", "inputs": {"t": "t.npy", "m": "m.npy"}, "normalize": "standard"})");
    LoadContext request = context({{"t", {2}, DType::I64}, {"m", {1}, DType::Bool}}, false);
    request.hasTargets = false;
    const LoadedData loaded = load(data, request);
    QCOMPARE(values<std::int64_t>(loaded.trainInputs.at(0)), (std::vector<std::int64_t>{7, 9, 2, 4}));
    QCOMPARE(values<std::uint8_t>(loaded.trainInputs.at(1)), (std::vector<std::uint8_t>{0, 1}));
    QVERIFY(loaded.normalization.find("t")->offset.empty());
    const SourceFacts facts = sourceFacts(data, m_folder.path());
    QVERIFY(facts.inputs.at(0).dtype == DType::I64);
    QVERIFY(facts.inputs.at(1).dtype == DType::Bool);
    QVERIFY(!facts.hasTargets);
}

void TestArrays::whatIsNoTokenOrMaskIsRefused()
{
    writeArray<float>("x.npy", "F32", {2, 1}, {1.0f, 1.5f});
    LoadContext request = context({{"x", {1}, DType::I64}}, false);
    request.hasTargets = false;
    QCOMPARE(errorOf([&] { load(m_x, request); }), "x.npy: row 1 has 1.5, but its Input takes whole numbers (int64)");
    request.inputs = {{"x", {1}, DType::Bool}};
    QCOMPARE(errorOf([&] { load(m_x, request); }), "x.npy: row 1 has 1.5, but its Input takes 0 and 1 (bool)");
    writeArray<std::uint64_t>("x.npy", "U64", {1, 1}, {~std::uint64_t{0}});
    request.inputs = {{"x", {1}, DType::I64}};
    QVERIFY(errorOf([&] { load(m_x, request); }).startsWith("x.npy: row 0 has 18446744073709551616, "));
}

void TestArrays::severalInputsGoByName()
{
    writeArray<float>("a.npy", "F32", {2, 1}, {1, 2});
    writeArray<float>("b.npy", "F32", {2, 2}, {3, 4, 5, 6});
    const Value data = parseJson(R"({"source": "npy", "inputs": {"a": "a.npy", "b": "b.npy"}})");
    LoadContext request = context({{"b", {2}, DType::F32}, {"a", {1}, DType::F32}}, false);
    request.hasTargets = false;
    const LoadedData loaded = load(data, request);
    QCOMPARE(values<float>(loaded.trainInputs.at(0)), (std::vector<float>{3, 4, 5, 6}));
    QCOMPARE(values<float>(loaded.trainInputs.at(1)), (std::vector<float>{1, 2}));
    request.inputs.push_back({"c", {1}, DType::F32});
    QCOMPARE(errorOf([&] { load(data, request); }), "data.inputs says nothing for the Input \"c\"");
    request.inputs = {{"a", {1}, DType::F32}};
    QCOMPARE(errorOf([&] { load(data, request); }), "data.inputs has \"b\", but the network's Input nodes are a");
    writeArray<float>("x.npy", "F32", {2, 1}, {1, 2});
    request.inputs = {{"a", {1}, DType::F32}, {"b", {1}, DType::F32}};
    QCOMPARE(
        errorOf([&] { load(m_x, request); }),
        "x.npy is one input, but the network has 2 Input nodes (a, b); data.inputs can say by their names what each "
        "takes");
}

void TestArrays::valuesKeepTheirShape()
{
    writeArray<float>("x.npy", "F32", {2, 1}, {1, 2});
    writeArray<double>("y.npy", "F64", {2}, {0.5, -1.0});
    const LoadedData flat = load(m_xy, context({m_one}, false));
    QVERIFY(flat.trainTargets->values.sample.empty());
    QVERIFY(!flat.trainTargets->classes);
    QCOMPARE(values<float>(flat.trainTargets->values), (std::vector<float>{0.5, -1.0}));

    writeArray<std::int64_t>("y.npy", "I64", {2, 3}, {-1, 1, 1, 1, -1, -1});
    const LoadedData whole = load(m_xy, context({m_one}, false));
    QVERIFY(whole.trainTargets->values.sample == Shape{3});
    QCOMPARE(values<float>(whole.trainTargets->values), (std::vector<float>{-1, 1, 1, 1, -1, -1}));

    LoadContext request = context({{"x", {1}, DType::F64}}, false);
    QVERIFY(load(m_xy, request).trainTargets->values.dtype == DType::F64);
    request.targetDtype = DType::F32;
    QVERIFY(load(m_xy, request).trainTargets->values.dtype == DType::F32);
}

void TestArrays::classesAreSortedAndNumbered()
{
    writeArray<float>("x.npy", "F32", {4, 1}, {1, 2, 3, 4});
    writeArray<std::int32_t>("y.npy", "I32", {4}, {30, -2, 30, 5});
    const LoadedData loaded = load(m_xy, context({m_one}, true));
    QCOMPARE(values<std::int64_t>(loaded.trainTargets->values), (std::vector<std::int64_t>{2, 0, 2, 1}));
    QVERIFY(loaded.trainTargets->classNames == (std::vector<std::string>{"-2", "5", "30"}));
    QVERIFY(loaded.trainTargets->values.sample.empty());

    // Whole floats in one dimension are labels too, as tables of numbers save them.
    writeArray<double>("y.npy", "F64", {4}, {3, 1, 3, 1});
    QCOMPARE(values<std::int64_t>(load(m_xy, context({m_one}, true)).trainTargets->values),
             (std::vector<std::int64_t>{1, 0, 1, 0}));
    writeArray<double>("y.npy", "F64", {4}, {3, 1, 3, 1.5});
    QCOMPARE(errorOf([&] { load(m_xy, context({m_one}, true)); }),
             "y.npy: row 3 has 1.5, but classes are whole numbers or texts; for values choose a loss such as MSELoss");

    // The parts have the same numbers, whichever classes each of them has.
    writeArray<std::int32_t>("y.npy", "I32", {4}, {4, 3, 2, 1});
    Value data = m_xy;
    data.set("validation", 0.5);
    const LoadedData split = load(data, context({m_one}, true));
    QVERIFY(split.trainTargets->classNames == split.valTargets->classNames);
    QCOMPARE(split.trainTargets->classCount, 4);
    const std::vector<float> x = values<float>(split.valInputs.at(0));
    const std::vector<std::int64_t> y = values<std::int64_t>(split.valTargets->values);
    for (std::size_t i = 0; i < x.size(); ++i)
        QCOMPARE(y[i], 4 - static_cast<std::int64_t>(x[i]));
}

void TestArrays::ignoredTargetsStayAsTheyAre()
{
    writeArray<float>("x.npy", "F32", {2, 1}, {1, 2});
    writeArray<std::uint8_t>("y.npy", "U8", {2, 2, 2}, {10, 255, 20, 10, 255, 255, 20, 30});
    LoadContext request = context({m_one}, true);
    request.ignoreIndex = 255;
    const LoadedData loaded = load(m_xy, request);
    QCOMPARE(loaded.trainTargets->classCount, 3);
    QVERIFY(loaded.trainTargets->values.sample == (Shape{2, 2}));
    QCOMPARE(values<std::int64_t>(loaded.trainTargets->values),
             (std::vector<std::int64_t>{0, 255, 1, 0, 255, 255, 1, 2}));
    QCOMPARE(sourceFacts(m_xy, m_folder.path(), 255).classCount, 3);
    QVERIFY(sourceFacts(m_xy, m_folder.path()).classSample == (Shape{2, 2}));
    QCOMPARE(sourceFacts(m_xy, m_folder.path()).classCount, 4);
}

void TestArrays::noClassGetsTheIgnoredNumber()
{
    writeArray<float>("x.npy", "F32", {4, 1}, {1, 2, 3, 4});
    writeArray<std::int64_t>("y.npy", "I64", {4}, {0, 1, 2, 1});
    LoadContext request = context({m_one}, true);
    request.ignoreIndex = 0;
    const LoadedData loaded = load(m_xy, request);
    QCOMPARE(values<std::int64_t>(loaded.trainTargets->values), (std::vector<std::int64_t>{0, 1, 2, 1}));
    QCOMPARE(loaded.trainTargets->classCount, 3);
}

void TestArrays::floatingTargetsOfTheOutputsShapeAreProbabilities()
{
    writeArray<float>("x.npy", "F32", {2, 1}, {1, 2});
    writeArray<float>("y.npy", "F32", {2, 3}, {0.5, 0.25, 0.25, 0, 1, 0});
    LoadContext request = context({m_one}, true);
    for (const bool known : {false, true}) {
        if (known)
            request.outputShape = Shape{3};
        const LoadedData loaded = load(m_xy, request);
        QVERIFY(!loaded.trainTargets->classes);
        QCOMPARE(values<float>(loaded.trainTargets->values), (std::vector<float>{0.5, 0.25, 0.25, 0, 1, 0}));
    }
    // Maps of class numbers that were saved as floats.
    writeArray<float>("y.npy", "F32", {2, 3}, {7, 8, 7, 9, 9, 8});
    request.outputShape = Shape{4, 3};
    QCOMPARE(values<std::int64_t>(load(m_xy, request).trainTargets->values),
             (std::vector<std::int64_t>{0, 1, 0, 2, 2, 1}));
}

void TestArrays::countsMustMeet()
{
    writeArray<float>("x.npy", "F32", {3, 1}, {1, 2, 3});
    writeArray<float>("y.npy", "F32", {2}, {1, 2});
    QCOMPARE(errorOf([&] { load(m_xy, context({m_one}, false)); }), "y.npy has 2 targets, but x.npy has 3 samples");
    const Value data = parseJson(R"({"source": "npy", "inputs": {"a": "x.npy", "b": "y.npy"}})");
    LoadContext request = context({{"a", {1}, DType::F32}, {"b", {}, DType::F32}}, false);
    request.hasTargets = false;
    QCOMPARE(errorOf([&] { load(data, request); }), "y.npy has 2 samples, but x.npy has 3");
    writeArray<float>("x.npy", "F32", {0, 1}, {});
    request.inputs = {m_one};
    QCOMPARE(errorOf([&] { load(m_x, request); }), "x.npy: there are no samples");
}

void TestArrays::theLossMustHaveItsTargets()
{
    writeArray<float>("x.npy", "F32", {2, 1}, {1, 2});
    QCOMPARE(errorOf([&] { load(m_x, context({m_one}, false)); }),
             "the loss compares with targets, but the data has none: name them in data.targets");
    LoadContext request = context({m_one}, false);
    request.hasTargets = false;
    QVERIFY(!load(m_x, request).trainTargets);
    // Targets that the loss does not take are left alone.
    QVERIFY(!load(parseJson(R"({"source": "npy", "inputs": "x.npy", "targets": "none.npy"})"), request).trainTargets);
}

void TestArrays::shapesMustMeet()
{
    writeArray<float>("x.npy", "F32", {2, 3, 4}, std::vector<float>(24));
    QCOMPARE(errorOf([&] {
                 load(m_x, context({{"img", {1, 3, 4}, DType::F32}}, false));
             }),
             "the Input \"img\" takes samples of [1, 3, 4], but x.npy has samples of [3, 4]");
    QCOMPARE(errorOf([&] { load(m_x, context({}, false)); }), "the network has no Input node, so it takes no data");
}

void TestArrays::badArraysAreRefused()
{
    const auto error = [&](std::string_view bytes) {
        m_folder.write("x.npy", bytes);
        return errorOf([&] { sourceFacts(m_x, m_folder.path()); });
    };
    QVERIFY(errorOf([&] {
                sourceFacts(parseJson(R"({"source": "npy", "inputs": "none.npy"})"), m_folder.path());
            }).startsWith("none.npy: there is no such file ("));
    QCOMPARE(errorOf([&] { sourceFacts(parseJson(R"({"source": "npy"})"), m_folder.path()); }),
             "data.inputs is missing: it names the file, relative to the project");
    QCOMPARE(errorOf([&] { sourceFacts(parseJson(R"({"source": "npy", "inputs": {"a": 1}})"), m_folder.path()); }),
             "data.inputs.a must be the name of a file, but it is a whole number");
    QCOMPARE(error(""), "x.npy: the file is empty");
    QVERIFY(!error("<html>").isEmpty());
    QVERIFY(!error("\x93NUMPY\x01").isEmpty());
    writeArray<float>("x.npy", "F32", {}, {1});
    QCOMPARE(errorOf([&] { sourceFacts(m_x, m_folder.path()); }),
             "x.npy: is a single number, but its first dimension must be the samples");
}

void TestArrays::idxIsReadPackedAndNot()
{
    const std::filesystem::path tables = std::filesystem::path(megalith::test::sourceFolder) / "resources" / "data";
    const Value packed = parseJson(
        R"({"source": "idx", "inputs": "digits-images-idx3-ubyte.gz", "targets": "digits-labels-idx1-ubyte.gz"})");
    LoadContext request = contextFor({{"x", {1, 8, 8}, DType::F32}}, true);
    request.projectFolder = tables;
    const SourceFacts facts = sourceFacts(packed, tables);
    QCOMPARE(facts.count, 1797);
    QCOMPARE(facts.classCount, 10);
    QVERIFY(facts.inputs.at(0).sample == (Shape{1, 8, 8}));
    const LoadedData fromIdx = load(packed, request);
    const LoadedData builtIn = load(parseJson(R"({"source": "digits"})"), request);
    QVERIFY(fromIdx.trainInputs.at(0).bytes == builtIn.trainInputs.at(0).bytes);
    QVERIFY(fromIdx.trainTargets->values.bytes == builtIn.trainTargets->values.bytes);

    // A folder with MNIST's names has a test part.
    m_folder.write("train-images-idx3-ubyte",
                   std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02\x01\x02\x03\x04", 20));
    m_folder.write("train-labels-idx1-ubyte", std::string("\0\0\x08\x01\0\0\0\x02\x05\x07", 10));
    m_folder.write("t10k-images-idx3-ubyte", std::string("\0\0\x08\x03\0\0\0\x01\0\0\0\x01\0\0\0\x02\x09\x0A", 18));
    m_folder.write("t10k-labels-idx1-ubyte", std::string("\0\0\x08\x01\0\0\0\x01\x06", 9));
    const Value folder = parseJson(R"({"source": "idx", "path": ".", "validation": "test"})");
    const LoadedData parts = load(folder, context({{"x", {1, 1, 2}, DType::F32}}, true));
    QCOMPARE(values<float>(parts.trainInputs.at(0)), (std::vector<float>{1, 2, 3, 4}));
    QCOMPARE(values<float>(parts.valInputs.at(0)), (std::vector<float>{9, 10}));
    QCOMPARE(values<std::int64_t>(parts.trainTargets->values), (std::vector<std::int64_t>{0, 2}));
    QCOMPARE(values<std::int64_t>(parts.valTargets->values), (std::vector<std::int64_t>{1}));
    QCOMPARE(sourceFacts(folder, m_folder.path()).testCount, 1);
    // One label a sample is a column for losses of values.
    QVERIFY(load(folder, context({{"x", {1, 2}, DType::F32}}, false)).trainTargets->values.sample == Shape{1});
}

void TestArrays::idxNumbersAreBigEndian()
{
    const Value data = parseJson(R"({"source": "idx", "path": "x.idx"})");
    LoadContext request = context({{"x", {1}, DType::F64}}, false);
    request.hasTargets = false;
    const auto first = [&](std::string_view bytes) {
        m_folder.write("x.idx", bytes);
        return values<double>(load(data, request).trainInputs.at(0)).at(0);
    };
    using namespace std::string_view_literals;
    QCOMPARE(first("\0\0\x09\x02\0\0\0\x01\0\0\0\x01\xFF"sv), -1.0);
    QCOMPARE(first("\0\0\x0B\x02\0\0\0\x01\0\0\0\x01\x01\x02"sv), 258.0);
    QCOMPARE(first("\0\0\x0C\x02\0\0\0\x01\0\0\0\x01\0\x01\0\0"sv), 65536.0);
    QCOMPARE(first("\0\0\x0D\x02\0\0\0\x01\0\0\0\x01\x3F\xC0\0\0"sv), 1.5);
    QCOMPARE(first("\0\0\x0E\x02\0\0\0\x01\0\0\0\x01\x3F\xF8\0\0\0\0\0\0"sv), 1.5);
}

void TestArrays::badIdxFilesAreRefused_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* name, const QByteArray& bytes, const QString& error) {
        QTest::newRow(name) << bytes << "x.idx: " + error;
    };
    const QByteArray two("\0\0\x08\x02\0\0\0\x02\0\0\0\x01\x01\x02", 14);
    row("nothing", "", "the file is empty");
    row("short", QByteArray("\0\0\x08", 3), "is not an IDX file");
    row("other type", QByteArray("\0\0\x07\x01\0\0\0\0", 8), "is not an IDX file");
    row("no dimension", QByteArray("\0\0\x08\0", 4), "is not an IDX file");
    row("HTML", "<html><body>404</body></html>", "is not an IDX file but an HTML page");
    row("zip", QByteArray("PK\x03\x04", 4) + "rest of it", "is not an IDX file but a zip archive");
    row("Git LFS", "version https://git-lfs.github.com/spec/v1\n",
        "is not an IDX file but a Git LFS pointer, whose file has yet to be fetched (git lfs pull)");
    row("ends in the header", two.left(9), "the IDX file ends inside its header");
    row("ends in the numbers", two.left(13), "the header says 2 bytes of numbers, but the file has 1");
    row("goes on", two + 'x', "the file goes on after the 2 bytes of numbers that its header says");
    row("absurd size", QByteArray("\0\0\x0E\x03\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 16),
        "the header says F64 numbers [4294967295, 4294967295, 4294967295], which do not fit into a file of this size");
    row("absurd size behind a zero", QByteArray("\0\0\x0E\x02\0\0\0\0\xFF\xFF\xFF\xFF", 12),
        "the header says F64 numbers [0, 4294967295], which do not fit into a file of this size");
    row("damaged gzip", QByteArray("\x1f\x8b\x08\0\0\0\0\0\0\x03\xFF\xFF\xFF\xFF", 14), "the gzip archive is damaged");
    QFile packed(QString::fromUtf8(megalith::test::sourceFolder) + "/resources/data/digits-images-idx3-ubyte.gz");
    QVERIFY(packed.open(QIODevice::ReadOnly));
    const QByteArray whole = packed.readAll();
    row("gzip cut off", whole.left(whole.size() / 2), "the gzip archive is cut off");
    row("gzip without its end", whole.left(whole.size() - 4), "the gzip archive is cut off");
    QByteArray checksum = whole;
    checksum[checksum.size() - 8] = static_cast<char>(checksum[checksum.size() - 8] ^ 1);
    row("gzip with another checksum", checksum, "the gzip archive is damaged");
}

void TestArrays::badIdxFilesAreRefused()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, error);
    m_folder.write("x.idx", bytes.toStdString());
    const Value data = parseJson(R"({"source": "idx", "path": "x.idx"})");
    LoadContext request = context({{"x", {1}, DType::F32}}, false);
    request.hasTargets = false;
    QCOMPARE(errorOf([&] { load(data, request); }), error);
}

QTEST_APPLESS_MAIN(TestArrays)
#include "test_arrays.moc"
