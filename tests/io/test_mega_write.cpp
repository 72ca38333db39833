// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/mega_reader.h"
#include "engine/io/mega_writer.h"
#include "tests/io/io_test.h"

#include <cmath>
#include <limits>

using namespace megalith;
using namespace megalith::test;
using io::TreeValue;

class TestMegaWrite : public QObject
{
    Q_OBJECT

private slots:
    void bytesAreTensorPlays_data();
    void bytesAreTensorPlays();
    void everyDtype();
    void oddOffsets();
    void scalarsAndEmptyTensors();
    void noTensors();
    void metadata();
    void metadataOfTheFileIsOurs();
    void tiedWeights();
    void trees();
    void treeNames();
    void marksAsKeys();
    void numbersOfTrees();
    void deepTrees();
    void damagedLayouts_data();
    void damagedLayouts();
    void names();
    void refusals();
    void overItself();
};

namespace {

const std::vector<float> six = {1.5F, -2.0F, 0.0F, std::numeric_limits<float>::infinity(), 1e-45F, -0.0F};

TreeValue roundTrip(const TreeValue& value)
{
    const Folder folder;
    io::writeMega(folder / "x.mega", value);
    return io::readMegaTree(folder / "x.mega");
}

}  // namespace

void TestMegaWrite::bytesAreTensorPlays_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"state-dict", "batchnorm", "dtypes", "scalar", "names", "nonfinite", "no-tensors", "tied",
                             "checkpoint", "list", "tuple", "tensor"})
        QTest::newRow(name) << QString(name) + ".mega";
}

// What TensorPlay saved, read and written again, is the same file.
void TestMegaWrite::bytesAreTensorPlays()
{
    QFETCH(QString, name);
    const Folder folder;
    io::writeMega(folder / "x.mega", io::readMegaTree(sample(name.toStdString())));
    QVERIFY(io::readWholeFile(folder / "x.mega") == io::readWholeFile(sample(name.toStdString())));
}

void TestMegaWrite::everyDtype()
{
    const Folder folder;
    StateDict dict;
    for (const char* tag : {"BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0", "I16", "U16", "F16", "BF16", "I32",
                            "U32", "F32", "I64", "U64", "F64"})
    {
        std::vector<std::uint8_t> bytes(6 * *itemSizeOfTag(tag));
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::uint8_t>(i * 37 + 11);
        dict.add(tag, entryOf(tag, {2, 3}, bytes));
    }
    dict.add("F4", entryOf("F4", {3, 3}, std::vector<std::uint8_t>{1, 2, 3, 4, 5}));
    io::writeMega(folder / "x.mega", dict);
    QVERIFY(sameItems(io::stateDictOf(io::readMega(folder / "x.mega")), dict));
}

void TestMegaWrite::oddOffsets()
{
    const Folder folder;
    StateDict dict;
    dict.add("one", entryOf("U8", {1}, std::vector<std::uint8_t>{7}));
    dict.add("count", entryOf("I64", {}, std::vector<std::int64_t>{-(std::int64_t{1} << 60)}));
    dict.add("w", entryOf("F32", {2, 3}, six));
    io::writeMega(folder / "x.mega", dict);
    const StateDict back = io::stateDictOf(io::readMega(folder / "x.mega"));
    QVERIFY(sameItems(back, dict));
    QCOMPARE(reinterpret_cast<std::uintptr_t>(back.find("count")->data.get()) % 8, std::uintptr_t{1});
    QCOMPARE(std::filesystem::file_size(folder / "x.mega"), std::uintmax_t{4096 + 1 + 8 + 24});
}

void TestMegaWrite::scalarsAndEmptyTensors()
{
    const Folder folder;
    StateDict dict;
    dict.add("s", entryOf("F64", {}, std::vector<double>{0.1}));
    dict.add("e", entryOf("F32", {0, 4}, std::vector<float>{}));
    dict.add("f", entryOf("F32", {0, 4}, std::vector<float>{}));
    dict.add("t", entryOf("I64", {1, 1}, std::vector<std::int64_t>{3}));
    io::writeMega(folder / "x.mega", dict);
    const io::WeightsFile file = io::readMega(folder / "x.mega");
    QVERIFY(file.container == io::Container::Dict);
    QVERIFY(sameItems(file.tensors, dict));
    QVERIFY(!file.tensors.find("e")->sameTensor(*file.tensors.find("f")));
    io::writeMega(folder / "y.mega", file.tensors);
    QVERIFY(io::readWholeFile(folder / "y.mega") == io::readWholeFile(folder / "x.mega"));
}

void TestMegaWrite::noTensors()
{
    const Folder folder;
    io::writeMega(folder / "x.mega", StateDict());
    QCOMPARE(io::readMega(folder / "x.mega").tensors.size(), std::size_t{0});
}

void TestMegaWrite::metadata()
{
    const Folder folder;
    const io::Metadata given = {{"megalith.normalize", R"({"mean": [0.5]})"},
                                {"a.true", true},
                                {"a.small", std::int64_t{UINT32_MAX}},
                                {"a.big", std::int64_t{1} << 40},
                                {"a.negative", std::int64_t{INT64_MIN}},
                                {"a.real", 0.1},
                                {"a.empty", ""},
                                {"a.text", "späť 模型"},
                                {"a.integers", Value::List{1, -2, std::int64_t{1} << 40}},
                                {"a.reals", Value::List{1.5, 2}},
                                {"a.texts", Value::List{"x", "y"}},
                                {"a.flags", Value::List{true, false}},
                                {"a.none", Value::List{}}};
    io::writeMega(folder / "x.mega", StateDict(), given);
    const io::Metadata found = io::readMega(folder / "x.mega").metadata;
    for (const auto& [key, value] : given) {
        const Value* back = io::findMetadata(found, key);
        QVERIFY2(back != nullptr, key.c_str());
        if (key == "a.reals")
            QVERIFY(*back == Value(Value::List{1.5, 2.0}));
        else
            QVERIFY2(*back == value, key.c_str());
    }
    // What .mega has no type for is JSON.
    io::writeMega(folder / "x.mega", StateDict(),
                  {{"o", Value::Object{{"k", 1}}}, {"n", Value()}, {"m", Value::List{1, "x"}}});
    const io::Metadata asText = io::readMega(folder / "x.mega").metadata;
    QVERIFY(*io::findMetadata(asText, "o") == Value(R"({"k": 1})"));
    QVERIFY(*io::findMetadata(asText, "n") == Value("null"));
    QVERIFY(*io::findMetadata(asText, "m") == Value(R"([1, "x"])"));
}

void TestMegaWrite::metadataOfTheFileIsOurs()
{
    const Folder folder;
    const io::WeightsFile sha = io::readMega(sample("sha256.mega"));
    io::Metadata carried = sha.metadata;
    carried.emplace_back("general.architecture", "mine");
    carried.emplace_back("tensorplay.container", "tuple");
    io::writeMega(folder / "x.mega", sha.tensors, carried);
    const io::WeightsFile back = io::readMega(folder / "x.mega");
    QVERIFY(sameItems(back.tensors, sha.tensors));
    QVERIFY(back.container == io::Container::Dict);
    QVERIFY(*io::findMetadata(back.metadata, "general.alignment") == Value(4096));
    QVERIFY(*io::findMetadata(back.metadata, "general.architecture") == Value("mine"));
}

void TestMegaWrite::tiedWeights()
{
    const Folder folder;
    StateDict dict;
    const StateEntry shared = entryOf("F32", {2, 3}, six);
    dict.add("embed.weight", shared);
    dict.add("bias", entryOf("F32", {6}, six));
    dict.add("head.weight", shared);
    io::writeMega(folder / "x.mega", dict);
    const io::WeightsFile file = io::readMega(folder / "x.mega");
    QVERIFY(file.container == io::Container::Tree);
    QCOMPARE(file.tensors.size(), std::size_t{2});
    const StateDict back = io::stateDictOf(file);
    QVERIFY(sameItems(back, dict));
    QVERIFY(back.find("head.weight")->sameTensor(*back.find("embed.weight")));
    QVERIFY(!back.find("bias")->sameTensor(*back.find("embed.weight")));
}

void TestMegaWrite::trees()
{
    const StateEntry w = entryOf("F32", {2, 3}, six);
    const TreeValue tree = TreeValue::Dict{
        {"model", TreeValue::Dict{{"fc.weight", w}}},
        {"optimizer", TreeValue::Dict{{"betas", TreeValue::Tuple{{0.9, 0.999}}}, {"lr", 1.0}, {"step", 12}}},
        {"history", TreeValue::List{1, 2.5, true, TreeValue(), "text\n\"quoted\" 初"}},
        {"seed", std::int64_t{INT64_MAX}},
        {"again", w},
        {"empty", TreeValue::List{}},
        {"nothing", TreeValue::Dict{}}};
    const TreeValue back = roundTrip(tree);
    QCOMPARE(back.dict().size(), std::size_t{7});
    QVERIFY(back.at("again").tensor().sameTensor(back.at("model").at("fc.weight").tensor()));
    QVERIFY(back.at("optimizer").at("betas").isTuple());
    QVERIFY(!back.at("optimizer").at("lr").isInteger());
    QCOMPARE(back.at("optimizer").at("lr").number(), 1.0);
    QCOMPARE(back.at("optimizer").at("step").integer(), std::int64_t{12});
    QCOMPARE(back.at("seed").integer(), std::int64_t{INT64_MAX});
    const TreeValue::List& history = back.at("history").items();
    QVERIFY(history.at(0).isInteger() && history.at(2).isBool() && history.at(3).isNull());
    QCOMPARE(history.at(4).string(), std::string("text\n\"quoted\" 初"));
    QVERIFY(back.at("empty").isList() && back.at("nothing").isDict());
}

void TestMegaWrite::treeNames()
{
    const auto tensor = [](float value) { return entryOf("F32", {1}, std::vector<float>{value}); };
    const io::WeightsFile file =
        io::fileOf(TreeValue::Dict{{"a", TreeValue::Dict{{"b.c", tensor(1)}, {"n", 1}}},
                                   {"a.b", TreeValue::Dict{{"c", tensor(2)}}},
                                   {"l", TreeValue::List{tensor(3), TreeValue::Tuple{{tensor(4)}}}}});
    std::vector<std::string> names;
    for (const auto& [name, entry] : file.tensors)
        names.push_back(name);
    QVERIFY((names == std::vector<std::string>{"a.b.c", "a.b.c#1", "l.0", "l.1.0"}));
    VERIFY_REFUSED(io::fileOf(TreeValue::Dict{{"a", 1}, {"a", 2}}), "a is there twice");
}

void TestMegaWrite::marksAsKeys()
{
    for (const char* mark : {"__tensor__", "__tuple__", "__dict__"}) {
        const TreeValue back = roundTrip(TreeValue::Dict{{"x", TreeValue::Dict{{mark, "y"}}}, {mark, 1}});
        QCOMPARE(back.at("x").at(mark).string(), std::string("y"));
        QCOMPARE(back.at(mark).integer(), std::int64_t{1});
    }
}

void TestMegaWrite::numbersOfTrees()
{
    const double infinity = std::numeric_limits<double>::infinity();
    // Texts that look like the marks of NaN and Infinity stay texts.
    const TreeValue back =
        roundTrip(TreeValue::List{infinity, -infinity, std::nan(""), "NaN", "#NaN ##Infinity \\\" NaN", 0.1, 1e300,
                                  5e-324, -0.0, std::int64_t{INT64_MIN}, 16777217.0});
    const TreeValue::List& items = back.items();
    QCOMPARE(items.at(0).number(), infinity);
    QCOMPARE(items.at(1).number(), -infinity);
    QVERIFY(std::isnan(items.at(2).number()));
    QCOMPARE(items.at(3).string(), std::string("NaN"));
    QCOMPARE(items.at(4).string(), std::string("#NaN ##Infinity \\\" NaN"));
    QVERIFY(items.at(5).number() == 0.1 && items.at(6).number() == 1e300 && items.at(7).number() == 5e-324);
    QVERIFY(std::signbit(items.at(8).number()));
    QCOMPARE(items.at(9).integer(), std::int64_t{INT64_MIN});
    QVERIFY(!items.at(10).isInteger() && items.at(10).number() == 16777217.0);
}

void TestMegaWrite::deepTrees()
{
    // What is written can be read; what is nested too deeply is refused on writing.
    for (const bool tuple : {false, true}) {
        TreeValue value = 1;
        int written = 0;
        for (int depth = 1; depth <= 300; ++depth) {
            value =
                tuple ? TreeValue(TreeValue::Tuple{{std::move(value)}}) : TreeValue(TreeValue::List{std::move(value)});
            if (depth % 10 == 0 && errorOf([&] { io::fileOf(value); }).empty()) {
                io::treeOf(io::fileOf(value));
                written = depth;
            }
        }
        QVERIFY(written >= 90);
        VERIFY_REFUSED(io::fileOf(value), "too deeply");
    }
}

void TestMegaWrite::damagedLayouts_data()
{
    QTest::addColumn<QByteArray>("layout");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, QByteArray layout, const char* says) {
        QTest::newRow(name) << std::move(layout) << says;
    };
    row("no JSON", "{", "no JSON");
    row("unknown tensor", R"({"a": {"__tensor__": "zz"}})", "names the tensor zz");
    row("name is a number", R"({"a": {"__tensor__": 3}})", "whose name is a whole number");
    row("tuple is a number", R"({"a": {"__tuple__": 3}})", "__tuple__ that is no list");
    row("dict is a number", R"({"a": {"__dict__": 3}})", "__dict__ that is no list");
    row("dict of numbers", R"({"a": {"__dict__": [3]}})", "__dict__ that is no list");
    row("dict key is a number", R"({"a": {"__dict__": [[3, 4]]}})", "__dict__ that is no list");
    row("key twice", R"({"a": 1, "a": 2})", "twice");
    row("too deep", QByteArray(100000, '['), "deeper");
    row("no UTF-8", "\"\xff\"", "no JSON");
    row("half a text", R"({"a": NaN, "b)", "no JSON");
}

void TestMegaWrite::damagedLayouts()
{
    QFETCH(QByteArray, layout);
    QFETCH(QString, says);
    io::WeightsFile file;
    file.container = io::Container::Tree;
    file.layout = layout.toStdString();
    VERIFY_REFUSED(io::treeOf(file), says.toStdString());
    VERIFY_REFUSED(io::stateDictOf(file, "x.mega"), "x.mega: ");
}

void TestMegaWrite::names()
{
    const Folder folder;
    StateDict dict;
    dict.add("", entryOf("F32", {6}, six));
    dict.add("模型/层 \"x\"\\\t😀", entryOf("F32", {6}, six));
    dict.add(std::string(5000, 'n'), entryOf("F32", {6}, six));
    for (const char* name : {"with space.mega", "模型.mega", "🧠 net.mega", "späť'\"\\.mega", "-x.mega"}) {
        io::writeMega(folder / name, dict);
        QVERIFY(sameItems(io::readMega(folder / name).tensors, dict));
    }
}

void TestMegaWrite::refusals()
{
    const Folder folder;
    const auto write = [&folder](const std::string& key, StateEntry entry, const io::Metadata& metadata = {}) {
        StateDict dict;
        dict.add(key, std::move(entry));
        io::writeMega(folder / "x.mega", dict, metadata);
    };
    VERIFY_REFUSED(write("w", entryOf("Q32", {6}, six)), "tensor w: dtype Q32");
    VERIFY_REFUSED(write("w", entryOf("F32", {7}, six)), "tensor w: 24 bytes where [7] of F32 has 28");
    VERIFY_REFUSED(write("\xff", entryOf("F32", {6}, six)), "no UTF-8");
    VERIFY_REFUSED(write("w", entryOf("F32", {6}, six), {{"k", 1}, {"k", 2}}), "k is there twice");
    VERIFY_REFUSED(write("w", entryOf("F32", {6}, six), {{"k", "\xff"}}), "no UTF-8");
    QVERIFY(filesIn(folder.path()).empty());
}

void TestMegaWrite::overItself()
{
    // The tensors point into the very file that is replaced.
    const Folder folder;
    StateDict dict;
    dict.add("a", entryOf("F32", {6}, six));
    dict.add("b", entryOf("F32", {2, 3}, six));
    io::writeMega(folder / "x.mega", dict);
    const StateDict mapped = io::readMega(folder / "x.mega").tensors;
    io::writeMega(folder / "x.mega", mapped, {{"round", 2}});
    QVERIFY(sameItems(mapped, dict));
    QVERIFY(sameItems(io::readMega(folder / "x.mega").tensors, dict));
    QCOMPARE(filesIn(folder.path()).size(), std::size_t{1});
}

QTEST_GUILESS_MAIN(TestMegaWrite)
#include "test_mega_write.moc"
