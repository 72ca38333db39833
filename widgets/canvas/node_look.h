// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/check.h"
#include "engine/graph/document.h"

#include <QColor>
#include <QPointF>
#include <QRectF>
#include <QString>

#include <optional>
#include <vector>

namespace megalith::ui {

struct PortLook
{
    std::string name;
    QPointF at;  // in the node's coordinates
    bool wired = false;
    bool wrong = false;  // a diagnostic stands at it
    QString tip;
    bool operator==(const PortLook&) const = default;
};

// Everything that a node shows, worked out once after an edit; painting only reads it.
struct NodeLook
{
    QString name, type;
    QString attributes;  // "16, 3 x 3, padding 1"
    QString shape;       // "N x 16 x 28 x 28", or "waits for conv1"
    QString count;       // "200,768"; empty without parameters
    QString frozen;      // "frozen", "frozen: weight"; empty when nothing is
    QString problem;     // the first diagnostic's message
    QString fix;         // the text of its first fix
    QString tip;         // of the module, and all diagnostics
    QColor strip;
    bool waiting = false;
    bool error = false;     // else a warning, when there is a problem
    bool unknown = false;   // of a type this version does not know
    bool composed = false;  // the user's own module: a double edge
    QRectF body;            // without strip marks and badges outside
    std::vector<PortLook> inputs, outputs;

    const PortLook* port(graph::PortSide side, std::string_view name) const;
    bool operator==(const NodeLook&) const = default;
};

NodeLook lookOf(const graph::Document& document, const graph::Analysis& analysis, const graph::Body& body,
                const graph::Node& node);

// "3136 (auto) to 64", "16, 3 x 3, padding 1": what a node says of its arguments.
QString attributeSummary(const graph::Node& node, const graph::NodeInfo* info);

}  // namespace megalith::ui
