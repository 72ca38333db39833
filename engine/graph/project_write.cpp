// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/json.h"
#include "engine/graph/project_text.h"
#include "engine/graph/rules.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace megalith::graph {

namespace {

using Member = std::pair<std::string, std::string>;  // key and written value

std::string number(double value)
{
    Value written(value);
    normalizeNumbers(written);
    return writeJson(written);
}

std::string point(const Point& p)
{
    return "[" + number(p.x) + ", " + number(p.y) + "]";
}

std::string endpoint(const Endpoint& end)
{
    return "[" + std::to_string(end.node) + ", " + jsonString(end.port) + "]";
}

// Each unknown key behind the known key after which it stood; last where that one is not written.
void insertExtra(std::vector<Member>& members, const Extra& extra)
{
    std::vector<Member> placed;
    std::vector<char> done(extra.size(), 0);
    const auto place = [&](std::string_view after) {
        for (std::size_t i = 0; i < extra.size(); ++i)
            if (done[i] == 0 && extra[i].after == after) {
                placed.emplace_back(extra[i].key, writeJson(extra[i].value));
                done[i] = 1;
            }
    };
    if (extra.empty())
        return;
    place({});
    for (Member& member : members) {
        const std::string key = member.first;
        placed.push_back(std::move(member));
        place(key);
    }
    for (std::size_t i = 0; i < extra.size(); ++i)
        if (done[i] == 0)
            placed.emplace_back(extra[i].key, writeJson(extra[i].value));
    members = std::move(placed);
}

std::string oneLine(const std::vector<Member>& members)
{
    std::string out = "{";
    for (std::size_t i = 0; i < members.size(); ++i)
        out += (i == 0 ? "" : ", ") + jsonString(members[i].first) + ": " + members[i].second;
    return out + "}";
}

// Members (or items, without a key) on lines of their own, `depth` levels in.
std::string spread(char open, char close, const std::vector<Member>& members, std::size_t depth, bool keys)
{
    if (members.empty())
        return {open, close};
    std::string out(1, open);
    const std::string indent(2 * (depth + 1), ' ');
    for (std::size_t i = 0; i < members.size(); ++i) {
        out += (i == 0 ? "\n" : ",\n") + indent;
        if (keys)
            out += jsonString(members[i].first) + ": ";
        out += members[i].second;
    }
    return out + "\n" + std::string(2 * depth, ' ') + close;
}

// Of an unknown type the keys stand as the file had them.
void restoreOrder(std::vector<Member>& members, const std::vector<std::string>& order)
{
    const auto place = [&order](const Member& member) { return std::find(order.begin(), order.end(), member.first); };
    std::stable_sort(members.begin(), members.end(),
                     [&place](const Member& a, const Member& b) { return place(a) < place(b); });
}

std::string nodeText(const Node& node)
{
    std::vector<Member> members{{"id", std::to_string(node.id)},
                                {"type", jsonString(node.type)},
                                {"name", jsonString(node.name)},
                                {"attrs", writeJson(node.attrs)},
                                {"pos", point(node.pos)}};
    if (!node.frozen.empty())
        members.emplace_back("frozen", writeJson(Value(Value::List(node.frozen.begin(), node.frozen.end()))));
    if (!node.init.isNull())
        members.emplace_back("init", writeJson(node.init));
    if (!node.ties.isNull())
        members.emplace_back("ties", writeJson(node.ties));
    if (node.shares)
        members.emplace_back("shares", std::to_string(*node.shares));
    if (!node.note.empty())
        members.emplace_back("note", jsonString(node.note));
    insertExtra(members, node.extra);
    if (!node.keyOrder.empty())
        restoreOrder(members, node.keyOrder);
    return oneLine(members);
}

std::string edgeText(const Edge& edge)
{
    std::vector<Member> members{{"from", endpoint(edge.from)}, {"to", endpoint(edge.to)}};
    if (!edge.via.empty()) {
        std::string via = "[";
        for (std::size_t i = 0; i < edge.via.size(); ++i)
            via += (i == 0 ? "" : ", ") + point(edge.via[i]);
        members.emplace_back("via", via + "]");
    }
    insertExtra(members, edge.extra);
    return oneLine(members);
}

std::string frameText(const Frame& frame)
{
    const Rect& r = frame.rect;
    std::vector<Member> members{
        {"id", std::to_string(frame.id)},
        {"title", jsonString(frame.title)},
        {"rect", "[" + number(r.x) + ", " + number(r.y) + ", " + number(r.width) + ", " + number(r.height) + "]"}};
    if (!frame.color.empty())
        members.emplace_back("color", jsonString(frame.color));
    insertExtra(members, frame.extra);
    return oneLine(members);
}

template<typename Map, typename Write>
std::string lines(const Map& items, Write&& write, std::size_t depth)
{
    std::vector<Member> members;
    members.reserve(items.size());
    for (const auto& [key, item] : items)
        members.emplace_back(std::string(), write(item));
    return spread('[', ']', members, depth, false);
}

void addBody(std::vector<Member>& members, const Body& body, std::size_t depth)
{
    members.emplace_back("sequential", body.sequential ? "true" : "false");
    members.emplace_back("nodes", lines(body.nodes, nodeText, depth));
    members.emplace_back("edges", lines(body.edges, edgeText, depth));
}

std::string moduleText(const Body& body, std::size_t depth)
{
    std::vector<Member> members{{"args", writeJson(body.args)}};
    addBody(members, body, depth + 1);
    insertExtra(members, body.extra);
    return body.nodes.empty() && body.edges.empty() ? oneLine(members) : spread('{', '}', members, depth, true);
}

std::string graphText(const Document& document)
{
    constexpr std::size_t depth = 1;
    std::vector<Member> members;
    addBody(members, document.root, depth + 1);
    if (!document.modules.empty()) {
        std::vector<Member> modules;
        for (const auto& [name, body] : document.modules)
            modules.emplace_back(name, moduleText(body, depth + 2));
        members.emplace_back("modules", spread('{', '}', modules, depth + 1, true));
    }
    if (!document.frames.empty())
        members.emplace_back("frames", lines(document.frames, frameText, depth + 1));
    insertExtra(members, document.graphExtra);
    return spread('{', '}', members, depth, true);
}

std::string trainingText(const Value& training)
{
    std::vector<Member> members;
    for (const auto& [key, value] : training.object())
        members.emplace_back(key, writeJson(value));
    return spread('{', '}', members, 1, true);
}

}  // namespace

std::string projectText(const Document& document)
{
    std::vector<Member> members{{"format", jsonString("megalith-project")},
                                {"version", std::to_string(document.version)},
                                {"name", jsonString(document.name)}};
    if (!document.weights.empty())
        members.emplace_back("weights", jsonString(document.weights));
    members.emplace_back("graph", graphText(document));
    if (document.data.isObject())
        members.emplace_back("data", writeJson(document.data));
    if (document.training.isObject())
        members.emplace_back("training", trainingText(document.training));
    insertExtra(members, document.extra);
    return spread('{', '}', members, 0, true) + "\n";
}

}  // namespace megalith::graph
