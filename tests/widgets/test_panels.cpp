// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/test_host.h"
#include "widgets/charts/loss_chart.h"
#include "widgets/module_search.h"
#include "widgets/panels/log_panel.h"
#include "widgets/panels/module_palette.h"
#include "widgets/panels/problem_list.h"
#include "widgets/panels/problem_model.h"
#include "widgets/parameters/parameter_model.h"
#include "widgets/parameters/parameter_panel.h"
#include "widgets/text.h"
#include "widgets/theme.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include <cmath>
#include <limits>

using namespace megalith;
using namespace megalith::ui;

class TestPanels : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, Scheme::Light); }
    void searchFindsNamesAliasesAndLetters();
    void paletteAdds();
    void problemsAreListedAndLeadToTheNode();
    void parametersFollowTheDocument();
    void snapshotsOfAnotherShapeAreNotShown();
    void freezingInTheTable();
    void aClickAndSpaceFreeze();
    void logKeepsWhatWasSaid();
    void decimationKeepsSpikes();
    void smoothingIsCausalAndUnbiased();
    void whatCannotBeDrawnIsAMark();
    void tickPlaces();
    void numbersAsPeopleReadThem();
};

void TestPanels::searchFindsNamesAliasesAndLetters()
{
    const auto first = [](const char* query) {
        const auto found = searchModules(moduleEntries({}), QString::fromLatin1(query));
        return found.empty() ? QString() : found.front().type;
    };
    QCOMPARE(first("relu"), QStringLiteral("ReLU"));
    QCOMPARE(first("conv2d"), QStringLiteral("Conv2d"));
    QCOMPARE(first("bn2d"), QStringLiteral("BatchNorm2d"));
    QCOMPARE(first("qqqq"), QString());
    QCOMPARE(searchModules(moduleEntries({}), {}).size(), nn::allModules().size());
}

void TestPanels::paletteAdds()
{
    TestHost host;
    ModulePalette palette(host);
    palette.show();
    QSignalSpy chosen(&palette, &ModulePalette::chosen);
    QTest::keyClicks(palette.search(), QStringLiteral("dropout"));
    QTest::keyClick(palette.search(), Qt::Key_Return);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].toString(), QStringLiteral("Dropout"));
    QTest::keyClick(palette.search(), Qt::Key_Escape);
    QVERIFY(palette.list()->count() > static_cast<int>(nn::allModules().size()));
}

void TestPanels::problemsAreListedAndLeadToTheNode()
{
    TestHost host;
    ProblemList list(host);
    QAbstractItemModelTester tester(list.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSignalSpy wanted(&list, &ProblemList::nodeWanted);
    const graph::Id input = host.add("Input", 0, 0);
    const graph::Id linear = host.add("Linear", 200, 0);
    host.set(input, "shape", Value(Value::List{Value(4)}));
    host.join(input, linear);
    host.set(linear, "in_features", Value(5));
    int row = -1;
    for (int i = 0; i < list.model()->rowCount(); ++i)
        if (list.model()->at(i).node == linear && list.model()->at(i).severity == graph::Severity::Error)
            row = i;
    QVERIFY(row >= 0);
    list.resize(600, 200);
    list.show();
    const QModelIndex index = list.model()->index(row, ProblemModel::What);
    emit list.view()->activated(index);
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(wanted[0][0].value<graph::Id>(), linear);
    host.undo();
    for (int i = 0; i < list.model()->rowCount(); ++i)
        QVERIFY(list.model()->at(i).node != linear || list.model()->at(i).severity != graph::Severity::Error);
}

void TestPanels::parametersFollowTheDocument()
{
    TestHost host;
    ParameterModel model(host);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(model.rowCount(), 0);
    const graph::Id input = host.add("Input", 0, 0);
    host.set(input, "shape", Value(Value::List{Value(4)}));
    const graph::Id linear = host.add("Linear", 200, 0);
    host.join(input, linear);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.key(0), host.node(linear)->name + ".weight");
    host.set(linear, "out_features", Value(3));
    QCOMPARE(model.index(0, ParameterModel::Sizes).data().toString(), QStringLiteral("3 x 4"));
    const std::vector<graph::Id> ids = {linear};
    host.change([&](const graph::Document& d) { return graph::removeNodes(d, "", ids); });
    QCOMPARE(model.rowCount(), 0);
    host.undo();
    QCOMPARE(model.rowCount(), 2);
}

void TestPanels::snapshotsOfAnotherShapeAreNotShown()
{
    TestHost host;
    ParameterPanel panel(host);
    const graph::Id input = host.add("Input", 0, 0);
    host.set(input, "shape", Value(Value::List{Value(4)}));
    const graph::Id linear = host.add("Linear", 200, 0);
    host.join(input, linear);
    host.set(linear, "out_features", Value(3));
    train::TensorSnapshot snapshot;
    snapshot.key = panel.model()->key(0);
    snapshot.shape = {3, 4};
    snapshot.norm = 2.5;
    snapshot.histogram = {1, 5, 2};
    panel.setSnapshots({snapshot});
    QCOMPARE(panel.model()->index(0, ParameterModel::Norm).data().toString(), QStringLiteral("2.500"));
    panel.view()->setCurrentIndex(panel.model()->index(0, 0));
    QVERIFY(!panel.grab().isNull());
    host.set(linear, "out_features", Value(7));
    QVERIFY(panel.model()->snapshot(0) == nullptr);
}

void TestPanels::freezingInTheTable()
{
    TestHost host;
    ParameterModel model(host);
    const graph::Id input = host.add("Input", 0, 0);
    host.set(input, "shape", Value(Value::List{Value(4)}));
    const graph::Id linear = host.add("Linear", 200, 0);
    host.join(input, linear);
    const QModelIndex box = model.index(1, ParameterModel::Trainable);
    QVERIFY(model.setData(box, Qt::Unchecked, Qt::CheckStateRole));
    QCOMPARE(host.node(linear)->frozen, std::vector<std::string>{"bias"});
    QCOMPARE(box.data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Unchecked));
    host.lock(QStringLiteral("training"));
    QVERIFY(!(model.flags(box) & Qt::ItemIsUserCheckable));
}

void TestPanels::aClickAndSpaceFreeze()
{
    TestHost host;
    ParameterPanel panel(host);
    const graph::Id input = host.add("Input", 0, 0);
    host.set(input, "shape", Value(Value::List{Value(4)}));
    const graph::Id linear = host.add("Linear", 200, 0);
    host.join(input, linear);
    panel.resize(500, 400);
    panel.show();
    auto* view = panel.findChild<QTreeView*>();
    const QModelIndex bias = view->model()->index(1, ParameterModel::Trainable);
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(bias).center());
    QCOMPARE(host.node(linear)->frozen, std::vector<std::string>{"bias"});
    view->setCurrentIndex(bias);
    QTest::keyClick(view, Qt::Key_Space);
    QVERIFY(host.node(linear)->frozen.empty());
}

void TestPanels::logKeepsWhatWasSaid()
{
    LogPanel panel;
    {
        const QAbstractItemModelTester tester(panel.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        panel.model()->add(LogLevel::Warning, QStringLiteral("refused"), 7);
        panel.model()->add(LogLevel::Note, QStringLiteral("saved"));
    }
    QCOMPARE(panel.model()->rowCount(), 2);
    QCOMPARE(panel.model()->node(0), graph::Id{7});
    for (int i = 0; i < 2'010; ++i)
        panel.model()->add(LogLevel::Note, QString::number(i));
    QCOMPARE(panel.model()->rowCount(), 2'000);
}

void TestPanels::decimationKeepsSpikes()
{
    Curve curve;
    for (int i = 0; i < 100'000; ++i)
        curve.add(i, i == 54'321 ? 9.0 : i == 12'345 ? -9.0 : std::sin(i * 0.001));
    const QList<QPointF> points = decimated(curve, {0, 99'999}, 500, false);
    QVERIFY(points.size() <= 4 * 500);
    QVERIFY(points.contains(QPointF(54'321, 9.0)));
    QVERIFY(points.contains(QPointF(12'345, -9.0)));
    for (qsizetype i = 1; i < points.size(); ++i)
        QVERIFY(points[i - 1].x() <= points[i].x());
}

void TestPanels::smoothingIsCausalAndUnbiased()
{
    Smoother smoother(0.9);
    QCOMPARE(smoother.next(2.0), 2.0);
    QCOMPARE(smoother.next(2.0), 2.0);
    QCOMPARE(smoother.next(std::numeric_limits<double>::quiet_NaN()), 2.0);
    QVERIFY(smoother.next(3.0) > 2.0);
}

void TestPanels::whatCannotBeDrawnIsAMark()
{
    LossChart chart;
    chart.resize(600, 300);
    chart.show();
    constexpr double inf = std::numeric_limits<double>::infinity();
    const double values[] = {1.0, 0.5, inf, -inf, std::nan(""), 0.0, -1.0, 1e308, 0.25};
    for (int i = 0; i < 9; ++i) {
        chart.addStep(100 * (i + 1), values[i]);
        chart.addValidation(100 * (i + 1), values[8 - i]);
    }
    for (const bool logarithmic : {false, true}) {
        chart.setLogarithmic(logarithmic);
        chart.refresh();
        for (const QLineSeries* series : {chart.trainingSeries(), chart.validationSeries()})
            for (const QPointF& point : series->points())
                QVERIFY(std::isfinite(point.x()) && std::isfinite(point.y()));
        QVERIFY(chart.marks()->count() >= (logarithmic ? 8 : 6));
        QVERIFY(!chart.grab().isNull());
    }
}

void TestPanels::tickPlaces()
{
    const auto linear = ticks({0.0, 1.0}, 5, false);
    QCOMPARE(linear.size(), std::size_t{6});
    QCOMPARE(linear[1].second, QStringLiteral("0.2"));
    const auto logarithmic = ticks({std::log10(0.1), std::log10(2.3)}, 5, true);
    QCOMPARE(logarithmic.front().second, QStringLiteral("0.1"));
    QVERIFY(logarithmic.size() >= 4);
    QVERIFY(!ticks({1.0, 1.0}, 5, false).empty());
}

void TestPanels::numbersAsPeopleReadThem()
{
    QCOMPARE(countText(200768), QStringLiteral("200,768"));
    QCOMPARE(numberText(0.01791), QStringLiteral("0.0179"));
    QCOMPARE(numberText(8.0441), QStringLiteral("8.044"));
    QCOMPARE(numberText(std::nan("")), QStringLiteral("NaN"));
    QCOMPARE(numberText(1.23456e-9), QStringLiteral("1.23e-09"));
    QCOMPARE(*readNumber(QStringLiteral("0,5")), 0.5);
    QVERIFY(!readNumber(QStringLiteral("1,000.5")));
    QCOMPARE(durationText(200), QStringLiteral("3 min 20 s"));
}

QTEST_MAIN(TestPanels)
#include "test_panels.moc"
