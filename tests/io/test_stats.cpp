// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/dtype.h"
#include "engine/io/state_dict_view.h"
#include "tests/io/io_test.h"

#include <cmath>
#include <limits>

using namespace megalith;
using namespace megalith::test;

class TestStats : public QObject
{
    Q_OBJECT

private slots:
    void valuesOfEveryDtype();
    void eightBitFloats();
    void byHand();
    void againstPlainSums();
    void farFromZero();
    void nonFinite();
    void edges();
    void unalignedData();
    void refusals();
};

namespace {

bool close(double a, double b, double tolerance = 1e-14)
{
    return std::abs(a - b) <= tolerance * std::max(std::abs(b), 1e-6);
}

}  // namespace

void TestStats::valuesOfEveryDtype()
{
    const auto check = [](const StateEntry& entry, const std::vector<double>& expected) {
        QVERIFY2(io::hasValues(entry), entry.dtype.c_str());
        QVERIFY2(io::valuesOf(entry) == expected, entry.dtype.c_str());
        QCOMPARE(io::elementAsDouble(entry, 1), expected.at(1));
    };
    check(entryOf("F32", {3}, std::vector<float>{1.5F, -2.25F, 1e-45F}), {1.5, -2.25, 0x1p-149});
    check(entryOf("F64", {2}, std::vector<double>{0.1, -1e300}), {0.1, -1e300});
    check(entryOf("I64", {2}, std::vector<std::int64_t>{INT64_MIN, 5}), {-0x1p63, 5});
    check(entryOf("I32", {2}, std::vector<std::int32_t>{INT32_MIN, 5}), {-0x1p31, 5});
    check(entryOf("I16", {2}, std::vector<std::int16_t>{-3, 5}), {-3, 5});
    check(entryOf("I8", {2}, std::vector<std::int8_t>{-128, 5}), {-128, 5});
    check(entryOf("U64", {2}, std::vector<std::uint64_t>{UINT64_MAX, 5}), {0x1p64, 5});
    check(entryOf("U32", {2}, std::vector<std::uint32_t>{UINT32_MAX, 5}), {4294967295.0, 5});
    check(entryOf("U16", {2}, std::vector<std::uint16_t>{65535, 5}), {65535, 5});
    check(entryOf("U8", {2}, std::vector<std::uint8_t>{255, 5}), {255, 5});
    check(entryOf("BOOL", {2}, std::vector<std::uint8_t>{1, 0}), {1, 0});
    check(entryOf("F16", {3}, std::vector<std::uint16_t>{0x3C00, 0xC000, 0x0001}), {1, -2, 0x1p-24});
    check(entryOf("BF16", {3}, std::vector<std::uint16_t>{0x3F80, 0xC000, 0x4049}), {1, -2, 3.140625});
}

void TestStats::eightBitFloats()
{
    // From tables 1 to 3 of "OCP 8-bit Floating Point Specification" and "OCP Microscaling Formats".
    const auto values = [](const char* dtype, const std::vector<std::uint8_t>& bits) {
        return io::valuesOf(entryOf(dtype, {static_cast<std::int64_t>(bits.size())}, bits));
    };
    QVERIFY((values("F8_E4M3", {0x38, 0x7E, 0xFE, 0x08, 0x07, 0x01, 0x80})
             == std::vector<double>{1, 448, -448, 0x1p-6, 0.875 * 0x1p-6, 0x1p-9, -0.0}));
    QVERIFY(std::isnan(values("F8_E4M3", {0x7F})[0]) && std::isnan(values("F8_E4M3", {0xFF})[0]));
    QVERIFY((values("F8_E5M2", {0x3C, 0x7B, 0x04, 0x01}) == std::vector<double>{1, 57344, 0x1p-14, 0x1p-16}));
    QVERIFY(std::isinf(values("F8_E5M2", {0xFC})[0]) && std::isnan(values("F8_E5M2", {0x7D})[0]));
    QVERIFY((values("F8_E8M0", {127, 0, 254}) == std::vector<double>{1, 0x1p-127, 0x1p127}));
    QVERIFY(std::isnan(values("F8_E8M0", {255})[0]));
}

void TestStats::byHand()
{
    const io::TensorStats s = io::statsOf(entryOf("F32", {2, 3}, std::vector<float>{0, 1, 2, 3, 4, -4}));
    QCOMPARE(s.count, std::int64_t{6});
    QCOMPARE(s.zeros, std::int64_t{1});
    QCOMPARE(s.min, -4.0);
    QCOMPARE(s.max, 4.0);
    QCOMPARE(s.mean, 1.0);
    QVERIFY(close(s.std, std::sqrt(8.0)));  // deviations 1 0 1 4 9 25 over 5
    QVERIFY(close(s.norm, std::sqrt(46.0)));
}

void TestStats::againstPlainSums()
{
    // More than one block, and a last one that is not full.
    std::vector<double> values;
    for (int i = 0; i < 10001; ++i)
        values.push_back(std::sin(i) * i);
    long double sum = 0;
    long double squares = 0;
    for (const double v : values) {
        sum += v;
        squares += static_cast<long double>(v) * v;
    }
    const long double mean = sum / values.size();
    long double deviations = 0;
    for (const double v : values)
        deviations += (v - mean) * (v - mean);
    const io::TensorStats s = io::statsOf(entryOf("F64", {10001}, values));
    QVERIFY(close(s.mean, static_cast<double>(mean), 1e-13));
    QVERIFY(close(s.std, static_cast<double>(std::sqrt(deviations / (values.size() - 1)))));
    QVERIFY(close(s.norm, static_cast<double>(std::sqrt(squares))));
    QCOMPARE(s.max, *std::ranges::max_element(values));
}

void TestStats::farFromZero()
{
    // Squares minus the squared mean would lose everything here.
    std::vector<double> values;
    for (int i = 0; i < 9000; ++i)
        values.push_back(1e9 + (i % 2 == 0 ? 0.5 : -0.5));
    const io::TensorStats s = io::statsOf(entryOf("F64", {9000}, values));
    QVERIFY(close(s.std, 0.5 * std::sqrt(9000.0 / 8999.0), 1e-9));
    const io::TensorStats large = io::statsOf(entryOf("F64", {2}, std::vector<double>{1e300, -1e300}));
    QVERIFY(close(large.std, std::sqrt(2.0) * 1e300));
    QVERIFY(close(large.norm, std::sqrt(2.0) * 1e300));
}

void TestStats::nonFinite()
{
    const float inf = std::numeric_limits<float>::infinity();
    const io::TensorStats s = io::statsOf(entryOf("F32", {6}, std::vector<float>{NAN, inf, 1, 3, -inf, NAN}));
    QCOMPARE(s.nan, std::int64_t{2});
    QCOMPARE(s.inf, std::int64_t{2});
    QCOMPARE(s.min, 1.0);
    QCOMPARE(s.max, 3.0);
    QCOMPARE(s.mean, 2.0);
    QVERIFY(close(s.std, std::sqrt(2.0)));
    const io::TensorStats none = io::statsOf(entryOf("F32", {1}, std::vector<float>{NAN}));
    QVERIFY(std::isnan(none.min) && std::isnan(none.max) && std::isnan(none.mean) && none.norm == 0.0);
}

void TestStats::edges()
{
    const io::TensorStats one = io::statsOf(entryOf("I64", {}, std::vector<std::int64_t>{-7}));
    QVERIFY(one.count == 1 && one.min == -7 && one.max == -7 && one.mean == -7 && one.std == 0 && one.norm == 7);
    StateEntry empty = entryOf("F32", {0, 3}, std::vector<float>{});
    empty.data = nullptr;
    const io::TensorStats none = io::statsOf(empty);
    QVERIFY(none.count == 0 && std::isnan(none.min) && none.std == 0 && none.norm == 0);
    QVERIFY(io::valuesOf(empty).empty());
}

void TestStats::unalignedData()
{
    StateEntry bytes = entryOf("U8", {17}, std::vector<std::uint8_t>(17, 1));
    const StateEntry odd{"I64", {2}, std::shared_ptr<const std::byte>(bytes.data, bytes.data.get() + 1), 16};
    QVERIFY((io::valuesOf(odd) == std::vector<double>(2, 0x0101010101010101)));
}

void TestStats::refusals()
{
    QVERIFY(!io::hasValues(entryOf("F4", {2}, std::vector<std::uint8_t>{1})));
    VERIFY_REFUSED(io::valuesOf(entryOf("F4", {2}, std::vector<std::uint8_t>{1})), "dtype F4");
    VERIFY_REFUSED(io::valuesOf(entryOf("F32", {2}, std::vector<float>{1.0F})), "4 bytes is not [2] of F32");
    VERIFY_REFUSED(io::elementAsDouble(entryOf("F32", {1}, std::vector<float>{1.0F}), 1), "element 1 of a tensor of 1");
    VERIFY_REFUSED(io::elementAsDouble(entryOf("F32", {1}, std::vector<float>{1.0F}), -1), "element -1");
}

QTEST_GUILESS_MAIN(TestStats)
#include "test_stats.moc"
