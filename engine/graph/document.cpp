// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/graph/document.h"

#include "engine/core/number_text.h"
#include "engine/nn/module_def.h"

#include <algorithm>

namespace megalith::graph {

const Node* Body::node(Id id) const
{
    const auto it = nodes.find(id);
    return it == nodes.end() ? nullptr : &it->second;
}

const Node* Body::named(std::string_view name) const
{
    for (const auto& [id, node] : nodes)
        if (node.name == name)
            return &node;
    return nullptr;
}

const Edge* Body::edgeInto(const Endpoint& to) const
{
    const auto it = edges.find(to);
    return it == edges.end() ? nullptr : &it->second;
}

std::vector<const Edge*> Body::edgesInto(Id node) const
{
    std::vector<const Edge*> found;
    for (auto it = edges.lower_bound(Endpoint{node, {}}); it != edges.end() && it->first.node == node; ++it)
        found.push_back(&it->second);
    return found;
}

std::vector<const Edge*> Body::edgesOutOf(Id node) const
{
    std::vector<const Edge*> found;
    for (const auto& [to, edge] : edges)
        if (edge.from.node == node)
            found.push_back(&edge);
    return found;
}

const Body* Document::body(std::string_view module) const
{
    if (module.empty())
        return &root;
    const auto it = modules.find(module);
    return it == modules.end() ? nullptr : &it->second;
}

Body* Document::body(std::string_view module)
{
    return const_cast<Body*>(std::as_const(*this).body(module));
}

std::optional<std::string> Document::moduleOf(Id node) const
{
    if (root.node(node) != nullptr)
        return std::string();
    for (const auto& [module, body] : modules)
        if (body.node(node) != nullptr)
            return module;
    return std::nullopt;
}

const Node* Document::node(Id id) const
{
    if (const Node* found = root.node(id))
        return found;
    for (const auto& [module, body] : modules)
        if (const Node* found = body.node(id))
            return found;
    return nullptr;
}

bool Document::hasId(Id id) const
{
    return frames.contains(id) || node(id) != nullptr;
}

bool Document::sameContent(const Document& other) const
{
    return version == other.version && name == other.name && weights == other.weights && root == other.root
           && modules == other.modules && frames == other.frames && data == other.data && training == other.training
           && extra == other.extra && graphExtra == other.graphExtra;
}

bool isValidName(std::string_view name)
{
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return !name.empty() && letter(name.front())
           && std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
}

TypeInfo typeInfo(const Document& document, std::string_view type)
{
    if (type.empty())
        return {};
    const auto it = document.modules.find(type);
    if (it != document.modules.end())
        return {&it->second, nullptr};
    return {nullptr, nn::findModule(type)};
}

namespace {

std::vector<Id> nodesOfType(const Body& body, std::string_view type)
{
    std::vector<Id> found;
    for (const auto& [id, node] : body.nodes)
        if (node.type == type)
            found.push_back(id);
    return found;
}

std::vector<std::string> wiredPorts(const Body& body, Id node, PortSide side)
{
    std::vector<std::string> names;
    if (side == PortSide::Input) {
        for (const Edge* edge : body.edgesInto(node))
            names.push_back(edge->to.port);
    } else {
        for (const Edge* edge : body.edgesOutOf(node))
            names.push_back(edge->from.port);
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
    }
    return names;
}

// 0, 1, ...: at most four digits, without leading zeros.
std::optional<std::size_t> portNumber(std::string_view port)
{
    if (port.empty() || port.size() > 4 || (port.size() > 1 && port.front() == '0'))
        return std::nullopt;
    const std::optional<std::int64_t> number = parseInteger(port);
    if (!number || *number < 0 || port.front() == '+')
        return std::nullopt;
    return static_cast<std::size_t>(*number);
}

std::vector<std::string> composedPorts(const Body& body, PortSide side)
{
    std::vector<std::string> names;
    for (const auto& [id, node] : body.nodes)
        if (node.type == (side == PortSide::Input ? "Input" : "Output"))
            names.push_back(node.name);
    return names;
}

}  // namespace

std::vector<Id> inputNodes(const Body& body)
{
    return nodesOfType(body, "Input");
}

std::vector<Id> outputNodes(const Body& body)
{
    return nodesOfType(body, "Output");
}

std::vector<std::string> portNames(const Document& document, const Body& body, const Node& node, PortSide side)
{
    const TypeInfo info = typeInfo(document, node.type);
    if (info.composed != nullptr)
        return composedPorts(*info.composed, side);
    if (info.def == nullptr)
        return wiredPorts(body, node.id, side);
    if (side == PortSide::Input && info.def->variadic) {
        std::size_t count = std::max<std::size_t>(info.def->requiredInputs, 1);
        for (const Edge* edge : body.edgesInto(node.id))
            count = std::max(count, portNumber(edge->to.port).value_or(0) + 2);
        std::vector<std::string> names;
        for (std::size_t i = 0; i < count; ++i)
            names.push_back(std::to_string(i));
        return names;
    }
    const auto& ports = side == PortSide::Input ? info.def->inputs : info.def->outputs;
    return {ports.begin(), ports.end()};
}

bool hasPort(const Document& document, const Node& node, std::string_view port, PortSide side)
{
    const TypeInfo info = typeInfo(document, node.type);
    if (!info.known())
        return true;
    if (info.composed != nullptr) {
        const std::vector<std::string> names = composedPorts(*info.composed, side);
        return std::find(names.begin(), names.end(), port) != names.end();
    }
    if (side == PortSide::Input && info.def->variadic)
        return portNumber(port).has_value();
    const auto& ports = side == PortSide::Input ? info.def->inputs : info.def->outputs;
    return std::find(ports.begin(), ports.end(), port) != ports.end();
}

std::optional<std::string_view> argumentReference(const Value& value)
{
    if (!value.isString() || value.string().size() < 2 || value.string().front() != '=')
        return std::nullopt;
    return std::string_view(value.string()).substr(1);
}

}  // namespace megalith::graph
