// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/json.h"
#include "engine/core/number_text.h"
#include "engine/io/mega_reader.h"
#include "engine/io/state_dict_view.h"
#include "tests/io/io_test.h"

#include <cmath>
#include <cstring>

using namespace megalith;
using namespace megalith::test;

// Files that TensorPlay and megatensors wrote, or that both read: every value against values.json.
class TestMegaSamples : public QObject
{
    Q_OBJECT

private slots:
    void good_data();
    void good();
    void metadataOfFooter();
    void broken_data();
    void broken();
    void checksumsCanBeLeftAlone();
    void stateDicts();
    void checkpointTree();
    void shards();
    void shardsThatAreWrong_data();
    void shardsThatAreWrong();
};

namespace {

Value parsedSample(const std::string& name)
{
    return parseJson(io::readWholeText(sample(name)));
}

double expectedNumber(const Value& value)
{
    if (value.isString())
        return *parseNumber(value.string());
    return value.isBool() ? (value.boolean() ? 1.0 : 0.0) : value.number();
}

// Bit for bit; any NaN for a NaN.
void compareTensor(const StateEntry& entry, const Value& expected)
{
    QCOMPARE(entry.dtype, expected.find("dtype")->string());
    Shape shape;
    for (const Value& size : expected.find("shape")->list())
        shape.push_back(size.integer());
    QCOMPARE(text(entry.shape), text(shape));
    if (const Value* bits = expected.find("bits")) {
        for (std::size_t i = 0; i < bits->list().size(); ++i) {
            std::uint16_t found = 0;
            std::memcpy(&found, entry.data.get() + 2 * i, 2);
            QCOMPARE(std::int64_t{found}, bits->list()[i].integer());
        }
        return;
    }
    const Value::List& values = expected.find("values")->list();
    const std::vector<double> found = io::valuesOf(entry);
    QCOMPARE(found.size(), values.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double wanted = expectedNumber(values[i]);
        QVERIFY(std::isnan(wanted) ? std::isnan(found[i])
                                   : found[i] == wanted && std::signbit(found[i]) == std::signbit(wanted));
    }
}

}  // namespace

void TestMegaSamples::good_data()
{
    QTest::addColumn<QString>("name");
    const Value all = parsedSample("values.json");
    for (const auto& [name, expected] : all.object())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestMegaSamples::good()
{
    QFETCH(QString, name);
    const Value all = parsedSample("values.json");
    const Value& tensors = *all.find(name.toStdString())->find("tensors");
    const io::WeightsFile file = io::readMega(sample(name.toStdString()));
    QCOMPARE(file.tensors.size(), tensors.object().size());
    for (const auto& [key, expected] : tensors.object()) {
        const StateEntry* entry = file.tensors.find(key);
        QVERIFY2(entry != nullptr, key.c_str());
        compareTensor(*entry, expected);
    }
    if (const Value* expected = all.find(name.toStdString())->find("metadata"))
        for (const auto& [key, value] : expected->object()) {
            const Value* found = io::findMetadata(file.metadata, key);
            QVERIFY2(found != nullptr && *found == value, key.c_str());
        }
}

void TestMegaSamples::metadataOfFooter()
{
    // x.big needs 64 bits; general.name is replaced by the footer, x.note is added by it.
    const io::WeightsFile file = io::readMega(sample("footer.mega"));
    const auto value = [&file](const char* key) { return *io::findMetadata(file.metadata, key); };
    QVERIFY(value("x.big") == Value(std::int64_t{1099511627776}));
    QVERIFY(value("x.neg") == Value(-4));
    QVERIFY(value("x.f") == Value(1.5));
    QVERIFY(value("x.t") == Value(true));
    QVERIFY(value("x.list") == Value(Value::List{1, 2, 3}));
    QVERIFY(value("general.name") == Value("renamed"));
    QVERIFY(value("x.note") == Value("späť"));
}

void TestMegaSamples::broken_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("says");
    QTest::addColumn<QString>("names");
    const auto row = [](const char* name, const char* says, const char* names = "") {
        QTest::newRow(name) << name << says << names;
    };
    row("magic.mega", "not a .mega file");
    row("version.mega", "version 7");
    row("count.mega", "absurd count");
    row("half.mega", "ends early");
    row("short.mega", "payload outside the file", "tensor");
    row("crc.mega", "checksum mismatch", "tensor w");
    row("sha.mega", "checksum mismatch", "tensor w");
    row("dim-overflow.mega", "size overflow", "tensor w");
    row("dim-huge.mega", "payload outside the file", "tensor w");
    row("dtype.mega", "unknown dtype Q32", "tensor w");
    row("duplicate.mega", "w1 is there twice");
    row("overlap.mega", "overlap", "w1 and w2");
    row("zstd-damaged.mega", "zstd data is damaged", "tensor w");
    row("chunk-gap.mega", "chunks leave a gap", "tensor w");
    row("alignment-zero.mega", "alignment 0");
    row("metadata-type.mega", "metadata type 99");
    row("zstd-bomb.mega", "decompresses to more than the tensor holds", "tensor w");
    row("empty.mega", "empty file");
    row("lfs.mega", "a Git LFS pointer, whose file has yet to be fetched");
    row("page.mega", "an HTML page");
}

void TestMegaSamples::broken()
{
    QFETCH(QString, name);
    QFETCH(QString, says);
    QFETCH(QString, names);
    QVERIFY(parsedSample("broken/why.json").find(name.toStdString()) != nullptr);
    QCOMPARE(parsedSample("broken/why.json").object().size(), std::size_t{20});
    const auto path = sample("broken/" + name.toStdString());
    VERIFY_REFUSED(io::readMega(path), says.toStdString());
    VERIFY_REFUSED(io::readMega(path), names.toStdString());
    VERIFY_REFUSED(io::readMega(path), path.string());
}

void TestMegaSamples::checksumsCanBeLeftAlone()
{
    QVERIFY(errorOf([] { io::readMega(sample("broken/crc.mega"), {.verifyChecksums = false}); }).empty());
}

void TestMegaSamples::stateDicts()
{
    const auto read = [](const char* name) { return io::stateDictOf(io::readMega(sample(name)), name); };
    const StateDict tied = read("tied.mega");
    QCOMPARE(tied.size(), std::size_t{3});
    QCOMPARE((tied.begin() + 1)->first, std::string("head.weight"));
    QVERIFY(tied.find("head.weight")->sameTensor(*tied.find("embed.weight")));
    const StateDict model = read("checkpoint.mega");
    QCOMPARE(model.size(), std::size_t{2});
    QVERIFY(model.contains("fc.weight") && model.contains("fc.bias"));
    QCOMPARE(read("names.mega").size(), std::size_t{3});
    QCOMPARE(read("no-tensors.mega").size(), std::size_t{0});
    VERIFY_REFUSED(read("list.mega"), "list of 2 tensors");
    VERIFY_REFUSED(read("tuple.mega"), "tuple of 2 tensors");
    VERIFY_REFUSED(read("tensor.mega"), "tensor.mega");
}

void TestMegaSamples::checkpointTree()
{
    const io::TreeValue tree = io::readMegaTree(sample("checkpoint.mega"));
    QCOMPARE(tree.at("epoch").integer(), std::int64_t{7});
    QVERIFY(tree.at("best").isNull());
    QCOMPARE(tree.at("note").string(), std::string("première – 初"));
    const io::TreeValue& optimizer = tree.at("optimizer");
    const io::TreeValue& group = optimizer.at("param_groups").items().at(0);
    QVERIFY(group.at("betas").isTuple());
    QCOMPARE(group.at("betas").items().at(1).number(), 0.999);
    QCOMPARE(group.at("amsgrad").boolean(), false);
    QCOMPARE(text(optimizer.at("state").at("0").at("exp_avg").tensor().shape), std::string("[3, 2]"));
    VERIFY_REFUSED(tree.at("missing"), "\"missing\" is missing");
    VERIFY_REFUSED(tree.at("note").integer(), "expected a whole number, found a text");
}

void TestMegaSamples::shards()
{
    // Also without "shards", and with paths of another machine.
    const Folder folder;
    for (const char* n : {"1", "2", "3"}) {
        const std::string name = std::string("model-0000") + n + "-of-00003.mega";
        std::filesystem::copy_file(sample("sharded/" + name), folder / name);
    }
    const io::WeightsFile expected = io::readMega(sample("sharded/model.mega.index.json"));
    Value index = parsedSample("sharded/model.mega.index.json");
    index.erase("shards");
    io::writeFileAtomically(folder / "model.mega.index.json", writeJson(index));
    QVERIFY(sameItems(io::readMega(folder / "model.mega.index.json").tensors, expected.tensors));
    index.set("shards", Value::Object{{"model-00001-of-00003.mega", "/elsewhere/model-00001-of-00003.mega"},
                                      {"model-00002-of-00003.mega", "../../etc/passwd"}});
    io::writeFileAtomically(folder / "model.mega.index.json", writeJson(index));
    QVERIFY(sameItems(io::readMega(folder / "model.mega.index.json").tensors, expected.tensors));

    std::filesystem::create_directory(folder / "parts");
    std::filesystem::rename(folder / "model-00002-of-00003.mega", folder / "parts/second.mega");
    index.set("shards", Value::Object{{"model-00002-of-00003.mega", "parts/second.mega"}});
    io::writeFileAtomically(folder / "model.mega.index.json", writeJson(index));
    QVERIFY(sameItems(io::readMega(folder / "model.mega.index.json").tensors, expected.tensors));
}

void TestMegaSamples::shardsThatAreWrong_data()
{
    QTest::addColumn<QString>("index");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* index, const char* says) {
        QTest::newRow(name) << index << says;
    };
    row("missing shard", R"({"weight_map": {"w": "model-00009-of-00009.mega"}})",
        "model-00009-of-00009.mega is missing");
    row("name not in shard", R"({"weight_map": {"zz": "model-00001-of-00003.mega"}})", "lacks the tensor zz");
    row("no map", R"({"metadata": {}})", "no weight_map");
    row("map is a list", R"({"weight_map": []})", "no weight_map");
    row("no JSON", "{", "no JSON");
    row("shard is a number", R"({"weight_map": {"w": 3}})", "shard of w is a whole number");
    row("shard elsewhere", R"({"weight_map": {"w": "../model-00001-of-00003.mega"}})", "no plain file name");
    row("shard is absolute", R"({"weight_map": {"w": "/etc/passwd"}})", "no plain file name");
    row("shard is the index", R"({"weight_map": {"w": "model.mega.index.json"}})", "no plain file name");
    row("shard is empty", R"({"weight_map": {"w": ""}})", "no plain file name");
    row("shard is no .mega", R"({"weight_map": {"w": "page.mega"}})", "an HTML page");
    row("tensor twice", R"({"weight_map": {"w": "a.mega", "w": "b.mega"}})", "twice");
    row("empty", "", "no JSON");
}

void TestMegaSamples::shardsThatAreWrong()
{
    QFETCH(QString, index);
    QFETCH(QString, says);
    const Folder folder;
    std::filesystem::copy_file(sample("sharded/model-00001-of-00003.mega"), folder / "model-00001-of-00003.mega");
    std::filesystem::copy_file(sample("broken/page.mega"), folder / "page.mega");
    io::writeFileAtomically(folder / "model.mega.index.json", index.toStdString());
    VERIFY_REFUSED(io::readMega(folder / "model.mega.index.json"), says.toStdString());
    VERIFY_REFUSED(io::readMega(folder / "model.mega.index.json"), folder.path().string());
}

QTEST_GUILESS_MAIN(TestMegaSamples)
#include "test_mega_samples.moc"
