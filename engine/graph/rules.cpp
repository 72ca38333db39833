// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/graph/rules.h"

#include "engine/core/error.h"
#include "engine/core/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace megalith::graph {

std::string nameProblem(std::string_view name)
{
    if (isValidName(name))
        return {};
    return fmt::format("{} is no name: letters, digits and _ make one, and it does not start with a digit",
                       jsonString(name));
}

bool PortIndex::has(const Node& node, const std::string& port, PortSide side)
{
    const auto composed = m_document->modules.find(node.type);
    if (composed == m_document->modules.end())
        return hasPort(*m_document, node, port, side);
    const auto [it, fresh] = m_names.try_emplace({node.type, side});
    if (fresh)
        for (const auto& [id, inner] : composed->second.nodes)
            if (inner.type == (side == PortSide::Input ? "Input" : "Output"))
                it->second.insert(inner.name);
    return it->second.contains(port);
}

std::string noPort(const Document& document, const Body& body, const Node& node, std::string_view port, PortSide side)
{
    const std::vector<std::string> names = portNames(document, body, node, side);
    std::string list;
    for (std::size_t i = 0; i < names.size() && i < 8; ++i)
        list += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > 8)
        list += ", ...";
    const std::string_view word = side == PortSide::Input ? "input" : "output";
    return fmt::format("node {} ({} {}) has no {} {}; it has {}", node.id, node.type, node.name, word, jsonString(port),
                       names.empty() ? "none" : list);
}

std::string sharesProblem(const Body& body, const Node& node, std::unordered_set<Id>* fine)
{
    if (!node.shares)
        return {};
    if (node.type == "Input" || node.type == "Output")
        return fmt::format("{} nodes share nothing", node.type);
    std::unordered_set<Id> seen{node.id};
    const Node* at = &node;
    while (at->shares && (fine == nullptr || !fine->contains(at->id))) {
        const Node* next = body.node(*at->shares);
        if (next == nullptr)
            return fmt::format("node {} does not exist in this graph", *at->shares);
        if (next->type != node.type)
            return fmt::format("node {} is a {}, not a {}", next->id, next->type, node.type);
        if (!seen.insert(next->id).second)
            return "nodes share each other in a circle";
        at = next;
    }
    if (fine != nullptr)
        fine->insert(seen.begin(), seen.end());
    return {};
}

std::string recursion(const Document& document, const std::string& module)
{
    struct Level
    {
        std::string name;
        std::vector<std::string> inner;
        std::size_t next = 0;
    };
    const auto open = [&document](const std::string& name) {
        std::set<std::string> inner;
        for (const auto& [id, node] : document.modules.find(name)->second.nodes)
            if (document.modules.contains(node.type))
                inner.insert(node.type);
        return Level{name, {inner.begin(), inner.end()}};
    };
    if (!document.modules.contains(module))
        return {};
    std::set<std::string> seen{module};
    std::vector<Level> path{open(module)};
    while (!path.empty()) {
        if (path.back().next == path.back().inner.size()) {
            path.pop_back();
            continue;
        }
        const std::string name = path.back().inner[path.back().next++];
        if (name == module) {
            std::string text;
            for (const Level& level : path)
                text += level.name + " -> ";
            return text + module;
        }
        if (seen.insert(name).second)
            path.push_back(open(name));
    }
    return {};
}

Places plainPlaces()
{
    return {[](const std::string& module, Id node, std::string_view) {
                return fmt::format("node {}{}: ", node, module.empty() ? "" : " of module " + module);
            },
            [](const std::string& module, const Endpoint& to, std::string_view) {
                return fmt::format("the wire into {} of node {}{}: ", to.port, to.node,
                                   module.empty() ? "" : " of module " + module);
            },
            [](const std::string& module, std::string_view) {
                return module.empty() ? std::string("the graph: ") : "module " + module + ": ";
            }};
}

namespace {

void require(const std::string& problem, const std::function<std::string()>& place)
{
    if (!problem.empty())
        throw FormatError(place() + problem);
}

void validateNodes(const std::string& module, const Body& body, const Places& places)
{
    std::unordered_map<std::string_view, Id> names;
    std::unordered_set<Id> sharing;
    for (const auto& [id, node] : body.nodes) {
        const auto at = [&places, &module, id = id](std::string_view key) {
            return [&places, &module, id, key] { return places.node(module, id, key); };
        };
        if (node.type.empty())
            throw FormatError(at("type")() + "it is empty");
        const bool positioned = body.sequential && node.type != "Input" && node.type != "Output";
        if (!positioned) {
            require(nameProblem(node.name), at("name"));
            const auto [it, fresh] = names.try_emplace(node.name, id);
            if (!fresh)
                throw FormatError(at("name")()
                                  + fmt::format("node {} is named {} already", it->second, jsonString(node.name)));
        }
        require(sharesProblem(body, node, &sharing), at("shares"));
    }
}

void validateEdges(const Document& document, PortIndex& ports, const std::string& module, const Body& body,
                   const Places& places)
{
    for (const auto& [to, edge] : body.edges) {
        const auto check = [&](const Endpoint& end, std::string_view key, PortSide side) {
            const Node* node = body.node(end.node);
            if (node == nullptr)
                throw FormatError(places.edge(module, edge.to, key) + fmt::format("node {} does not exist", end.node));
            if (!ports.has(*node, end.port, side))
                throw FormatError(places.edge(module, edge.to, key) + noPort(document, body, *node, end.port, side));
        };
        check(edge.from, "from", PortSide::Output);
        check(edge.to, "to", PortSide::Input);
    }
}

void validateChain(const std::string& module, const Body& body, const Places& places)
{
    std::unordered_set<Id> sources;
    Id last = 0;
    for (const auto& [to, edge] : body.edges) {
        const std::string_view key = to.node == last ? "to" : "from";
        if (to.node == last || !sources.insert(edge.from.node).second)
            throw FormatError(places.edge(module, to, key)
                              + fmt::format("node {} has a wire already, and a sequential graph has no branches",
                                            to.node == last ? to.node : edge.from.node));
        last = to.node;
    }
    for (const std::vector<Id>& ends : {inputNodes(body), outputNodes(body)})
        if (ends.size() > 1)
            throw FormatError(places.node(module, ends[1], "type") + "a sequential graph has one Input and one Output");
}

}  // namespace

void validate(const Document& document, const Places& places)
{
    PortIndex ports(document);
    const auto validateBody = [&](const std::string& module, const Body& body) {
        validateNodes(module, body, places);
        validateEdges(document, ports, module, body, places);
        if (body.sequential)
            validateChain(module, body, places);
    };
    validateBody({}, document.root);
    for (const auto& [module, body] : document.modules) {
        require(nameProblem(module), [&places, &name = module] { return places.body(name, ""); });
        for (const std::string_view taken : {"Input", "Output", "Parameter", "Buffer", "Constant"})
            if (module == taken)
                throw FormatError(places.body(module, "") + "this name is taken by a type of node");
        validateBody(module, body);
    }
    for (const auto& [module, body] : document.modules) {
        const std::string loop = recursion(document, module);
        if (!loop.empty())
            throw FormatError(places.body(module, "") + "it would contain itself (" + loop + ")");
    }
}

void nameByPosition(Body& body)
{
    for (const auto& [id, position] : positions(body))
        body.nodes.at(id).name = std::to_string(position);
}

void normalizeNumbers(Value& value)
{
    if (value.isList()) {
        for (Value& item : value.list())
            normalizeNumbers(item);
    } else if (value.isObject()) {
        for (Value::Member& member : value.object())
            normalizeNumbers(member.second);
    } else if (value.isNumber() && !value.isInteger()) {
        const double number = value.number();
        if (std::trunc(number) == number && std::abs(number) <= static_cast<double>(maxId))
            value = Value(static_cast<std::int64_t>(number));
    }
}

}  // namespace megalith::graph
