// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/json.h"
#include "engine/optim/scheduler.h"
#include "tests/nn/nn_test.h"

using namespace megalith;
using namespace megalith::test;

namespace {

struct SchedulerGolden
{
    const char* type;
    Attrs args;
    double base;
    std::vector<double> rates;
};
#include "tests/optim/scheduler_goldens.h"

}  // namespace

class TestScheduler : public QObject
{
    Q_OBJECT

private slots:
    void ratesAreThoseOfPyTorch_data();
    void ratesAreThoseOfPyTorch();
    void everyGroupHasItsOwnRate();
    void goesOnFromASavedState();
    void aWrongStateIsRefused();
    void wrongArgumentsAreNamed();
};

void TestScheduler::ratesAreThoseOfPyTorch_data()
{
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < schedulerGoldens.size(); ++i)
        QTest::addRow("%zu %s", i, schedulerGoldens[i].type) << static_cast<int>(i);
}

void TestScheduler::ratesAreThoseOfPyTorch()
{
    QFETCH(int, row);
    const SchedulerGolden& golden = schedulerGoldens[static_cast<std::size_t>(row)];
    optim::Scheduler scheduler = optim::makeScheduler(golden.type, golden.args, {golden.base});
    for (const double rate : golden.rates) {
        QVERIFY2(std::abs(scheduler.lr() - rate) <= 1e-12 * golden.base,
                 (std::to_string(scheduler.lr()) + " in epoch " + std::to_string(scheduler.epoch())).c_str());
        scheduler.step();
    }
}

void TestScheduler::everyGroupHasItsOwnRate()
{
    optim::Scheduler scheduler =
        optim::makeScheduler("StepLR", {{"step_size", std::int64_t{2}}, {"gamma", 0.5}}, {1.0, 0.25});
    QVERIFY(!scheduler.perBatch());
    scheduler.step();
    QCOMPARE(scheduler.lr(0), 1.0);
    scheduler.step();
    QCOMPARE(scheduler.lr(0), 0.5);
    QCOMPARE(scheduler.lr(1), 0.125);
}

void TestScheduler::goesOnFromASavedState()
{
    const Attrs args{{"T_max", std::int64_t{7}}, {"eta_min", 0.001}};
    optim::Scheduler whole = optim::makeScheduler("CosineAnnealingLR", args, {0.1, 0.3});
    for (int i = 0; i < 10; ++i)
        whole.step();
    optim::Scheduler resumed = optim::makeScheduler("CosineAnnealingLR", args, {0.1, 0.3});
    resumed.loadState(parseJson(writeJson(whole.state())));
    for (int i = 0; i < 20; ++i) {
        QCOMPARE(resumed.lr(0), whole.lr(0));
        QCOMPARE(resumed.lr(1), whole.lr(1));
        whole.step();
        resumed.step();
    }
    QCOMPARE(resumed.epoch(), 30);
}

void TestScheduler::aWrongStateIsRefused()
{
    optim::Scheduler scheduler = optim::makeScheduler("StepLR", {{"step_size", std::int64_t{2}}}, {1.0});
    const auto error = [&](const char* json) { return errorOf([&] { scheduler.loadState(parseJson(json)); }); };
    COMPARE_TEXT(error("[]"), "scheduler state: last_epoch must be a whole number >= 0");
    COMPARE_TEXT(error(R"({"last_epoch": 1, "base_lrs": [1, 2], "last_lr": [1]})"),
                 "scheduler state: base_lrs must be a list of 1 numbers");
    COMPARE_TEXT(error(R"({"last_epoch": 1, "base_lrs": [1], "last_lr": ["fast"]})"),
                 "scheduler state: last_lr must be a list of 1 numbers");
    QCOMPARE(scheduler.epoch(), 0);
}

void TestScheduler::wrongArgumentsAreNamed()
{
    const auto error = [](const char* type, const Attrs& args) {
        return errorOf([&] { optim::makeScheduler(type, args, {1.0}); });
    };
    COMPARE_TEXT(error("StepLR", {}), "StepLR: step_size is missing: it must be a whole number >= 1");
    COMPARE_TEXT(error("StepLR", {{"step_size", std::int64_t{0}}}),
                 "StepLR: step_size must be a whole number >= 1, not 0");
    COMPARE_TEXT(error("CosineAnnealingLR", {{"T_max", 2.5}}),
                 "CosineAnnealingLR: T_max must be a whole number >= 1, not 2.5");
    COMPARE_TEXT(error("StepLr", {}), "there is no scheduler called StepLr; there are StepLR, CosineAnnealingLR");
}

QTEST_APPLESS_MAIN(TestScheduler)
#include "test_scheduler.moc"
