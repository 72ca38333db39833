// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/mega_reader.h"
#include "engine/io/mega_writer.h"
#include "tests/io/io_test.h"
#include "tests/io/mega_builder.h"

#include <fstream>

using namespace megalith;
using namespace megalith::test;

// Files made to break a reader. Each is read, or refused with one sentence; sanitizers watch.
class TestMegaHostile : public QObject
{
    Q_OBJECT

private slots:
    void truncatedAnywhere_data();
    void truncatedAnywhere();
    void everyBitOfTheHeader_data();
    void everyBitOfTheHeader();
    void rules_data();
    void rules();
    void accepted_data();
    void accepted();
    void chunks_data();
    void chunks();
    void footers_data();
    void footers();
    void manyTensors();
    void manyMetadata();
    void deepArrays();
    void memoryIsCountedFirst();
    void otherFiles_data();
    void otherFiles();

private:
    void put(const std::string& bytes) { std::ofstream(m_path, std::ios::binary) << bytes; }
    // Reads everything that can be read.
    std::string outcome()
    {
        return errorOf([this] {
            const io::WeightsFile file = io::readMega(m_path);
            for (const auto& [name, entry] : file.tensors)
                for (const std::byte b : entry.bytes())
                    m_sum += static_cast<unsigned>(b);
            io::stateDictOf(file, m_path);
        });
    }
    std::string outcome(const std::string& bytes)
    {
        put(bytes);
        return outcome();
    }

    Folder m_folder;
    std::filesystem::path m_path = m_folder / "x.mega";
    unsigned m_sum = 0;
};

using Builder = MegaBuilder;

namespace {

std::string bytesOf(const std::string& name)
{
    return io::readWholeText(sample(name));
}

// A file small enough to be damaged everywhere, with every kind of field.
std::string smallTree()
{
    const Folder folder;
    const StateEntry w = entryOf("F32", {2}, std::vector<float>{1.0F, 2.0F});
    io::writeMega(folder / "x.mega",
                  io::TreeValue(io::TreeValue::Dict{{"model", io::TreeValue::Dict{{"w", w}, {"v", w}}}, {"n", 1}}));
    return io::readWholeText(folder / "x.mega");
}

std::size_t headEnd(const std::string& bytes)
{
    std::size_t end = 4096;
    while (end > 0 && bytes[end - 1] == '\0')
        --end;
    return end;
}

std::string footer(const std::string& overlay, std::uint64_t generation, std::uint64_t offset, std::uint64_t size,
                   std::uint64_t base)
{
    std::string out;
    io::appendBytes(out, std::uint32_t{0x4654474D});
    for (const std::uint64_t field : {generation, offset, size, base})
        io::appendBytes(out, field);
    const QByteArray digest = QCryptographicHash::hash(
        QByteArrayView(overlay.data(), static_cast<qsizetype>(overlay.size())), QCryptographicHash::Sha256);
    return out + digest.toStdString();
}

std::string overlayOf(const std::string& entries, std::uint64_t count)
{
    std::string out;
    io::appendBytes(out, std::uint32_t{0x4654474D});
    io::appendBytes(out, count);
    return out + entries;
}

}  // namespace

void TestMegaHostile::truncatedAnywhere_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("optional");  // bytes at the end without which it is a whole file
    QTest::newRow("tree") << QByteArray::fromStdString(smallTree()) << 0;
    QTest::newRow("chunked") << QByteArray::fromStdString(bytesOf("chunked.mega")) << 0;
    QTest::newRow("shuffle") << QByteArray::fromStdString(bytesOf("shuffle.mega")) << 0;
    QTest::newRow("footer") << QByteArray::fromStdString(bytesOf("footer.mega")) << 200;
}

void TestMegaHostile::truncatedAnywhere()
{
    QFETCH(QByteArray, bytes);
    QFETCH(int, optional);
    const std::string whole = bytes.toStdString();
    QVERIFY(outcome(whole).empty());
    for (std::size_t length = whole.size(); length-- > 0;) {
        std::filesystem::resize_file(m_path, length);
        const std::string error = outcome();
        QVERIFY2(!error.empty() || length + static_cast<std::size_t>(optional) >= whole.size(),
                 std::to_string(length).c_str());
        QVERIFY2(error.empty() || contains(error, "x.mega"), error.c_str());
    }
}

void TestMegaHostile::everyBitOfTheHeader_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("length");
    const std::string tree = smallTree();
    QTest::newRow("tree") << QByteArray::fromStdString(tree) << static_cast<int>(headEnd(tree));
    QTest::newRow("chunked") << QByteArray::fromStdString(bytesOf("chunked.mega")) << 900;
    QTest::newRow("shuffle") << QByteArray::fromStdString(bytesOf("shuffle.mega")) << 400;
}

void TestMegaHostile::everyBitOfTheHeader()
{
    QFETCH(QByteArray, bytes);
    QFETCH(int, length);
    put(bytes.toStdString());
    // A byte at a time, in place: a file written anew for each bit would make the disk the longest part of it.
    std::fstream file(m_path, std::ios::in | std::ios::out | std::ios::binary);
    const auto poke = [&file](int at, int byte) { file.seekp(at).put(static_cast<char>(byte)).flush(); };
    int refused = 0;
    for (int i = 0; i < length; ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            poke(i, bytes[i] ^ (1 << bit));
            const std::string error = outcome();
            QVERIFY2(error.empty() || contains(error, "x.mega"), error.c_str());
            refused += error.empty() ? 0 : 1;
        }
        poke(i, bytes[i]);
    }
    QVERIFY(file.good());
    QVERIFY(outcome().empty());
    QVERIFY(refused > length / 2);
}

void TestMegaHostile::rules_data()
{
    QTest::addColumn<Builder>("file");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const Builder& file, const char* says) {
        QTest::newRow(name) << file << says;
    };
    const auto tensor = [&row](const char* name, const Builder::Tensor& t, const char* says) {
        Builder file;
        file.tensors = {t};
        row(name, file, says);
    };
    tensor("directory flag", {.moreDirectoryFlags = 64}, "tensor w: unknown directory flags 64");
    tensor("tensor flag", {.flags = 4}, "unknown tensor flags 4");
    tensor("codec", {.flags = 1, .codec = 9}, "unknown codec 9");
    tensor("checksum type", {.checksumType = 3}, "unknown checksum type 3");
    tensor("checksum without type", {.checksumType = 0, .checksum = std::string(32, '\1')}, "no checksum type");
    tensor("codec alone", {.codec = 1}, "not flagged as compressed");
    tensor("compressed alone", {.flags = 1}, "names no codec");
    tensor("stored size", {.stored = 15}, "15 stored bytes where");
    tensor("shuffle 0", {.flags = 2}, "shuffle size of 0");
    tensor("shuffle 3", {.flags = 2, .shuffle = 3}, "no divisor");
    tensor("storage format", {.format = "sparse"}, "unknown storage format sparse");
    tensor("dimensions", {.shape = std::vector<Builder::Field>(65, 1)}, "65 dimensions");
    tensor("overflow", {.shape = {Builder::Field{1} << 32, Builder::Field{1} << 32}}, "size overflow");
    tensor("overflow beside 0", {.shape = {0, Builder::Field{1} << 62, 4}}, "size overflow");
    tensor("negative", {.shape = {UINT64_MAX}}, "size overflow");
    tensor("offset", {.offset = UINT64_MAX}, "payload outside the file");
    tensor("offset wraps", {.offset = UINT64_MAX - 8}, "payload outside the file");
    tensor("one byte too far", {.offset = 1}, "payload outside the file");
    tensor("name", {.name = "\xc0\xaf"}, "no UTF-8");
    tensor("no chunks", {.format = "chunked_raw_dense"}, "has none");

    Builder file;
    file.tensors = {{}};
    file.tensorCount = 2;
    row("one tensor too many", file, "x.mega");
    file.tensorCount = UINT64_MAX;
    row("tensors", file, "absurd count");
    file.tensorCount.reset();
    file.metadataCount = UINT64_MAX / 16;
    row("metadata count", file, "absurd count");
    file.metadataCount.reset();
    const auto metadata = [&row, &file](const char* name, const char* key, const std::string& value, const char* says) {
        Builder with = file;
        with.metadata.emplace_back(key, value);
        row(name, with, says);
    };
    metadata("text length", "k", Builder::value(11, UINT64_MAX), "ends early");
    metadata("array count", "k", Builder::value(12, std::uint32_t{4}) + std::string(8, '\xff'), "ends early");
    metadata("array type", "k", Builder::value(12, std::uint32_t{77}) + std::string("\1\0\0\0\0\0\0\0", 8), "type 77");
    metadata("no UTF-8", "k", Builder::textValue("\xff"), "no UTF-8");
    metadata("alignment text", "general.alignment", Builder::textValue("32"), "general.alignment");
    metadata("alignment negative", "general.alignment", Builder::value(7, std::int64_t{-1}), "general.alignment");
    metadata("alignment huge", "general.alignment", Builder::value(6, std::uint64_t{1} << 62), "ends early");
    metadata("big-endian", "tensorplay.byteorder", Builder::textValue("big"), "big-endian");
    metadata("chunk format", "mega.chunk_directory.format", Builder::textValue("v2"), "not v1");
    metadata("chunk count alone", "mega.chunk_directory.count", Builder::value(4, std::uint32_t{0}), "not v1");
    Builder segments = file;
    segments.metadata.emplace_back("mega.segment_directory.format", Builder::textValue("v1"));
    segments.metadata.emplace_back("mega.segment_directory.count", Builder::value(6, std::uint64_t{1} << 60));
    row("segments", segments, "ends early");
    Builder twice = file;
    twice.metadata = {{"k", Builder::value(10, '\1')}, {"k", Builder::value(10, '\1')}};
    row("key twice", twice, "k is there twice");
    Builder same = file;
    same.tensors.push_back({.name = "v"});
    row("same bytes", same, "w and v overlap");
    Builder lone = file;
    lone.metadata.emplace_back("tensorplay.container", Builder::textValue("tensor"));
    lone.tensors.clear();
    row("no lone tensor", lone, "said to hold one tensor");
}

void TestMegaHostile::rules()
{
    QFETCH(Builder, file);
    QFETCH(QString, says);
    put(file.build());
    VERIFY_REFUSED(io::readMega(m_path), says.toStdString());
    VERIFY_REFUSED(io::readMega(m_path), "x.mega");
}

void TestMegaHostile::accepted_data()
{
    QTest::addColumn<Builder>("file");
    const auto tensor = [](const char* name, const Builder::Tensor& t) {
        Builder file;
        file.tensors = {t};
        QTest::newRow(name) << file;
    };
    tensor("no elements, offset anywhere", {.shape = {0, 3}, .offset = 1000});
    tensor("shuffle size unused", {.shuffle = 3});
    tensor("F4", {.shape = {31}, .dtype = "F4"});
    tensor("64 dimensions", {.shape = std::vector<Builder::Field>(64, 1)});
    tensor("empty name", {.name = ""});
    Builder file;
    file.tensors = {{}};
    file.alignment = 33;
    file.metadata = {{"general.alignment", Builder::value(7, std::int64_t{33})},
                     {"tensorplay.container", Builder::textValue("tree")}};
    QTest::newRow("alignment 33, tree without layout") << file;
    Builder hints;
    hints.tensors = {{}};
    hints.metadata = {{"mega.segment_directory.format", Builder::textValue("v1")},
                      {"mega.segment_directory.count", Builder::value(4, std::uint32_t{2})},
                      {"mega.moe.expert_table.format", Builder::textValue("v1")},
                      {"mega.moe.expert_table.count", Builder::value(4, std::uint32_t{3})}};
    hints.afterChunks = std::string(2 * 72 + 3 * 32, 'h');
    QTest::newRow("segments and experts") << hints;
}

void TestMegaHostile::accepted()
{
    QFETCH(Builder, file);
    QCOMPARE(outcome(file.build()), std::string());
    const io::WeightsFile read = io::readMega(m_path);
    const StateEntry& entry = read.tensors.begin()->second;
    QVERIFY(std::ranges::all_of(entry.bytes(), [](std::byte b) { return b == std::byte{'x'}; }));
}

void TestMegaHostile::chunks_data()
{
    QTest::addColumn<Builder>("file");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, std::vector<Builder::Chunk> chunks, const char* says) {
        Builder file;
        file.tensors = {{.format = "chunked_raw_dense", .stored = 16}};
        file.chunks = std::move(chunks);
        file.declareChunks();
        QTest::newRow(name) << file << says;
    };
    row("good", {{.logicalOffset = 8, .logicalSize = 8, .stored = 8}, {.logicalSize = 8, .offset = 8, .stored = 8}},
        "");
    row("overlap", {{.logicalSize = 8, .stored = 8}, {.logicalOffset = 7, .logicalSize = 9, .offset = 8, .stored = 9}},
        "x.mega");
    row("too much", {{.logicalSize = 8, .stored = 8}, {.logicalOffset = 8, .logicalSize = 9, .stored = 9}},
        "more bytes than the tensor");
    row("wraps",
        {{.logicalSize = 8, .stored = 8}, {.logicalOffset = 8, .logicalSize = UINT64_MAX, .stored = UINT64_MAX}},
        "more bytes");
    row("short", {{.logicalSize = 8, .stored = 8}}, "leave a gap at byte 8");
    row("late", {{.logicalOffset = 8, .logicalSize = 8, .stored = 8}}, "leave a gap at byte 0");
    row("payloads overlap",
        {{.logicalSize = 8, .stored = 8}, {.logicalOffset = 8, .logicalSize = 8, .offset = 4, .stored = 8}}, "overlap");
    row("outside", {{.logicalSize = 16, .offset = 8, .stored = 16}}, "outside the file");
    row("tensor number", {{.tensor = 5, .logicalSize = 16, .stored = 16}}, "tensor number 5");
    row("codec", {{.logicalSize = 16, .stored = 16, .codec = 1}}, "not flagged");
    row("shuffled without size", {{.logicalSize = 16, .stored = 16, .flags = 2}}, "shuffle size of 0");
}

void TestMegaHostile::chunks()
{
    QFETCH(Builder, file);
    QFETCH(QString, says);
    if (says.isEmpty()) {
        file.payload = "22222222"
                       "11111111";
        put(file.build());
        const io::WeightsFile read = io::readMega(m_path);
        const auto bytes = read.tensors.find("w")->bytes();
        QCOMPARE(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                 std::string("1111111122222222"));
        return;
    }
    put(file.build());
    VERIFY_REFUSED(io::readMega(m_path), says.toStdString());
}

void TestMegaHostile::footers_data()
{
    QTest::addColumn<QByteArray>("overlay");
    QTest::addColumn<int>("generation");
    QTest::addColumn<int>("shift");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const std::string& overlay, int generation, int shift, const char* says) {
        QTest::newRow(name) << QByteArray::fromStdString(overlay) << generation << shift << says;
    };
    const std::string entry = Builder::text("k") + Builder::value(10, '\1');
    row("good", overlayOf(entry, 1), 1, 0, "");
    row("generation", overlayOf(entry, 1), 0, 0, "generation is 0");
    row("after the end", overlayOf(entry, 1), 1, 1, "inside the file");
    row("inside the payload", overlayOf(entry, 1), 1, -1, "inside the file");
    row("bytes left", overlayOf(entry + "x", 1), 1, 0, "after its last entry");
    row("count", overlayOf(entry, UINT64_MAX), 1, 0, "absurd count");
    row("empty", "", 1, 0, "inside the file");
    row("magic", "MEGAxxxxxxxx", 1, 0, "magic number");
    row("structural", overlayOf(Builder::text("general.alignment") + Builder::value(4, std::uint32_t{64}), 1), 1, 0,
        "may not replace general.alignment");
}

void TestMegaHostile::footers()
{
    QFETCH(QByteArray, overlay);
    QFETCH(int, generation);
    QFETCH(int, shift);
    QFETCH(QString, says);
    Builder file;
    file.tensors = {{}};
    const std::string base = file.build();
    const std::string bytes = overlay.toStdString();
    const std::string end = footer(bytes, static_cast<std::uint64_t>(generation),
                                   base.size() + static_cast<std::uint64_t>(shift), bytes.size(), base.size());
    put(base + bytes + end);
    if (says.isEmpty()) {
        QVERIFY(*io::findMetadata(io::readMega(m_path).metadata, "k") == Value(true));
        return;
    }
    VERIFY_REFUSED(io::readMega(m_path), says.toStdString());
}

// In time that grows with the file: a quadratic walk would take hours.
void TestMegaHostile::manyTensors()
{
    constexpr std::size_t count = 60000;
    Builder file;
    file.tensors.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        file.tensors.push_back({.name = std::to_string(i), .shape = {}, .dtype = "U8", .offset = count - 1 - i});
    file.payload = std::string(count, 'x');
    put(file.build());
    QCOMPARE(io::readMega(m_path).tensors.size(), count);
    file.tensors.back().name = "7";
    put(file.build());
    VERIFY_REFUSED(io::readMega(m_path), "7 is there twice");
    file.tensors.back() = {.name = "last", .shape = {}, .dtype = "U8", .offset = 5};
    put(file.build());
    VERIFY_REFUSED(io::readMega(m_path), "overlap");
}

void TestMegaHostile::manyMetadata()
{
    constexpr std::size_t count = 300000;
    Builder file;
    for (std::size_t i = 0; i < count; ++i)
        file.metadata.emplace_back(std::to_string(i), Builder::value(10, '\0'));
    const std::string base = file.build();
    std::string entries;
    for (std::size_t i = 0; i < count; ++i)
        entries += Builder::text(std::to_string(2 * i)) + Builder::value(10, '\1');
    const std::string overlay = overlayOf(entries, count);
    put(base + overlay + footer(overlay, 1, base.size(), overlay.size(), base.size()));
    const io::WeightsFile read = io::readMega(m_path);
    QCOMPARE(read.metadata.size(), count + count / 2);
    QVERIFY(read.metadata[4].second == Value(true) && read.metadata[5].second == Value(false));
}

void TestMegaHostile::deepArrays()
{
    Builder file;
    std::string value = Builder::value(12, std::uint32_t{12});
    for (int i = 0; i < 100000; ++i) {
        io::appendBytes(value, std::uint64_t{1});
        io::appendBytes(value, std::uint32_t{12});
    }
    file.metadata.emplace_back("k", value);
    put(file.build());
    VERIFY_REFUSED(io::readMega(m_path), "nested deeper");

    // A byte in the file for each element, many bytes in memory.
    file.metadata.back().second = Builder::value(12, std::uint32_t{0});
    io::appendBytes(file.metadata.back().second, std::uint64_t{20000000});
    file.metadata.back().second.append(20000000, '\1');
    put(file.build());
    VERIFY_REFUSED(io::readMega(m_path), "elements");
}

void TestMegaHostile::memoryIsCountedFirst()
{
    // A little zstd data that says it holds a terabyte.
    Builder file;
    file.tensors = {{.shape = {Builder::Field{1} << 38}, .stored = 16, .flags = 1, .codec = 1}};
    put(file.build());
    VERIFY_REFUSED(io::readMega(m_path), "cannot hold the 1.1 TB");

    // Enough zstd data for 16 TB, in theory: more than any machine that runs this has.
    file.tensors[0] = {
        .shape = {Builder::Field{1} << 44}, .dtype = "U8", .stored = Builder::Field{600} << 20, .flags = 1, .codec = 1};
    file.payload.clear();
    put(file.build());
    std::filesystem::resize_file(m_path, std::filesystem::file_size(m_path) + (std::uintmax_t{600} << 20));
    VERIFY_REFUSED(io::readMega(m_path), "17.6 TB of memory once decompressed");
}

void TestMegaHostile::otherFiles_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("says");
    QTest::newRow("zip") << QByteArray("PK\x03\x04rest of a zip") << "a zip archive";
    QTest::newRow("gzip") << QByteArray("\x1f\x8brest") << "a gzip archive";
    QTest::newRow("page") << QByteArray("\r\n  <!DOCTYPE HTML><html>") << "an HTML page";
    QTest::newRow("page in capitals") << QByteArray("<HTML>") << "an HTML page";
    QTest::newRow("pointer") << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n")
                             << "Git LFS pointer";
    QTest::newRow("array") << QByteArray("\x93NUMPY\1\0") << "a NumPy array";
    QTest::newRow("json") << QByteArray("{\"weight_map\": {}}") << "a JSON document";
    QTest::newRow("text") << QByteArray("hello") << "not a .mega file";
    QTest::newRow("two bytes") << QByteArray("ME") << "ends early";
    QTest::newRow("magic alone") << QByteArray("MEGA") << "ends early";
    QTest::newRow("empty") << QByteArray() << "an empty file";
}

void TestMegaHostile::otherFiles()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, says);
    put(bytes.toStdString());
    VERIFY_REFUSED(io::readMega(m_path), says.toStdString());
    VERIFY_REFUSED(io::readMega(m_path), (m_path).string());
    VERIFY_REFUSED(io::readMega(m_folder.path()), "it is a folder");
    VERIFY_REFUSED(io::readMega(m_folder / "missing.mega"), "no such file");
}

QTEST_GUILESS_MAIN(TestMegaHostile)
#include "test_mega_hostile.moc"
