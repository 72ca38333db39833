// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/gestures.h"

#include "widgets/text.h"

#include <QCoreApplication>
#include <QGraphicsView>

#include <algorithm>

namespace megalith::ui {

namespace {

const Colors& colorsOf(const CanvasScene& scene)
{
    return colors(scene.views().isEmpty() ? QPalette() : scene.views().first()->palette());
}

// A wired input gives its wire's other end: the pointer takes the wire elsewhere.
std::optional<graph::Endpoint> wireTaken(const CanvasScene& scene, const PortHit& start)
{
    if (start.side == graph::PortSide::Input && scene.body().edgeInto(start.endpoint()))
        return start.endpoint();
    return std::nullopt;
}

PortHit fixedEnd(const CanvasScene& scene, const PortHit& start)
{
    if (!wireTaken(scene, start))
        return start;
    const graph::Endpoint from = scene.body().edgeInto(start.endpoint())->from;
    const NodeItem* item = scene.node(from.node);
    return {from.node, graph::PortSide::Output, from.port,
            item ? item->portAt(graph::PortSide::Output, from.port) : start.at};
}

}  // namespace

WireGesture::WireGesture(CanvasScene& scene, const PortHit& start)
    : m_scene(scene)
    , m_moving(wireTaken(scene, start))
    , m_offer(scene, fixedEnd(scene, start), m_moving)
    , m_at(start.at)
{
    for (const auto& [id, node] : scene.body().nodes)
        if (NodeItem* item = scene.node(id))
            item->setOffer(m_offer.fits(id) ? NodeItem::Offer::Fits : NodeItem::Offer::Pale, m_offer.wanted());
    if (m_moving)
        if (WireItem* wire = scene.wire(*m_moving))
            wire->setVisible(false);
}

WireGesture::~WireGesture()
{
    setHot(std::nullopt);
    for (const auto& [id, node] : m_scene.body().nodes)
        if (NodeItem* item = m_scene.node(id))
            item->setOffer(NodeItem::Offer::None, graph::PortSide::Input);
    if (m_moving)
        if (WireItem* wire = m_scene.wire(*m_moving))
            wire->setVisible(true);
}

void WireGesture::setHot(const std::optional<PortHit>& hit)
{
    if (m_hot)
        if (NodeItem* item = m_scene.node(m_hot->node))
            item->setHotPort(std::nullopt);
    m_hot = hit;
    if (m_hot)
        if (NodeItem* item = m_scene.node(m_hot->node))
            item->setHotPort(std::make_pair(m_hot->side, m_hot->name));
}

void WireGesture::moveTo(QPointF at, Qt::KeyboardModifiers)
{
    m_at = at;
    m_hint.clear();
    m_refuses = false;
    std::optional<PortHit> hit = m_scene.portAt(at);
    if (hit && hit->endpoint() == m_offer.start().endpoint() && hit->side == m_offer.start().side)
        hit.reset();
    if (!hit) {
        setHot(std::nullopt);
        return;
    }
    const QString refusal = m_offer.refusal(*hit);
    m_refuses = !refusal.isEmpty();
    const graph::Node* node = m_scene.body().node(hit->node);
    m_hint = m_refuses ? refusal : (node ? qs(node->name) + QLatin1Char('.') : QString()) + qs(hit->name);
    setHot(m_refuses ? std::nullopt : hit);
    if (!m_refuses)
        m_at = hit->at;
}

void WireGesture::finish(QPointF at)
{
    moveTo(at, Qt::NoModifier);
    if (m_refuses) {
        emit m_scene.host().refused(m_hint);
        return;
    }
    if (!m_hot) {
        if (m_moving)
            cutWire(m_scene, *m_moving);
        return;
    }
    const auto [from, to] = m_offer.ends(*m_hot);
    if (m_moving)
        rewire(m_scene, *m_moving, from, to);
    else
        connectPorts(m_scene, from, to);
}

void WireGesture::cancel() {}

void WireGesture::paint(QPainter& painter) const
{
    const Colors& c = colorsOf(m_scene);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_refuses ? c.error : c.accent, size::wire, m_hot ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    const QPointF start = m_offer.start().at;
    painter.drawPath(m_offer.start().side == graph::PortSide::Output ? wirePath(start, m_at) : wirePath(m_at, start));
}

MoveGesture::MoveGesture(CanvasScene& scene, QPointF start, graph::Id grabbed)
    : m_scene(scene)
    , m_start(start)
    , m_ids(scene.selectedNodes())
{
    if (const graph::Node* node = scene.body().node(grabbed))
        m_origin = {node->pos.x, node->pos.y};
}

void MoveGesture::moveTo(QPointF at, Qt::KeyboardModifiers modifiers)
{
    const QPointF wanted = m_origin + at - m_start;
    m_by = (modifiers & Qt::AltModifier ? wanted : snapped(wanted)) - m_origin;
    m_scene.showMoved(m_ids, m_by);
}

void MoveGesture::finish(QPointF)
{
    if (m_by.isNull())
        m_scene.showWhereTheyAre(m_ids);
    else
        moveNodes(m_scene, m_ids, m_by);
}

void MoveGesture::cancel()
{
    m_scene.showWhereTheyAre(m_ids);
}

BandGesture::BandGesture(CanvasScene& scene, QPointF start, bool adds) : m_scene(scene), m_start(start)
{
    if (adds)
        m_before = scene.selectedNodes();
}

void BandGesture::moveTo(QPointF at, Qt::KeyboardModifiers)
{
    m_rect = QRectF(m_start, at).normalized();
    std::vector<graph::Id> ids = m_before;
    for (const auto& [id, node] : m_scene.body().nodes) {
        const NodeItem* item = m_scene.node(id);
        if (item && m_rect.intersects(item->bodyRect()) && std::find(ids.begin(), ids.end(), id) == ids.end())
            ids.push_back(id);
    }
    std::sort(ids.begin(), ids.end());
    if (ids != m_scene.selectedNodes())
        m_scene.select(ids);
}

void BandGesture::finish(QPointF) {}

void BandGesture::cancel()
{
    m_scene.select(m_before);
}

void BandGesture::paint(QPainter& painter) const
{
    QPen pen(colorsOf(m_scene).accent, 1);
    pen.setCosmetic(true);
    painter.setPen(pen);
    QColor fill = colorsOf(m_scene).accent;
    fill.setAlpha(28);
    painter.setBrush(fill);
    painter.drawRect(m_rect);
}

}  // namespace megalith::ui
