// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/check.h"
#include "engine/nn/attr_spec.h"

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace megalith::nn {
struct LossDef;
}

namespace megalith::graph {

// Two batch sizes, so unusual that a size that divides by one is a multiple of the batch: each shape is inferred for both, and
// what differs depends on N.
inline constexpr std::int64_t batchA = 1000003;
inline constexpr std::int64_t batchB = 2000003;
inline constexpr std::size_t maxInstances = 200000;
inline constexpr std::size_t maxNesting = 100;

PortShape symbolic(const TensorMeta& a, const TensorMeta& b);
// Sizes that are multiples of the batch as "N" and "64N".
std::string withN(std::string_view message);

// What arrives over a wire.
struct Flow
{
    bool known = false;
    TensorMeta a, b;      // for the two batch sizes
    std::string culprit;  // when unknown: the node to wait for
};

// What a node says of parameters, its own or those inside it: `frozen`, `init`, `ties`.
struct Directive
{
    enum class Kind : std::uint8_t { Frozen, Init, Tie };
    Kind kind = Kind::Frozen;
    std::size_t carrier = 0;  // position of the NodeInfo whose node says it
    std::string name;         // as it stands there
    const Value* value = nullptr;
    std::string scope;  // prefix of keys where it stands: "" or "block1."
    bool used = false;
};
// A directive as one body sees it: which, and what is left of its path.
struct Aimed
{
    std::size_t directive = 0;
    std::string rest;
};
using AimedByNode = std::map<std::string, std::vector<Aimed>, std::less<>>;

// One body of one instance.
struct Scope
{
    const Body* body = nullptr;
    std::string module;
    std::vector<Id> path;
    std::string prefix;                  // "block1." or ""
    std::string label;                   // the composed node's name, "" at the root
    Value args;                          // argument values, "=..." replaced
    std::map<std::string, Flow> inputs;  // of a composed node, by port
    AimedByNode aimed;
    std::size_t parent = NodeInfo::npos;
    std::optional<std::size_t> twin;  // position of the composed node whose very module this is
    std::size_t depth = 0;
    std::string blame;  // the node at which a cycle is reported, "" without one
    // While it is walked:
    std::unordered_map<Id, std::size_t> positions;  // NodeInfo of each node done
    std::map<Endpoint, Flow> outputs;               // of each node done, by its port
    std::unordered_map<Id, std::size_t> owners;     // by id of the node that owns a shared module: its first instance
};

class Analyzer
{
public:
    Analyzer(const Document& document, const CheckOptions& options) : m_document(document), m_options(options) {}
    Analysis run();

private:
    // analyzer.cpp
    std::map<std::string, Flow> walk(Scope& scope);
    void visit(Scope& scope, const Node& node, bool inCycle);
    void visitInput(Scope& scope, const Node& node, std::size_t at);
    void visitOutput(Scope& scope, const Node& node, std::size_t at);
    void visitUnknown(Scope& scope, const Node& node, std::size_t at);
    void visitComposed(Scope& scope, const Node& node, std::size_t at, const Body& body);
    void checkEnds(const Scope& scope);
    void checkUnused(const Scope& scope);
    std::size_t begin(Scope& scope, const Node& node);
    void gatherInputs(Scope& scope, const Node& node, std::size_t at, const std::vector<std::string>& ports,
                      std::size_t required, std::vector<Flow>& flows);
    bool wait(Scope& scope, const Node& node, std::size_t at, const std::vector<Flow>& flows);
    void give(Scope& scope, const Node& node, const std::string& port, Flow flow);
    void giveNothing(Scope& scope, const Node& node, const std::string& culprit);
    std::map<std::string, Value> argumentValues(Scope& scope, const Node& node, std::size_t at, const Body& body);
    const Node& definition(const Scope& scope, const Node& node) const;

    // analyzer_node.cpp
    void visitLibrary(Scope& scope, const Node& node, std::size_t at);
    bool completeAttrs(const Scope& scope, const Node& defined, std::size_t at);
    void warnOfOwnAttrs(const Scope& scope, const Node& node, std::size_t at);
    bool resolveSizes(std::size_t at, std::span<const TensorMeta> a, std::span<const TensorMeta> b);
    void infer(Scope& scope, const Node& node, std::size_t at, const std::vector<Flow>& flows);
    void offerSizes(const Node& node, std::size_t at, std::span<const TensorMeta> inputs, Diagnostic& diagnostic);
    void addTensors(Scope& scope, const Node& node, std::size_t at);
    void checkTraining(std::size_t at, const std::vector<Flow>& flows);
    Value substituted(const Scope& scope, const Value& value, std::string& problem) const;

    // analyzer_tensors.cpp
    void aim(Scope& scope, const Node& node, std::size_t at);
    std::vector<Aimed> aimedAt(const Scope& scope, const Node& node) const;
    void applyDirectives(const Scope& scope, const Node& node, std::size_t at);
    void applyInit(const Directive& directive, TensorInfo& tensor);
    void joinShared();
    void joinTies();
    void resolveTies(const std::unordered_map<std::string, std::string>& targets,
                     const std::function<TensorInfo&(const std::string&)>& tensor);
    void reportUnusedDirectives();
    void count();
    void checkMemory();
    void checkTrainable();

    // check_settings.cpp
    void findBatches();
    void checkSettings();
    void checkData();
    void checkLoss(const Value& loss);
    void checkFacts(const DataFacts& facts);
    void checkTargets(const nn::LossDef& def, const std::vector<TensorMeta>& outputs, const DataFacts& facts);
    void checkOptimizer(const Value& optimizer);
    std::optional<std::vector<TensorMeta>> lossInputs(const nn::LossDef& def, const Value& loss);
    std::optional<Attrs> settingAttrs(const Value& object, const std::string& path, std::string_view owner,
                                      std::span<const nn::AttrSpec> specs,
                                      std::initializer_list<std::string_view> others);
    template<typename Def>
    const Def* settingType(const Value& object, const std::string& path, std::string_view what,
                           std::span<const Def> all);
    template<typename Rules>
    bool checkRules(const Value& section, const std::string& path, const Rules& rules);

    Diagnostic& report(Severity severity, std::size_t at, std::string rule, std::string message, std::string port = {});
    Diagnostic& reportGlobal(Severity severity, std::string path, std::string rule, std::string message);

    const Document& m_document;
    const CheckOptions& m_options;
    Analysis m_result;
    std::vector<Directive> m_directives;
    std::set<std::tuple<Id, std::string, std::string, std::string>> m_reported;
    std::set<std::string> m_usedModules;
    std::vector<std::int64_t> m_batches;  // sizes that training will meet, when known
    Diagnostic m_dropped;
};

}  // namespace megalith::graph
