// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/node_look.h"

#include "widgets/text.h"
#include "widgets/theme.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>

namespace megalith::ui {

namespace {

constexpr double portPitch = 24;

QString nodeTr(const char* text)
{
    return QCoreApplication::translate("Node", text);
}

QString valueText(const AttrValue& value)
{
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
        QString text;
        for (const std::int64_t v : *list)
            text += (text.isEmpty() ? QString() : QStringLiteral(" x ")) + QString::number(v);
        return text;
    }
    if (const auto* text = std::get_if<std::string>(&value))
        return qs(*text);
    if (std::holds_alternative<NumberArray>(value))
        return {};
    return qs(pythonText(value));
}

bool isChannelsIn(std::string_view name)
{
    return name == "in_features" || name == "in_channels";
}

bool isChannelsOut(std::string_view name)
{
    return name == "out_features" || name == "out_channels";
}

// One argument as the summary says it; empty when it goes without saying.
QString partOf(const nn::AttrSpec& spec, const AttrValue& value, bool given)
{
    if (spec.required || (spec.name == "kernel_size"))
        return valueText(value);
    if (!given || value == spec.defaultValue)
        return {};
    return qs(spec.name) + QLatin1Char(' ') + valueText(value);
}

std::vector<PortLook> portsOf(const graph::Document& document, const graph::Body& body, const graph::Node& node,
                              const graph::NodeInfo* info, graph::PortSide side)
{
    std::vector<PortLook> ports;
    for (const std::string& name : graph::portNames(document, body, node, side)) {
        PortLook port;
        port.name = name;
        port.tip = qs(name);
        if (info) {
            for (const graph::Port& known : side == graph::PortSide::Input ? info->inputs : info->outputs) {
                if (known.name != name)
                    continue;
                port.wired = known.wired;
                if (const QString shape = shapeText(known.shape); !shape.isEmpty())
                    port.tip += QStringLiteral("  ") + shape + QStringLiteral("  ") + qs(dtypeName(known.shape.dtype));
            }
        }
        ports.push_back(std::move(port));
    }
    return ports;
}

void placePorts(std::vector<PortLook>& ports, double x, double height)
{
    const double middle = height / 2;
    for (std::size_t i = 0; i < ports.size(); ++i)
        ports[i].at = {x, middle + (static_cast<double>(i) - static_cast<double>(ports.size() - 1) / 2) * portPitch};
}

double wantedWidth(const NodeLook& look)
{
    static const QFontMetricsF strong(sceneFont(size::textPixels, true));
    static const QFontMetricsF small(sceneFont(size::smallPixels));
    static const QFontMetricsF mono(sceneMonoFont(size::smallPixels));
    const double gap = 12;
    const double title = strong.horizontalAdvance(look.name) + gap + small.horizontalAdvance(look.type);
    const double middle = small.horizontalAdvance(look.attributes);
    const double last = mono.horizontalAdvance(look.shape) + gap + small.horizontalAdvance(look.count);
    const double wanted = std::max({title, middle, last}) + 2 * size::nodePadding;
    return std::clamp(std::ceil(wanted / 4) * 4, size::nodeMinWidth, size::nodeMaxWidth);
}

void addDiagnostics(NodeLook& look, const graph::Analysis& analysis, graph::Id node)
{
    for (const graph::Diagnostic* diagnostic : analysis.of(node)) {
        look.tip += QStringLiteral("\n") + qs(diagnostic->message);
        for (auto* ports : {&look.inputs, &look.outputs})
            for (PortLook& port : *ports)
                if (diagnostic->severity == graph::Severity::Error && port.name == diagnostic->port)
                    port.wrong = true;
        const bool error = diagnostic->severity == graph::Severity::Error;
        if (diagnostic->severity == graph::Severity::Note || (!look.problem.isEmpty() && (look.error || !error)))
            continue;
        look.problem = qs(diagnostic->message);
        look.error = error;
        look.fix = diagnostic->fixes.empty() ? QString() : qs(diagnostic->fixes.front().text);
    }
}

QString frozenText(const graph::NodeInfo& info, const graph::Node& node)
{
    if (node.frozen.empty())
        return {};
    bool all = !info.tensors.empty();
    for (const graph::TensorInfo& tensor : info.tensors)
        all = all && (tensor.buffer || !tensor.trainable);
    if (all)
        return nodeTr("frozen");
    QString names;
    for (const std::string& name : node.frozen)
        names += (names.isEmpty() ? QString() : QStringLiteral(", ")) + qs(name);
    return nodeTr("frozen: %1").arg(names);
}

}  // namespace

const PortLook* NodeLook::port(graph::PortSide side, std::string_view portName) const
{
    for (const PortLook& port : side == graph::PortSide::Input ? inputs : outputs)
        if (port.name == portName)
            return &port;
    return nullptr;
}

QString attributeSummary(const graph::Node& node, const graph::NodeInfo* info)
{
    if (!info || !info->def)
        return {};
    QString in, out, rest;
    for (const nn::AttrSpec& spec : info->def->attrs) {
        const AttrValue* value = info->attrs.find(spec.name);
        if (!value || (std::holds_alternative<std::monostate>(*value) && !spec.required))
            continue;
        const Value* written = node.attrs.find(spec.name);
        if (isChannelsIn(spec.name)) {
            in = valueText(*value) + (written && !written->isNull() ? QString() : nodeTr(" (auto)"));
        } else if (isChannelsOut(spec.name)) {
            out = valueText(*value);
        } else if (const QString part = partOf(spec, *value, written != nullptr); !part.isEmpty()) {
            rest += (rest.isEmpty() ? QString() : QStringLiteral(", ")) + part;
        }
    }
    QString text = out;
    if (!in.isEmpty() && !out.isEmpty() && rest.isEmpty())
        text = nodeTr("%1 to %2").arg(in, out);
    if (!rest.isEmpty())
        text += (text.isEmpty() ? QString() : QStringLiteral(", ")) + rest;
    return text;
}

NodeLook lookOf(const graph::Document& document, const graph::Analysis& analysis, const graph::Body& body,
                const graph::Node& node)
{
    NodeLook look;
    const graph::NodeInfo* info = analysis.first(node.id);
    const graph::TypeInfo type = graph::typeInfo(document, node.type);
    look.name = qs(node.name);
    look.type = qs(node.type);
    look.composed = type.composed != nullptr;
    look.unknown = !type.known();
    look.strip =
        type.def && !type.composed ? categoryColor(type.def->category) : categoryColor(nn::Category::Container);
    look.tip = look.name + QStringLiteral(" (") + look.type + QStringLiteral(")");
    if (type.def && !type.composed)
        look.tip += QStringLiteral("\n") + qs(type.def->doc);
    if (!node.note.empty())
        look.tip += QStringLiteral("\n") + qs(node.note);
    look.attributes = look.unknown ? nodeTr("unknown type, kept as it is") : attributeSummary(node, info);
    look.inputs = portsOf(document, body, node, info, graph::PortSide::Input);
    look.outputs = portsOf(document, body, node, info, graph::PortSide::Output);
    if (info) {
        look.waiting = info->state == graph::State::Waiting;
        if (look.waiting)
            look.shape = nodeTr("waits for %1").arg(qs(info->waitsFor));
        else if (const auto& ports = info->outputs.empty() ? info->inputs : info->outputs; !ports.empty())
            look.shape = shapeText(ports.front().shape);
        const auto position = static_cast<std::size_t>(info - analysis.nodes.data());
        if (const std::int64_t count = analysis.parametersOf(position); count > 0)
            look.count = countText(count);
        look.frozen = frozenText(*info, node);
    }
    addDiagnostics(look, analysis, node.id);
    const auto ports = static_cast<double>(std::max(look.inputs.size(), look.outputs.size()));
    const double height = std::max(size::nodeHeight, ports * portPitch + 12);
    look.body = QRectF(0, 0, wantedWidth(look), height);
    placePorts(look.inputs, 0, height);
    placePorts(look.outputs, look.body.width(), height);
    return look;
}

}  // namespace megalith::ui
