// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/graph/compile.h"

#include "engine/autograd/autograd.h"
#include "engine/core/error.h"
#include "engine/core/philox.h"
#include "engine/graph/graph_module.h"
#include "engine/nn/module_def.h"
#include "engine/nn/tensors.h"
#include "engine/ops/functions.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>

namespace megalith::graph {

namespace {

class Compiler
{
public:
    Compiler(const Document& document, const Analysis& analysis, ParameterStore& store, std::uint64_t seed, DType dtype)
        : m_document(document)
        , m_analysis(analysis)
        , m_store(store)
        , m_seed(seed)
        , m_dtype(dtype)
    {}

    CompiledModel run()
    {
        makeTensors();
        const Body& root = m_document.root;
        m_model.root = build(root, NodeInfo::npos, root.sequential ? "Sequential" : "Model");
        for (const Id id : inputNodes(root)) {
            const NodeInfo& info = *m_analysis.first(id);
            TensorMeta meta = nn::tensorMeta(info.attrs);
            meta.dtype = converted(meta.dtype);
            m_model.inputs.push_back(info.name);
            m_model.inputMetas.push_back(std::move(meta));
        }
        for (const Id id : outputNodes(root))
            m_model.outputs.push_back(m_analysis.first(id)->name);
        return std::move(m_model);
    }

private:
    DType converted(DType dtype) const { return dtype == DType::F32 ? m_dtype : dtype; }
    StoreKey storeKey(const NodeInfo& info, const TensorInfo& tensor) const;
    Tensor fresh(const NodeInfo& info, const TensorInfo& tensor) const;
    Tensor valueOf(const NodeInfo& info, const TensorInfo& tensor, const StoreKey& key);
    void makeTensors();
    const Tensor& bound(const TensorInfo& tensor) const;
    nn::ModulePtr library(const NodeInfo& info);
    Tensor constant(const NodeInfo& info) const;
    nn::ModulePtr build(const Body& body, std::size_t position, const std::string& typeName);
    nn::ModulePtr child(const NodeInfo& info, std::size_t at);

    const Document& m_document;
    const Analysis& m_analysis;
    ParameterStore& m_store;
    std::uint64_t m_seed;
    DType m_dtype;
    CompiledModel m_model;
    std::unordered_map<std::string, Tensor> m_tensors;         // by the key that counts
    std::unordered_map<std::size_t, nn::ModulePtr> m_modules;  // by position of the first instance
};

bool isBare(const NodeInfo& info)
{
    return info.type == "Parameter" || info.type == "Buffer";
}

// Nodes that share a module stand under the id of its owner, so that the order of the instances does not matter.
StoreKey Compiler::storeKey(const NodeInfo& info, const TensorInfo& tensor) const
{
    StoreKey key{info.path, isBare(info) ? "value" : tensor.name};
    for (Id& id : key.path) {
        const Node* node = m_document.node(id);
        while (node->shares)
            node = m_document.node(*node->shares);
        id = node->id;
    }
    return key;
}

Tensor Compiler::fresh(const NodeInfo& info, const TensorInfo& tensor) const
{
    const DType dtype = converted(tensor.dtype);
    const bool written = isBare(info) && !tensor.initWritten && !info.attrs.isNull("values");
    if (written) {
        const Tensor value = nn::makeTensor(info.attrs);
        return value.dtype() == dtype ? value : ops::to(value, dtype);
    }
    Tensor value = ops::empty(tensor.shape, dtype);
    nn::fill(value, tensor.init, mixKey(m_seed, tensor.key));
    return value;
}

// The stored value when it fits, else a fresh one, which is stored.
Tensor Compiler::valueOf(const NodeInfo& info, const TensorInfo& tensor, const StoreKey& key)
{
    if (!tensor.persistent && isBare(info))
        return fresh(info, tensor);  // its values are written in the document alone
    const DType dtype = converted(tensor.dtype);
    Tensor value = m_store.find(key);
    if (value && value.shape() == tensor.shape && value.dtype() == dtype)
        return value;
    if (value && value.shape() == tensor.shape && isFloating(value.dtype()) && isFloating(dtype)) {
        value = ops::to(value.detach(), dtype);
        m_store.put(key, value);
        return value;
    }
    Tensor made = fresh(info, tensor);
    if (Tensor old = m_store.put(key, made))
        m_model.replaced.emplace_back(key, std::move(old));
    return made;
}

void Compiler::makeTensors()
{
    const NoGrad off;
    std::unordered_map<std::string, StoreKey> keys;
    for (const NodeInfo& info : m_analysis.nodes)
        for (const TensorInfo& tensor : info.tensors) {
            if (!tensor.counted)
                continue;
            StoreKey key = storeKey(info, tensor);
            Tensor value = valueOf(info, tensor, key);
            if (!tensor.buffer)
                value.requires_grad_(tensor.trainable);
            m_tensors.emplace(tensor.key, std::move(value));
            keys.emplace(tensor.key, std::move(key));
        }
    for (const NodeInfo& info : m_analysis.nodes)
        for (const TensorInfo& tensor : info.tensors)
            m_model.state.push_back(
                {tensor.key, keys.at(tensor.counted ? tensor.key : tensor.tiedTo), tensor.buffer, tensor.persistent});
}

const Tensor& Compiler::bound(const TensorInfo& tensor) const
{
    return m_tensors.at(tensor.counted ? tensor.key : tensor.tiedTo);
}

nn::ModulePtr Compiler::library(const NodeInfo& info)
{
    nn::ModulePtr module = std::make_shared<nn::Module>(*info.def, info.attrs, nn::Module::Values::Absent);
    for (const TensorInfo& tensor : info.tensors)
        module->setTensor(tensor.name, bound(tensor));
    std::uint64_t stream = mixKey(0, "node");
    for (const Id id : info.path)
        stream = mixKey(stream, static_cast<std::uint64_t>(id));
    module->setRandomStream(stream);
    return module;
}

Tensor Compiler::constant(const NodeInfo& info) const
{
    const Tensor value = nn::makeTensor(info.attrs);
    const DType dtype = converted(value.dtype());
    if (dtype == value.dtype())
        return value;
    const NoGrad off;
    Tensor other = ops::to(value.detach(), dtype);
    other.requires_grad_(value.requires_grad());
    return other;
}

// Instances that share have one module.
nn::ModulePtr Compiler::child(const NodeInfo& info, std::size_t at)
{
    const std::size_t first = info.sharedWith.value_or(at);
    if (const auto there = m_modules.find(first); there != m_modules.end())
        return there->second;
    nn::ModulePtr made = info.composed ? build(*m_document.body(info.type), at, info.type) : library(info);
    m_modules.emplace(first, made);
    return made;
}

nn::ModulePtr Compiler::build(const Body& body, std::size_t position, const std::string& typeName)
{
    auto module = std::make_shared<GraphModule>(typeName);
    std::map<Endpoint, std::size_t> slots;  // by the output that fills them
    std::vector<std::size_t> inputs;
    for (const Id id : inputNodes(body)) {
        inputs.push_back(slots.size());
        slots.emplace(Endpoint{id, "output"}, slots.size());
    }
    std::vector<GraphModule::Step> steps;
    const std::size_t end = position == NodeInfo::npos ? m_analysis.nodes.size() : m_analysis.nodes[position].end;
    for (std::size_t at = position == NodeInfo::npos ? 0 : position + 1; at < end; at = m_analysis.nodes[at].end) {
        const NodeInfo& info = m_analysis.nodes[at];
        const Node& node = body.nodes.at(info.id());
        if (info.type == "Input" || info.type == "Output")
            continue;
        GraphModule::Step step;
        if (isBare(info)) {
            step.name = node.name;
            if (info.type == "Parameter")
                module->register_parameter(node.name, bound(info.tensors.front()), info.tensors.front().trainable);
            else
                module->register_buffer(node.name, bound(info.tensors.front()), info.tensors.front().persistent);
        } else if (info.type == "Constant" && !info.composed) {
            step.constant = constant(info);
        } else {
            step.module = child(info, at);
            if (info.composed || !info.def->function || body.sequential)
                module->register_module(node.name, step.module);
        }
        for (const Port& port : info.inputs) {
            const Edge* edge = body.edgeInto({info.id(), port.name});
            step.inputs.push_back(edge == nullptr ? GraphModule::none : slots.at(edge->from));
        }
        while (!step.inputs.empty() && step.inputs.back() == GraphModule::none)
            step.inputs.pop_back();
        for (const Port& port : info.outputs) {
            step.outputs.push_back(slots.size());
            slots.emplace(Endpoint{info.id(), port.name}, slots.size());
        }
        steps.push_back(std::move(step));
    }
    std::vector<std::size_t> outputs;
    for (const Id id : outputNodes(body))
        outputs.push_back(slots.at(body.edgeInto({id, "input"})->from));
    module->setSteps(std::move(steps), std::move(inputs), std::move(outputs), slots.size());
    return module;
}

}  // namespace

CompiledModel compile(const Document& document, const Analysis& analysis, ParameterStore& store, std::uint64_t seed,
                      DType dtype)
{
    for (const Diagnostic& diagnostic : analysis.diagnostics)
        if (diagnostic.severity == Severity::Error)
            throw Error(text(diagnostic));
    return Compiler(document, analysis, store, seed, dtype).run();
}

CompiledModel compile(const Document& document, ParameterStore& store, std::uint64_t seed, DType dtype)
{
    CheckOptions options;
    options.settings = false;
    return compile(document, analyze(document, options), store, seed, dtype);
}

}  // namespace megalith::graph
