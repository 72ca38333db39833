// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/npy.h"
#include "engine/io/state_dict_view.h"
#include "tests/io/io_test.h"

#include <cstring>

using namespace megalith;
using namespace megalith::test;

class TestNpy : public QObject
{
    Q_OBJECT

private slots:
    void bytesAreNumPys();
    void roundTrips_data();
    void roundTrips();
    void bigEndian();
    void fortranOrder();
    void versions();
    void refused_data();
    void refused();
    void truncatedAnywhere();
    void everyBitOfTheHeader();
    void notInNpy();
};

namespace {

std::string npy(const std::string& header, const std::string& data, char version = 1)
{
    std::string out = std::string("\x93NUMPY") + version + '\0';
    const std::size_t size = header.size();
    out += static_cast<char>(size & 0xFF);
    out += static_cast<char>(size >> 8);
    if (version > 1)
        out += std::string(2, '\0');
    return out + header + data;
}

StateEntry parse(const std::string& bytes)
{
    return io::parseNpy(std::as_bytes(std::span(bytes.data(), bytes.size())), "x.npy");
}

const std::string plainHeader = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n";

}  // namespace

void TestNpy::bytesAreNumPys()
{
    // np.save of np.array([[1, 2, 3], [4, 5, 6]], '<i2') by NumPy 2.4.
    const std::vector<std::byte> bytes =
        io::npyBytes(entryOf("I16", {2, 3}, std::vector<std::int16_t>{1, 2, 3, 4, 5, 6}));
    const std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
    const std::string expected = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header
                                 + std::string(118 - header.size() - 1, ' ') + "\n"
                                 + std::string("\1\0\2\0\3\0\4\0\5\0\6\0", 12);
    QCOMPARE(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), expected);
}

void TestNpy::roundTrips_data()
{
    QTest::addColumn<QString>("dtype");
    for (const char* dtype : {"BOOL", "U8", "I8", "U16", "I16", "F16", "U32", "I32", "F32", "U64", "I64", "F64"})
        QTest::newRow(dtype) << dtype;
}

void TestNpy::roundTrips()
{
    QFETCH(QString, dtype);
    const std::string tag = dtype.toStdString();
    const Folder folder;
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape{0, 4}, Shape{1, 2, 1, 3}}) {
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(numel(shape)) * *itemSizeOfTag(tag));
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = tag == "BOOL" ? i % 2 : static_cast<std::uint8_t>(i * 29 + 3);
        const StateEntry entry = entryOf(tag, shape, bytes);
        io::writeNpy(folder / "模型 x.npy", entry);
        QVERIFY(sameBytes(io::readNpy(folder / "模型 x.npy"), entry));
    }
}

void TestNpy::bigEndian()
{
    const StateEntry entry =
        parse(npy("{'descr': '>i2', 'fortran_order': False, 'shape': (3,)}", std::string("\0\1\1\0\xff\xfe", 6)));
    QVERIFY((io::valuesOf(entry) == std::vector<double>{1, 256, -2}));
    const StateEntry bytes = parse(npy("{'descr': '>u1', 'fortran_order': False, 'shape': (2,)}", "ab"));
    QVERIFY((io::valuesOf(bytes) == std::vector<double>{97, 98}));
}

void TestNpy::fortranOrder()
{
    // np.asfortranarray([[1, 2, 3], [4, 5, 6]]) lies as 1 4 2 5 3 6.
    const StateEntry entry = parse(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", "\1\4\2\5\3\6"));
    QVERIFY((io::valuesOf(entry) == std::vector<double>{1, 2, 3, 4, 5, 6}));
    // Three dimensions and big-endian: element (i, j, k) is 100 i + 10 j + k.
    std::string data;
    for (int k = 0; k < 2; ++k)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 2; ++i)
                data.append({'\0', static_cast<char>(100 * i + 10 * j + k)});
    const StateEntry cube = parse(npy("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 2)}", data));
    QVERIFY((io::valuesOf(cube) == std::vector<double>{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121}));
    QCOMPARE(parse(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 0)}", "")).size, std::size_t{0});
}

void TestNpy::versions()
{
    const std::string data(12, '\1');
    for (const char version : {'\1', '\2', '\3'})
        QCOMPARE(text(parse(npy(plainHeader, data, version)).shape), std::string("[2, 3]"));
    VERIFY_REFUSED(parse(npy(plainHeader, data, 4)), "version 4.0");
    // Keys in another order, no spaces, double quotes.
    QCOMPARE(text(parse(npy("{\"shape\":(6,),\"fortran_order\":False,\"descr\":\"<i2\"}", data)).shape),
             std::string("[6]"));
}

void TestNpy::refused_data()
{
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* header, const char* says) {
        QTest::newRow(name) << QByteArray(header) << says;
    };
    row("objects", "{'descr': '|O', 'fortran_order': False, 'shape': (2, 3)}", "Python objects");
    row("records", "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}", "records");
    row("complex", "{'descr': '<c8', 'fortran_order': False, 'shape': (3,)}", "complex");
    row("texts", "{'descr': '<U3', 'fortran_order': False, 'shape': (1,)}", "texts");
    row("long double", "{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}", "dtype '<f16'");
    row("no order", "{'descr': 'f4', 'fortran_order': False, 'shape': (3,)}", "dtype 'f4'");
    row("empty dtype", "{'descr': '', 'fortran_order': False, 'shape': (3,)}", "dtype ''");
    row("too little data", "{'descr': '<i2', 'fortran_order': False, 'shape': (7,)}",
        "needs 14 bytes of data, the file has 12");
    row("too much data", "{'descr': '<i2', 'fortran_order': False, 'shape': (5,)}", "needs 10 bytes");
    row("huge", "{'descr': '<i2', 'fortran_order': False, 'shape': (9223372036854775807, 9)}", "63 bits");
    row("huge beside 0", "{'descr': '<i2', 'fortran_order': False, 'shape': (0, 9223372036854775807, 9)}", "63 bits");
    row("larger than 64 bits", "{'descr': '<i2', 'fortran_order': False, 'shape': (99999999999999999999,)}", "'shape'");
    row("negative", "{'descr': '<i2', 'fortran_order': False, 'shape': (-6,)}", "'shape'");
    row("shape is a list", "{'descr': '<i2', 'fortran_order': False, 'shape': [6]}", "header");
    row("shape is a number", "{'descr': '<i2', 'fortran_order': False, 'shape': 6}", "header");
    row("order is a number", "{'descr': '<i2', 'fortran_order': 0, 'shape': (6,)}", "'fortran_order'");
    row("no shape", "{'descr': '<i2', 'fortran_order': False}", "missing");
    row("key twice", "{'descr': '<i2', 'descr': '<i2', 'fortran_order': False, 'shape': (6,)}", "twice");
    row("other key", "{'descr': '<i2', 'fortran_order': False, 'shape': (6,), 'x': 1}", "unknown");
    row("text after", "{'descr': '<i2', 'fortran_order': False, 'shape': (6,)} x", "text after");
    row("half", "{'descr': '<i2', 'fortran_order': False, 'shape': (6,", "header");
    row("empty", "", "header");
}

void TestNpy::refused()
{
    QFETCH(QByteArray, header);
    QFETCH(QString, says);
    VERIFY_REFUSED(parse(npy(header.toStdString(), std::string(12, '\1'))), says.toStdString());
    VERIFY_REFUSED(parse(npy(header.toStdString(), std::string(12, '\1'))), "x.npy");
}

void TestNpy::truncatedAnywhere()
{
    const std::string whole = npy(plainHeader, std::string(12, '\1'));
    for (std::size_t length = 0; length < whole.size(); ++length)
        VERIFY_REFUSED(parse(whole.substr(0, length)), "x.npy");
    const Folder folder;
    io::writeFileAtomically(folder / "empty.npy", "");
    VERIFY_REFUSED(io::readNpy(folder / "empty.npy"), "an empty file");
    VERIFY_REFUSED(io::readNpy(folder / "none.npy"), "no such file");
}

void TestNpy::everyBitOfTheHeader()
{
    std::string bytes = npy(plainHeader, std::string(12, '\1'));
    for (std::size_t i = 0; i < bytes.size() - 12; ++i)
        for (int bit = 0; bit < 8; ++bit) {
            bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
            errorOf([&bytes] { parse(bytes); });
            bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
        }
    QVERIFY(errorOf([&bytes] { parse(bytes); }).empty());
}

void TestNpy::notInNpy()
{
    VERIFY_REFUSED(io::npyBytes(entryOf("BF16", {1}, std::vector<std::uint16_t>{1})), "dtype BF16");
    VERIFY_REFUSED(io::npyBytes(entryOf("F32", {2}, std::vector<float>{1.0F})), "4 bytes is not [2] of F32");
}

QTEST_GUILESS_MAIN(TestNpy)
#include "test_npy.moc"
