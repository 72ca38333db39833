// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/document.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace megalith::graph {

// An edit says what shall be there afterwards; std::nullopt: nothing. `module` is "" for the root graph.
struct SetNode
{
    std::string module;
    Id id = 0;
    std::optional<Node> node;
};

struct SetEdge
{
    std::string module;
    Endpoint to;
    std::optional<Edge> edge;
};

struct SetFrame
{
    Id id = 0;
    std::optional<Frame> frame;
};

// A composed module, all of it.
struct SetModule
{
    std::string name;
    std::optional<Body> body;
};

// Whether a body is a chain: names become positions, or again the names given here (where there are none, free ones).
struct SetSequential
{
    std::string module;
    bool sequential = false;
    std::map<Id, std::string> names = {};
};

struct SetArgs
{
    std::string module;
    Value args;
};

// "name" and "weights" are texts, "data" and "training" objects (null: none).
struct SetProject
{
    std::string key;
    Value value;
};

struct Edit;

// Several edits as one step, applied in order; undone as one.
struct Composite
{
    std::string name;  // "Delete 3 nodes": what the undo list shows
    std::vector<Edit> edits;
};

struct Edit
{
    std::variant<SetNode, SetEdge, SetFrame, SetModule, SetSequential, SetArgs, SetProject, Composite> what;
};

// The only way to change a document. Returns the edit that brings back what was before. Error, and nothing is changed, when the
// result would break a rule of the project file: a name that is taken or no name, an id that is used elsewhere, a wire to
// nothing or to a port that does not exist, a branch in a chain, a module inside itself, a read-only document.
Edit apply(Document& document, const Edit& edit);

// Does nothing?
bool isEmpty(const Edit& edit);
// What the undo list shows: the composite's name, or a few words.
std::string describe(const Edit& edit);
// Bodies, nodes and edges that an edit touches, for a scene that follows the document.
struct Touched
{
    std::vector<std::pair<std::string, Id>> nodes;
    std::vector<std::pair<std::string, Endpoint>> edges;
    std::vector<Id> frames;
    std::vector<std::string> modules;  // bodies that may have changed as a whole (sequential ones rename their nodes)
    bool project = false;
};
Touched touched(const Edit& edit);

// ---- builders: each makes an edit for apply(), Error when it makes no sense. None changes the document.

// A name that no sibling has: fc1 for Linear, conv1 for Conv2d, relu for ReLU, then relu2, ...
std::string freeName(const Document& document, const Body& body, std::string_view type);

struct Added
{
    Edit edit;
    Id id = 0;
};
// Attributes that have no default and do not follow from the wires get a sensible value (out_features 10, kernel_size 3).
Added addNode(const Document& document, std::string_view module, std::string_view type, Point pos);
// The same, and wired behind `after`'s first output when both have such ports; in the middle of the wire when there is one.
Added addNodeAfter(const Document& document, std::string_view module, std::string_view type, Id after, Point pos);
// Replaces the wire that leads to that input. Error when it would close a cycle.
Edit connect(const Document& document, std::string_view module, const Endpoint& from, const Endpoint& to);
Edit disconnect(const Document& document, std::string_view module, const Endpoint& to);
// With their wires. What shared a removed node stands on its own afterwards.
Edit removeNodes(const Document& document, std::string_view module, std::span<const Id> ids);
// The same, and each node with one wire in and wires out is bridged, where that fits.
Edit removeNodesAndBridge(const Document& document, std::string_view module, std::span<const Id> ids);
// Also in ties, in dotted paths of instances, in ports of instances (Input and Output nodes) and in optimizer groups.
Edit rename(const Document& document, Id node, std::string_view name);
// An attribute; std::nullopt takes it away (its default holds).
Edit setAttr(const Document& document, Id node, std::string_view attr, std::optional<Value> value);
Edit setFrozen(const Document& document, Id node, std::string_view parameter, bool frozen);
Edit setNote(const Document& document, Id node, std::string_view note);
// New positions; of nodes that stand where they are already nothing is said.
Edit move(const Document& document, std::span<const std::pair<Id, Point>> positions);
// Corners of a wire.
Edit setVia(const Document& document, std::string_view module, const Endpoint& to, std::vector<Point> via);
struct Duplicated
{
    Edit edit;
    std::vector<std::pair<Id, Id>> ids;  // (of, to)
};
// With the wires among them.
Duplicated duplicate(const Document& document, std::string_view module, std::span<const Id> ids, Point offset);
Added addFrame(const Document& document, std::string_view title, Rect rect, std::string_view color);
// A value of data or training by a path of keys: setSetting(d, "training", {"optimizer", "lr"}, 0.01).
Edit setSetting(const Document& document, std::string_view section, std::span<const std::string> path, Value value);

}  // namespace megalith::graph
