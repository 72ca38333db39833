// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/canvas_scene.h"

#include "widgets/text.h"

#include <algorithm>
#include <cmath>

namespace megalith::ui {

CanvasScene::CanvasScene(DocumentHost& host, QObject* parent) : QGraphicsScene(parent), m_host(host)
{
    connect(&host, &DocumentHost::changed, this, [this] { follow(); });
    connect(&host, &DocumentHost::reset, this, [this] { rebuild(); });
    rebuild();
}

void CanvasScene::setModule(std::string module)
{
    m_module = std::move(module);
    rebuild();
}

const graph::Body& CanvasScene::body() const
{
    static const graph::Body none;
    const graph::Body* body = m_host.document().body(m_module);
    return body ? *body : none;
}

void CanvasScene::setScheme(Scheme scheme)
{
    m_scheme = scheme;
    for (const auto& [id, item] : m_nodes)
        item->setScheme(scheme);
    for (const auto& [to, item] : m_wires)
        item->setScheme(scheme);
}

NodeItem* CanvasScene::node(graph::Id id) const
{
    const auto it = m_nodes.find(id);
    return it == m_nodes.end() ? nullptr : it->second;
}

WireItem* CanvasScene::wire(const graph::Endpoint& to) const
{
    const auto it = m_wires.find(to);
    return it == m_wires.end() ? nullptr : it->second;
}

NodeItem* CanvasScene::nodeAt(QPointF at) const
{
    for (QGraphicsItem* item : items(at))
        if (auto* node = qgraphicsitem_cast<NodeItem*>(item))
            return node;
    return nullptr;
}

WireItem* CanvasScene::wireAt(QPointF at) const
{
    for (QGraphicsItem* item : items(at))
        if (auto* wire = qgraphicsitem_cast<WireItem*>(item))
            return wire;
    return nullptr;
}

std::optional<PortHit> CanvasScene::portAt(QPointF at) const
{
    const double reach = size::portHit / 2;
    std::optional<PortHit> best;
    double bestDistance = reach;
    // A node's bounds hold its ports but not all of their hit areas.
    for (QGraphicsItem* item :
         items(QRectF(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach), Qt::IntersectsItemBoundingRect))
    {
        const auto* node = qgraphicsitem_cast<NodeItem*>(item);
        if (!node)
            continue;
        for (const auto side : {graph::PortSide::Input, graph::PortSide::Output}) {
            for (const PortLook& port : side == graph::PortSide::Input ? node->look().inputs : node->look().outputs) {
                const QPointF place = node->mapToScene(port.at);
                const double distance = std::hypot(place.x() - at.x(), place.y() - at.y());
                if (distance > bestDistance)
                    continue;
                bestDistance = distance;
                best = PortHit{node->id(), side, port.name, place};
            }
        }
    }
    return best;
}

QRectF CanvasScene::nodesRect() const
{
    QRectF rect;
    for (const auto& [id, item] : m_nodes)
        rect = rect.united(item->sceneBoundingRect());
    return rect;
}

QRectF CanvasScene::contentRect() const
{
    QRectF rect = nodesRect();
    for (const auto& [to, item] : m_wires)
        rect = rect.united(item->sceneBoundingRect());
    return rect;
}

std::vector<graph::Id> CanvasScene::selectedNodes() const
{
    std::vector<graph::Id> ids;
    for (const QGraphicsItem* item : selectedItems())
        if (const auto* node = qgraphicsitem_cast<const NodeItem*>(item))
            ids.push_back(node->id());
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::vector<graph::Endpoint> CanvasScene::selectedWires() const
{
    std::vector<graph::Endpoint> ends;
    for (const QGraphicsItem* item : selectedItems())
        if (const auto* wire = qgraphicsitem_cast<const WireItem*>(item))
            ends.push_back(wire->edge().to);
    std::sort(ends.begin(), ends.end());
    return ends;
}

void CanvasScene::select(const std::vector<graph::Id>& ids)
{
    {
        const QSignalBlocker blocker(this);
        clearSelection();
        for (const graph::Id id : ids)
            if (NodeItem* item = node(id))
                item->setSelected(true);
    }
    emit selectionChanged();
}

void CanvasScene::showMoved(const std::vector<graph::Id>& ids, QPointF by)
{
    for (const graph::Id id : ids) {
        NodeItem* item = node(id);
        const graph::Node* node = body().node(id);
        if (item && node)
            item->setPos(QPointF(node->pos.x, node->pos.y) + by);
    }
    placeWires(ids);
}

void CanvasScene::showWhereTheyAre(const std::vector<graph::Id>& ids)
{
    showMoved(ids, {});
}

void CanvasScene::rebuild()
{
    {
        const QSignalBlocker blocker(this);
        m_nodes.clear();
        m_wires.clear();
        clear();
    }
    follow();
    emit selectionChanged();
}

void CanvasScene::follow()
{
    const graph::Body& shown = body();
    const auto selectedBefore = selectedItems().size();
    {
        const QSignalBlocker blocker(this);
        followNodes(shown);
        followWires(shown);
    }
    growRect();
    if (selectedItems().size() != selectedBefore)
        emit selectionChanged();
    emit followed();
}

void CanvasScene::followNodes(const graph::Body& shown)
{
    for (auto it = m_nodes.begin(); it != m_nodes.end();) {
        if (shown.node(it->first)) {
            ++it;
            continue;
        }
        delete it->second;
        it = m_nodes.erase(it);
    }
    for (const auto& [id, node] : shown.nodes) {
        NodeItem*& item = m_nodes[id];
        if (!item) {
            item = new NodeItem(id, m_scheme);
            addItem(item);
        }
        item->setLook(lookOf(m_host.document(), m_host.analysis(), shown, node));
        item->setPos(node.pos.x, node.pos.y);
    }
}

void CanvasScene::followWires(const graph::Body& shown)
{
    for (auto it = m_wires.begin(); it != m_wires.end();) {
        if (shown.edgeInto(it->first)) {
            ++it;
            continue;
        }
        delete it->second;
        it = m_wires.erase(it);
    }
    for (const auto& [to, edge] : shown.edges) {
        WireItem*& item = m_wires[to];
        if (!item) {
            item = new WireItem(edge, m_scheme);
            addItem(item);
        }
        item->setEdge(edge);
        const NodeItem* from = node(edge.from.node);
        const NodeItem* target = node(to.node);
        if (from && target)
            item->setEnds(from->portAt(graph::PortSide::Output, edge.from.port),
                          target->portAt(graph::PortSide::Input, to.port));
        label(*item);
    }
}

void CanvasScene::label(WireItem& wire) const
{
    const graph::Edge& edge = wire.edge();
    const graph::NodeInfo* from = m_host.analysis().first(edge.from.node);
    graph::PortShape shape;
    if (from)
        for (const graph::Port& port : from->outputs)
            if (port.name == edge.from.port)
                shape = port.shape;
    const NodeItem* target = node(edge.to.node);
    const PortLook* port = target ? target->look().port(graph::PortSide::Input, edge.to.port) : nullptr;
    QString tip = shapeText(shape);
    if (!tip.isEmpty())
        tip += QStringLiteral("  ") + qs(dtypeName(shape.dtype));
    wire.setLabel(shapeText(shape), sampleText(shape), shape.dtype, port && port->wrong, tip);
}

void CanvasScene::placeWires(const std::vector<graph::Id>& of)
{
    for (const auto& [to, item] : m_wires) {
        const graph::Edge& edge = item->edge();
        if (std::find(of.begin(), of.end(), to.node) == of.end()
            && std::find(of.begin(), of.end(), edge.from.node) == of.end())
            continue;
        const NodeItem* from = node(edge.from.node);
        const NodeItem* target = node(to.node);
        if (from && target)
            item->setEnds(from->portAt(graph::PortSide::Output, edge.from.port),
                          target->portAt(graph::PortSide::Input, to.port));
    }
}

void CanvasScene::growRect()
{
    // Room to pan on every side; it only grows, so that nothing jumps.
    const QRectF wanted = nodesRect().adjusted(-2000, -2000, 2000, 2000);
    if (!sceneRect().contains(wanted))
        setSceneRect(sceneRect().united(wanted));
}

}  // namespace megalith::ui
