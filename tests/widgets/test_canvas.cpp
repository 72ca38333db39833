// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/test_host.h"
#include "widgets/canvas/add_list.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/canvas/name_editor.h"
#include "widgets/theme.h"

#include <QAccessible>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <cmath>
#include <memory>

using namespace megalith;
using namespace megalith::ui;
using graph::PortSide;

class TestCanvas : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void tabAddsFromTheList();
    void tabAddsBehindTheSelectedNode();
    void doubleClickOpensTheListAtThePointer();
    void escapeClosesTheList();
    void dragFromPortToPortConnects();
    void aCycleIsRefusedWithTheReason();
    void aNodeDoesNotFeedItself();
    void aSecondWireIntoAnInputIsRefused();
    void escapeLeavesAWireUndrawn();
    void aWiresEndIsTakenElsewhere();
    void movingIsOneEntryOnTheGrid();
    void escapeLeavesANodeInItsPlace();
    void rubberBandAndDelete();
    void undoAndRedoBringWiresBack();
    void arrowsNudgeInOneEntry();
    void renameInPlace();
    void aBadNameStaysAndSaysWhy();
    void zoomKeepsThePointUnderThePointer();
    void middleButtonAndSpacePan();
    void fitShowsEverything();
    void nothingChangesWhileLocked();
    void aDiagnosticIsAtItsNode();
    void looksAtEveryDetail();
    void aScreenReaderFindsTheNodes();
    void inputsOfCatMoveUp();

private:
    QPoint port(graph::Id node, PortSide side, const char* name) const
    {
        return m_view->mapFromScene(m_view->canvas().node(node)->portAt(side, name));
    }
    QPoint middle(graph::Id node) const
    {
        return m_view->mapFromScene(m_view->canvas().node(node)->bodyRect().center());
    }
    QPoint empty() const { return m_view->mapFromScene(QPointF(300, 420)); }
    void key(Qt::Key k, Qt::KeyboardModifiers m = {}) { QTest::keyClick(m_view.get(), k, m); }

    std::unique_ptr<TestHost> m_host;
    std::unique_ptr<CanvasView> m_view;
    std::unique_ptr<Mouse> m_mouse;
    graph::Id m_input = 0, m_linear = 0, m_relu = 0;
};

void TestCanvas::init()
{
    applyTheme(*qApp, Scheme::Light);
    m_host = std::make_unique<TestHost>();
    m_input = m_host->add("Input", 0, 0);
    m_linear = m_host->add("Linear", 260, 0);
    m_relu = m_host->add("ReLU", 520, 0);
    m_host->set(m_input, "shape", Value(Value::List{Value(8)}));
    m_view = std::make_unique<CanvasView>(*m_host);
    m_view->resize(900, 700);
    m_view->show();
    m_view->zoomTo(1.0, {0, 0});
    m_view->centerOn(350, 200);
    m_view->setFocus();
    m_mouse = std::make_unique<Mouse>(m_view->viewport());
}

void TestCanvas::cleanup()
{
    m_view.reset();
    m_host.reset();
}

void TestCanvas::tabAddsFromTheList()
{
    const std::size_t before = m_host->document().root.nodes.size();
    const std::size_t entries = m_host->entries();
    key(Qt::Key_Tab);
    QVERIFY(m_view->addList().isVisible());
    QTest::keyClicks(m_view->addList().search(), QStringLiteral("conv2"));
    QCOMPARE(m_view->addList().list()->currentItem()->text(), QStringLiteral("Conv2d"));
    QTest::keyClick(m_view->addList().search(), Qt::Key_Return);
    QVERIFY(!m_view->addList().isVisible());
    QCOMPARE(m_host->document().root.nodes.size(), before + 1);
    QCOMPARE(m_host->entries(), entries + 1);
    const auto selected = m_view->canvas().selectedNodes();
    QCOMPARE(selected.size(), std::size_t{1});
    QCOMPARE(m_host->node(selected.front())->type, std::string("Conv2d"));
    m_host->undo();
    QCOMPARE(m_view->canvas().nodeCount(), before);
}

void TestCanvas::tabAddsBehindTheSelectedNode()
{
    m_mouse->click(middle(m_linear));
    key(Qt::Key_Tab);
    QTest::keyClicks(m_view->addList().search(), QStringLiteral("tanh"));
    QTest::keyClick(m_view->addList().search(), Qt::Key_Return);
    const graph::Id added = m_view->canvas().selectedNodes().front();
    const graph::Edge* edge = m_host->document().root.edgeInto({added, "input"});
    QVERIFY(edge != nullptr);
    QCOMPARE(edge->from.node, m_linear);
}

void TestCanvas::doubleClickOpensTheListAtThePointer()
{
    m_mouse->doubleClick(empty());
    QVERIFY(m_view->addList().isVisible());
    QTest::keyClicks(m_view->addList().search(), QStringLiteral("Flatten"));
    QTest::keyClick(m_view->addList().search(), Qt::Key_Return);
    const graph::Node* node = m_host->node(m_view->canvas().selectedNodes().front());
    QVERIFY(std::abs(node->pos.x + size::nodeMinWidth / 2 - 300) <= size::snap);
    QVERIFY(std::abs(node->pos.y + size::nodeHeight / 2 - 420) <= size::snap);
}

void TestCanvas::escapeClosesTheList()
{
    const std::size_t entries = m_host->entries();
    key(Qt::Key_Tab);
    QTest::keyClick(m_view->addList().search(), Qt::Key_Escape);
    QVERIFY(!m_view->addList().isVisible());
    QCOMPARE(m_host->entries(), entries);
}

void TestCanvas::dragFromPortToPortConnects()
{
    // Ten pixels off the ring: the hit area is wider than what is seen.
    m_mouse->drag(port(m_input, PortSide::Output, "output") + QPoint(7, 5),
                  port(m_linear, PortSide::Input, "input") - QPoint(8, 4));
    const graph::Edge* edge = m_host->document().root.edgeInto({m_linear, "input"});
    QVERIFY(edge != nullptr);
    QCOMPARE(edge->from.node, m_input);
    QVERIFY(m_view->canvas().wire({m_linear, "input"}) != nullptr);
    // And from an input backwards.
    m_mouse->drag(port(m_relu, PortSide::Input, "input"), port(m_linear, PortSide::Output, "output"));
    QVERIFY(m_host->document().root.edgeInto({m_relu, "input"}) != nullptr);
}

void TestCanvas::aCycleIsRefusedWithTheReason()
{
    m_host->join(m_linear, m_relu);
    const std::size_t entries = m_host->entries();
    QSignalSpy refused(m_host.get(), &DocumentHost::refused);
    m_mouse->drag(port(m_relu, PortSide::Output, "output"), port(m_linear, PortSide::Input, "input"));
    QCOMPARE(m_host->entries(), entries);
    QCOMPARE(refused.size(), 1);
    QVERIFY(refused[0][0].toString().contains(QStringLiteral("cycle")));
}

void TestCanvas::aNodeDoesNotFeedItself()
{
    QSignalSpy refused(m_host.get(), &DocumentHost::refused);
    m_mouse->drag(port(m_relu, PortSide::Output, "output"), port(m_relu, PortSide::Input, "input"));
    QCOMPARE(refused.size(), 1);
    QVERIFY(m_host->document().root.edges.empty());
}

void TestCanvas::aSecondWireIntoAnInputIsRefused()
{
    m_host->join(m_input, m_relu);
    QSignalSpy refused(m_host.get(), &DocumentHost::refused);
    m_mouse->drag(port(m_linear, PortSide::Output, "output"), port(m_relu, PortSide::Input, "input"));
    QCOMPARE(refused.size(), 1);
    QCOMPARE(m_host->document().root.edgeInto({m_relu, "input"})->from.node, m_input);
}

void TestCanvas::escapeLeavesAWireUndrawn()
{
    const std::size_t entries = m_host->entries();
    const QPoint end = port(m_linear, PortSide::Input, "input");
    m_mouse->press(port(m_input, PortSide::Output, "output"));
    m_mouse->move(end - QPoint(40, 0));
    m_mouse->move(end);
    key(Qt::Key_Escape);
    m_mouse->release(end);
    QCOMPARE(m_host->entries(), entries);
}

void TestCanvas::aWiresEndIsTakenElsewhere()
{
    m_host->join(m_input, m_linear);
    const std::size_t entries = m_host->entries();
    m_mouse->drag(port(m_linear, PortSide::Input, "input"), port(m_relu, PortSide::Input, "input"));
    QVERIFY(m_host->document().root.edgeInto({m_linear, "input"}) == nullptr);
    QCOMPARE(m_host->document().root.edgeInto({m_relu, "input"})->from.node, m_input);
    QCOMPARE(m_host->entries(), entries + 1);
    m_host->undo();
    QVERIFY(m_host->document().root.edgeInto({m_linear, "input"}) != nullptr);
}

void TestCanvas::movingIsOneEntryOnTheGrid()
{
    m_host->join(m_input, m_linear);
    const std::size_t entries = m_host->entries();
    m_mouse->drag(middle(m_linear), middle(m_linear) + QPoint(33, 58));
    QCOMPARE(m_host->entries(), entries + 1);
    QCOMPARE(m_host->node(m_linear)->pos, (graph::Point{290, 60}));
    m_host->undo();
    QCOMPARE(m_host->node(m_linear)->pos, (graph::Point{260, 0}));
    QCOMPARE(m_view->canvas().node(m_linear)->pos(), QPointF(260, 0));
}

void TestCanvas::escapeLeavesANodeInItsPlace()
{
    const std::size_t entries = m_host->entries();
    m_mouse->press(middle(m_linear));
    m_mouse->move(middle(m_linear) + QPoint(50, 50));
    key(Qt::Key_Escape);
    m_mouse->release(middle(m_linear));
    QCOMPARE(m_host->entries(), entries);
    QCOMPARE(m_view->canvas().node(m_linear)->pos(), QPointF(260, 0));
}

void TestCanvas::rubberBandAndDelete()
{
    m_host->join(m_input, m_linear);
    m_host->join(m_linear, m_relu);
    const std::size_t entries = m_host->entries();
    m_mouse->drag(m_view->mapFromScene(QPointF(240, -30)), m_view->mapFromScene(QPointF(540, 150)));
    QCOMPARE(m_view->canvas().selectedNodes(), (std::vector<graph::Id>{m_linear, m_relu}));
    key(Qt::Key_Delete);
    QCOMPARE(m_host->document().root.nodes.size(), std::size_t{1});
    QVERIFY(m_host->document().root.edges.empty());
    QCOMPARE(m_host->entries(), entries + 1);
    m_host->undo();
    QCOMPARE(m_host->document().root.edges.size(), std::size_t{2});
    QVERIFY(m_view->canvas().wire({m_relu, "input"}) != nullptr);
    m_host->redo();
    QCOMPARE(m_view->canvas().nodeCount(), std::size_t{1});
}

void TestCanvas::undoAndRedoBringWiresBack()
{
    m_mouse->drag(port(m_input, PortSide::Output, "output"), port(m_linear, PortSide::Input, "input"));
    m_mouse->click(m_view->mapFromScene(m_view->canvas().wire({m_linear, "input"})->shape().boundingRect().center()));
    QCOMPARE(m_view->canvas().selectedWires().size(), std::size_t{1});
    key(Qt::Key_Delete);
    QVERIFY(m_view->canvas().wire({m_linear, "input"}) == nullptr);
    m_mouse->drag(port(m_input, PortSide::Output, "output"), port(m_linear, PortSide::Input, "input"));
    m_host->undo();
    m_host->undo();
    QVERIFY(m_view->canvas().wire({m_linear, "input"}) != nullptr);
    m_host->redo();
    m_host->redo();
    QVERIFY(m_view->canvas().wire({m_linear, "input"}) != nullptr);
}

void TestCanvas::arrowsNudgeInOneEntry()
{
    m_mouse->click(middle(m_relu));
    const std::size_t entries = m_host->entries();
    QTest::keyPress(m_view.get(), Qt::Key_Right);
    QTest::keyPress(m_view.get(), Qt::Key_Right);
    QTest::keyRelease(m_view.get(), Qt::Key_Right);
    QCOMPARE(m_host->node(m_relu)->pos, (graph::Point{540, 0}));
    QCOMPARE(m_host->entries(), entries + 1);
}

void TestCanvas::renameInPlace()
{
    m_mouse->click(middle(m_linear));
    key(Qt::Key_F2);
    QVERIFY(m_view->nameEditor().isVisible());
    QTest::keyClicks(&m_view->nameEditor(), QStringLiteral("head"));
    QTest::keyClick(&m_view->nameEditor(), Qt::Key_Return);
    QVERIFY(!m_view->nameEditor().isVisible());
    QCOMPARE(m_host->node(m_linear)->name, std::string("head"));
    QCOMPARE(m_view->canvas().node(m_linear)->look().name, QStringLiteral("head"));
}

void TestCanvas::aBadNameStaysAndSaysWhy()
{
    const std::string before = m_host->node(m_linear)->name;
    m_mouse->click(middle(m_linear));
    key(Qt::Key_F2);
    m_view->nameEditor().setText(QStringLiteral("1st layer"));
    QTest::keyClick(&m_view->nameEditor(), Qt::Key_Return);
    QVERIFY(m_view->nameEditor().isVisible());
    QVERIFY(m_view->nameEditor().property("wrong").toBool());
    QVERIFY(!m_view->nameEditor().toolTip().isEmpty());
    QTest::keyClick(&m_view->nameEditor(), Qt::Key_Escape);
    QVERIFY(!m_view->nameEditor().isVisible());
    QCOMPARE(m_host->node(m_linear)->name, before);
}

void TestCanvas::zoomKeepsThePointUnderThePointer()
{
    const QPoint at(620, 180);
    const QPointF under = m_view->mapToScene(at);
    const auto wheel = [&](int turn) {
        QWheelEvent event(at, m_view->viewport()->mapToGlobal(at), {}, {0, turn}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_view->viewport(), &event);
    };
    for (int i = 0; i < 3; ++i)
        wheel(120);
    QVERIFY(m_view->zoom() > 1.5);
    QVERIFY((m_view->mapToScene(at) - under).manhattanLength() < 3);
    for (int i = 0; i < 100; ++i)
        wheel(-120);
    QCOMPARE(m_view->zoom(), 0.1);
    for (int i = 0; i < 100; ++i)
        wheel(120);
    QCOMPARE(m_view->zoom(), 4.0);
}

void TestCanvas::middleButtonAndSpacePan()
{
    const QPointF before = m_view->mapToScene(QPoint(0, 0));
    m_mouse->drag({200, 200}, {260, 230}, Qt::MiddleButton);
    QCOMPARE(m_view->mapToScene(QPoint(0, 0)), before - QPointF(60, 30));
    QTest::keyPress(m_view.get(), Qt::Key_Space);
    m_mouse->drag({260, 230}, {200, 200});
    QTest::keyRelease(m_view.get(), Qt::Key_Space);
    QCOMPARE(m_view->mapToScene(QPoint(0, 0)), before);
}

void TestCanvas::fitShowsEverything()
{
    m_host->add("Tanh", 3000, 1500);
    key(Qt::Key_F);
    const QRectF seen = m_view->mapToScene(m_view->viewport()->rect()).boundingRect();
    QVERIFY(seen.contains(m_view->canvas().nodesRect()));
}

void TestCanvas::nothingChangesWhileLocked()
{
    m_host->lock(QStringLiteral("The graph is locked while it trains."));
    const graph::Document before = m_host->document();
    m_mouse->click(middle(m_linear));
    key(Qt::Key_Delete);
    key(Qt::Key_Tab);
    m_mouse->drag(middle(m_linear), middle(m_linear) + QPoint(80, 80));
    m_mouse->drag(port(m_input, PortSide::Output, "output"), port(m_linear, PortSide::Input, "input"));
    QVERIFY(m_host->document().sameContent(before));
    QVERIFY(!m_view->addList().isVisible());
}

void TestCanvas::aDiagnosticIsAtItsNode()
{
    m_host->join(m_input, m_linear);
    m_host->set(m_linear, "in_features", Value(9));
    const NodeLook& look = m_view->canvas().node(m_linear)->look();
    QVERIFY(look.error);
    QVERIFY(!look.problem.isEmpty());
    m_host->undo();
    QVERIFY(!m_view->canvas().node(m_linear)->look().error);
    QCOMPARE(m_view->canvas().node(m_linear)->look().shape.left(2), QStringLiteral("N "));
}

void TestCanvas::looksAtEveryDetail()
{
    m_host->join(m_input, m_linear);
    m_host->set(m_linear, "in_features", Value(9));
    for (const double zoom : {0.1, 0.3, 0.5, 1.0, 4.0}) {
        m_view->zoomTo(zoom, {400, 300});
        QVERIFY(!m_view->grab().isNull());
    }
}

void TestCanvas::aScreenReaderFindsTheNodes()
{
    QAccessibleInterface* canvas = QAccessible::queryAccessibleInterface(m_view.get());
    QVERIFY(canvas != nullptr);
    QCOMPARE(canvas->childCount(), 3);
    QVERIFY(canvas->child(1)->text(QAccessible::Name).endsWith(QStringLiteral("Linear")));
    QCOMPARE(canvas->indexOfChild(canvas->child(2)), 2);
    m_mouse->click(middle(m_relu));
    QCOMPARE(canvas->focusChild(), canvas->child(2));
    QVERIFY(canvas->child(2)->state().selected);
    key(Qt::Key_Delete);
    QCOMPARE(canvas->childCount(), 2);
}

void TestCanvas::inputsOfCatMoveUp()
{
    const graph::Id cat = m_host->add("Cat", 780, 0);
    for (const char* in : {"0", "1"})
        m_host->change([&](const graph::Document& d) {
            return graph::connect(d, "", {m_linear, "output"}, {cat, in});
        });
    QCOMPARE(m_view->canvas().node(cat)->look().inputs.size(), std::size_t{3});
    for (const char* in : {"0", "1"})
        m_view->canvas().wire({cat, in})->setSelected(true);
    key(Qt::Key_Delete);
    QVERIFY(m_host->document().root.edges.empty());
    m_host->undo();
    QCOMPARE(m_host->document().root.edges.size(), std::size_t{2});
}

QTEST_MAIN(TestCanvas)
#include "test_canvas.moc"
