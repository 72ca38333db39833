// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/canvas/canvas_scene.h"

#include <QPointF>
#include <QString>

#include <optional>
#include <unordered_set>
#include <vector>

// What the canvas asks the document for: one function, one entry of the history.
namespace megalith::ui {

QPointF snapped(QPointF at);

// What may be joined with a port: every port of the other side, but nodes that would close a cycle and inputs that are taken.
class WireOffer
{
public:
    // moving: the wire's present end, when an end is being taken elsewhere.
    WireOffer(const CanvasScene& scene, const PortHit& start, std::optional<graph::Endpoint> moving = std::nullopt);

    // Why a wire between the start and this port is no good; empty when it is.
    QString refusal(const PortHit& end) const;
    bool fits(graph::Id node) const;
    // (from, to)
    std::pair<graph::Endpoint, graph::Endpoint> ends(const PortHit& end) const;
    const PortHit& start() const { return m_start; }
    graph::PortSide wanted() const;

private:
    const CanvasScene& m_scene;
    PortHit m_start;
    std::optional<graph::Endpoint> m_moving;
    std::unordered_set<graph::Id> m_before;  // nodes that lead to the start, or follow it
};

// Adds a module with its middle at a place; behind a node when there is one. Returns its id, or nothing when it was refused.
std::optional<graph::Id> addModule(CanvasScene& scene, const QString& type, QPointF at, graph::Id behind = 0);
// Each returns why it was refused, empty when done.
QString connectPorts(CanvasScene& scene, const graph::Endpoint& from, const graph::Endpoint& to);
QString rewire(CanvasScene& scene, const graph::Endpoint& old, const graph::Endpoint& from, const graph::Endpoint& to);
QString cutWire(CanvasScene& scene, const graph::Endpoint& to);
QString moveNodes(CanvasScene& scene, const std::vector<graph::Id>& ids, QPointF by);
// Nodes with their wires, and wires; with bridge, what a node joined stays joined.
QString deleteSelected(CanvasScene& scene, bool bridge = false);
QString duplicateSelected(CanvasScene& scene);
QString freezeSelected(CanvasScene& scene);
QString applyFix(CanvasScene& scene, graph::Id node);

}  // namespace megalith::ui
