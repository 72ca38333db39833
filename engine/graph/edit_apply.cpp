// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/graph/edit.h"
#include "engine/graph/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace megalith::graph {

namespace {

// One call of apply(): remembers by body what would be slow to look up for each part of a large composite.
class Applier
{
public:
    explicit Applier(Document& document) : m_document(document) {}

    Edit run(const Edit& edit)
    {
        Edit inverse = visit(edit);
        for (const std::string& module : m_chains)
            if (Body* body = m_document.body(module); body != nullptr && body->sequential)
                nameByPosition(*body);
        return inverse;
    }

private:
    struct Lookup
    {
        std::unordered_map<std::string, Id> names;
        std::unordered_map<Id, int> wiresOut;
        std::unordered_map<Id, int> sharers;
    };

    Edit visit(const Edit& edit)
    {
        return std::visit([this](const auto& what) { return set(what); }, edit.what);
    }
    Edit set(const SetNode& edit);
    Edit set(const SetEdge& edit);
    Edit set(const SetFrame& edit);
    Edit set(const SetModule& edit);
    Edit set(const SetSequential& edit);
    Edit set(const SetArgs& edit);
    Edit set(const SetProject& edit);
    Edit set(const Composite& edit);

    Body& body(const std::string& module);
    Lookup& lookup(const std::string& module, const Body& body);
    void checkRemoval(const std::string& module, const Body& body, const Node& node);
    void checkNode(const std::string& module, const Body& body, const Node& node, const Node* before);
    void checkName(const std::string& module, const Body& body, const Node& node);
    void checkType(const std::string& module, const Body& body, const Node& node, const Node* before);
    void checkInstancePorts(const std::string& module, const Node& node, const Node* after);
    void takeId(Id id);
    void note(const std::string& module, const Node* before, const Node* after);

    Document& m_document;
    std::map<std::string, Lookup> m_lookups;
    std::set<std::string> m_chains;
};

bool isEnd(const Node& node)
{
    return node.type == "Input" || node.type == "Output";
}

// Of a body that is no chain any more.
void nameFreely(const Document& document, Body& body, const std::map<Id, std::string>& names)
{
    for (auto& [id, node] : body.nodes)
        if (!isEnd(node)) {
            const auto given = names.find(id);
            node.name = given == names.end() ? std::string() : given->second;
        }
    for (auto& [id, node] : body.nodes)
        if (node.name.empty())
            node.name = freeName(document, body, node.type);
}

Body& Applier::body(const std::string& module)
{
    Body* found = m_document.body(module);
    if (found == nullptr)
        throw Error("there is no module " + jsonString(module));
    return *found;
}

Applier::Lookup& Applier::lookup(const std::string& module, const Body& body)
{
    const auto [it, fresh] = m_lookups.try_emplace(module);
    if (fresh) {
        for (const auto& [id, node] : body.nodes) {
            it->second.names.emplace(node.name, id);
            if (node.shares)
                ++it->second.sharers[*node.shares];
        }
        for (const auto& [to, edge] : body.edges)
            ++it->second.wiresOut[edge.from.node];
    }
    return it->second;
}

// Keeps the lookup true after a node has changed.
void Applier::note(const std::string& module, const Node* before, const Node* after)
{
    const auto it = m_lookups.find(module);
    if (it == m_lookups.end())
        return;
    Lookup& known = it->second;
    if (before != nullptr) {
        const auto name = known.names.find(before->name);
        if (name != known.names.end() && name->second == before->id)
            known.names.erase(name);
        if (before->shares)
            --known.sharers[*before->shares];
    }
    if (after != nullptr) {
        known.names.emplace(after->name, after->id);
        if (after->shares)
            ++known.sharers[*after->shares];
    }
}

void Applier::takeId(Id id)
{
    if (id < 1 || id > maxId)
        throw Error(fmt::format("{} is no id: ids are whole numbers from 1 to {}", id, maxId));
    m_document.nextId = std::max(m_document.nextId, id + 1);
}

void Applier::checkName(const std::string& module, const Body& body, const Node& node)
{
    if (body.sequential && !isEnd(node))
        return;  // named by position
    if (const std::string problem = nameProblem(node.name); !problem.empty())
        throw Error(problem);
    const auto& names = lookup(module, body).names;
    const auto it = names.find(node.name);
    if (it != names.end() && it->second != node.id)
        throw Error(fmt::format("{} is the name of node {} already", node.name, it->second));
}

// The instances of a module may be wired to the port that this Input or Output node makes.
void Applier::checkInstancePorts(const std::string& module, const Node& node, const Node* after)
{
    if (module.empty() || !isEnd(node) || (after != nullptr && after->type == node.type && after->name == node.name))
        return;
    const auto check = [&](const Body& around) {
        for (const auto& [to, edge] : around.edges) {
            const Endpoint& end = node.type == "Input" ? edge.to : edge.from;
            if (end.port == node.name && around.nodes.at(end.node).type == module)
                throw Error(fmt::format("port {} of {} is wired: take the wire of node {} away first", node.name,
                                        module, end.node));
        }
    };
    check(m_document.root);
    for (const auto& [name, around] : m_document.modules)
        check(around);
}

void Applier::checkRemoval(const std::string& module, const Body& body, const Node& node)
{
    Lookup& known = lookup(module, body);
    const auto wired = body.edges.lower_bound(Endpoint{node.id, {}});
    if ((wired != body.edges.end() && wired->first.node == node.id) || known.wiresOut[node.id] > 0)
        throw Error(fmt::format("node {} ({}) still has wires", node.id, node.name));
    if (known.sharers[node.id] > 0)
        throw Error(fmt::format("node {} ({}) is shared by another node", node.id, node.name));
    checkInstancePorts(module, node, nullptr);
}

void Applier::checkType(const std::string& module, const Body& body, const Node& node, const Node* before)
{
    if (node.type.empty())
        throw Error("a node needs a type");
    if (before != nullptr) {
        if (lookup(module, body).sharers[node.id] > 0)
            throw Error(
                fmt::format("node {} ({}) is shared by another node, so its type stays", node.id, before->name));
        for (const Edge* edge : body.edgesInto(node.id))
            if (!hasPort(m_document, node, edge->to.port, PortSide::Input))
                throw Error(noPort(m_document, body, node, edge->to.port, PortSide::Input)
                            + ", and a wire leads there");
        for (const Edge* edge : body.edgesOutOf(node.id))
            if (!hasPort(m_document, node, edge->from.port, PortSide::Output))
                throw Error(noPort(m_document, body, node, edge->from.port, PortSide::Output)
                            + ", and a wire starts there");
    }
    if (module.empty() || !m_document.modules.contains(node.type))
        return;
    // The edit is not in the document yet: ask whether the inner module leads back to the one around it.
    std::set<std::string> seen;
    std::vector<std::string> open{node.type};
    while (!open.empty()) {
        const std::string name = open.back();
        open.pop_back();
        if (name == module)
            throw Error("module " + module + " would contain itself");
        const auto inner = m_document.modules.find(name);
        if (inner == m_document.modules.end() || !seen.insert(name).second)
            continue;
        for (const auto& [id, child] : inner->second.nodes)
            open.push_back(child.type);
    }
}

void Applier::checkNode(const std::string& module, const Body& body, const Node& node, const Node* before)
{
    if (!node.attrs.isObject())
        throw Error("attrs must be an object");
    if (before == nullptr || before->name != node.name || before->type != node.type)
        checkName(module, body, node);
    if (before == nullptr || before->type != node.type)
        checkType(module, body, node, before);
    if (before != nullptr)
        checkInstancePorts(module, *before, &node);
    if (node.shares && (before == nullptr || before->shares != node.shares || before->type != node.type))
        if (const std::string problem = sharesProblem(body, node); !problem.empty())
            throw Error(problem);
    if (body.sequential && isEnd(node) && (before == nullptr || before->type != node.type))
        for (const auto& [id, other] : body.nodes)
            if (other.type == node.type && id != node.id)
                throw Error("a sequential graph has one " + node.type);
}

Edit Applier::set(const SetNode& edit)
{
    Body& place = body(edit.module);
    const auto there = place.nodes.find(edit.id);
    const Node* before = there == place.nodes.end() ? nullptr : &there->second;
    SetNode inverse{edit.module, edit.id, before == nullptr ? std::nullopt : std::optional<Node>(*before)};
    if (!edit.node) {
        if (before == nullptr)
            throw Error(fmt::format("node {} does not exist", edit.id));
        checkRemoval(edit.module, place, *before);
        note(edit.module, before, nullptr);
        place.nodes.erase(there);
    } else {
        Node node = *edit.node;
        if (node.id != edit.id)
            throw Error(fmt::format("node {} cannot become node {}", edit.id, node.id));
        if (before == nullptr && m_document.hasId(edit.id))
            throw Error(fmt::format("id {} is used already", edit.id));
        checkNode(edit.module, place, node, before);
        takeId(edit.id);
        normalizeNumbers(node.attrs);
        normalizeNumbers(node.init);
        note(edit.module, before, &node);
        place.nodes.insert_or_assign(edit.id, std::move(node));
    }
    if (place.sequential)
        m_chains.insert(edit.module);
    return {inverse};
}

Edit Applier::set(const SetEdge& edit)
{
    Body& place = body(edit.module);
    const auto there = place.edges.find(edit.to);
    SetEdge inverse{edit.module, edit.to,
                    there == place.edges.end() ? std::nullopt : std::optional<Edge>(there->second)};
    Lookup& known = lookup(edit.module, place);
    if (!edit.edge) {
        if (there == place.edges.end())
            throw Error(fmt::format("no wire leads into {} of node {}", edit.to.port, edit.to.node));
        --known.wiresOut[there->second.from.node];
        place.edges.erase(there);
    } else {
        const Edge& edge = *edit.edge;
        if (edge.to != edit.to)
            throw Error("a wire is named by where it leads to");
        for (const auto& [end, side] : {std::pair(&edge.from, PortSide::Output), std::pair(&edge.to, PortSide::Input)})
        {
            const Node* node = place.node(end->node);
            if (node == nullptr)
                throw Error(fmt::format("node {} does not exist", end->node));
            if (!hasPort(m_document, *node, end->port, side))
                throw Error(noPort(m_document, place, *node, end->port, side));
        }
        if (place.sequential) {
            const bool sameSource = there != place.edges.end() && there->second.from.node == edge.from.node;
            if (known.wiresOut[edge.from.node] > (sameSource ? 1 : 0))
                throw Error(
                    fmt::format("node {} leads on already, and a sequential graph has no branches", edge.from.node));
            for (const Edge* other : place.edgesInto(edge.to.node))
                if (other->to != edge.to)
                    throw Error(
                        fmt::format("node {} is wired already, and a sequential graph has no branches", edge.to.node));
        }
        if (there != place.edges.end())
            --known.wiresOut[there->second.from.node];
        ++known.wiresOut[edge.from.node];
        place.edges.insert_or_assign(edit.to, edge);
    }
    if (place.sequential)
        m_chains.insert(edit.module);
    return {inverse};
}

Edit Applier::set(const SetFrame& edit)
{
    const auto there = m_document.frames.find(edit.id);
    const bool fresh = there == m_document.frames.end();
    SetFrame inverse{edit.id, fresh ? std::nullopt : std::optional<Frame>(there->second)};
    if (!edit.frame) {
        if (fresh)
            throw Error(fmt::format("frame {} does not exist", edit.id));
        m_document.frames.erase(there);
        return {inverse};
    }
    if (edit.frame->id != edit.id || (fresh && m_document.hasId(edit.id)))
        throw Error(fmt::format("id {} is used already", edit.id));
    takeId(edit.id);
    m_document.frames.insert_or_assign(edit.id, *edit.frame);
    return {inverse};
}

Edit Applier::set(const SetModule& edit)
{
    const auto there = m_document.modules.find(edit.name);
    const bool fresh = there == m_document.modules.end();
    if (fresh && !edit.body)
        throw Error("there is no module " + jsonString(edit.name));
    std::optional<Body> before = fresh ? std::nullopt : std::optional<Body>(there->second);
    if (edit.body)
        for (const auto& [id, node] : edit.body->nodes) {
            const std::optional<std::string> owner = m_document.moduleOf(id);
            if (id != node.id || m_document.frames.contains(id) || (owner && *owner != edit.name))
                throw Error(fmt::format("id {} is used already", id));
            if (id < 1 || id > maxId)
                throw Error(fmt::format("{} is no id", id));
        }
    if (edit.body) {
        Body& placed = m_document.modules.insert_or_assign(edit.name, *edit.body).first->second;
        if (placed.sequential)
            nameByPosition(placed);
    } else {
        m_document.modules.erase(there);
    }
    m_lookups.erase(edit.name);
    try {
        validate(m_document, plainPlaces());
    } catch (...) {
        if (before)
            m_document.modules.insert_or_assign(edit.name, std::move(*before));
        else
            m_document.modules.erase(edit.name);
        throw;
    }
    if (edit.body)
        for (const auto& [id, node] : edit.body->nodes)
            takeId(id);
    return {SetModule{edit.name, std::move(before)}};
}

Edit Applier::set(const SetSequential& edit)
{
    Body& place = body(edit.module);
    if (place.sequential == edit.sequential)
        return {Composite{}};
    Body before = place;
    SetSequential inverse{edit.module, before.sequential, {}};
    place.sequential = edit.sequential;
    m_lookups.erase(edit.module);
    try {
        if (edit.sequential) {
            for (const auto& [id, node] : before.nodes)
                inverse.names.emplace(id, node.name);
            nameByPosition(place);
        } else {
            nameFreely(m_document, place, edit.names);
        }
        validate(m_document, plainPlaces());
    } catch (...) {
        place = std::move(before);
        throw;
    }
    return {std::move(inverse)};
}

Edit Applier::set(const SetArgs& edit)
{
    const auto there = m_document.modules.find(edit.module);
    if (there == m_document.modules.end())
        throw Error("there is no module " + jsonString(edit.module));
    if (!edit.args.isObject())
        throw Error("args must be an object");
    SetArgs inverse{edit.module, there->second.args};
    there->second.args = edit.args;
    normalizeNumbers(there->second.args);
    return {inverse};
}

Edit Applier::set(const SetProject& edit)
{
    if (edit.key == "name" || edit.key == "weights") {
        if (!edit.value.isString())
            throw Error(edit.key + " must be a text");
        std::string& text = edit.key == "name" ? m_document.name : m_document.weights;
        SetProject inverse{edit.key, Value(text)};
        text = edit.value.string();
        return {inverse};
    }
    if (edit.key != "data" && edit.key != "training")
        throw Error(edit.key + " is no part of a project");
    if (!edit.value.isNull() && !edit.value.isObject())
        throw Error(edit.key + " must be an object");
    Value& section = edit.key == "data" ? m_document.data : m_document.training;
    SetProject inverse{edit.key, section};
    section = edit.value;
    normalizeNumbers(section);
    return {inverse};
}

Edit Applier::set(const Composite& edit)
{
    Composite inverse{edit.name, {}};
    try {
        for (const Edit& part : edit.edits)
            inverse.edits.push_back(visit(part));
    } catch (...) {
        Applier back(m_document);
        for (auto it = inverse.edits.rbegin(); it != inverse.edits.rend(); ++it)
            back.run(*it);
        throw;
    }
    std::reverse(inverse.edits.begin(), inverse.edits.end());
    return {std::move(inverse)};
}

}  // namespace

Edit apply(Document& document, const Edit& edit)
{
    if (document.readOnly())
        throw Error(fmt::format("this project is of version {} and can only be looked at", document.version));
    return Applier(document).run(edit);
}

}  // namespace megalith::graph
