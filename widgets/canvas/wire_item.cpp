// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/wire_item.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStyleOptionGraphicsItem>

#include <algorithm>
#include <cmath>

namespace megalith::ui {

namespace {

const QFont& labelFont()
{
    static const QFont font = sceneMonoFont(10);
    return font;
}

void curve(QPainterPath& path, QPointF to)
{
    const QPointF from = path.currentPosition();
    const double reach = std::max(20.0, std::abs(to.x() - from.x()) / 2);
    path.cubicTo(from + QPointF(reach, 0), to - QPointF(reach, 0), to);
}

// Back to the left: out of the node, across between the two rows, and in from the left.
void loopBack(QPainterPath& path, QPointF to)
{
    const QPointF from = path.currentPosition();
    const double out = 70;
    const double rows = std::abs(to.y() - from.y());
    const double y = rows > 120 ? (from.y() + to.y()) / 2 : std::max(from.y(), to.y()) + 90;
    const double right = from.x() + 10, left = to.x() - 10;
    path.cubicTo(QPointF(right + out, from.y()), QPointF(right + out, y), QPointF(right - 40, y));
    path.lineTo(left + 40, y);
    path.cubicTo(QPointF(left - out, y), QPointF(left - out, to.y()), to);
}

}  // namespace

QPainterPath wirePath(QPointF from, QPointF to, const std::vector<graph::Point>& via)
{
    QPainterPath path(from);
    for (const graph::Point& point : via)
        curve(path, {point.x, point.y});
    if (via.empty() && to.x() < from.x() + 10)
        loopBack(path, to);
    else
        curve(path, to);
    return path;
}

WireItem::WireItem(graph::Edge edge, Scheme scheme) : m_edge(std::move(edge)), m_scheme(scheme)
{
    setFlag(ItemIsSelectable);
    setZValue(0);
}

void WireItem::setEnds(QPointF from, QPointF to)
{
    m_from = from;
    m_to = to;
    layOut();
}

void WireItem::setLabel(const QString& label, const QString& shortLabel, DType dtype, bool wrong, const QString& tip)
{
    m_label = label;
    m_shortLabel = shortLabel;
    m_dtype = dtype;
    m_wrong = wrong;
    setToolTip(tip);
    layOut();
}

void WireItem::setScheme(Scheme scheme)
{
    m_scheme = scheme;
    update();
}

void WireItem::layOut()
{
    prepareGeometryChange();
    m_path = wirePath(m_from, m_to, m_edge.via);
    QPainterPathStroker stroker;
    stroker.setWidth(12);
    m_hit = stroker.createStroke(m_path);
    static const QFontMetricsF metrics(labelFont());
    m_labelRect = QRectF();
    const QPointF middle = m_path.pointAtPercent(0.5);
    // Between two nodes in a row there is room for the gap alone; elsewhere for all of it.
    const double room = m_to.x() > m_from.x() + 10 ? m_to.x() - m_from.x() - 14 : 1e9;
    m_shown = metrics.horizontalAdvance(m_label) <= room ? m_label : m_shortLabel;
    const double width = metrics.horizontalAdvance(m_shown);
    if (!m_shown.isEmpty() && width <= room)
        m_labelRect = QRectF(middle.x() - width / 2, middle.y() - metrics.height() - 4, width, metrics.height());
    m_bounds = m_path.boundingRect().adjusted(-6, -6, 6, 6).united(m_labelRect);
    update();
}

void WireItem::paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget*)
{
    const Colors& c = colors(m_scheme);
    const double detail = option->levelOfDetailFromTransform(painter->worldTransform());
    const QColor color = m_wrong ? c.error : isSelected() ? c.accent : c.muted;
    QPen pen(color, isSelected() ? size::wire + 1 : size::wire);
    if (detail < size::detailName) {
        pen.setWidthF(1);
        pen.setCosmetic(true);
        painter->setPen(pen);
        painter->drawLine(m_from, m_to);
        return;
    }
    if (!isFloating(m_dtype))
        pen.setStyle(m_dtype == DType::Bool ? Qt::DotLine : Qt::DashLine);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(pen);
    painter->setBrush(Qt::NoBrush);
    painter->drawPath(m_path);
    if (detail < size::detailShape || m_labelRect.isEmpty())
        return;
    painter->setFont(labelFont());
    painter->setPen(m_wrong ? c.error : c.muted);
    painter->drawText(m_labelRect, Qt::AlignCenter, m_shown);
}

}  // namespace megalith::ui
