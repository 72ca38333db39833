// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/canvas_edits.h"

#include "widgets/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

namespace megalith::ui {

namespace {

QString canvasTr(const char* text)
{
    return QCoreApplication::translate("Canvas", text);
}

QString nameOf(const CanvasScene& scene, graph::Id id)
{
    const graph::Node* node = scene.body().node(id);
    return node ? qs(node->name) : QString::number(id);
}

}  // namespace

QPointF snapped(QPointF at)
{
    return {std::round(at.x() / size::snap) * size::snap, std::round(at.y() / size::snap) * size::snap};
}

WireOffer::WireOffer(const CanvasScene& scene, const PortHit& start, std::optional<graph::Endpoint> moving)
    : m_scene(scene)
    , m_start(start)
    , m_moving(std::move(moving))
{
    // From an output, what leads here would close a cycle; from an input, what follows.
    std::unordered_map<graph::Id, std::vector<graph::Id>> next;
    for (const auto& [to, edge] : scene.body().edges) {
        if (m_moving && to == *m_moving)
            continue;
        if (start.side == graph::PortSide::Output)
            next[to.node].push_back(edge.from.node);
        else
            next[edge.from.node].push_back(to.node);
    }
    std::vector<graph::Id> open = {start.node};
    m_before.insert(start.node);
    while (!open.empty()) {
        const graph::Id id = open.back();
        open.pop_back();
        for (const graph::Id other : next[id])
            if (m_before.insert(other).second)
                open.push_back(other);
    }
}

graph::PortSide WireOffer::wanted() const
{
    return m_start.side == graph::PortSide::Output ? graph::PortSide::Input : graph::PortSide::Output;
}

std::pair<graph::Endpoint, graph::Endpoint> WireOffer::ends(const PortHit& end) const
{
    if (m_start.side == graph::PortSide::Output)
        return {m_start.endpoint(), end.endpoint()};
    return {end.endpoint(), m_start.endpoint()};
}

QString WireOffer::refusal(const PortHit& end) const
{
    if (end.side == m_start.side)
        return m_start.side == graph::PortSide::Output
                   ? canvasTr("A wire leads from an output to an input; this is an output")
                   : canvasTr("A wire leads from an output to an input; this is an input");
    const QString start = nameOf(m_scene, m_start.node), other = nameOf(m_scene, end.node);
    if (end.node == m_start.node)
        return canvasTr("%1 cannot feed itself: that closes a cycle").arg(start);
    if (m_before.contains(end.node))
        return m_start.side == graph::PortSide::Output
                   ? canvasTr("%1 leads to %2: a wire back closes a cycle").arg(other, start)
                   : canvasTr("%2 leads to %1: a wire back closes a cycle").arg(other, start);
    const auto [from, to] = ends(end);
    if (m_scene.body().edgeInto(to) && (!m_moving || *m_moving != to))
        return canvasTr("%1.%2 has a wire already; delete it first").arg(nameOf(m_scene, to.node), qs(to.port));
    return {};
}

bool WireOffer::fits(graph::Id node) const
{
    if (m_before.contains(node))
        return false;
    const NodeItem* item = m_scene.node(node);
    if (!item)
        return false;
    const bool input = wanted() == graph::PortSide::Input;
    for (const PortLook& port : input ? item->look().inputs : item->look().outputs)
        if (refusal({node, wanted(), port.name, {}}).isEmpty())
            return true;
    return false;
}

std::optional<graph::Id> addModule(CanvasScene& scene, const QString& type, QPointF at, graph::Id behind)
{
    graph::Id id = 0;
    const QString refused = scene.host().change([&](const graph::Document& document) {
        const QPointF place = snapped(at);
        const graph::Point point{place.x(), place.y()};
        graph::Added added = behind != 0 ? graph::addNodeAfter(document, scene.module(), ss(type), behind, point)
                                         : graph::addNode(document, scene.module(), ss(type), point);
        id = added.id;
        return std::move(added.edit);
    });
    if (!refused.isEmpty())
        return std::nullopt;
    scene.select({id});
    return id;
}

QString connectPorts(CanvasScene& scene, const graph::Endpoint& from, const graph::Endpoint& to)
{
    return scene.host().change(
        [&](const graph::Document& document) { return graph::connect(document, scene.module(), from, to); });
}

QString rewire(CanvasScene& scene, const graph::Endpoint& old, const graph::Endpoint& from, const graph::Endpoint& to)
{
    const graph::Edge* present = scene.body().edgeInto(to);
    if (old == to && present && present->from == from)
        return {};
    return scene.host().change([&](const graph::Document& document) {
        graph::Composite both;
        both.name = ss(canvasTr("Rewire"));
        both.edits.push_back(graph::disconnect(document, scene.module(), old));
        graph::Document rest = document;
        graph::apply(rest, both.edits.front());
        // Inputs of a node that takes any number may have moved up.
        graph::Endpoint place = to;
        const graph::Body& body = *rest.body(scene.module());
        const std::vector<std::string> names =
            graph::portNames(rest, body, *body.node(to.node), graph::PortSide::Input);
        if (std::find(names.begin(), names.end(), place.port) == names.end() && !names.empty())
            place.port = names.back();
        both.edits.push_back(graph::connect(rest, scene.module(), from, place));
        return graph::Edit{std::move(both)};
    });
}

QString cutWire(CanvasScene& scene, const graph::Endpoint& to)
{
    return scene.host().change(
        [&](const graph::Document& document) { return graph::disconnect(document, scene.module(), to); });
}

QString moveNodes(CanvasScene& scene, const std::vector<graph::Id>& ids, QPointF by)
{
    const QString refused = scene.host().change([&](const graph::Document& document) {
        std::vector<std::pair<graph::Id, graph::Point>> places;
        for (const graph::Id id : ids)
            if (const graph::Node* node = document.node(id))
                places.emplace_back(id, graph::Point{node->pos.x + by.x(), node->pos.y + by.y()});
        return graph::move(document, places);
    });
    scene.showWhereTheyAre(ids);
    return refused;
}

QString deleteSelected(CanvasScene& scene, bool bridge)
{
    const std::vector<graph::Id> nodes = scene.selectedNodes();
    std::vector<graph::Endpoint> wires = scene.selectedWires();
    if (nodes.empty() && wires.empty())
        return {};
    // The last inputs first: where any number may be wired, those behind a gap move up.
    std::sort(wires.begin(), wires.end(), [](const graph::Endpoint& a, const graph::Endpoint& b) {
        return std::tuple(a.node, a.port.size(), a.port) > std::tuple(b.node, b.port.size(), b.port);
    });
    return scene.host().change([&](const graph::Document& document) {
        const auto remove = [&](const graph::Document& from) {
            return bridge ? graph::removeNodesAndBridge(from, scene.module(), nodes)
                          : graph::removeNodes(from, scene.module(), nodes);
        };
        if (wires.empty())
            return remove(document);
        graph::Composite all;
        const auto pieces = static_cast<int>(nodes.size() + wires.size());
        all.name = ss(pieces == 1     ? canvasTr("Delete wire")
                      : nodes.empty() ? canvasTr("Delete %1 wires").arg(pieces)
                                      : canvasTr("Delete %1 items").arg(pieces));
        graph::Document rest = document;
        for (const graph::Endpoint& to : wires) {
            all.edits.push_back(graph::disconnect(rest, scene.module(), to));
            graph::apply(rest, all.edits.back());
        }
        if (!nodes.empty())
            all.edits.push_back(remove(rest));
        return graph::Edit{std::move(all)};
    });
}

QString duplicateSelected(CanvasScene& scene)
{
    const std::vector<graph::Id> nodes = scene.selectedNodes();
    if (nodes.empty())
        return {};
    std::vector<graph::Id> copies;
    const QString refused = scene.host().change([&](const graph::Document& document) {
        graph::Duplicated made = graph::duplicate(document, scene.module(), nodes, {40, 100});
        for (const auto& [of, to] : made.ids)
            copies.push_back(to);
        return std::move(made.edit);
    });
    if (refused.isEmpty())
        scene.select(copies);
    return refused;
}

QString freezeSelected(CanvasScene& scene)
{
    const std::vector<graph::Id> nodes = scene.selectedNodes();
    const graph::Analysis& analysis = scene.host().analysis();
    std::vector<std::pair<graph::Id, std::string>> parameters;
    bool anyTrainable = false;
    for (const graph::Id id : nodes) {
        const graph::NodeInfo* info = analysis.first(id);
        if (!info)
            continue;
        const auto position = static_cast<std::size_t>(info - analysis.nodes.data());
        for (std::size_t i = position; i < info->end; ++i) {
            for (const graph::TensorInfo& tensor : analysis.nodes[i].tensors) {
                if (tensor.buffer)
                    continue;
                // Inside a composed module a parameter is named by its path below the instance.
                parameters.emplace_back(id, i == position ? tensor.name : tensor.key.substr(info->name.size() + 1));
                anyTrainable = anyTrainable || tensor.trainable;
            }
        }
    }
    if (parameters.empty())
        return {};
    return scene.host().change([&](const graph::Document& document) {
        graph::Composite all;
        all.name = ss(anyTrainable ? canvasTr("Freeze") : canvasTr("Unfreeze"));
        graph::Document rest = document;
        for (const auto& [id, name] : parameters) {
            graph::Edit edit = graph::setFrozen(rest, id, name, anyTrainable);
            graph::apply(rest, edit);
            all.edits.push_back(std::move(edit));
        }
        return graph::Edit{std::move(all)};
    });
}

QString applyFix(CanvasScene& scene, graph::Id node)
{
    for (const graph::Diagnostic* diagnostic : scene.host().analysis().of(node)) {
        if (diagnostic->fixes.empty())
            continue;
        const graph::Fix fix = diagnostic->fixes.front();
        return scene.host().change([&](const graph::Document&) {
            graph::Composite named;
            named.name = fix.text;
            named.edits.push_back(fix.edit);
            return graph::Edit{std::move(named)};
        });
    }
    return {};
}

}  // namespace megalith::ui
