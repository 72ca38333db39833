// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/graph/edit.h"
#include "engine/graph/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace megalith::graph {

namespace {

struct Found
{
    std::string module;
    const Body* body;
    const Node* node;
};

Found findNode(const Document& document, Id id)
{
    const std::optional<std::string> module = document.moduleOf(id);
    if (!module)
        throw Error(fmt::format("node {} does not exist", id));
    const Body* body = document.body(*module);
    return {*module, body, body->node(id)};
}

Edit changed(const Found& found, Node node, std::string what)
{
    if (node == *found.node)
        return {Composite{std::move(what), {}}};
    return {Composite{std::move(what), {{SetNode{found.module, node.id, std::move(node)}}}}};
}

// A key whose first part is `before` gets `after` for it.
std::string renamedKey(const std::string& key, std::string_view before, std::string_view after)
{
    if (key == before)
        return std::string(after);
    if (key.size() > before.size() && key.starts_with(before) && key[before.size()] == '.')
        return std::string(after) + key.substr(before.size());
    return key;
}

void renameMembers(Value& object, std::string_view before, std::string_view after)
{
    if (object.isObject())
        for (auto& [key, value] : object.object())
            key = renamedKey(key, before, after);
}

void renameTexts(Value& object, std::string_view before, std::string_view after)
{
    if (object.isObject())
        for (auto& [key, value] : object.object())
            if (value.isString())
                value = renamedKey(value.string(), before, after);
}

// Nodes of other bodies that name something inside this one: instances, by dotted paths.
void renameInInstances(const Document& document, const Found& found, std::string_view name, std::vector<Edit>& edits)
{
    const std::string& old = found.node->name;
    const bool port = found.node->type == "Input" || found.node->type == "Output";
    const auto visit = [&](const std::string& module, const Body& body) {
        for (const auto& [id, node] : body.nodes) {
            if (node.type != found.module)
                continue;
            Node other = node;
            for (std::string& path : other.frozen)
                path = renamedKey(path, old, name);
            renameMembers(other.init, old, name);
            renameMembers(other.ties, old, name);
            if (other != node)
                edits.push_back({SetNode{module, id, std::move(other)}});
        }
        for (const auto& [to, edge] : body.edges) {
            const Endpoint& end = found.node->type == "Input" ? edge.to : edge.from;
            if (!port || end.port != old || body.nodes.at(end.node).type != found.module)
                continue;
            Edge other = edge;
            (found.node->type == "Input" ? other.to : other.from).port = name;
            edits.insert(edits.begin(), {SetEdge{module, to, std::nullopt}});
            edits.push_back({SetEdge{module, other.to, other}});
        }
    };
    visit({}, document.root);
    for (const auto& [module, body] : document.modules)
        visit(module, body);
}

// Keys of parameters in the optimizer's groups, the output that the loss is computed from, the data of each input.
void renameInSettings(const Document& document, const Found& found, std::string_view name, std::vector<Edit>& edits)
{
    const std::string& old = found.node->name;
    Value training = document.training;
    if (Value* optimizer = training.find("optimizer"))
        if (Value* groups = optimizer->find("param_groups"); groups != nullptr && groups->isList())
            for (Value& group : groups->list())
                if (Value* params = group.find("params"); params != nullptr && params->isList())
                    for (Value& key : params->list())
                        if (key.isString())
                            key = renamedKey(key.string(), old, name);
    if (found.node->type == "Output")
        if (Value* loss = training.find("loss"))
            if (Value* output = loss->find("output"); output != nullptr && *output == Value(old))
                *output = name;
    if (training != document.training)
        edits.push_back({SetProject{"training", std::move(training)}});
    Value data = document.data;
    if (found.node->type == "Input")
        if (Value* inputs = data.find("inputs"))
            renameMembers(*inputs, old, name);
    if (data != document.data)
        edits.push_back({SetProject{"data", std::move(data)}});
}

}  // namespace

Edit rename(const Document& document, Id id, std::string_view name)
{
    const Found found = findNode(document, id);
    const std::string old = found.node->name;
    Composite all{fmt::format("Rename {} to {}", old, name), {}};
    if (old == name)
        return {std::move(all)};
    if (found.body->sequential && found.node->type != "Input" && found.node->type != "Output")
        throw Error("in a sequential graph the position is the name");
    if (const std::string problem = nameProblem(name); !problem.empty())
        throw Error(problem);
    if (const Node* other = found.body->named(name))
        throw Error(fmt::format("{} is the name of node {} already", name, other->id));
    std::vector<Edit> around;
    if (!found.module.empty())
        renameInInstances(document, found, name, around);
    else
        renameInSettings(document, found, name, around);
    // Wires of instances come off first and go on again last.
    const auto isRemoval = [](const Edit& edit) {
        const auto* wire = std::get_if<SetEdge>(&edit.what);
        return wire != nullptr && !wire->edge;
    };
    const auto rest = std::stable_partition(around.begin(), around.end(), isRemoval);
    all.edits.assign(around.begin(), rest);
    for (const auto& [other, node] : found.body->nodes) {
        Node after = node;
        if (other == id)
            after.name = name;
        renameTexts(after.ties, old, name);
        if (other == id && (node.type == "Parameter" || node.type == "Buffer")) {
            for (std::string& path : after.frozen)
                path = renamedKey(path, old, name);
            renameMembers(after.init, old, name);
            renameMembers(after.ties, old, name);
        }
        if (after != node)
            all.edits.push_back({SetNode{found.module, other, std::move(after)}});
    }
    all.edits.insert(all.edits.end(), rest, around.end());
    return {std::move(all)};
}

Edit setAttr(const Document& document, Id id, std::string_view attr, std::optional<Value> value)
{
    const Found found = findNode(document, id);
    Node node = *found.node;
    if (value)
        node.attrs.set(attr, std::move(*value));
    else
        node.attrs.erase(attr);
    return changed(found, std::move(node), fmt::format("Change {} of {}", attr, found.node->name));
}

Edit setFrozen(const Document& document, Id id, std::string_view parameter, bool frozen)
{
    const Found found = findNode(document, id);
    Node node = *found.node;
    const auto it = std::find(node.frozen.begin(), node.frozen.end(), parameter);
    if (frozen && it == node.frozen.end())
        node.frozen.emplace_back(parameter);
    else if (!frozen && it != node.frozen.end())
        node.frozen.erase(it);
    return changed(found, std::move(node),
                   fmt::format("{} {} of {}", frozen ? "Freeze" : "Unfreeze", parameter, found.node->name));
}

Edit setNote(const Document& document, Id id, std::string_view note)
{
    const Found found = findNode(document, id);
    Node node = *found.node;
    node.note = note;
    return changed(found, std::move(node), "Note on " + found.node->name);
}

Edit move(const Document& document, std::span<const std::pair<Id, Point>> targets)
{
    Composite all{targets.size() == 1 ? "Move" : fmt::format("Move {} nodes", targets.size()), {}};
    for (const auto& [id, pos] : targets) {
        const Found found = findNode(document, id);
        if (found.node->pos == pos)
            continue;
        Node node = *found.node;
        node.pos = pos;
        all.edits.push_back({SetNode{found.module, id, std::move(node)}});
    }
    return {std::move(all)};
}

Edit setVia(const Document& document, std::string_view module, const Endpoint& to, std::vector<Point> via)
{
    const Body* body = document.body(module);
    const Edge* there = body == nullptr ? nullptr : body->edgeInto(to);
    if (there == nullptr)
        throw Error(fmt::format("no wire leads into {} of node {}", to.port, to.node));
    Edge edge = *there;
    edge.via = std::move(via);
    Composite all{"Move wire", {}};
    if (edge != *there)
        all.edits.push_back({SetEdge{std::string(module), to, std::move(edge)}});
    return {std::move(all)};
}

Duplicated duplicate(const Document& document, std::string_view module, std::span<const Id> ids, Point offset)
{
    const Body* body = document.body(module);
    if (body == nullptr)
        throw Error("there is no module " + jsonString(module));
    Duplicated result;
    std::vector<Id> sorted(ids.begin(), ids.end());
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    Composite all{sorted.size() == 1 ? "Duplicate" : fmt::format("Duplicate {} nodes", sorted.size()), {}};
    std::unordered_map<Id, Id> copies;
    Id next = document.nextId;
    for (const Id id : sorted)
        copies.emplace(id, next++);
    Body names = *body;  // grows by each copy, so that free names are free
    const std::string place(module);
    std::vector<Edit> sharing;
    for (const Id id : sorted) {
        const Node* original = body->node(id);
        if (original == nullptr)
            throw Error(fmt::format("node {} does not exist", id));
        Node copy = *original;
        copy.id = copies.at(id);
        copy.name = freeName(document, names, copy.type);
        copy.pos = {copy.pos.x + offset.x, copy.pos.y + offset.y};
        names.nodes.emplace(copy.id, copy);
        result.ids.emplace_back(id, copy.id);
        if (copy.shares && copies.contains(*copy.shares)) {
            Node shared = copy;
            shared.shares = copies.at(*copy.shares);
            copy.shares.reset();
            sharing.push_back({SetNode{place, copy.id, std::move(shared)}});
        }
        all.edits.push_back({SetNode{place, copy.id, std::move(copy)}});
    }
    all.edits.insert(all.edits.end(), sharing.begin(), sharing.end());
    for (const auto& [to, edge] : body->edges) {
        const auto from = copies.find(edge.from.node);
        const auto target = copies.find(to.node);
        if (from == copies.end() || target == copies.end())
            continue;
        Edge copy = edge;
        copy.from.node = from->second;
        copy.to.node = target->second;
        for (Point& p : copy.via)
            p = {p.x + offset.x, p.y + offset.y};
        all.edits.push_back({SetEdge{place, copy.to, copy}});
    }
    result.edit = {std::move(all)};
    return result;
}

Added addFrame(const Document& document, std::string_view title, Rect rect, std::string_view color)
{
    const Id id = document.nextId;
    Frame frame{id, std::string(title), rect, std::string(color), {}};
    return {{Composite{"Add frame", {{SetFrame{id, std::move(frame)}}}}}, id};
}

Edit setSetting(const Document& document, std::string_view section, std::span<const std::string> path, Value value)
{
    if (section != "data" && section != "training")
        throw Error(std::string(section) + " is no section of settings");
    if (path.empty())
        throw Error("a setting needs a name");
    const Value& before = section == "data" ? document.data : document.training;
    Value after = before.isObject() ? before : Value(Value::Object{});
    Value* at = &after;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        if (at->find(path[i]) == nullptr || !at->find(path[i])->isObject())
            at->set(path[i], Value::Object{});
        at = at->find(path[i]);
    }
    at->set(path.back(), std::move(value));
    Composite all{"Change " + path.back(), {}};
    if (after != before)
        all.edits.push_back({SetProject{std::string(section), std::move(after)}});
    return {std::move(all)};
}

}  // namespace megalith::graph
