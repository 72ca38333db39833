// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/graph/document.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace megalith::graph {

namespace {

// Nodes by position (ascending ids) and, for each, the positions that its outputs lead to.
struct Wires
{
    std::vector<Id> ids;
    std::vector<std::vector<std::size_t>> next;
    std::vector<std::size_t> incoming;

    explicit Wires(const Body& body)
    {
        ids.reserve(body.nodes.size());
        for (const auto& [id, node] : body.nodes)
            ids.push_back(id);
        next.resize(ids.size());
        incoming.resize(ids.size());
        for (const auto& [to, edge] : body.edges) {
            const std::size_t source = position(edge.from.node);
            const std::size_t target = position(to.node);
            if (source < ids.size() && target < ids.size()) {
                next[source].push_back(target);
                ++incoming[target];
            }
        }
    }
    // ids.size() when it is none of them.
    std::size_t position(Id id) const
    {
        const auto it = std::lower_bound(ids.begin(), ids.end(), id);
        return it != ids.end() && *it == id ? static_cast<std::size_t>(it - ids.begin()) : ids.size();
    }
};

}  // namespace

std::vector<Id> order(const Body& body)
{
    Wires wires(body);
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < wires.ids.size(); ++i)
        if (wires.incoming[i] == 0)
            ready.push(i);
    std::vector<char> done(wires.ids.size(), 0);
    std::vector<Id> sorted;
    sorted.reserve(wires.ids.size());
    while (!ready.empty()) {
        const std::size_t node = ready.top();
        ready.pop();
        done[node] = 1;
        sorted.push_back(wires.ids[node]);
        for (const std::size_t target : wires.next[node])
            if (--wires.incoming[target] == 0)
                ready.push(target);
    }
    for (std::size_t i = 0; i < wires.ids.size(); ++i)
        if (done[i] == 0)
            sorted.push_back(wires.ids[i]);
    return sorted;
}

std::vector<Id> findCycle(const Body& body)
{
    const Wires wires(body);
    enum class Mark : std::uint8_t { New, Open, Closed };
    std::vector<Mark> marks(wires.ids.size(), Mark::New);
    std::vector<std::pair<std::size_t, std::size_t>> path;  // (node, which of its wires is next)
    for (std::size_t start = 0; start < wires.ids.size(); ++start) {
        if (marks[start] != Mark::New)
            continue;
        marks[start] = Mark::Open;
        path.assign(1, {start, 0});
        while (!path.empty()) {
            auto& [node, wire] = path.back();
            if (wire == wires.next[node].size()) {
                marks[node] = Mark::Closed;
                path.pop_back();
                continue;
            }
            const std::size_t target = wires.next[node][wire++];
            if (marks[target] == Mark::Open) {
                std::vector<Id> cycle;
                const auto first =
                    std::find_if(path.begin(), path.end(), [target](const auto& p) { return p.first == target; });
                for (auto it = first; it != path.end(); ++it)
                    cycle.push_back(wires.ids[it->first]);
                return cycle;
            }
            if (marks[target] == Mark::New) {
                marks[target] = Mark::Open;
                path.emplace_back(target, 0);
            }
        }
    }
    return {};
}

bool wouldCycle(const Body& body, Id from, Id to)
{
    if (from == to)
        return true;
    const Wires wires(body);
    const std::size_t goal = wires.position(from);
    const std::size_t start = wires.position(to);
    if (goal == wires.ids.size() || start == wires.ids.size())
        return false;
    std::vector<char> seen(wires.ids.size(), 0);
    std::vector<std::size_t> open{start};
    seen[start] = 1;
    while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        if (node == goal)
            return true;
        for (const std::size_t target : wires.next[node])
            if (seen[target] == 0) {
                seen[target] = 1;
                open.push_back(target);
            }
    }
    return false;
}

std::unordered_map<Id, std::size_t> positions(const Body& body)
{
    std::unordered_map<Id, std::size_t> places;
    for (const Id id : order(body)) {
        const std::string& type = body.nodes.at(id).type;
        if (type != "Input" && type != "Output")
            places.emplace(id, places.size());
    }
    return places;
}

}  // namespace megalith::graph
