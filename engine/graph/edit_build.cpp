// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/core/number_text.h"
#include "engine/graph/edit.h"
#include "engine/graph/rules.h"
#include "engine/nn/module_def.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

namespace megalith::graph {

namespace {

const Body& bodyOf(const Document& document, std::string_view module)
{
    const Body* body = document.body(module);
    if (body == nullptr)
        throw Error("there is no module " + jsonString(module));
    return *body;
}

const Node& nodeIn(const Body& body, Id id)
{
    const Node* node = body.node(id);
    if (node == nullptr)
        throw Error(fmt::format("node {} does not exist", id));
    return *node;
}

// A value to begin with for an argument that has no default.
Value firstValue(const nn::AttrSpec& spec)
{
    if (spec.name == "out_channels")
        return 16;
    if (spec.name == "out_features" || spec.name == "num_embeddings" || spec.name == "embedding_dim"
        || spec.name == "hidden_size")
        return spec.name == "out_features" ? 10 : 64;
    if (spec.name == "kernel_size")
        return spec.minimum.value_or(1.0) > 1.0 ? static_cast<std::int64_t>(*spec.minimum) : std::int64_t{3};
    switch (spec.kind) {
    case nn::AttrKind::Shape: return Value::List{Value(spec.minimum.value_or(0.0) < 0.0 ? -1 : 1)};
    case nn::AttrKind::Choice: return spec.choices.empty() ? Value("") : Value(spec.choices.front());
    case nn::AttrKind::Boolean: return false;
    case nn::AttrKind::Real: return spec.minimum.value_or(0.0);
    default: return std::max<std::int64_t>(1, static_cast<std::int64_t>(spec.minimum.value_or(1.0)));
    }
}

Value firstAttrs(const TypeInfo& info)
{
    Value attrs{Value::Object{}};
    if (info.def == nullptr)
        return attrs;
    for (const nn::AttrSpec& spec : info.def->attrs)
        if (spec.required)
            attrs.set(spec.name, firstValue(spec));
    if (info.def->category == nn::Category::Pooling && attrs.find("kernel_size") != nullptr)
        attrs.set("kernel_size", 2);
    return attrs;
}

std::string verb(std::string_view what, const Node& node)
{
    return std::string(what) + " " + node.name;
}

// Wires into a node with any number of inputs move up to close the places in `gone`.
void closeGaps(const Document& document, std::string_view module, const Body& body, const Node& node,
               const std::set<std::string>& gone, std::vector<Edit>& edits)
{
    const TypeInfo info = typeInfo(document, node.type);
    if (info.def == nullptr || !info.def->variadic)
        return;
    std::vector<std::pair<std::int64_t, const Edge*>> stay;
    for (const Edge* edge : body.edgesInto(node.id))
        if (!gone.contains(edge->to.port))
            stay.emplace_back(parseInteger(edge->to.port).value_or(0), edge);
    std::sort(stay.begin(), stay.end());
    for (std::size_t i = 0; i < stay.size(); ++i) {
        const Edge& edge = *stay[i].second;
        if (edge.to.port == std::to_string(i))
            continue;
        Edge moved = edge;
        moved.to.port = std::to_string(i);
        edits.push_back({SetEdge{std::string(module), edge.to, std::nullopt}});
        edits.push_back({SetEdge{std::string(module), moved.to, moved}});
    }
}

// Wires of a module's instances to the ports that these Input and Output nodes of it make. One may lead from instance to
// instance and lose both ends.
void dropInstanceWires(const Document& document, std::string_view module, const std::set<Id>& gone,
                       std::vector<Edit>& edits)
{
    if (module.empty())
        return;
    std::set<std::string> inputs;
    std::set<std::string> outputs;
    for (const Id id : gone) {
        const Node& end = bodyOf(document, module).nodes.at(id);
        if (end.type == "Input")
            inputs.insert(end.name);
        else if (end.type == "Output")
            outputs.insert(end.name);
    }
    const auto drop = [&](const std::string& name, const Body& body) {
        const auto hangs = [&](const Endpoint& end, const std::set<std::string>& ports) {
            return ports.contains(end.port) && body.nodes.at(end.node).type == module;
        };
        for (const auto& [to, edge] : body.edges)
            if (hangs(edge.from, outputs) || hangs(edge.to, inputs))
                edits.push_back({SetEdge{name, to, std::nullopt}});
    };
    drop({}, document.root);
    for (const auto& [name, body] : document.modules)
        drop(name, body);
}

}  // namespace

Added addNode(const Document& document, std::string_view module, std::string_view type, Point pos)
{
    const Body& body = bodyOf(document, module);
    Node node;
    node.id = document.nextId;
    node.type = type;
    node.name = freeName(document, body, type);
    node.attrs = firstAttrs(typeInfo(document, type));
    if (!module.empty() && type == "Input")
        node.attrs = Value::Object{};  // takes the shape of what is wired to the instance
    node.pos = pos;
    const Id id = node.id;
    return {{Composite{"Add " + std::string(type), {{SetNode{std::string(module), id, std::move(node)}}}}}, id};
}

Added addNodeAfter(const Document& document, std::string_view module, std::string_view type, Id after, Point pos)
{
    const Body& body = bodyOf(document, module);
    const Node& before = nodeIn(body, after);
    Added added = addNode(document, module, type, pos);
    auto& edits = std::get<Composite>(added.edit.what).edits;
    const Node& node = *std::get<SetNode>(edits.front().what).node;
    const std::vector<std::string> sources = portNames(document, body, before, PortSide::Output);
    const std::vector<std::string> inputs = portNames(document, body, node, PortSide::Input);
    const std::vector<std::string> outputs = portNames(document, body, node, PortSide::Output);
    if (sources.empty() || inputs.empty())
        return added;
    const std::string place(module);
    const Endpoint from{after, sources.front()};
    const Endpoint in{added.id, inputs.front()};
    std::vector<const Edge*> leading;
    for (const Edge* edge : body.edgesOutOf(after))
        if (edge->from == from)
            leading.push_back(edge);
    const bool between = leading.size() == 1 && !outputs.empty();
    if (body.sequential && !leading.empty() && !between)
        return added;
    if (between)
        edits.push_back({SetEdge{place, leading.front()->to, std::nullopt}});
    edits.push_back({SetEdge{place, in, Edge{from, in, {}, {}}}});
    if (between) {
        Edge onward{{added.id, outputs.front()}, leading.front()->to, {}, {}};
        const Endpoint to = onward.to;
        edits.push_back({SetEdge{place, to, std::move(onward)}});
    }
    return added;
}

Edit connect(const Document& document, std::string_view module, const Endpoint& from, const Endpoint& to)
{
    const Body& body = bodyOf(document, module);
    const Node& source = nodeIn(body, from.node);
    const Node& target = nodeIn(body, to.node);
    if (!hasPort(document, source, from.port, PortSide::Output))
        throw Error(noPort(document, body, source, from.port, PortSide::Output));
    if (!hasPort(document, target, to.port, PortSide::Input))
        throw Error(noPort(document, body, target, to.port, PortSide::Input));
    if (wouldCycle(body, from.node, to.node))
        throw Error(fmt::format("a wire from {} to {} would close a circle", source.name, target.name));
    const std::string place(module);
    Composite all{"Connect " + source.name + " to " + target.name, {}};
    if (body.sequential) {
        for (const Edge* edge : body.edgesOutOf(from.node))
            if (edge->to != to)
                all.edits.push_back({SetEdge{place, edge->to, std::nullopt}});
        for (const Edge* edge : body.edgesInto(to.node))
            if (edge->to != to)
                all.edits.push_back({SetEdge{place, edge->to, std::nullopt}});
    }
    const Edge* there = body.edgeInto(to);
    if (there == nullptr || there->from != from)
        all.edits.push_back({SetEdge{place, to, Edge{from, to, {}, {}}}});
    return {std::move(all)};
}

Edit disconnect(const Document& document, std::string_view module, const Endpoint& to)
{
    const Body& body = bodyOf(document, module);
    if (body.edgeInto(to) == nullptr)
        throw Error(fmt::format("no wire leads into {} of node {}", to.port, to.node));
    const Node& node = nodeIn(body, to.node);
    Composite all{verb("Disconnect", node), {{SetEdge{std::string(module), to, std::nullopt}}}};
    closeGaps(document, module, body, node, {to.port}, all.edits);
    return {std::move(all)};
}

namespace {

// Where the wires come from that lead through removed nodes with one input each; nothing when there is a branch.
const Edge* sourceThrough(const Body& body, const Edge& edge, const std::unordered_set<Id>& gone)
{
    const Edge* at = &edge;
    std::unordered_set<Id> seen;
    while (gone.contains(at->from.node)) {
        const std::vector<const Edge*> incoming = body.edgesInto(at->from.node);
        if (incoming.size() != 1 || !seen.insert(at->from.node).second)
            return nullptr;
        at = incoming.front();
    }
    return at;
}

void removeWires(const Document& document, std::string_view module, const std::unordered_set<Id>& gone, bool bridge,
                 std::vector<Edit>& edits)
{
    const Body& body = bodyOf(document, module);
    const std::string place(module);
    std::map<Id, std::set<std::string>> emptied;  // inputs of nodes that stay
    std::vector<Edit> bridges;
    for (const auto& [to, edge] : body.edges) {
        if (!gone.contains(to.node) && !gone.contains(edge.from.node))
            continue;
        edits.push_back({SetEdge{place, to, std::nullopt}});
        if (gone.contains(to.node))
            continue;
        const Edge* source = bridge ? sourceThrough(body, edge, gone) : nullptr;
        if (source != nullptr)
            bridges.push_back({SetEdge{place, to, Edge{source->from, to, {}, {}}}});
        else
            emptied[to.node].insert(to.port);
    }
    edits.insert(edits.end(), bridges.begin(), bridges.end());
    for (const auto& [id, ports] : emptied)
        closeGaps(document, module, body, body.nodes.at(id), ports, edits);
}

// Of the nodes that shared a removed one, the first becomes the owner of the others.
void passOn(std::string_view module, const Body& body, const std::unordered_set<Id>& gone, std::vector<Edit>& edits)
{
    std::map<Id, Id> heirs;
    for (const auto& [id, node] : body.nodes) {
        if (!node.shares || (!gone.contains(id) && !gone.contains(*node.shares)))
            continue;
        Node changed = node;
        changed.shares.reset();
        if (!gone.contains(id)) {
            Id owner = *node.shares;
            while (gone.contains(owner) && body.nodes.at(owner).shares)
                owner = *body.nodes.at(owner).shares;
            if (!gone.contains(owner))
                changed.shares = owner;
            else if (const auto [heir, first] = heirs.try_emplace(owner, id); !first)
                changed.shares = heir->second;
        }
        edits.push_back({SetNode{std::string(module), id, std::move(changed)}});
    }
}

Edit removal(const Document& document, std::string_view module, std::span<const Id> ids, bool bridge)
{
    const Body& body = bodyOf(document, module);
    const std::set<Id> sorted(ids.begin(), ids.end());
    const std::unordered_set<Id> gone(ids.begin(), ids.end());
    for (const Id id : sorted)
        nodeIn(body, id);
    Composite all{fmt::format("Delete {} nodes", sorted.size()), {}};
    if (sorted.size() == 1)
        all.name = verb("Delete", nodeIn(body, *sorted.begin()));
    removeWires(document, module, gone, bridge, all.edits);
    passOn(module, body, gone, all.edits);
    dropInstanceWires(document, module, sorted, all.edits);
    for (const Id id : sorted)
        all.edits.push_back({SetNode{std::string(module), id, std::nullopt}});
    return {std::move(all)};
}

}  // namespace

Edit removeNodes(const Document& document, std::string_view module, std::span<const Id> ids)
{
    return removal(document, module, ids, false);
}

Edit removeNodesAndBridge(const Document& document, std::string_view module, std::span<const Id> ids)
{
    return removal(document, module, ids, true);
}

}  // namespace megalith::graph
