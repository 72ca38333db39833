// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/philox.h"

#include <QtTest>

#include <cmath>
#include <set>
#include <vector>

using namespace megalith;

class TestPhilox : public QObject
{
    Q_OBJECT

private slots:
    void givesTheKnownAnswersOfRandom123();
    void uniformNumbersStayBelowOne();
    void keysDifferByEveryPart();
    void aStreamContinuesFromItsPosition();
    void belowIsUniform();
    void normalHasMeanZeroAndDeviationOne();
};

// tests/kat_vectors of Random123, lines "philox4x32 10".
void TestPhilox::givesTheKnownAnswersOfRandom123()
{
    static_assert(philox({0, 0, 0, 0}, {0, 0}) == PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    const std::uint32_t ones = 0xffffffff;
    QVERIFY(philox({ones, ones, ones, ones}, {ones, ones})
            == (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    QVERIFY(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0})
            == (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

void TestPhilox::uniformNumbersStayBelowOne()
{
    QCOMPARE(uniformFloat(0), 0.0f);
    QCOMPARE(uniformFloat(0x80000000u), 0.5f);
    QVERIFY(uniformFloat(0xffffffffu) < 1.0f);
    QCOMPARE(uniformDouble(std::uint64_t{1} << 63), 0.5);
    QVERIFY(uniformDouble(~std::uint64_t{0}) < 1.0);
    QCOMPARE(uniformDouble(0u, 0x80000000u), 0.5);
}

void TestPhilox::keysDifferByEveryPart()
{
    std::set<std::uint64_t> keys;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        for (std::uint64_t step = 0; step < 20; ++step)
            keys.insert(mixKey(seed, step));
        keys.insert(mixKey(seed, "split"));
        keys.insert(mixKey(seed, "split "));
        keys.insert(mixKey(seed, ""));
        keys.insert(mixKey(mixKey(seed, "order"), std::uint64_t{1}));
    }
    QCOMPARE(keys.size(), std::size_t{20 * 24});
}

void TestPhilox::aStreamContinuesFromItsPosition()
{
    PhiloxStream whole(42);
    std::vector<std::uint64_t> expected;
    for (int i = 0; i < 3; ++i)
        whole.next32();
    const std::uint64_t position = whole.position();
    QCOMPARE(position, std::uint64_t{3});
    for (int i = 0; i < 10; ++i)
        expected.push_back(whole.next64());

    PhiloxStream rest(42, position);
    for (const std::uint64_t word : expected)
        QCOMPARE(rest.next64(), word);

    PhiloxStream zero(0);
    QCOMPARE(zero.next32(), 0x6627e8d5u);
    QCOMPARE(zero.next32(), 0xe169c58du);
}

void TestPhilox::belowIsUniform()
{
    PhiloxStream stream(7);
    QCOMPARE(stream.below(1), std::uint64_t{0});
    std::vector<int> counts(6);
    for (int i = 0; i < 60000; ++i)
        ++counts.at(static_cast<std::size_t>(stream.below(6)));
    for (const int count : counts)
        QVERIFY2(std::abs(count - 10000) < 500, qPrintable(QString::number(count)));  // 5 deviations

    // Just above half of the range, where drawing without rejection would favour even results.
    const std::uint64_t big = (std::uint64_t{1} << 63) + 1;
    for (int i = 0; i < 100; ++i)
        QVERIFY(stream.below(big) < big);
}

void TestPhilox::normalHasMeanZeroAndDeviationOne()
{
    PhiloxStream stream(1);
    double sum = 0.0;
    double squares = 0.0;
    const int n = 100000;
    for (int i = 0; i < n; ++i) {
        const double x = stream.normal();
        QVERIFY(std::isfinite(x));
        sum += x;
        squares += x * x;
    }
    QVERIFY(std::abs(sum / n) < 0.015);
    QVERIFY(std::abs(squares / n - 1.0) < 0.02);
}

QTEST_APPLESS_MAIN(TestPhilox)
#include "test_philox.moc"
