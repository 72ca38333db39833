// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/canvas_view.h"

#include "widgets/canvas/add_list.h"
#include "widgets/canvas/canvas_accessible.h"
#include "widgets/canvas/canvas_edits.h"
#include "widgets/canvas/gestures.h"
#include "widgets/canvas/name_editor.h"
#include "widgets/field.h"
#include "widgets/text.h"

#include <QLabel>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace megalith::ui {

CanvasView::CanvasView(DocumentHost& host, QWidget* parent)
    : QGraphicsView(parent)
    , m_host(host)
    , m_scene(new CanvasScene(host, this))
    , m_addList(new AddList(this))
    , m_nameEditor(new NameEditor(host, this))
    , m_where(new QLabel(this))
    , m_totals(new QLabel(this))
    , m_notice(new QLabel(this))
    , m_empty(new QLabel(this))
    , m_hint(new QLabel(this))
{
    setScene(m_scene);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Canvas"));
    QAccessible::installFactory(&CanvasAccessible::make);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTransformationAnchor(NoAnchor);
    setResizeAnchor(NoAnchor);
    setViewportUpdateMode(MinimalViewportUpdate);
    setOptimizationFlags(DontSavePainterState | DontAdjustForAntialiasing);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    viewport()->setAccessibleName(accessibleName());
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(240, 160);

    setStyleFlag(*m_where, "muted", true);
    setStyleFlag(*m_totals, "muted", true);
    setStyleFlag(*m_empty, "muted", true);
    m_empty->setText(tr("Nothing here yet. Press Tab or double-click to add a module."));
    setStyleFlag(*m_hint, "notice", true);
    setStyleFlag(*m_notice, "notice", true);
    for (QLabel* label : {m_where, m_totals, m_notice, m_empty, m_hint})
        label->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_hint->hide();

    connect(m_scene, &QGraphicsScene::selectionChanged, this, [this] {
        emit selectionChanged(m_scene->selectedNodes());
        QAccessibleEvent heard(this, QAccessible::Selection);
        QAccessible::updateAccessibility(&heard);
    });
    connect(m_scene, &CanvasScene::followed, this, [this] { updateOverlays(); });
    connect(&host, &DocumentHost::lockChanged, this, [this] {
        endGesture(false, {});
        updateOverlays();
    });
    connect(&host, &DocumentHost::reset, this, [this] { m_neverShown = true, fit(); });
    connect(m_addList, &AddList::closed, this, [this] { setFocus(); });
    connect(m_nameEditor, &NameEditor::closed, this, [this] { setFocus(); });
    connect(m_addList, &AddList::chosen, this,
            [this](const QString& type) { addModuleAt(type, m_addAt, m_addBehind); });
    retint();
    updateOverlays();
}

CanvasView::~CanvasView()
{
    // The scene tells of its end while this is half gone.
    m_scene->disconnect(this);
    m_gesture.reset();
}

// ---- what is seen

void CanvasView::zoomTo(double zoom, QPoint anchor)
{
    const double wanted = std::clamp(zoom, size::zoomMin, size::zoomMax);
    const QPointF before = mapToScene(anchor);
    setTransform(QTransform::fromScale(wanted, wanted));
    const QPointF moved = mapFromScene(before) - QPointF(anchor);
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + static_cast<int>(std::lround(moved.x())));
    verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(std::lround(moved.y())));
    emit zoomChanged(wanted);
}

void CanvasView::zoomBy(double factor)
{
    zoomTo(zoom() * factor, viewport()->rect().center());
}

void CanvasView::fit()
{
    const QRectF nodes = m_scene->contentRect();
    if (nodes.isEmpty()) {
        setTransform(QTransform());
        centerOn(0, 0);
        return;
    }
    // Margins hold the texts in the corners; a small network is not blown up.
    const QRectF wanted = nodes.adjusted(-20, -50, 20, 20);
    const double x = viewport()->width() / wanted.width(), y = viewport()->height() / wanted.height();
    const double wantedZoom = std::clamp(std::min({x, y, 1.0}), size::zoomMin, size::zoomMax);
    setTransform(QTransform::fromScale(wantedZoom, wantedZoom));
    centerOn(wanted.center());
    emit zoomChanged(wantedZoom);
}

void CanvasView::goTo(graph::Id node)
{
    NodeItem* item = m_scene->node(node);
    if (!item)
        return;
    m_scene->select({node});
    if (zoom() < size::detailShape)
        zoomTo(1.0, mapFromScene(item->bodyRect().center()));
    ensureVisible(item->sceneBoundingRect(), 40, 40);
}

void CanvasView::retint()
{
    m_scene->setScheme(schemeOf(palette()));
    resetCachedContent();
    viewport()->update();
}

void CanvasView::updateOverlays()
{
    const graph::Document& document = m_host.document();
    const graph::Totals& totals = m_host.analysis().totals;
    m_where->setText(qs(document.name) + QStringLiteral("  \u203A  ")
                     + (m_scene->module().empty() ? tr("model") : qs(m_scene->module())));
    m_totals->setText(
        tr("%1 parameters \u00B7 %2 trainable").arg(countText(totals.parameters), countText(totals.trainable)));
    m_notice->setText(m_host.lockReason());
    m_notice->setVisible(m_host.isLocked());
    m_empty->setVisible(m_scene->nodeCount() == 0);
    setAccessibleDescription(tr("Nodes: %1").arg(m_scene->nodeCount()));
    placeOverlays();
}

void CanvasView::placeOverlays()
{
    for (QLabel* label : {m_where, m_totals, m_notice, m_empty})
        label->adjustSize();
    m_where->move(size::gap4, size::gap3);
    // Narrow windows keep the place's name and leave the counts out.
    m_totals->move(width() - m_totals->width() - size::gap4, size::gap3);
    m_totals->setVisible(m_totals->x() > m_where->x() + m_where->width() + size::gap4);
    m_notice->move((width() - m_notice->width()) / 2, height() - m_notice->height() - size::gap4);
    m_empty->move((width() - m_empty->width()) / 2, (height() - m_empty->height()) / 2);
}

void CanvasView::drawBackground(QPainter* painter, const QRectF& rect)
{
    const Colors& c = colors(palette());
    painter->fillRect(rect, c.canvas);
    if (zoom() < size::detailShape)
        return;
    QPen pen(c.grid, 1);
    pen.setCosmetic(true);
    painter->setPen(pen);
    painter->setRenderHint(QPainter::Antialiasing, false);
    QVarLengthArray<QLineF, 256> lines;
    for (double x = std::floor(rect.left() / size::grid) * size::grid; x <= rect.right(); x += size::grid)
        lines.append({x, rect.top(), x, rect.bottom()});
    for (double y = std::floor(rect.top() / size::grid) * size::grid; y <= rect.bottom(); y += size::grid)
        lines.append({rect.left(), y, rect.right(), y});
    painter->drawLines(lines.data(), static_cast<int>(lines.size()));
}

void CanvasView::drawForeground(QPainter* painter, const QRectF&)
{
    if (m_gesture)
        m_gesture->paint(*painter);
}

void CanvasView::showHint(const QString& text, bool refuses, QPoint at)
{
    m_hint->setVisible(!text.isEmpty());
    if (text.isEmpty())
        return;
    setStyleFlag(*m_hint, "error", refuses);
    m_hint->setText(text);
    m_hint->adjustSize();
    const int x = std::min(at.x() + 16, width() - m_hint->width() - size::gap1);
    const int y = std::min(at.y() + 18, height() - m_hint->height() - size::gap1);
    m_hint->move(std::max(x, size::gap1), std::max(y, size::gap1));
}

void CanvasView::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    placeOverlays();
    if (m_neverShown && isVisible()) {
        m_neverShown = false;
        fit();
    }
}

void CanvasView::changeEvent(QEvent* event)
{
    QGraphicsView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange)
        retint();
}

// ---- commands

bool CanvasView::refuseWhenLocked()
{
    if (!m_host.isLocked())
        return false;
    emit m_host.refused(m_host.lockReason());
    return true;
}

void CanvasView::openAddList(QPoint at, graph::Id behind)
{
    if (refuseWhenLocked())
        return;
    m_addAt = mapToScene(at) - QPointF(size::nodeMinWidth / 2, size::nodeHeight / 2);
    m_addBehind = 0;
    if (const NodeItem* item = m_scene->node(behind); item && !item->look().outputs.empty()) {
        m_addBehind = behind;
        m_addAt = item->pos() + QPointF(item->look().body.width() + 50, 0);
    }
    m_addList->open(at, moduleEntries(m_host.document()));
}

void CanvasView::addModuleHere(const QString& type)
{
    if (refuseWhenLocked())
        return;
    const std::vector<graph::Id> selected = m_scene->selectedNodes();
    QPointF at = mapToScene(viewport()->rect().center()) - QPointF(size::nodeMinWidth / 2, size::nodeHeight / 2);
    graph::Id behind = 0;
    if (selected.size() == 1) {
        const NodeItem* item = m_scene->node(selected.front());
        if (!item->look().outputs.empty()) {
            behind = selected.front();
            at = item->pos() + QPointF(item->look().body.width() + 50, 0);
        }
    }
    addModuleAt(type, at, behind);
}

void CanvasView::addModuleAt(const QString& type, QPointF at, graph::Id behind)
{
    if (const auto id = addModule(*m_scene, type, at, behind))
        ensureVisible(m_scene->node(*id)->sceneBoundingRect(), 40, 40);
}

void CanvasView::renameSelected()
{
    const std::vector<graph::Id> selected = m_scene->selectedNodes();
    if (selected.size() != 1 || refuseWhenLocked())
        return;
    const NodeItem* item = m_scene->node(selected.front());
    ensureVisible(item->sceneBoundingRect(), 10, 10);
    const QRectF title(item->look().body.left() + 4, size::nodeStrip, item->look().body.width() - 8, 28);
    QRect place = mapFromScene(item->mapRectToScene(title)).boundingRect();
    place.setSize(place.size().expandedTo(QSize(120, m_nameEditor->sizeHint().height())));
    m_nameEditor->open(selected.front(), place);
}

void CanvasView::deleteSelected(bool bridge)
{
    ui::deleteSelected(*m_scene, bridge);
}

void CanvasView::duplicateSelected()
{
    ui::duplicateSelected(*m_scene);
}

void CanvasView::freezeSelected()
{
    ui::freezeSelected(*m_scene);
}

void CanvasView::selectAll()
{
    std::vector<graph::Id> ids;
    for (const auto& [id, node] : m_scene->body().nodes)
        ids.push_back(id);
    m_scene->select(ids);
}

bool CanvasView::nudge(int key, bool far)
{
    const double step = far ? size::grid : size::snap;
    const QPointF by = key == Qt::Key_Left    ? QPointF(-step, 0)
                       : key == Qt::Key_Right ? QPointF(step, 0)
                       : key == Qt::Key_Up    ? QPointF(0, -step)
                       : key == Qt::Key_Down  ? QPointF(0, step)
                                              : QPointF();
    if (by.isNull())
        return false;
    const std::vector<graph::Id> ids = m_scene->selectedNodes();
    if (ids.empty() || refuseWhenLocked())
        return true;
    // Held down, a key moves on; the document hears of it when it is let go.
    m_nudged = ids;
    m_nudge += by;
    m_scene->showMoved(m_nudged, m_nudge);
    return true;
}

void CanvasView::endNudge()
{
    if (m_nudge.isNull())
        return;
    const QPointF by = std::exchange(m_nudge, QPointF());
    moveNodes(*m_scene, std::exchange(m_nudged, {}), by);
}

}  // namespace megalith::ui
