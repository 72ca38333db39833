// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/graph/analyzer.h"

#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/core/number_text.h"
#include "engine/graph/rules.h"
#include "engine/nn/module_def.h"

#include <fmt/format.h>

#include <algorithm>

namespace megalith::graph {

Diagnostic& Analyzer::report(Severity severity, std::size_t at, std::string rule, std::string message, std::string port)
{
    NodeInfo& info = m_result.nodes[at];
    if (severity == Severity::Error)
        info.state = State::Error;
    if (!m_reported.emplace(info.id(), rule, port, message).second)
        return m_dropped;
    return m_result.diagnostics.emplace_back(
        Diagnostic{severity, info.id(), info.name, std::move(port), std::move(rule), std::move(message), {}});
}

Diagnostic& Analyzer::reportGlobal(Severity severity, std::string path, std::string rule, std::string message)
{
    if (!m_reported.emplace(0, rule, path, message).second)
        return m_dropped;
    return m_result.diagnostics.emplace_back(
        Diagnostic{severity, 0, std::move(path), {}, std::move(rule), std::move(message), {}});
}

std::size_t Analyzer::begin(Scope& scope, const Node& node)
{
    const std::size_t at = m_result.nodes.size();
    NodeInfo& info = m_result.nodes.emplace_back();
    info.path = scope.path;
    info.path.push_back(node.id);
    info.module = scope.module;
    info.name = scope.prefix + node.name;
    info.type = node.type;
    info.parent = scope.parent;
    info.end = at + 1;
    m_result.byPath.emplace(info.path, at);
    m_result.byId.emplace(node.id, at);
    scope.positions.emplace(node.id, at);
    if (scope.twin) {
        std::vector<Id> path = m_result.nodes[*scope.twin].path;
        path.push_back(node.id);
        if (const auto it = m_result.byPath.find(path); it != m_result.byPath.end())
            info.sharedWith = it->second;
    }
    if (const auto owner = scope.owners.find(definition(scope, node).id); owner != scope.owners.end()) {
        if (owner->second == NodeInfo::npos)
            owner->second = at;
        else if (!info.sharedWith)
            info.sharedWith = owner->second;
    }
    return at;
}

// The node that owns the module which a node shares; itself when it shares nothing.
const Node& Analyzer::definition(const Scope& scope, const Node& node) const
{
    const Node* at = &node;
    while (at->shares)
        at = &scope.body->nodes.at(*at->shares);
    return *at;
}

void Analyzer::give(Scope& scope, const Node& node, const std::string& port, Flow flow)
{
    scope.outputs.insert_or_assign(Endpoint{node.id, port}, std::move(flow));
}

void Analyzer::giveNothing(Scope& scope, const Node& node, const std::string& culprit)
{
    for (const std::string& port : portNames(m_document, *scope.body, node, PortSide::Output))
        give(scope, node, port, Flow{false, {}, {}, culprit});
}

// Fills in the node's input ports and what arrives there; an unwired one among the first `required` is an error.
void Analyzer::gatherInputs(Scope& scope, const Node& node, std::size_t at, const std::vector<std::string>& ports,
                            std::size_t required, std::vector<Flow>& flows)
{
    for (std::size_t i = 0; i < ports.size(); ++i) {
        Port port{ports[i], {}, false};
        Flow flow{true, {}, {}, {}};  // of an optional one that stays unwired
        if (const Edge* edge = scope.body->edgeInto({node.id, ports[i]})) {
            port.wired = true;
            const auto given = scope.outputs.find(edge->from);
            if (given != scope.outputs.end())
                flow = given->second;
            else
                flow = Flow{false, {}, {}, scope.blame};  // only a cycle puts a node before what it reads
            if (flow.known)
                port.shape = symbolic(flow.a, flow.b);
        } else if (i < required) {
            report(Severity::Error, at, "wire", fmt::format("{} is not wired", ports[i]), ports[i]);
            flow = Flow{false, {}, {}, m_result.nodes[at].name};
        }
        m_result.nodes[at].inputs.push_back(std::move(port));
        flows.push_back(std::move(flow));
    }
}

// True when something before has an error: this node then waits, and says so.
bool Analyzer::wait(Scope& scope, const Node& node, std::size_t at, const std::vector<Flow>& flows)
{
    const auto missing = std::find_if(flows.begin(), flows.end(), [](const Flow& f) { return !f.known; });
    if (missing == flows.end())
        return false;
    NodeInfo& info = m_result.nodes[at];
    if (info.state == State::Ok) {
        info.state = State::Waiting;
        info.waitsFor = missing->culprit;
        const bool quiet = scope.parent != NodeInfo::npos && m_result.nodes[scope.parent].state != State::Ok;
        if (!quiet)
            report(Severity::Note, at, "waiting", "waits for " + missing->culprit);
    }
    giveNothing(scope, node, missing->culprit.empty() ? info.name : missing->culprit);
    return true;
}

std::map<std::string, Flow> Analyzer::walk(Scope& scope)
{
    // Known beforehand, because an owner may come after the nodes that share it.
    for (const auto& [id, node] : scope.body->nodes)
        if (node.shares)
            scope.owners.emplace(definition(scope, node).id, NodeInfo::npos);

    const std::vector<Id> cycle = findCycle(*scope.body);
    if (!cycle.empty())
        scope.blame = scope.prefix + scope.body->nodes.at(cycle.front()).name;
    for (const Id id : order(*scope.body)) {
        const Node& node = scope.body->nodes.at(id);
        visit(scope, node, std::find(cycle.begin(), cycle.end(), id) != cycle.end());
    }
    if (!cycle.empty()) {
        std::string names;
        for (const Id id : cycle)
            names += scope.body->nodes.at(id).name + " -> ";
        names += scope.body->nodes.at(cycle.front()).name;
        report(Severity::Error, scope.positions.at(cycle.front()), "cycle", "the wires form a circle: " + names);
    }
    std::map<std::string, Flow> results;
    for (const Id id : outputNodes(*scope.body))
        results.emplace(scope.body->nodes.at(id).name, scope.outputs[Endpoint{id, "output"}]);
    return results;
}

void Analyzer::visit(Scope& scope, const Node& node, bool inCycle)
{
    const std::size_t at = begin(scope, node);
    aim(scope, node, at);
    const TypeInfo type = typeInfo(m_document, node.type);
    m_result.nodes[at].def = type.def;
    m_result.nodes[at].composed = type.composed != nullptr;
    if (inCycle) {
        m_result.nodes[at].state = State::Waiting;
        m_result.nodes[at].waitsFor = scope.blame;
    }
    if (node.type == "Input")
        visitInput(scope, node, at);
    else if (node.type == "Output")
        visitOutput(scope, node, at);
    else if (type.composed != nullptr)
        visitComposed(scope, node, at, *type.composed);
    else if (type.def != nullptr)
        visitLibrary(scope, node, at);
    else
        visitUnknown(scope, node, at);
    m_result.nodes[at].end = m_result.nodes.size();
}

void Analyzer::visitInput(Scope& scope, const Node& node, std::size_t at)
{
    m_result.nodes[at].outputs.push_back({"output", {}, false});
    const bool inside = scope.parent != NodeInfo::npos;
    Flow flow;
    if (inside) {
        const auto given = scope.inputs.find(node.name);
        if (given != scope.inputs.end())
            flow = given->second;
        else
            flow.culprit = scope.label;
    }
    if (!inside || node.attrs.find("shape") != nullptr) {
        if (!completeAttrs(scope, node, at)) {
            giveNothing(scope, node, m_result.nodes[at].name);
            return;
        }
        const Attrs& attrs = m_result.nodes[at].attrs;
        TensorMeta meta{dtypeFromName(attrs.string("dtype")).value_or(DType::F32), attrs.integers("shape")};
        meta.shape.insert(meta.shape.begin(), batchA);
        Flow own{true, meta, meta, {}};
        own.b.shape.front() = batchB;
        if (inside && flow.known && flow.a.shape != own.a.shape) {
            report(Severity::Error, at, "shape",
                   fmt::format("expects {} but {} is wired to {}", text(symbolic(own.a, own.b)),
                               text(symbolic(flow.a, flow.b)), scope.label));
            flow = Flow{false, {}, {}, m_result.nodes[at].name};
        }
        if (!inside)
            flow = std::move(own);
    }
    NodeInfo& info = m_result.nodes[at];
    if (flow.known) {
        info.outputs.front().shape = symbolic(flow.a, flow.b);
    } else if (info.state == State::Ok) {
        info.state = State::Waiting;
        info.waitsFor = flow.culprit;
    }
    give(scope, node, "output", std::move(flow));
}

void Analyzer::visitOutput(Scope& scope, const Node& node, std::size_t at)
{
    if (!node.attrs.object().empty())
        completeAttrs(scope, node, at);
    std::vector<Flow> flows;
    gatherInputs(scope, node, at, {"input"}, 1, flows);
    wait(scope, node, at, flows);
    give(scope, node, "output", std::move(flows.front()));  // what the composed module gives
}

void Analyzer::visitUnknown(Scope& scope, const Node& node, std::size_t at)
{
    std::vector<Flow> flows;
    gatherInputs(scope, node, at, portNames(m_document, *scope.body, node, PortSide::Input), 0, flows);
    report(Severity::Error, at, "type", fmt::format("this version knows no type {}", jsonString(node.type)));
    m_result.nodes[at].state = State::Unknown;
    for (const std::string& port : portNames(m_document, *scope.body, node, PortSide::Output))
        m_result.nodes[at].outputs.push_back({port, {}, false});
    giveNothing(scope, node, m_result.nodes[at].name);
}

std::map<std::string, Value> Analyzer::argumentValues(Scope& scope, const Node& node, std::size_t at, const Body& body)
{
    std::map<std::string, Value> values;
    std::string names;
    for (const auto& [name, value] : body.args.object()) {
        values.emplace(name, value);
        names += (names.empty() ? "" : ", ") + name;
    }
    for (const auto& [name, value] : node.attrs.object()) {
        const auto place = values.find(name);
        if (place == values.end()) {
            report(Severity::Error, at, "attribute",
                   fmt::format("{} has no argument {}; it has {}", node.type, jsonString(name),
                               names.empty() ? "none" : names));
            continue;
        }
        std::string problem;
        place->second = substituted(scope, value, problem);
        if (!problem.empty())
            report(Severity::Error, at, "attribute", name + ": " + problem);
    }
    return values;
}

void Analyzer::visitComposed(Scope& scope, const Node& node, std::size_t at, const Body& body)
{
    m_usedModules.insert(node.type);
    const Node& defined = definition(scope, node);
    const std::vector<std::string> ports = portNames(m_document, *scope.body, node, PortSide::Input);
    std::vector<Flow> flows;
    gatherInputs(scope, node, at, ports, ports.size(), flows);
    Scope inner;
    for (auto& [name, value] : argumentValues(scope, defined, at, body))
        inner.args.set(name, std::move(value));
    if (m_result.nodes[at].state == State::Ok)
        wait(scope, node, at, flows);
    for (std::size_t i = 0; i < ports.size(); ++i)
        inner.inputs.emplace(ports[i], std::move(flows[i]));
    const std::vector<std::string> outputs = portNames(m_document, *scope.body, node, PortSide::Output);
    for (const std::string& port : outputs)
        m_result.nodes[at].outputs.push_back({port, {}, false});
    if (m_result.nodes.size() + body.nodes.size() > maxInstances || scope.depth >= maxNesting) {
        report(Severity::Error, at, "size",
               scope.depth >= maxNesting ? fmt::format("modules are nested deeper than {}", maxNesting)
                                         : fmt::format("the modules make more than {} nodes in all", maxInstances));
        giveNothing(scope, node, m_result.nodes[at].name);
        return;
    }
    inner.body = &body;
    inner.module = node.type;
    inner.path = m_result.nodes[at].path;
    inner.label = m_result.nodes[at].name;
    inner.prefix = inner.label + ".";
    inner.parent = at;
    inner.twin = m_result.nodes[at].sharedWith;
    inner.depth = scope.depth + 1;
    for (const Aimed& aimed : aimedAt(scope, node)) {
        const std::size_t dot = aimed.rest.find('.');
        const std::string child = aimed.rest.substr(0, dot);
        inner.aimed[child].push_back(
            {aimed.directive, dot == std::string::npos ? std::string() : aimed.rest.substr(dot + 1)});
    }
    std::map<std::string, Flow> results = walk(inner);
    checkUnused(inner);
    bool failed = false;
    for (std::size_t i = at + 1; i < m_result.nodes.size(); ++i)
        failed = failed || m_result.nodes[i].state == State::Error || m_result.nodes[i].state == State::Unknown;
    if (failed)
        m_result.nodes[at].state = State::Error;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        Flow& flow = results[outputs[i]];
        if (flow.known)
            m_result.nodes[at].outputs[i].shape = symbolic(flow.a, flow.b);
        give(scope, node, outputs[i], std::move(flow));
    }
}

void Analyzer::checkEnds(const Scope& scope)
{
    if (inputNodes(*scope.body).empty())
        reportGlobal(Severity::Error, "graph", "input", "there is no Input node: add one for the data to come in");
    if (outputNodes(*scope.body).empty())
        reportGlobal(Severity::Error, "graph", "output", "there is no Output node: add one for what the network gives");
}

// The last nodes of paths that lead nowhere.
void Analyzer::checkUnused(const Scope& scope)
{
    if (outputNodes(*scope.body).empty())
        return;
    std::set<Id> sources;
    for (const auto& [to, edge] : scope.body->edges)
        sources.insert(edge.from.node);
    for (const auto& [id, node] : scope.body->nodes)
        if (node.type != "Output" && !sources.contains(id)
            && m_result.nodes[scope.positions.at(id)].state != State::Error)
            report(Severity::Warning, scope.positions.at(id), "unused", "its output leads nowhere");
}

Analysis Analyzer::run()
{
    Scope root;
    root.body = &m_document.root;
    findBatches();
    checkEnds(root);
    walk(root);
    checkUnused(root);
    for (const auto& [name, body] : m_document.modules)
        if (!m_usedModules.contains(name))
            reportGlobal(Severity::Note, "graph.modules." + name, "unused",
                         "no node is of this module, so it is not checked");
    joinShared();
    joinTies();
    reportUnusedDirectives();
    count();
    checkMemory();
    if (m_options.settings) {
        checkTrainable();
        checkSettings();
        checkData();
    }
    for (const Diagnostic& diagnostic : m_result.diagnostics) {
        m_result.errors += diagnostic.severity == Severity::Error ? 1 : 0;
        m_result.warnings += diagnostic.severity == Severity::Warning ? 1 : 0;
    }
    return std::move(m_result);
}

Analysis analyze(const Document& document, const CheckOptions& options)
{
    return Analyzer(document, options).run();
}

Analysis analyze(const Document& document, const DataFacts* facts)
{
    CheckOptions options;
    options.facts = facts;
    return Analyzer(document, options).run();
}

}  // namespace megalith::graph
