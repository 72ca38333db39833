// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"
#include "engine/core/tensor.h"
#include "engine/graph/document.h"
#include "engine/graph/edit.h"
#include "engine/nn/init.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace megalith::graph {

// constant + factor * N, N being the batch size.
struct Dim
{
    std::int64_t constant = 0;
    std::int64_t factor = 0;
    bool known = true;  // false: it depends on N in another way
    bool operator==(const Dim&) const = default;
};
std::string text(const Dim& dim);  // "128", "N", "64N", "N - 1", "?"

// What flows over a wire.
struct PortShape
{
    DType dtype = DType::F32;
    std::vector<Dim> dims;
    bool known = false;
    bool operator==(const PortShape&) const = default;
};
std::string text(const PortShape& shape);                   // "[N, 128]", "?" when unknown
TensorMeta at(const PortShape& shape, std::int64_t batch);  // for one batch size
// Elements for one batch size; -1 when that does not fit in 63 bits or is unknown.
std::int64_t elements(const PortShape& shape, std::int64_t batch);

struct Port
{
    std::string name;
    PortShape shape;
    bool wired = false;
};

enum class State : std::uint8_t {
    Ok,
    Error,    // has an error of its own
    Waiting,  // something before it has one
    Unknown,  // of a type that this version does not know
};

// A parameter or buffer of one node.
struct TensorInfo
{
    std::string name;  // "weight"; of a Parameter or Buffer node the node's name
    std::string key;   // in the state_dict: "block1.conv.weight"
    Shape shape;
    DType dtype = DType::F32;
    nn::Init init;             // with the node's own `init`
    bool initWritten = false;  // the project says it
    bool buffer = false;
    bool persistent = true;  // false: has no place in the state_dict
    bool trainable = true;   // false: frozen, or a buffer
    bool counted = true;     // false: shared or tied, so counted elsewhere
    std::string tiedTo;      // the key whose tensor it is
};

// One node of one instance: a node inside a composed module appears once for every instance of that module.
struct NodeInfo
{
    std::vector<Id> path;  // ids from the root to this node
    std::string module;    // the body in which the node stands ("" the root)
    std::string name;      // "block1.conv"
    std::string type;
    const nn::ModuleDef* def = nullptr;  // of a library type
    bool composed = false;
    State state = State::Ok;
    std::string waitsFor;  // the name of a node with an error, when Waiting
    Attrs attrs;           // all of them: defaults filled in, arguments replaced, null sizes worked out
    std::vector<Port> inputs;
    std::vector<Port> outputs;
    std::vector<TensorInfo> tensors;        // its own; of a composed module none
    std::optional<std::size_t> sharedWith;  // position of the instance that owns the module
    std::size_t parent = npos;              // position of the composed node around it
    std::size_t end = 0;                    // one past its last descendant: children stand at (own position, end)

    static constexpr std::size_t npos = static_cast<std::size_t>(-1);
    Id id() const { return path.back(); }
};

enum class Severity : std::uint8_t { Error, Warning, Note };
std::string_view severityName(Severity severity);  // "error", "warning", "note"

struct Fix
{
    std::string text;  // "set in_features to 64"
    Edit edit;
};

struct Diagnostic
{
    Severity severity = Severity::Error;
    Id node = 0;       // 0: of no node
    std::string path;  // "block1.conv"; of a setting "training.optimizer.lr"
    std::string port;
    std::string
        rule;  // "shape", "attribute", "wire", "cycle", "type", "output", "size", "init", "frozen", "ties", "setting", ...
    std::string message;  // one sentence, without the path
    std::vector<Fix> fixes;
};
// "block1.conv: message", as a line for people.
std::string text(const Diagnostic& diagnostic);

// What is known of the data, from whoever reads it. Empty fields are not checked.
struct DataFacts
{
    std::map<std::string, TensorMeta> inputs;  // one sample of each Input, by its name; "" stands for the only one
    // Why the Inputs (name, one sample) do not fit the data, in one sentence. Where it is given, `inputs` is not looked at.
    std::function<std::optional<std::string>(const std::vector<std::pair<std::string, TensorMeta>>&)> inputProblem;
    std::optional<TensorMeta> target;  // one sample
    std::int64_t classes = 0;          // 0: targets are no classes
    std::int64_t trainSamples = 0;     // 0: unknown
};

struct Totals
{
    std::int64_t parameters = 0;  // elements, each tensor once
    std::int64_t trainable = 0;
    std::int64_t frozen = 0;
    std::int64_t buffers = 0;
    std::int64_t parameterBytes = 0;
    std::int64_t bufferBytes = 0;
    std::int64_t activations = 0;  // elements of all outputs of one sample
};

struct Analysis
{
    std::vector<NodeInfo> nodes;  // topological; a composed node, then what is inside
    std::vector<Diagnostic> diagnostics;
    Totals totals;
    std::int64_t errors = 0;
    std::int64_t warnings = 0;

    bool ok() const { return errors == 0; }
    const NodeInfo* find(const std::vector<Id>& path) const;
    // The first instance of a node: of a node of the root graph the only one.
    const NodeInfo* first(Id node) const;
    std::vector<const Diagnostic*> of(Id node) const;
    // Sums over the node and what is inside, each tensor once.
    std::int64_t parametersOf(std::size_t position, bool trainableOnly = false) const;

    std::map<std::vector<Id>, std::size_t> byPath;
    std::map<Id, std::size_t> byId;
};

struct CheckOptions
{
    const DataFacts* facts = nullptr;
    std::int64_t memory = 0;  // bytes that may be used; 0: what this machine has
    bool settings = true;     // data and training too, and what only training cannot take
    // (JSON path, problem) of what "training" and "data" say, from whoever knows losses, optimizers, schedulers and sources.
    std::function<std::vector<std::pair<std::string, std::string>>(const Document&)> settingProblems;
};

// Order, shapes, sizes that follow from the wires, parameters, and everything that is wrong. Never throws for what a document says.
Analysis analyze(const Document& document, const CheckOptions& options = {});
Analysis analyze(const Document& document, const DataFacts* facts);

}  // namespace megalith::graph
