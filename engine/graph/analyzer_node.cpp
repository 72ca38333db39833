// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/core/number_text.h"
#include "engine/graph/analyzer.h"
#include "engine/graph/attr_values.h"
#include "engine/nn/module_def.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace megalith::graph {

namespace {

// Sizes come as k + c * N; anything else (N * N, N / 2) is unknown.
Dim symbolicDim(std::int64_t a, std::int64_t b)
{
    const std::int64_t span = batchB - batchA;
    if ((b - a) % span != 0)
        return {0, 0, false};
    const std::int64_t factor = (b - a) / span;
    if (factor < 0 || factor > (std::int64_t{1} << 40) || a < factor * batchA - batchA)
        return {0, 0, false};
    return {a - factor * batchA, factor, true};
}

std::vector<TensorMeta> metasOf(const std::vector<Flow>& flows, bool second)
{
    std::vector<TensorMeta> metas;
    for (const Flow& flow : flows)
        metas.push_back(second ? flow.b : flow.a);
    return metas;
}

// Optional inputs that are not wired are left out at the end.
void trim(const std::vector<Port>& ports, std::vector<TensorMeta>& metas)
{
    while (!metas.empty() && !ports[metas.size() - 1].wired)
        metas.pop_back();
}

std::string argumentNames(const nn::ModuleDef& def)
{
    std::string names;
    for (const nn::AttrSpec& spec : def.attrs)
        names += (names.empty() ? "" : ", ") + std::string(spec.name);
    return names.empty() ? "none" : names;
}

Value jsonOf(const AttrValue& value)
{
    struct Visitor
    {
        Value operator()(std::monostate) const { return {}; }
        Value operator()(bool b) const { return b; }
        Value operator()(std::int64_t i) const { return i; }
        Value operator()(double d) const { return d; }
        Value operator()(const std::string& s) const { return s; }
        Value operator()(const std::vector<std::int64_t>& v) const { return Value::List(v.begin(), v.end()); }
        Value operator()(const std::vector<double>& v) const { return Value::List(v.begin(), v.end()); }
        Value operator()(const NumberArray& a) const { return Value::List(a.values.begin(), a.values.end()); }
    };
    return std::visit(Visitor{}, value);
}

}  // namespace

PortShape symbolic(const TensorMeta& a, const TensorMeta& b)
{
    PortShape shape{a.dtype, {}, a.shape.size() == b.shape.size()};
    for (std::size_t i = 0; shape.known && i < a.shape.size(); ++i)
        shape.dims.push_back(symbolicDim(a.shape[i], b.shape[i]));
    return shape;
}

std::string withN(std::string_view message)
{
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    std::string out;
    for (std::size_t i = 0; i < message.size();) {
        std::size_t end = i;
        while (end < message.size() && digit(message[end]))
            ++end;
        if (end == i) {
            out += message[i++];
            continue;
        }
        const std::optional<std::int64_t> number = parseInteger(message.substr(i, end - i));
        if (number && *number != 0 && *number % batchA == 0)
            out += *number == batchA ? "N" : std::to_string(*number / batchA) + "N";
        else
            out += message.substr(i, end - i);
        i = end;
    }
    return out;
}

// "=width" replaced by the instance's argument, in lists too.
Value Analyzer::substituted(const Scope& scope, const Value& value, std::string& problem) const
{
    if (value.isList()) {
        Value::List list;
        for (const Value& item : value.list())
            list.push_back(substituted(scope, item, problem));
        return list;
    }
    const std::optional<std::string_view> name = argumentReference(value);
    if (!name)
        return value;
    if (scope.parent == NodeInfo::npos) {
        problem = jsonString(value.string()) + " names an argument, and only a composed module has some";
        return value;
    }
    const Value* found = scope.args.find(*name);
    if (found == nullptr) {
        problem = fmt::format("module {} has no argument {}", scope.module, jsonString(*name));
        return value;
    }
    return *found;
}

// All problems of the arguments, one by one. `defined` is the node whose attributes count.
bool Analyzer::completeAttrs(const Scope& scope, const Node& defined, std::size_t at)
{
    const nn::ModuleDef& def = *m_result.nodes[at].def;
    Attrs given;
    bool ok = true;
    const auto fail = [&](const std::string& message) {
        report(Severity::Error, at, "attribute", message);
        ok = false;
    };
    for (const auto& [name, value] : defined.attrs.object()) {
        if (def.anyAttrs)
            continue;
        const nn::AttrSpec* spec = nn::findAttr(def, name);
        if (spec == nullptr) {
            fail(fmt::format("{} has no argument {}; it has {}", def.type, jsonString(name), argumentNames(def)));
            continue;
        }
        std::string problem;
        const Value written = substituted(scope, value, problem);
        if (!problem.empty()) {
            fail(name + ": " + problem);
            continue;
        }
        AttrValue converted;
        try {
            converted = attrValue(written, spec);
        } catch (const Error& error) {
            fail(name + " " + error.what());
            continue;
        }
        try {
            nn::checkValue(*spec, converted);
            given.set(name, std::move(converted));
        } catch (const Error& error) {
            fail(error.what());
        }
    }
    if (!ok)
        return false;
    try {
        m_result.nodes[at].attrs = nn::complete(def, given);
    } catch (const Error& error) {
        fail(error.what());
    }
    return ok;
}

bool Analyzer::resolveSizes(std::size_t at, std::span<const TensorMeta> a, std::span<const TensorMeta> b)
{
    const nn::ModuleDef& def = *m_result.nodes[at].def;
    Attrs& attrs = m_result.nodes[at].attrs;
    if (def.resolve != nullptr && !a.empty()) {
        Attrs other = attrs;
        try {
            def.resolve(attrs, a);
            def.resolve(other, b);
            if (attrs == other && def.checkAttrs != nullptr)
                def.checkAttrs(attrs);
        } catch (const Error& error) {
            report(Severity::Error, at, "shape", withN(error.what()));
            return false;
        }
        if (!(attrs == other)) {
            report(Severity::Error, at, "shape",
                   "a size would follow from the batch size, which is not always the same");
            attrs = other;
            return false;
        }
    }
    const std::string unknown = nn::unknownSizes(def, attrs);
    if (!unknown.empty())
        report(Severity::Error, at, "attribute", unknown);
    return unknown.empty();
}

// A size that is written but does not fit: the one that would.
void Analyzer::offerSizes(const Node& node, std::size_t at, std::span<const TensorMeta> inputs, Diagnostic& diagnostic)
{
    const NodeInfo& info = m_result.nodes[at];
    if (info.def->resolve == nullptr || info.sharedWith)
        return;
    for (const nn::AttrSpec& spec : info.def->attrs) {
        const Value* written = node.attrs.find(spec.name);
        if (!spec.fromWire || written == nullptr || written->isNull() || argumentReference(*written))
            continue;
        Attrs attrs = info.attrs;
        attrs.set(spec.name, std::monostate());
        try {
            info.def->resolve(attrs, inputs);
            if (info.def->checkAttrs != nullptr)
                info.def->checkAttrs(attrs);
            info.def->infer(attrs, inputs);
        } catch (const Error&) {
            continue;
        }
        const AttrValue& fitting = *attrs.find(spec.name);
        diagnostic.fixes.push_back({fmt::format("set {} to {}", spec.name, withN(pythonText(fitting))),
                                    setAttr(m_document, node.id, spec.name, jsonOf(fitting))});
    }
}

void Analyzer::infer(Scope& scope, const Node& node, std::size_t at, const std::vector<Flow>& flows)
{
    const nn::ModuleDef& def = *m_result.nodes[at].def;
    std::vector<TensorMeta> a = metasOf(flows, false);
    std::vector<TensorMeta> b = metasOf(flows, true);
    trim(m_result.nodes[at].inputs, a);
    trim(m_result.nodes[at].inputs, b);
    if (!m_result.nodes[at].sharedWith && !resolveSizes(at, a, b))
        return;
    nn::Metas outA;
    nn::Metas outB;
    try {
        outA = def.infer(m_result.nodes[at].attrs, a);
        outB = def.infer(m_result.nodes[at].attrs, b);
    } catch (const Error& error) {
        const std::string port =
            m_result.nodes[at].inputs.empty() ? std::string() : m_result.nodes[at].inputs.front().name;
        offerSizes(node, at, a, report(Severity::Error, at, "shape", withN(error.what()), port));
        return;
    }
    std::vector<Port>& outputs = m_result.nodes[at].outputs;
    if (outA.size() != outB.size() || outA.size() > outputs.size()) {
        report(Severity::Error, at, "shape", fmt::format("it has {} outputs, not {}", outA.size(), outputs.size()));
        return;
    }
    for (std::size_t i = 0; i < outA.size(); ++i) {
        outputs[i].shape = symbolic(outA[i], outB[i]);
        give(scope, node, outputs[i].name, Flow{true, outA[i], outB[i], {}});
    }
    checkTraining(at, flows);
}

// What a training step cannot take, with the batches that there will be.
void Analyzer::checkTraining(std::size_t at, const std::vector<Flow>& flows)
{
    const NodeInfo& info = m_result.nodes[at];
    if (info.def->checkTraining == nullptr)
        return;
    for (const std::int64_t batch : m_batches) {
        std::vector<TensorMeta> metas;
        for (const Flow& flow : flows)
            metas.push_back(graph::at(symbolic(flow.a, flow.b), batch));
        trim(info.inputs, metas);
        try {
            info.def->checkTraining(info.attrs, metas);
        } catch (const Error& error) {
            report(Severity::Error, at, "batch", error.what(),
                   info.inputs.empty() ? std::string() : info.inputs.front().name);
            return;
        }
    }
}

void Analyzer::addTensors(Scope& scope, const Node& node, std::size_t at)
{
    NodeInfo& info = m_result.nodes[at];
    const nn::ModuleDef& def = *info.def;
    if (!nn::unknownSizes(def, info.attrs).empty())
        return;
    const bool bare = node.type == "Parameter" || node.type == "Buffer";
    const auto add = [&](const std::string& name, const Shape& shape, DType dtype) -> TensorInfo& {
        TensorInfo tensor;
        tensor.name = bare ? node.name : name;
        tensor.key = bare ? info.name : info.name + "." + name;
        tensor.shape = shape;
        tensor.dtype = dtype;
        return info.tensors.emplace_back(std::move(tensor));
    };
    try {
        if (def.parameters != nullptr)
            for (const nn::ParameterSpec& spec : def.parameters(info.attrs)) {
                numel(spec.shape);
                add(spec.name, spec.shape, spec.dtype).init = spec.init;
            }
        if (def.buffers != nullptr)
            for (const nn::BufferSpec& spec : def.buffers(info.attrs)) {
                numel(spec.shape);
                TensorInfo& tensor = add(spec.name, spec.shape, spec.dtype);
                tensor.init = nn::constant(spec.fill);
                tensor.buffer = true;
                tensor.persistent = spec.persistent;
                tensor.trainable = false;
            }
    } catch (const Error& error) {
        report(Severity::Error, at, "size", error.what());
        info.tensors.clear();
        return;
    }
    applyDirectives(scope, node, at);
}

void Analyzer::visitLibrary(Scope& scope, const Node& node, std::size_t at)
{
    const nn::ModuleDef& def = *m_result.nodes[at].def;
    std::vector<std::string> ports = portNames(m_document, *scope.body, node, PortSide::Input);
    std::size_t required = def.requiredInputs;
    if (def.variadic) {
        while (!ports.empty() && scope.body->edgeInto({node.id, ports.back()}) == nullptr)
            ports.pop_back();
        for (std::size_t i = ports.size(); i < std::max<std::size_t>(1, required); ++i)
            ports.push_back(std::to_string(i));
        required = ports.size();
    }
    for (const std::string& port : portNames(m_document, *scope.body, node, PortSide::Output))
        m_result.nodes[at].outputs.push_back({port, {}, false});
    std::vector<Flow> flows;
    gatherInputs(scope, node, at, ports, required, flows);
    const std::optional<std::size_t> shared = m_result.nodes[at].sharedWith;
    bool attrsOk = true;
    if (shared)
        m_result.nodes[at].attrs = m_result.nodes[*shared].attrs;
    else
        attrsOk = completeAttrs(scope, definition(scope, node), at);
    warnOfOwnAttrs(scope, node, at);
    giveNothing(scope, node, m_result.nodes[at].name);
    if (shared && m_result.nodes[*shared].state != State::Ok && m_result.nodes[at].state == State::Ok) {
        m_result.nodes[at].state = State::Waiting;
        m_result.nodes[at].waitsFor = m_result.nodes[*shared].name;
        return;
    }
    if (m_result.nodes[at].state != State::Error && !wait(scope, node, at, flows))
        infer(scope, node, at, flows);
    if (attrsOk)
        addTensors(scope, node, at);
}

void Analyzer::warnOfOwnAttrs(const Scope& scope, const Node& node, std::size_t at)
{
    const Node& defined = definition(scope, node);
    if (node.id != defined.id && !node.attrs.object().empty() && node.attrs != defined.attrs)
        report(Severity::Warning, at, "attribute",
               fmt::format("its module is that of {}, so its own arguments do not count", defined.name));
}

}  // namespace megalith::graph
