// SPDX-License-Identifier: GPL-3.0-or-later
// How CanvasView hears mouse and keys.
#include "widgets/canvas/add_list.h"
#include "widgets/canvas/canvas_edits.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/canvas/gestures.h"
#include "widgets/canvas/name_editor.h"
#include "widgets/text.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

namespace megalith::ui {

namespace {

constexpr auto togglesSelection = Qt::ControlModifier | Qt::ShiftModifier;

}  // namespace

bool CanvasView::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        // Esc ends what goes on here before it closes anything else.
        if (static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && (m_gesture || m_pressed)) {
            event->accept();
            return true;
        }
    }
    if (event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Tab && key->modifiers() == Qt::NoModifier) {
            const std::vector<graph::Id> selected = m_scene->selectedNodes();
            const graph::Id behind = selected.size() == 1 ? selected.front() : 0;
            const QPoint pointer = viewport()->mapFromGlobal(QCursor::pos());
            const QPoint middle = viewport()->rect().center();
            QPoint at = viewport()->rect().contains(pointer) ? pointer : middle;
            if (const NodeItem* item = m_scene->node(behind))
                at = mapFromScene(item->bodyRect().topRight() + QPointF(40, 0));
            openAddList(at, behind);
            return true;
        }
    }
    return QGraphicsView::event(event);
}

bool CanvasView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        if (const auto hit = m_scene->portAt(mapToScene(help->pos()))) {
            const NodeItem* item = m_scene->node(hit->node);
            if (const PortLook* port = item->look().port(hit->side, hit->name)) {
                QToolTip::showText(help->globalPos(), port->tip, viewport());
                return true;
            }
        }
    }
    return QGraphicsView::viewportEvent(event);
}

void CanvasView::keyPressEvent(QKeyEvent* event)
{
    const bool plain = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
    const int key = event->key();
    if (key == Qt::Key_Escape) {
        if (m_gesture || m_pressed)
            endGesture(false, {});
        else
            m_scene->clearSelection();
        return;
    }
    if (key == Qt::Key_Space && plain) {
        m_space = true;
        if (!m_panFrom)
            viewport()->setCursor(Qt::OpenHandCursor);
        return;
    }
    if (event->matches(QKeySequence::Delete) || key == Qt::Key_Backspace || key == Qt::Key_Delete) {
        if (!refuseWhenLocked())
            deleteSelected(event->modifiers() & Qt::ControlModifier);
        return;
    }
    if (key == Qt::Key_F && plain)
        return fit();
    if (key == Qt::Key_F2 && plain)
        return renameSelected();
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_scene->selectedNodes().size() == 1) {
        emit nodeActivated(m_scene->selectedNodes().front());
        return;
    }
    if ((plain || event->modifiers() == Qt::ShiftModifier) && nudge(key, event->modifiers() & Qt::ShiftModifier))
        return;
    event->ignore();
}

void CanvasView::keyReleaseEvent(QKeyEvent* event)
{
    if (event->isAutoRepeat())
        return;
    if (event->key() == Qt::Key_Space) {
        m_space = false;
        if (!m_panFrom)
            viewport()->unsetCursor();
    }
    endNudge();
}

void CanvasView::focusOutEvent(QFocusEvent* event)
{
    m_space = false;
    endNudge();
    QGraphicsView::focusOutEvent(event);
}

void CanvasView::mousePressEvent(QMouseEvent* event)
{
    setFocus(Qt::MouseFocusReason);
    if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && m_space)) {
        m_panFrom = event->position().toPoint();
        viewport()->setCursor(Qt::ClosedHandCursor);
        return;
    }
    if (event->button() == Qt::LeftButton && !m_gesture)
        pressLeft(event);
}

void CanvasView::pressLeft(QMouseEvent* event)
{
    const QPointF at = mapToScene(event->position().toPoint());
    NodeItem* node = m_scene->nodeAt(at);
    if (node && node->fixRect().contains(at)) {
        if (!refuseWhenLocked())
            applyFix(*m_scene, node->id());
        return;
    }
    if (const auto port = m_scene->portAt(at)) {
        if (!refuseWhenLocked())
            beginGesture(std::make_unique<WireGesture>(*m_scene, *port));
        return;
    }
    if (node) {
        pressNode(*node, at, event->modifiers());
        m_pressed = event->position().toPoint();
        return;
    }
    if (WireItem* wire = m_scene->wireAt(at)) {
        if (!(event->modifiers() & togglesSelection))
            m_scene->clearSelection();
        wire->setSelected(true);
        return;
    }
    const bool adds = event->modifiers() & togglesSelection;
    if (!adds)
        m_scene->clearSelection();
    beginGesture(std::make_unique<BandGesture>(*m_scene, at, adds));
}

void CanvasView::pressNode(NodeItem& node, QPointF, Qt::KeyboardModifiers modifiers)
{
    m_pressedNode = node.id();
    m_selectOnRelease = false;
    if (modifiers & togglesSelection) {
        node.setSelected(!node.isSelected());
    } else if (!node.isSelected()) {
        m_scene->select({node.id()});
    } else {
        // One of several: they move together, and a mere click leaves it alone selected.
        m_selectOnRelease = true;
    }
}

void CanvasView::beginGesture(std::unique_ptr<Gesture> gesture)
{
    m_gesture = std::move(gesture);
    setViewportUpdateMode(SmartViewportUpdate);
}

void CanvasView::endGesture(bool finish, QPointF at)
{
    m_pressed.reset();
    const std::unique_ptr<Gesture> gesture = std::move(m_gesture);
    if (!gesture)
        return;
    if (finish)
        gesture->finish(at);
    else
        gesture->cancel();
    showHint({}, false, {});
    setViewportUpdateMode(MinimalViewportUpdate);
    viewport()->update();
}

void CanvasView::mouseMoveEvent(QMouseEvent* event)
{
    const QPoint at = event->position().toPoint();
    if (m_panFrom) {
        const QPoint moved = at - *m_panFrom;
        m_panFrom = at;
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - moved.x());
        verticalScrollBar()->setValue(verticalScrollBar()->value() - moved.y());
        return;
    }
    if (m_pressed && (at - *m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
        const QPointF start = mapToScene(*m_pressed);
        m_pressed.reset();
        m_selectOnRelease = false;
        const NodeItem* node = m_scene->node(m_pressedNode);
        if (node && node->isSelected() && !refuseWhenLocked())
            beginGesture(std::make_unique<MoveGesture>(*m_scene, start, m_pressedNode));
    }
    if (!m_gesture) {
        hover(at);
        return;
    }
    m_gesture->moveTo(mapToScene(at), event->modifiers());
    showHint(m_gesture->hint(), m_gesture->hintRefuses(), at);
    viewport()->update();
}

void CanvasView::hover(QPoint at)
{
    const QPointF place = mapToScene(at);
    const NodeItem* node = m_scene->nodeAt(place);
    const bool fix = node && node->fixRect().contains(place);
    if (m_space)
        viewport()->setCursor(Qt::OpenHandCursor);
    else if (fix)
        viewport()->setCursor(Qt::PointingHandCursor);
    else if (m_scene->portAt(place))
        viewport()->setCursor(Qt::CrossCursor);
    else
        viewport()->unsetCursor();
}

void CanvasView::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_panFrom && (event->button() == Qt::MiddleButton || event->button() == Qt::LeftButton)) {
        m_panFrom.reset();
        viewport()->unsetCursor();
        return;
    }
    if (event->button() != Qt::LeftButton)
        return;
    if (m_pressed && m_selectOnRelease)
        m_scene->select({m_pressedNode});
    endGesture(true, mapToScene(event->position().toPoint()));
}

void CanvasView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const QPointF at = mapToScene(event->position().toPoint());
    if (const NodeItem* node = m_scene->nodeAt(at))
        emit nodeActivated(node->id());
    else if (!m_scene->wireAt(at) && !m_scene->portAt(at))
        openAddList(event->position().toPoint());
}

void CanvasView::wheelEvent(QWheelEvent* event)
{
    const int turn = event->angleDelta().y();
    if (turn != 0)
        zoomTo(zoom() * std::pow(1.2, turn / 120.0), event->position().toPoint());
    event->accept();
}

void CanvasView::contextMenuEvent(QContextMenuEvent* event)
{
    QPoint place = event->pos();
    const std::vector<graph::Id> selected = m_scene->selectedNodes();
    if (event->reason() == QContextMenuEvent::Keyboard && !selected.empty())
        place = mapFromScene(m_scene->node(selected.front())->bodyRect().center());
    const QPointF at = mapToScene(place);
    QMenu menu(this);
    if (NodeItem* node = m_scene->nodeAt(at)) {
        if (!node->isSelected())
            m_scene->select({node->id()});
        nodeMenu(menu, node->id());
    } else if (WireItem* wire = m_scene->wireAt(at)) {
        m_scene->clearSelection();
        wire->setSelected(true);
        menu.addAction(tr("Delete wire"), this, [this] { deleteSelected(); })->setEnabled(!m_host.isLocked());
    } else {
        menu.addAction(tr("Add module...\tTab"), this, [this, place] { openAddList(place); })
            ->setEnabled(!m_host.isLocked());
        menu.addSeparator();
        menu.addAction(tr("Select all"), this, &CanvasView::selectAll);
        menu.addAction(tr("Fit\tF"), this, &CanvasView::fit);
    }
    menu.exec(event->reason() == QContextMenuEvent::Keyboard ? viewport()->mapToGlobal(place) : event->globalPos());
}

void CanvasView::nodeMenu(QMenu& menu, graph::Id node)
{
    const NodeItem* item = m_scene->node(node);
    const bool may = !m_host.isLocked();
    if (!item->look().fix.isEmpty()) {
        menu.addAction(item->look().fix, this, [this, node] { applyFix(*m_scene, node); })->setEnabled(may);
        menu.addSeparator();
    }
    menu.addAction(tr("Rename...\tF2"), this, &CanvasView::renameSelected)->setEnabled(may);
    menu.addAction(tr("Duplicate"), this, &CanvasView::duplicateSelected)->setEnabled(may);
    menu.addAction(item->look().frozen.isEmpty() ? tr("Freeze") : tr("Unfreeze"), this, &CanvasView::freezeSelected)
        ->setEnabled(may && !item->look().count.isEmpty());
    connectMenu(menu, node);
    menu.addSeparator();
    menu.addAction(tr("Delete\tDel"), this, [this] { deleteSelected(); })->setEnabled(may);
    menu.addAction(tr("Delete and close the gap\tCtrl+Del"), this, [this] { deleteSelected(true); })->setEnabled(may);
}

void CanvasView::connectMenu(QMenu& menu, graph::Id node)
{
    QMenu* targets = menu.addMenu(tr("Connect to"));
    const NodeItem* item = m_scene->node(node);
    for (const PortLook& output : item->look().outputs) {
        const PortHit start{node, graph::PortSide::Output, output.name, item->mapToScene(output.at)};
        const WireOffer offer(*m_scene, start);
        for (const auto& [id, other] : m_scene->body().nodes) {
            const NodeItem* target = m_scene->node(id);
            for (const PortLook& input : target->look().inputs) {
                if (!offer.refusal({id, graph::PortSide::Input, input.name, {}}).isEmpty())
                    continue;
                const graph::Endpoint from{node, output.name}, to{id, input.name};
                const QString text = qs(other.name) + QLatin1Char('.') + qs(input.name);
                const QString source =
                    item->look().outputs.size() > 1 ? qs(output.name) + QStringLiteral(" \u2192 ") : QString();
                targets->addAction(source + text, this, [this, from, to] { connectPorts(*m_scene, from, to); });
            }
        }
    }
    targets->setEnabled(!targets->isEmpty() && !m_host.isLocked());
}

}  // namespace megalith::ui
