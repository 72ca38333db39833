// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/value.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace megalith::nn {
struct ModuleDef;
}

namespace megalith::graph {

// Nodes and frames are named by ids that are unique in the whole document and never used twice in a session. 0 names none.
using Id = std::int64_t;
inline constexpr Id maxId = (Id{1} << 53) - 1;

struct Point
{
    double x = 0.0, y = 0.0;
    bool operator==(const Point&) const = default;
};

struct Rect
{
    double x = 0.0, y = 0.0, width = 0.0, height = 0.0;
    bool operator==(const Rect&) const = default;
};

// A key that this version does not know, and the known key after which it stood ("" for the first place).
struct ExtraKey
{
    std::string key;
    Value value;
    std::string after;
    bool operator==(const ExtraKey&) const = default;
};
using Extra = std::vector<ExtraKey>;

struct Node
{
    Id id = 0;
    std::string type;  // a library type, the name of a composed module, or a type that this version does not know
    std::string name;  // in a sequential body its position, kept so by apply()
    Value attrs = Value::Object{};  // exactly what the file has: "=width" and null included
    Point pos;
    std::vector<std::string> frozen;  // names of parameters; dotted paths for a composed module
    Value init;                       // null, or an object: parameter -> {"type": ..., arguments}
    Value ties;                       // null, or an object: parameter -> key
    std::optional<Id> shares;         // the node whose module instance this one is too
    std::string note;
    Extra extra;
    std::vector<std::string> keyOrder;  // of an unknown type alone: the keys as the file had them
    bool operator==(const Node&) const = default;
};

struct Endpoint
{
    Id node = 0;
    std::string port;
    auto operator<=>(const Endpoint&) const = default;
};

// A wire. Its `to` names it: an input comes from one place.
struct Edge
{
    Endpoint from;
    Endpoint to;
    std::vector<Point> via;
    Extra extra;
    bool operator==(const Edge&) const = default;
};

struct Frame
{
    Id id = 0;
    std::string title;
    Rect rect;
    std::string color;
    Extra extra;
    bool operator==(const Frame&) const = default;
};

// The root graph, or the inside of a composed module.
struct Body
{
    Value args = Value::Object{};  // arguments of a composed module with their defaults
    bool sequential = false;
    std::map<Id, Node> nodes;
    std::map<Endpoint, Edge> edges;  // by their `to`
    Extra extra;

    const Node* node(Id id) const;
    const Node* named(std::string_view name) const;  // walks; for many names make a map
    const Edge* edgeInto(const Endpoint& to) const;
    std::vector<const Edge*> edgesInto(Id node) const;   // in order of the ports' names
    std::vector<const Edge*> edgesOutOf(Id node) const;  // walks all edges
    bool operator==(const Body&) const = default;
};

// A project: plain values. Changed by apply() (edit.h) alone.
struct Document
{
    std::int64_t version = 1;
    std::string name;
    std::string weights;  // relative path, or empty
    Body root;
    std::map<std::string, Body, std::less<>> modules;  // composed modules by name
    std::map<Id, Frame> frames;
    Value data;        // null when the file has none
    Value training;    // null when the file has none
    Extra extra;       // of the file's outermost object
    Extra graphExtra;  // of "graph"
    Id nextId = 1;     // what fresh ids start from; only grows

    // Of a version above ours: it may be looked at, not changed or saved.
    bool readOnly() const { return version > 1; }
    // "" is the root. nullptr when there is no such module.
    const Body* body(std::string_view module) const;
    Body* body(std::string_view module);
    // The module ("" the root) in which a node stands; nothing for an unknown id.
    std::optional<std::string> moduleOf(Id node) const;
    const Node* node(Id id) const;  // anywhere
    bool hasId(Id id) const;        // a node's or a frame's
    // What is saved. nextId takes no part.
    bool sameContent(const Document& other) const;
};

// Letters, digits and '_', not starting with a digit.
bool isValidName(std::string_view name);

// ---- ports
enum class PortSide : std::uint8_t { Input, Output };

// What a type is: a composed module of this document (which goes before a library type of that name), a library type, or neither.
struct TypeInfo
{
    const Body* composed = nullptr;
    const nn::ModuleDef* def = nullptr;
    bool known() const { return composed != nullptr || def != nullptr; }
};
TypeInfo typeInfo(const Document& document, std::string_view type);

// Names of a node's ports. Of a type with any number of inputs: those that are wired and one more. Of an unknown type: those
// that are wired.
std::vector<std::string> portNames(const Document& document, const Body& body, const Node& node, PortSide side);
// True for every port of an unknown type.
bool hasPort(const Document& document, const Node& node, std::string_view port, PortSide side);
// Outermost first: ids of Input and Output nodes, ascending.
std::vector<Id> inputNodes(const Body& body);
std::vector<Id> outputNodes(const Body& body);

// ---- order
// Topological, ties by id; members of a cycle and what follows them come last, by id. O((nodes + edges) log nodes).
std::vector<Id> order(const Body& body);
// The ids of one cycle, in the direction of the wires; empty when there is none.
std::vector<Id> findCycle(const Body& body);
// Whether a wire from one node to another would close a cycle.
bool wouldCycle(const Body& body, Id from, Id to);
// In a sequential body: the position of each node that is neither Input nor Output.
std::unordered_map<Id, std::size_t> positions(const Body& body);

// The text of an attribute "=width" without its "=", or nothing when it is none.
std::optional<std::string_view> argumentReference(const Value& value);

}  // namespace megalith::graph
