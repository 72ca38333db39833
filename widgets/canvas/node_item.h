// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/canvas/node_look.h"
#include "widgets/theme.h"

#include <QGraphicsItem>

#include <array>
#include <optional>

namespace megalith::ui {

// One node. Paints a NodeLook and knows where its ports and its fix are; decides nothing.
class NodeItem : public QGraphicsItem
{
public:
    enum { Type = UserType + 1 };

    NodeItem(graph::Id id, Scheme scheme);

    graph::Id id() const { return m_id; }
    const NodeLook& look() const { return m_look; }
    void setLook(NodeLook look);
    void setScheme(Scheme scheme);

    // In scene coordinates.
    QPointF portAt(graph::PortSide side, std::string_view name) const;
    QRectF bodyRect() const { return mapRectToScene(m_look.body); }
    QRectF fixRect() const { return m_fixRect.translated(pos()); }

    // A wire is being drawn: ports that take it are bright, all others are pale. Nothing: no wire is being drawn.
    enum class Offer { None, Fits, Pale };
    void setOffer(Offer offer, graph::PortSide side);
    void setHotPort(std::optional<std::pair<graph::PortSide, std::string>> port);

    int type() const override { return Type; }
    QRectF boundingRect() const override { return m_bounds; }
    QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

protected:
    QVariant itemChange(GraphicsItemChange change, const QVariant& value) override;

private:
    void layOut();
    void paintBlock(QPainter* painter) const;
    void paintBody(QPainter* painter) const;
    void paintTexts(QPainter* painter, bool all) const;
    void paintProblem(QPainter* painter) const;
    void paintPorts(QPainter* painter) const;
    QColor outline() const;

    graph::Id m_id;
    Scheme m_scheme;
    NodeLook m_look;
    QRectF m_bounds, m_problemRect, m_fixRect;
    QString m_shownName, m_shownType, m_shownAttributes, m_shownShape;
    QPainterPath m_strip;
    Offer m_offer = Offer::None;
    graph::PortSide m_offerSide = graph::PortSide::Input;
    std::optional<std::pair<graph::PortSide, std::string>> m_hotPort;
};

}  // namespace megalith::ui
