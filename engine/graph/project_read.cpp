// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/core/file_kind.h"
#include "engine/core/json.h"
#include "engine/graph/project_text.h"
#include "engine/graph/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <unordered_map>

namespace megalith::graph {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& problem)
{
    throw FormatError(path + ": " + problem);
}

[[noreturn]] void wrongKind(const std::string& path, std::string_view expected, const Value& found)
{
    refuse(path, fmt::format("must be {}, not {}", expected, kindName(found)));
}

const std::string& stringAt(const Value& value, const std::string& path)
{
    if (!value.isString())
        wrongKind(path, "a text", value);
    return value.string();
}

bool boolAt(const Value& value, const std::string& path)
{
    if (!value.isBool())
        wrongKind(path, "true or false", value);
    return value.boolean();
}

double numberAt(const Value& value, const std::string& path)
{
    if (!value.isNumber())
        wrongKind(path, "a number", value);
    return value.number();
}

Id idAt(const Value& value, const std::string& path)
{
    if (!value.isInteger())
        wrongKind(path, "a whole number", value);
    if (value.integer() < 1 || value.integer() > maxId)
        refuse(path, fmt::format("must be a whole number from 1 to {}, not {}", maxId, value.integer()));
    return value.integer();
}

const Value::List& listAt(const Value& value, const std::string& path)
{
    if (!value.isList())
        wrongKind(path, "a list", value);
    return value.list();
}

const Value& objectAt(const Value& value, const std::string& path)
{
    if (!value.isObject())
        wrongKind(path, "an object", value);
    return value;
}

std::vector<double> numbersAt(const Value& value, std::size_t count, const std::string& path)
{
    const Value::List& list = listAt(value, path);
    if (list.size() != count)
        refuse(path, fmt::format("must be {} numbers, not {}", count, list.size()));
    std::vector<double> numbers;
    for (std::size_t i = 0; i < count; ++i)
        numbers.push_back(numberAt(list[i], fmt::format("{}[{}]", path, i)));
    return numbers;
}

Point pointAt(const Value& value, const std::string& path)
{
    const std::vector<double> xy = numbersAt(value, 2, path);
    return {xy[0], xy[1]};
}

// An object's known keys; the others are gathered with their places.
class Keys
{
public:
    Keys(const Value& value, std::string path, std::initializer_list<std::string_view> known, Extra& extra)
        : m_value(objectAt(value, path))
        , m_path(std::move(path))
    {
        std::string after;
        for (const auto& [key, item] : m_value.object()) {
            if (std::find(known.begin(), known.end(), key) != known.end())
                after = key;
            else
                extra.push_back({key, item, after});
        }
    }
    std::string path(std::string_view key) const
    {
        return m_path.empty() ? std::string(key) : m_path + "." + std::string(key);
    }
    const Value* find(std::string_view key) const { return m_value.find(key); }
    const Value& need(std::string_view key) const
    {
        const Value* found = find(key);
        if (found == nullptr)
            refuse(path(key), "is missing");
        return *found;
    }
    // read(value, path) when the key is there.
    template<typename Read>
    void with(std::string_view key, Read&& read) const
    {
        if (const Value* found = find(key))
            read(*found, path(key));
    }
    const Value::Object& members() const { return m_value.object(); }

private:
    const Value& m_value;
    std::string m_path;
};

Value initAt(const Value& value, const std::string& path)
{
    for (const auto& [parameter, init] : objectAt(value, path).object()) {
        const std::string at = path + "." + parameter;
        const Value* type = objectAt(init, at).find("type");
        if (type == nullptr)
            refuse(at + ".type", "is missing");
        stringAt(*type, at + ".type");
    }
    return value.object().empty() ? Value() : value;
}

Value tiesAt(const Value& value, const std::string& path)
{
    for (const auto& [parameter, key] : objectAt(value, path).object())
        stringAt(key, path + "." + parameter);
    return value.object().empty() ? Value() : value;
}

std::vector<std::string> frozenAt(const Value& value, const std::string& path)
{
    std::vector<std::string> names;
    const Value::List& list = listAt(value, path);
    for (std::size_t i = 0; i < list.size(); ++i)
        names.push_back(stringAt(list[i], fmt::format("{}[{}]", path, i)));
    return names;
}

class Reader
{
public:
    Document read(const Value& file, std::string_view displayName);

private:
    // Where in the file something stood.
    struct BodyPlaces
    {
        std::string path;
        std::unordered_map<Id, std::size_t> nodes;
        std::map<Endpoint, std::size_t> edges;
    };

    void readGraph(const Value& value);
    void readBody(const Keys& keys, const std::string& module, Body& body);
    Node readNode(const Value& value, const std::string& path, bool sequential);
    Edge readEdge(const Value& value, const std::string& path);
    void readFrames(const Value& value, const std::string& path);
    void takeId(Id id, const std::string& path);
    void keepOrders(Body& body);
    void checkPositions(const std::string& module, const Body& body);
    Places places() const;

    Document m_document;
    std::map<std::string, BodyPlaces> m_places;
    std::unordered_map<Id, std::string> m_ids;
    std::unordered_map<Id, std::vector<std::string>> m_keyOrders;
};

void Reader::takeId(Id id, const std::string& path)
{
    const auto [it, fresh] = m_ids.try_emplace(id, path);
    if (!fresh)
        refuse(path + ".id", fmt::format("{} is the id of {} already", id, it->second));
    m_document.nextId = std::max(m_document.nextId, id + 1);
}

Node Reader::readNode(const Value& value, const std::string& path, bool sequential)
{
    Node node;
    const Keys keys(value, path, {"id", "type", "name", "attrs", "pos", "frozen", "init", "ties", "shares", "note"},
                    node.extra);
    node.id = idAt(keys.need("id"), keys.path("id"));
    takeId(node.id, path);
    node.type = stringAt(keys.need("type"), keys.path("type"));
    if (!sequential)
        keys.need("name");
    else if (node.type == "Input" || node.type == "Output")
        node.name = node.type == "Input" ? "input" : "output";
    keys.with("name", [&](const Value& v, const std::string& at) { node.name = stringAt(v, at); });
    keys.with("attrs", [&](const Value& v, const std::string& at) { node.attrs = objectAt(v, at); });
    keys.with("pos", [&](const Value& v, const std::string& at) { node.pos = pointAt(v, at); });
    keys.with("frozen", [&](const Value& v, const std::string& at) { node.frozen = frozenAt(v, at); });
    keys.with("init", [&](const Value& v, const std::string& at) { node.init = initAt(v, at); });
    keys.with("ties", [&](const Value& v, const std::string& at) { node.ties = tiesAt(v, at); });
    keys.with("shares", [&](const Value& v, const std::string& at) { node.shares = idAt(v, at); });
    keys.with("note", [&](const Value& v, const std::string& at) { node.note = stringAt(v, at); });
    std::vector<std::string> order;
    for (const auto& [key, item] : keys.members())
        order.push_back(key);
    m_keyOrders.emplace(node.id, std::move(order));
    return node;
}

Edge Reader::readEdge(const Value& value, const std::string& path)
{
    Edge edge;
    const Keys keys(value, path, {"from", "to", "via"}, edge.extra);
    const auto endpoint = [&keys](std::string_view key) {
        const Value::List& list = listAt(keys.need(key), keys.path(key));
        if (list.size() != 2)
            refuse(keys.path(key), fmt::format("must be [id, port], not {} items", list.size()));
        return Endpoint{idAt(list[0], keys.path(key) + "[0]"), stringAt(list[1], keys.path(key) + "[1]")};
    };
    edge.from = endpoint("from");
    edge.to = endpoint("to");
    keys.with("via", [&](const Value& v, const std::string& at) {
        const Value::List& points = listAt(v, at);
        for (std::size_t i = 0; i < points.size(); ++i)
            edge.via.push_back(pointAt(points[i], fmt::format("{}[{}]", at, i)));
    });
    return edge;
}

void Reader::readBody(const Keys& keys, const std::string& module, Body& body)
{
    BodyPlaces& places = m_places[module];
    places.path = module.empty() ? "graph" : "graph.modules." + module;
    keys.with("sequential", [&](const Value& v, const std::string& at) { body.sequential = boolAt(v, at); });
    const Value::List& nodes = listAt(keys.need("nodes"), keys.path("nodes"));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        Node node = readNode(nodes[i], fmt::format("{}[{}]", keys.path("nodes"), i), body.sequential);
        places.nodes.emplace(node.id, i);
        const Id id = node.id;
        body.nodes.emplace_hint(body.nodes.end(), id, std::move(node));
    }
    const Value::List& edges = listAt(keys.need("edges"), keys.path("edges"));
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const std::string path = fmt::format("{}[{}]", keys.path("edges"), i);
        Edge edge = readEdge(edges[i], path);
        const auto [it, fresh] = places.edges.emplace(edge.to, i);
        if (!fresh)
            refuse(path + ".to", fmt::format("input {} of node {} has a wire already (edges[{}])",
                                             jsonString(edge.to.port), edge.to.node, it->second));
        const Endpoint to = edge.to;
        body.edges.emplace(to, std::move(edge));
    }
}

void Reader::readFrames(const Value& value, const std::string& path)
{
    const Value::List& list = listAt(value, path);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string at = fmt::format("{}[{}]", path, i);
        Frame frame;
        const Keys keys(list[i], at, {"id", "title", "rect", "color"}, frame.extra);
        frame.id = idAt(keys.need("id"), keys.path("id"));
        takeId(frame.id, at);
        keys.with("title", [&](const Value& v, const std::string& p) { frame.title = stringAt(v, p); });
        const std::vector<double> r = numbersAt(keys.need("rect"), 4, keys.path("rect"));
        frame.rect = {r[0], r[1], r[2], r[3]};
        keys.with("color", [&](const Value& v, const std::string& p) { frame.color = stringAt(v, p); });
        m_document.frames.emplace(frame.id, std::move(frame));
    }
}

void Reader::readGraph(const Value& value)
{
    const Keys keys(value, "graph", {"sequential", "nodes", "edges", "modules", "frames"}, m_document.graphExtra);
    readBody(keys, {}, m_document.root);
    keys.with("modules", [&](const Value& v, const std::string& path) {
        for (const auto& [name, inside] : objectAt(v, path).object()) {
            const std::string at = path + "." + name;
            if (const std::string problem = nameProblem(name); !problem.empty())
                refuse(path, problem);
            Body& body = m_document.modules[name];
            const Keys inner(inside, at, {"args", "sequential", "nodes", "edges"}, body.extra);
            inner.with("args", [&](const Value& a, const std::string& p) { body.args = objectAt(a, p); });
            readBody(inner, name, body);
        }
    });
    keys.with("frames", [&](const Value& v, const std::string& path) { readFrames(v, path); });
}

Places Reader::places() const
{
    const auto end = [](std::string_view key) { return (key.empty() ? "" : "." + std::string(key)) + ": "; };
    return {
        [this, end](const std::string& module, Id node, std::string_view key) {
            const BodyPlaces& body = m_places.at(module);
            return fmt::format("{}.nodes[{}]{}", body.path, body.nodes.at(node), end(key));
        },
        [this, end](const std::string& module, const Endpoint& to, std::string_view key) {
            const BodyPlaces& body = m_places.at(module);
            return fmt::format("{}.edges[{}]{}", body.path, body.edges.at(to), end(key));
        },
        [this, end](const std::string& module, std::string_view key) { return m_places.at(module).path + end(key); }};
}

// Types are known only when all modules are read.
void Reader::keepOrders(Body& body)
{
    for (auto& [id, node] : body.nodes)
        if (!typeInfo(m_document, node.type).known())
            node.keyOrder = std::move(m_keyOrders.at(id));
}

void Reader::checkPositions(const std::string& module, const Body& body)
{
    for (const auto& [id, position] : positions(body)) {
        const std::string& name = body.nodes.at(id).name;
        if (!name.empty() && name != std::to_string(position))
            throw FormatError(
                places().node(module, id, "name")
                + fmt::format("must be \"{}\", its position in the chain, not {}", position, jsonString(name)));
    }
}

Document Reader::read(const Value& file, std::string_view displayName)
{
    const Keys keys(file, {}, {"format", "version", "name", "weights", "graph", "data", "training"}, m_document.extra);
    if (stringAt(keys.need("format"), "format") != "megalith-project")
        refuse("format", "must be \"megalith-project\", not " + jsonString(keys.need("format").string()));
    const Value& version = keys.need("version");
    if (!version.isInteger() || version.integer() < 1)
        refuse("version", "must be a whole number from 1 on");
    m_document.version = version.integer();
    const std::size_t slash = displayName.find_last_of('/');
    m_document.name = displayName.substr(slash == std::string_view::npos ? 0 : slash + 1);
    if (m_document.name.ends_with(".megaproj"))
        m_document.name.resize(m_document.name.size() - 9);
    keys.with("name", [&](const Value& v, const std::string& at) { m_document.name = stringAt(v, at); });
    keys.with("weights", [&](const Value& v, const std::string& at) { m_document.weights = stringAt(v, at); });
    readGraph(keys.need("graph"));
    keys.with("data", [&](const Value& v, const std::string& at) { m_document.data = objectAt(v, at); });
    keys.with("training", [&](const Value& v, const std::string& at) { m_document.training = objectAt(v, at); });
    validate(m_document, places());
    const auto finish = [this](const std::string& module, Body& body) {
        keepOrders(body);
        if (body.sequential) {
            checkPositions(module, body);
            nameByPosition(body);
        }
    };
    finish({}, m_document.root);
    for (auto& [module, body] : m_document.modules)
        finish(module, body);
    return std::move(m_document);
}

// What is wrong with a file that is no JSON at all; else nothing.
std::string otherKind(std::string_view text)
{
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return "the file is empty; a project is a JSON document";
    if (const auto kind = fileKind(text))
        return "this is " + std::string(*kind) + ", not a project";
    return {};
}

}  // namespace

Document parseProject(std::string_view text, std::string_view displayName)
{
    try {
        if (const std::string other = otherKind(text); !other.empty())
            throw FormatError(other);
        Value file = parseJson(text);
        if (!file.isObject())
            throw FormatError("a project is a JSON object, not " + std::string(kindName(file)));
        normalizeNumbers(file);
        return Reader().read(file, displayName);
    } catch (const FormatError& error) {
        throw FormatError(std::string(displayName) + ": " + error.what());
    }
}

}  // namespace megalith::graph
