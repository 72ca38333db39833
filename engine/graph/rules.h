// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/document.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

namespace megalith::graph {

// The rules that a document keeps at all times: what apply() enforces and what a file is refused for.
// A function that finds a problem returns one sentence without the place; "" when all is well.

std::string nameProblem(std::string_view name);

// hasPort() for many wires: the ports of each composed module are gathered once.
class PortIndex
{
public:
    explicit PortIndex(const Document& document) : m_document(&document) {}
    bool has(const Node& node, const std::string& port, PortSide side);

private:
    using Names = std::set<std::string, std::less<>>;
    const Document* m_document;
    std::map<std::pair<std::string, PortSide>, Names> m_names;
};

// Of a port that is not there: which there are.
std::string noPort(const Document& document, const Body& body, const Node& node, std::string_view port, PortSide side);
// `fine` gathers ids that are known to be well, so that a long chain is walked once.
std::string sharesProblem(const Body& body, const Node& node, std::unordered_set<Id>* fine = nullptr);
// "Block -> Inner -> Block", from `module` on; "" when it does not contain itself.
std::string recursion(const Document& document, const std::string& module);

// Where a rule is broken, in the words of whoever asks: "graph.edges[3].to: " for a file, "node 3: " for an edit.
struct Places
{
    std::function<std::string(const std::string& module, Id node, std::string_view key)> node;
    std::function<std::string(const std::string& module, const Endpoint& to, std::string_view key)> edge;
    std::function<std::string(const std::string& module, std::string_view key)> body;
};
Places plainPlaces();
// All rules but those on names in a chain. Throws FormatError with place and problem.
void validate(const Document& document, const Places& places);

// Gives the nodes of a chain their positions as names.
void nameByPosition(Body& body);

// Whole numbers become integers (-0.0 too), so that what is written reads back the same.
void normalizeNumbers(Value& value);

}  // namespace megalith::graph
