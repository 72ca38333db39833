// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/canvas/node_item.h"
#include "widgets/canvas/wire_item.h"
#include "widgets/document_host.h"

#include <QGraphicsScene>

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace megalith::ui {

// A place where a wire may begin or end.
struct PortHit
{
    graph::Id node = 0;
    graph::PortSide side = graph::PortSide::Input;
    std::string name;
    QPointF at;

    graph::Endpoint endpoint() const { return {node, name}; }
    bool operator==(const PortHit&) const = default;
};

// Shows one body of the document (the root graph unless said otherwise) and follows its edits. Changes nothing.
class CanvasScene : public QGraphicsScene
{
    Q_OBJECT
public:
    explicit CanvasScene(DocumentHost& host, QObject* parent = nullptr);

    DocumentHost& host() const { return m_host; }
    const std::string& module() const { return m_module; }
    void setModule(std::string module);
    const graph::Body& body() const;  // an empty one when the module is gone
    void setScheme(Scheme scheme);

    NodeItem* node(graph::Id id) const;
    WireItem* wire(const graph::Endpoint& to) const;
    NodeItem* nodeAt(QPointF at) const;
    WireItem* wireAt(QPointF at) const;
    // The nearest port whose hit area holds the point.
    std::optional<PortHit> portAt(QPointF at) const;
    std::size_t nodeCount() const { return m_nodes.size(); }
    QRectF nodesRect() const;
    QRectF contentRect() const;  // with the wires

    std::vector<graph::Id> selectedNodes() const;
    std::vector<graph::Endpoint> selectedWires() const;
    void select(const std::vector<graph::Id>& ids);

    // Shows nodes elsewhere while a gesture lasts; the document knows nothing of it.
    void showMoved(const std::vector<graph::Id>& ids, QPointF by);
    void showWhereTheyAre(const std::vector<graph::Id>& ids);

signals:
    void followed();  // the picture is up to date with the document

private:
    void rebuild();
    void follow();
    void followNodes(const graph::Body& body);
    void followWires(const graph::Body& body);
    void label(WireItem& wire) const;
    void placeWires(const std::vector<graph::Id>& of);
    void growRect();

    DocumentHost& m_host;
    std::string m_module;
    Scheme m_scheme = Scheme::Light;
    std::unordered_map<graph::Id, NodeItem*> m_nodes;
    std::map<graph::Endpoint, WireItem*> m_wires;
};

}  // namespace megalith::ui
