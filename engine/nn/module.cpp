// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/nn/module.h"

#include "engine/backend/session.h"
#include "engine/core/error.h"
#include "engine/core/philox.h"
#include "engine/ops/functions.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace megalith::nn {

namespace {

// A key for what is made without a name of its own: counts up from the session's seed, from the beginning when it is seeded.
std::uint64_t freshKey()
{
    thread_local std::weak_ptr<Storage> seededBy;
    thread_local std::uint64_t version = 0;
    thread_local std::uint64_t count = 0;
    const Tensor& seed = Session::current().random().seed;
    if (seededBy.lock() != seed.storage() || version != seed.storage()->version()) {
        seededBy = seed.storage();
        version = seed.storage()->version();
        count = 0;
    }
    const auto value = static_cast<std::uint64_t>(seed.toIntegers().front());
    return mixKey(mixKey(value, "module"), count++);
}

Attrs completeNamed(const ModuleDef& def, const Attrs& attrs)
{
    try {
        return complete(def, attrs);
    } catch (const Error& error) {
        throw Error(withOwner(def.type, error.what()));
    }
}

std::string join(const std::string& prefix, const std::string& name)
{
    return prefix.empty() ? name : prefix + "." + name;
}

// Every module once, parents before children, with its full name.
template<typename Visit>
void walk(const Module& module, const std::string& prefix, std::unordered_set<const Module*>& seen, Visit&& visit)
{
    if (!seen.insert(&module).second)
        return;
    visit(module, prefix);
    for (const auto& [name, child] : module.named_children())
        walk(*child, join(prefix, name), seen, visit);
}

void collectChildrenFirst(Module& module, std::unordered_set<const Module*>& seen, std::vector<Module*>& order)
{
    if (!seen.insert(&module).second)
        return;
    for (const ModulePtr& child : module.children())
        collectChildrenFirst(*child, seen, order);
    order.push_back(&module);
}

std::vector<Tensor> tensorsOf(const std::vector<NamedTensor>& named)
{
    std::vector<Tensor> tensors;
    tensors.reserve(named.size());
    for (const auto& [name, tensor] : named)
        tensors.push_back(tensor);
    return tensors;
}

}  // namespace

Module::Module(std::string typeName) : m_typeName(std::move(typeName)) {}

Module::Module(const ModuleDef& def, Attrs attrs, Values values)
    : m_def(&def)
    , m_attrs(completeNamed(def, attrs))
    , m_typeName(def.type)
{
    if (const std::string unknown = unknownSizes(def, m_attrs); !unknown.empty())
        throw Error(m_typeName + ": " + unknown);
    const bool make = values == Values::Initialized;
    const std::uint64_t key = make && (def.parameters != nullptr || def.trainingDiffers) ? freshKey() : 0;
    m_randomStream = key;
    if (def.parameters != nullptr)
        for (const ParameterSpec& spec : def.parameters(m_attrs))
            m_parameters.push_back({spec.name, make ? makeParameter(spec, mixKey(key, spec.name)) : Tensor()});
    if (def.buffers != nullptr)
        for (const BufferSpec& spec : def.buffers(m_attrs))
            m_buffers.push_back({spec.name, make ? makeBuffer(spec) : Tensor(), spec.persistent});
}

Module::~Module() = default;

// ---- calling

Tensor Module::operator()(const Tensor& input)
{
    Tensors outputs = run({input});
    if (outputs.empty())
        throw Error(m_typeName + " has no output");
    return std::move(outputs.front());
}

Tensors Module::operator()(const Tensors& inputs)
{
    return run(inputs);
}

Tensors Module::run(const Tensors& inputs)
{
    Tensors outputs = forward(inputs);
    const std::vector<Hook> hooks = m_hooks;
    for (const Hook& hook : hooks)
        hook.call(*this, inputs, outputs);
    return outputs;
}

Tensors Module::forward(const Tensors& inputs)
{
    if (m_def == nullptr || m_def->forward == nullptr)
        throw Error(m_typeName + " has no forward: a module of your own overrides it");
    const std::size_t most = m_def->inputs.size();
    if (!m_def->variadic && inputs.size() > most)
        throw Error(m_typeName + " takes " + std::to_string(most) + (most == 1 ? " input" : " inputs") + ", not "
                    + std::to_string(inputs.size()));
    for (std::size_t i = 0; i < m_def->requiredInputs; ++i)
        if (i >= inputs.size() || !inputs[i])
            throw Error(m_typeName + ": " + (m_def->variadic ? std::to_string(i) : std::string(m_def->inputs[i]))
                        + " is missing");
    return m_def->forward(*this, inputs);
}

std::size_t Module::register_forward_hook(ForwardHook hook)
{
    m_hooks.push_back({m_nextHook, std::move(hook)});
    return m_nextHook++;
}

void Module::remove_forward_hook(std::size_t handle)
{
    std::erase_if(m_hooks, [handle](const Hook& hook) { return hook.handle == handle; });
}

// ---- registering

void Module::checkName(const std::string& name) const
{
    if (name.empty())
        throw Error(m_typeName + ": a name must not be empty");
    if (name.find('.') != std::string::npos)
        throw Error(m_typeName + ": the name " + name + " must not hold a dot: dots separate modules in keys");
    if (slot(name) != nullptr || child(name) != nullptr)
        throw Error(m_typeName + ": the name " + name + " is taken");
}

Tensor Module::register_parameter(const std::string& name, Tensor parameter, bool requires_grad)
{
    checkName(name);
    if (parameter && !parameter.isLeaf())
        throw Error(m_typeName + ": " + name
                    + " was made by an operation and cannot be a parameter; register a tensor of its own (detach())");
    if (parameter)
        parameter.requires_grad_(requires_grad);
    m_parameters.push_back({name, parameter});
    return parameter;
}

Tensor Module::register_buffer(const std::string& name, Tensor buffer, bool persistent)
{
    checkName(name);
    m_buffers.push_back({name, buffer, persistent});
    return buffer;
}

ModulePtr Module::register_module(const std::string& name, ModulePtr module)
{
    checkName(name);
    if (module == nullptr)
        throw Error(m_typeName + ": there is no module to register as " + name);
    std::unordered_set<const Module*> inside;
    walk(*module, {}, inside, [](const Module&, const std::string&) {});
    if (inside.contains(this))
        throw Error(m_typeName + ": " + name + " contains this very module; a module cannot be inside itself");
    m_children.emplace_back(name, module);
    return module;
}

// ---- listing

template<typename Slot>
std::vector<NamedTensor> Module::named(std::vector<Slot> Module::*slots, const std::string& prefix, bool recurse) const
{
    std::vector<NamedTensor> found;
    std::unordered_set<const void*> seen;
    const auto visit = [&](const Module& module, const std::string& path) {
        for (const Slot& each : module.*slots)
            if (each.tensor && seen.insert(each.tensor.id()).second)
                found.emplace_back(join(path, each.name), each.tensor);
    };
    std::unordered_set<const Module*> modules;
    if (recurse)
        walk(*this, prefix, modules, visit);
    else
        visit(*this, prefix);
    return found;
}

std::vector<NamedTensor> Module::named_parameters(const std::string& prefix, bool recurse) const
{
    return named(&Module::m_parameters, prefix, recurse);
}

std::vector<NamedTensor> Module::named_buffers(const std::string& prefix, bool recurse) const
{
    return named(&Module::m_buffers, prefix, recurse);
}

std::vector<Tensor> Module::parameters(bool recurse) const
{
    return tensorsOf(named_parameters({}, recurse));
}

std::vector<Tensor> Module::buffers(bool recurse) const
{
    return tensorsOf(named_buffers({}, recurse));
}

std::vector<NamedModule> Module::named_children() const
{
    std::vector<NamedModule> found;
    std::unordered_set<const Module*> seen;
    for (const NamedModule& each : m_children)
        if (seen.insert(each.second.get()).second)
            found.push_back(each);
    return found;
}

std::vector<ModulePtr> Module::children() const
{
    std::vector<ModulePtr> found;
    for (NamedModule& each : named_children())
        found.push_back(std::move(each.second));
    return found;
}

std::vector<std::string> Module::childNames() const
{
    std::vector<std::string> names;
    for (const NamedModule& each : m_children)
        names.push_back(each.first);
    return names;
}

// A module that no shared_ptr owns (a member, a local) is given without ownership.
ModulePtr Module::pointer()
{
    ModulePtr owned = weak_from_this().lock();
    return owned != nullptr ? owned : ModulePtr(ModulePtr(), this);
}

std::vector<NamedModule> Module::named_modules(const std::string& prefix)
{
    std::vector<NamedModule> found;
    std::unordered_set<const Module*> seen;
    walk(*this, prefix, seen, [&found](const Module& module, const std::string& path) {
        found.emplace_back(path, const_cast<Module&>(module).pointer());
    });
    return found;
}

std::vector<ModulePtr> Module::modules()
{
    std::vector<ModulePtr> found;
    for (NamedModule& each : named_modules())
        found.push_back(std::move(each.second));
    return found;
}

// ---- changing all

Module& Module::apply(const std::function<void(Module&)>& f)
{
    std::unordered_set<const Module*> seen;
    std::vector<Module*> order;
    collectChildrenFirst(*this, seen, order);
    for (Module* module : order)
        f(*module);
    return *this;
}

void Module::zero_grad()
{
    for (const Tensor& parameter : parameters())
        parameter.setGrad({});
}

Module& Module::train(bool on)
{
    for (const ModulePtr& module : modules())
        module->m_training = on;
    return *this;
}

Module& Module::requires_grad_(bool on)
{
    for (Tensor& parameter : parameters())
        parameter.requires_grad_(on);
    return *this;
}

Module& Module::to(DType dtype)
{
    if (!isFloating(dtype))
        throw Error(m_typeName + ": to() takes a floating dtype, not " + std::string(dtypeName(dtype)));
    // The old tensors stay alive until the end, so that no new one gets the id of another.
    std::vector<Tensor> old;
    std::unordered_map<const void*, Tensor> made;
    const auto convert = [&](Tensor& tensor) {
        if (!tensor || !isFloating(tensor.dtype()) || tensor.dtype() == dtype)
            return;
        old.push_back(tensor);
        Tensor& converted = made[tensor.id()];
        if (!converted)
            converted = ops::to(tensor.detach(), dtype).requires_grad_(tensor.requires_grad());
        tensor = converted;
    };
    for (const ModulePtr& module : modules()) {
        for (ParameterSlot& each : module->m_parameters)
            convert(each.tensor);
        for (BufferSlot& each : module->m_buffers)
            convert(each.tensor);
    }
    return *this;
}

// ---- by name

Tensor* Module::slot(const std::string& name)
{
    return const_cast<Tensor*>(std::as_const(*this).slot(name));
}

const Tensor* Module::slot(const std::string& name) const
{
    for (const ParameterSlot& each : m_parameters)
        if (each.name == name)
            return &each.tensor;
    for (const BufferSlot& each : m_buffers)
        if (each.name == name)
            return &each.tensor;
    return nullptr;
}

Tensor Module::operator[](const std::string& name) const
{
    const Tensor* there = slot(name);
    if (there == nullptr || !*there)
        throw Error(m_typeName + " has no tensor called " + name);
    return *there;
}

Tensor Module::find(const std::string& name) const
{
    const Tensor* there = slot(name);
    return there == nullptr ? Tensor() : *there;
}

void Module::setTensor(const std::string& name, Tensor tensor)
{
    Tensor* there = slot(name);
    if (there == nullptr)
        throw Error(m_typeName + " has no parameter or buffer called " + name);
    *there = std::move(tensor);
}

bool Module::isPersistent(const std::string& bufferName) const
{
    const auto it = std::find_if(m_buffers.begin(), m_buffers.end(),
                                 [&](const BufferSlot& each) { return each.name == bufferName; });
    return it != m_buffers.end() && it->persistent;
}

bool Module::hasParameter(const std::string& name) const
{
    return std::any_of(m_parameters.begin(), m_parameters.end(),
                       [&](const ParameterSlot& each) { return each.name == name; });
}

bool Module::hasBuffer(const std::string& name) const
{
    return std::any_of(m_buffers.begin(), m_buffers.end(), [&](const BufferSlot& each) { return each.name == name; });
}

ModulePtr Module::child(const std::string& name) const
{
    const auto it =
        std::find_if(m_children.begin(), m_children.end(), [&](const NamedModule& each) { return each.first == name; });
    return it == m_children.end() ? nullptr : it->second;
}

std::vector<NamedTensor> Module::stateTensors(const std::string& prefix) const
{
    std::vector<NamedTensor> found;
    for (const ParameterSlot& each : m_parameters)
        if (each.tensor)
            found.emplace_back(join(prefix, each.name), each.tensor);
    for (const BufferSlot& each : m_buffers)
        if (each.tensor && each.persistent)
            found.emplace_back(join(prefix, each.name), each.tensor);
    for (const auto& [name, module] : m_children)
        for (NamedTensor& inner : module->stateTensors(join(prefix, name)))
            found.push_back(std::move(inner));
    return found;
}

Tensor makeParameter(const ParameterSpec& spec, std::uint64_t key)
{
    if (spec.values)
        return ops::fromDoubles(spec.shape, spec.values->values, spec.dtype).requires_grad_();
    Tensor tensor = ops::empty(spec.shape, spec.dtype);
    fill(tensor, spec.init, key);
    return tensor.requires_grad_();
}

Tensor makeBuffer(const BufferSpec& spec)
{
    return spec.values ? ops::fromDoubles(spec.shape, spec.values->values, spec.dtype)
                       : ops::full(spec.shape, spec.fill, spec.dtype);
}

}  // namespace megalith::nn
