// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/node_item.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>
#include <QStyleOptionGraphicsItem>

#include <algorithm>

namespace megalith::ui {

namespace {

// Made once: fonts and their measures are asked for at every node and frame.
struct Fonts
{
    QFont strong = sceneFont(size::textPixels, true);
    QFont small = sceneFont(size::smallPixels);
    QFont mono = sceneMonoFont(size::smallPixels);
    QFont name = sceneFont(22, true);  // alone on a node seen from far away
    QFontMetricsF strongMetrics{strong}, smallMetrics{small}, monoMetrics{mono};
};

const Fonts& fonts()
{
    static const Fonts all;
    return all;
}

constexpr double badgeGap = 8;
constexpr double badgeWidth = 264;

}  // namespace

NodeItem::NodeItem(graph::Id id, Scheme scheme) : m_id(id), m_scheme(scheme)
{
    setFlag(ItemIsSelectable);
    setFlag(ItemSendsGeometryChanges);
    setZValue(1);
    setAcceptHoverEvents(true);
}

void NodeItem::setLook(NodeLook look)
{
    if (look == m_look)
        return;
    prepareGeometryChange();
    m_look = std::move(look);
    layOut();
    setToolTip(m_look.tip);
    update();
}

void NodeItem::setScheme(Scheme scheme)
{
    m_scheme = scheme;
    update();
}

void NodeItem::layOut()
{
    const Fonts& f = fonts();
    const double inner = m_look.body.width() - 2 * size::nodePadding;
    m_shownName = f.strongMetrics.elidedText(m_look.name, Qt::ElideMiddle, inner * 0.68);
    const double left = inner - f.strongMetrics.horizontalAdvance(m_shownName) - 8;
    m_shownType = f.smallMetrics.elidedText(m_look.type, Qt::ElideRight, left);
    m_shownAttributes = f.smallMetrics.elidedText(m_look.attributes, Qt::ElideRight, inner);
    const QFontMetricsF& last = m_look.waiting ? f.smallMetrics : f.monoMetrics;
    const double countWidth = m_look.count.isEmpty() ? 0 : f.smallMetrics.horizontalAdvance(m_look.count) + 8;
    m_shownShape = last.elidedText(m_look.shape, Qt::ElideRight, inner - countWidth);

    m_strip = QPainterPath();
    m_strip.setFillRule(Qt::WindingFill);
    m_strip.addRoundedRect(QRectF(0, 0, m_look.body.width(), 2 * size::radius), size::radius, size::radius);
    QPainterPath below;
    below.addRect(QRectF(0, size::nodeStrip + 2, m_look.body.width(), 2 * size::radius));
    m_strip = m_strip.subtracted(below);

    m_problemRect = m_fixRect = QRectF();
    m_bounds = m_look.body.adjusted(-size::port, -20, size::port, size::port);
    if (m_look.problem.isEmpty())
        return;
    const QRectF room(0, 0, badgeWidth - 16, 200);
    const QRectF text = f.smallMetrics.boundingRect(room, Qt::TextWordWrap, m_look.problem);
    const double fixHeight = m_look.fix.isEmpty() ? 0 : f.smallMetrics.height() + 4;
    const double fixWidth = f.smallMetrics.horizontalAdvance(m_look.fix);
    const double width = std::min(badgeWidth, std::ceil(std::max(text.width(), fixWidth)) + 16);
    const double height = std::ceil(text.height()) + fixHeight + 10;
    m_problemRect = QRectF(0, m_look.body.height() + badgeGap, width, height);
    if (!m_look.fix.isEmpty())
        m_fixRect = QRectF(8, m_problemRect.bottom() - fixHeight - 4, std::min(fixWidth, width - 16), fixHeight);
    m_bounds = m_bounds.united(m_problemRect.adjusted(-1, -1, 1, 1));
}

QPointF NodeItem::portAt(graph::PortSide side, std::string_view name) const
{
    const PortLook* port = m_look.port(side, name);
    if (port)
        return mapToScene(port->at);
    // A port that is gone: the wire to it still has to end somewhere.
    return mapToScene({side == graph::PortSide::Input ? 0 : m_look.body.width(), m_look.body.height() / 2});
}

void NodeItem::setOffer(Offer offer, graph::PortSide side)
{
    if (m_offer == offer && m_offerSide == side)
        return;
    m_offer = offer;
    m_offerSide = side;
    update();
}

void NodeItem::setHotPort(std::optional<std::pair<graph::PortSide, std::string>> port)
{
    if (m_hotPort == port)
        return;
    m_hotPort = std::move(port);
    update();
}

QPainterPath NodeItem::shape() const
{
    QPainterPath path;
    path.addRect(m_look.body);
    if (!m_fixRect.isEmpty())
        path.addRect(m_fixRect);
    return path;
}

QVariant NodeItem::itemChange(GraphicsItemChange change, const QVariant& value)
{
    if (change == ItemSelectedHasChanged)
        setZValue(isSelected() ? 2 : 1);
    return QGraphicsItem::itemChange(change, value);
}

void NodeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    const double detail = option->levelOfDetailFromTransform(painter->worldTransform());
    if (detail < size::detailName) {
        paintBlock(painter);
        return;
    }
    paintBody(painter);
    paintTexts(painter, detail >= size::detailAll);
    if (detail >= size::detailShape) {
        paintPorts(painter);
        paintProblem(painter);
    }
}

QColor NodeItem::outline() const
{
    const Colors& c = colors(m_scheme);
    if (!m_look.problem.isEmpty())
        return m_look.error ? c.error : c.warning;
    return isSelected() ? c.accent : c.line;
}

void NodeItem::paintBlock(QPainter* painter) const
{
    painter->fillRect(m_look.body, m_look.problem.isEmpty() ? m_look.strip : outline());
    if (isSelected()) {
        QPen pen(colors(m_scheme).accent, 2);
        pen.setCosmetic(true);
        painter->setPen(pen);
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(m_look.body);
    }
}

void NodeItem::paintBody(QPainter* painter) const
{
    const Colors& c = colors(m_scheme);
    painter->setRenderHint(QPainter::Antialiasing);
    const bool strong = isSelected() || !m_look.problem.isEmpty();
    painter->setPen(QPen(outline(), strong ? 2 : 1, m_look.unknown ? Qt::DashLine : Qt::SolidLine));
    painter->setBrush(c.node);
    painter->drawRoundedRect(m_look.body, size::radius, size::radius);
    if (m_look.composed) {
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(m_look.body.adjusted(3, 3, -3, -3), size::radius - 2, size::radius - 2);
    }
    painter->fillPath(m_strip, m_look.strip);
    if (isSelected() && !m_look.problem.isEmpty()) {
        // Both facts are seen: the outline is the problem's, a second one outside is the selection's.
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(c.accent, 2));
        painter->drawRoundedRect(m_look.body.adjusted(-3, -3, 3, 3), size::radius + 3, size::radius + 3);
    }
}

void NodeItem::paintTexts(QPainter* painter, bool all) const
{
    const Colors& c = colors(m_scheme);
    const Fonts& f = fonts();
    const double left = size::nodePadding, right = m_look.body.width() - size::nodePadding;
    const double zoom = painter->worldTransform().m11();
    painter->setPen(c.text);
    if (zoom < size::detailShape) {
        painter->setFont(f.name);
        painter->drawText(m_look.body.adjusted(6, size::nodeStrip, -6, 0), Qt::AlignCenter, m_look.name);
        return;
    }
    const double first = 27, second = 46, last = m_look.body.height() - 11;
    painter->setFont(f.strong);
    painter->drawText(QPointF(left, first), m_shownName);
    painter->setFont(m_look.waiting ? f.small : f.mono);
    painter->setPen(m_look.waiting ? c.muted : c.text);
    painter->drawText(QPointF(left, last), m_shownShape);
    if (!all)
        return;
    painter->setFont(f.small);
    painter->setPen(c.muted);
    painter->drawText(QPointF(right - f.smallMetrics.horizontalAdvance(m_shownType), first), m_shownType);
    painter->drawText(QPointF(left, second), m_shownAttributes);
    painter->drawText(QPointF(right - f.smallMetrics.horizontalAdvance(m_look.count), last), m_look.count);
    if (!m_look.frozen.isEmpty()) {
        painter->setPen(c.accent);
        painter->drawText(QRectF(0, -20, m_look.body.width(), 16), Qt::AlignRight | Qt::AlignVCenter,
                          QStringLiteral("\u2744 ") + m_look.frozen);
    }
}

void NodeItem::paintProblem(QPainter* painter) const
{
    if (m_look.problem.isEmpty())
        return;
    const Colors& c = colors(m_scheme);
    painter->setPen(QPen(outline(), 1));
    painter->setBrush(c.node);
    painter->drawRoundedRect(m_problemRect, 5, 5);
    painter->setFont(fonts().small);
    painter->drawText(m_problemRect.adjusted(8, 4, -8, -4), Qt::TextWordWrap, m_look.problem);
    if (m_fixRect.isEmpty())
        return;
    painter->setPen(c.accent);
    painter->drawText(m_fixRect, Qt::AlignLeft | Qt::AlignVCenter, m_look.fix);
    painter->drawLine(m_fixRect.bottomLeft() - QPointF(0, 2), m_fixRect.bottomRight() - QPointF(0, 2));
}

void NodeItem::paintPorts(QPainter* painter) const
{
    const Colors& c = colors(m_scheme);
    const double radius = size::port / 2;
    for (const auto side : {graph::PortSide::Input, graph::PortSide::Output}) {
        for (const PortLook& port : side == graph::PortSide::Input ? m_look.inputs : m_look.outputs) {
            const bool hot = m_hotPort && m_hotPort->first == side && m_hotPort->second == port.name;
            const bool pale = m_offer == Offer::Pale || (m_offer == Offer::Fits && side != m_offerSide);
            const QColor ring = port.wrong ? c.error : pale ? c.line : m_look.strip;
            painter->setPen(QPen(hot ? c.accent : ring, 2));
            const bool filled = hot || port.wrong || (m_offer == Offer::Fits && side == m_offerSide);
            painter->setBrush(filled ? (hot ? c.accent : ring) : c.node);
            const double r = hot ? radius + 2 : radius;
            painter->drawEllipse(port.at, r, r);
        }
    }
}

}  // namespace megalith::ui
