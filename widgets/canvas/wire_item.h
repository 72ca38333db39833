// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/dtype.h"
#include "engine/graph/document.h"
#include "widgets/theme.h"

#include <QGraphicsItem>
#include <QPainterPath>
#include <QString>

#include <vector>

namespace megalith::ui {

// The way of a wire from an output to an input, through its corners.
QPainterPath wirePath(QPointF from, QPointF to, const std::vector<graph::Point>& via = {});

class WireItem : public QGraphicsItem
{
public:
    enum { Type = UserType + 2 };

    WireItem(graph::Edge edge, Scheme scheme);

    const graph::Edge& edge() const { return m_edge; }
    void setEdge(graph::Edge edge) { m_edge = std::move(edge); }
    void setEnds(QPointF from, QPointF to);
    // The short label stands where there is no room for the whole.
    void setLabel(const QString& label, const QString& shortLabel, DType dtype, bool wrong, const QString& tip);
    void setScheme(Scheme scheme);

    int type() const override { return Type; }
    QRectF boundingRect() const override { return m_bounds; }
    QPainterPath shape() const override { return m_hit; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    void layOut();

    graph::Edge m_edge;
    Scheme m_scheme;
    QPointF m_from, m_to;
    QPainterPath m_path, m_hit;
    QRectF m_bounds, m_labelRect;
    QString m_label, m_shortLabel, m_shown;
    DType m_dtype = DType::F32;
    bool m_wrong = false;
};

}  // namespace megalith::ui
