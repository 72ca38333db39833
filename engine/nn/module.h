// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/state_dict.h"
#include "engine/core/tensor.h"
#include "engine/nn/module_def.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace megalith::nn {

class Module;
// Shared, because one instance may be a child in several places (its parameters then count once).
using ModulePtr = std::shared_ptr<Module>;

using NamedTensor = std::pair<std::string, Tensor>;
using NamedModule = std::pair<std::string, ModulePtr>;

// What load_state_dict found. Empty lists: everything fitted.
struct LoadReport
{
    std::vector<std::string> missing;
    std::vector<std::string> unexpected;
    std::vector<std::string> wrongSizes;  // "fc.weight: shape [4, 3] in the file, [4, 5] in the model"
    bool ok() const { return missing.empty() && unexpected.empty() && wrongSizes.empty(); }
    std::string text() const;  // "missing a, b; unexpected c; wrong size fc.weight: ..."
};

// Owns parameters, buffers and children by name, as torch.nn.Module. Either of a ModuleDef, or a class of your own that
// registers its parts in the constructor and overrides forward.
class Module : public std::enable_shared_from_this<Module>
{
public:
    // A class of one's own; the name is what print shows.
    explicit Module(std::string typeName);
    // Of the library. Arguments are completed and checked, all sizes must be known. Initialized: parameters get their default
    // initial values, drawn by the session's seed and the number of modules made since it was set. Absent: every parameter and
    // buffer is registered without a tensor, for setTensor.
    enum class Values : std::uint8_t { Initialized, Absent };
    Module(const ModuleDef& def, Attrs attrs, Values values = Values::Initialized);
    virtual ~Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    // Runs forward and the hooks.
    Tensor operator()(const Tensor& input);
    Tensors operator()(const Tensors& inputs);
    virtual Tensors forward(const Tensors& inputs);
    // Called after each forward with inputs and outputs: what the inspector listens to. Returns what remove_forward_hook takes.
    // A hook that keeps a ModulePtr of this module keeps it alive for ever: it is given the module instead.
    using ForwardHook = std::function<void(Module&, const Tensors& inputs, const Tensors& outputs)>;
    std::size_t register_forward_hook(ForwardHook hook);
    void remove_forward_hook(std::size_t handle);

    // Names: not empty, no dot, not taken. An empty Tensor registers None (bias=False). Returns what was registered. A parameter is
    // a leaf and is made to require grad (or not); a module may not contain itself.
    Tensor register_parameter(const std::string& name, Tensor parameter, bool requires_grad = true);
    Tensor register_buffer(const std::string& name, Tensor buffer, bool persistent = true);
    ModulePtr register_module(const std::string& name, ModulePtr module);

    // Each tensor and module once, in order of registration, parents before children. Buffers include non-persistent ones.
    std::vector<Tensor> parameters(bool recurse = true) const;
    std::vector<NamedTensor> named_parameters(const std::string& prefix = {}, bool recurse = true) const;
    std::vector<Tensor> buffers(bool recurse = true) const;
    std::vector<NamedTensor> named_buffers(const std::string& prefix = {}, bool recurse = true) const;
    std::vector<ModulePtr> children() const;
    std::vector<NamedModule> named_children() const;  // each module once, as in PyTorch
    std::vector<std::string> childNames() const;      // every name, also two of one module
    std::vector<ModulePtr> modules();
    std::vector<NamedModule> named_modules(const std::string& prefix = {});

    // Children first, then this one; a shared child once.
    Module& apply(const std::function<void(Module&)>& f);
    void zero_grad();
    Module& train(bool on = true);
    Module& eval() { return train(false); }
    bool training() const { return m_training; }
    Module& requires_grad_(bool on = true);
    // Puts converted tensors in place of floating parameters and buffers (make optimizers afterwards); shared ones stay shared.
    Module& to(DType dtype);

    // Parameters and persistent buffers; a tensor that is shared stands under each of its names, with the same data.
    StateDict state_dict(const std::string& prefix = {}) const;
    // Strict: Error with all three lists when anything is missing, unexpected or of another size, and nothing is changed.
    // Not strict: loads what fits and reports the rest. Bytes are converted to the dtype of the model.
    LoadReport load_state_dict(const StateDict& state, bool strict = true);

    // Each key that state_dict has, with the tensor itself.
    std::vector<NamedTensor> stateTensors(const std::string& prefix = {}) const;

    // Tensors by name, of this module alone. [] throws when there is none of that name; find gives an empty Tensor.
    Tensor operator[](const std::string& name) const;
    Tensor find(const std::string& name) const;
    // Puts another tensor under a registered name (binding values, tying weights).
    void setTensor(const std::string& name, Tensor tensor);
    bool isPersistent(const std::string& bufferName) const;
    bool hasParameter(const std::string& name) const;
    bool hasBuffer(const std::string& name) const;
    ModulePtr child(const std::string& name) const;  // nullptr when there is none

    const ModuleDef* def() const { return m_def; }
    const Attrs& attrs() const { return m_attrs; }
    const std::string& typeName() const { return m_typeName; }
    // Which random stream this instance draws from (Dropout); set by the compiler from the node's path.
    std::uint64_t randomStream() const { return m_randomStream; }
    void setRandomStream(std::uint64_t stream) { m_randomStream = stream; }

protected:
    void setAttrs(Attrs attrs) { m_attrs = std::move(attrs); }

private:
    struct ParameterSlot
    {
        std::string name;
        Tensor tensor;
    };
    struct BufferSlot
    {
        std::string name;
        Tensor tensor;
        bool persistent;
    };

    struct Hook
    {
        std::size_t handle;
        ForwardHook call;
    };

    template<typename Slot>
    std::vector<NamedTensor> named(std::vector<Slot> Module::*slots, const std::string& prefix, bool recurse) const;
    void checkName(const std::string& name) const;
    Tensor* slot(const std::string& name);
    const Tensor* slot(const std::string& name) const;
    ModulePtr pointer();
    Tensors run(const Tensors& inputs);

    const ModuleDef* m_def = nullptr;
    Attrs m_attrs;
    std::string m_typeName;
    std::vector<ParameterSlot> m_parameters;
    std::vector<BufferSlot> m_buffers;
    std::vector<NamedModule> m_children;
    std::vector<Hook> m_hooks;
    std::size_t m_nextHook = 1;
    std::uint64_t m_randomStream = 0;
    bool m_training = true;
};

// A tensor as the spec says: the written values, else drawn by key. A parameter requires grad.
Tensor makeParameter(const ParameterSpec& spec, std::uint64_t key);
Tensor makeBuffer(const BufferSpec& spec);

// As print(module) of the reference, each line followed by its parameters' shapes:
//   (0): Linear(in_features=10, out_features=4, bias=True)  weight [4, 10], bias [4]
std::string text(const Module& module, bool withShapes = true);

// A library module by its type: make("Linear", {{"in_features", 10}, {"out_features", 4}}).
ModulePtr make(std::string_view type, Attrs attrs = {});
// Modules one after another, named by position.
ModulePtr Sequential(std::vector<ModulePtr> modules);
ModulePtr Linear(std::int64_t in_features, std::int64_t out_features, bool bias = true);
ModulePtr Conv2d(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel_size, std::int64_t stride = 1,
                 std::int64_t padding = 0);
ModulePtr BatchNorm1d(std::int64_t num_features);
ModulePtr BatchNorm2d(std::int64_t num_features);
ModulePtr MaxPool2d(std::int64_t kernel_size);
ModulePtr AvgPool2d(std::int64_t kernel_size);
ModulePtr AdaptiveAvgPool2d(std::int64_t output_size);
ModulePtr Flatten();
ModulePtr Dropout(double p = 0.5);
ModulePtr ReLU();
ModulePtr Tanh();
ModulePtr Sigmoid();
ModulePtr Softmax(std::int64_t dim);
ModulePtr LogSoftmax(std::int64_t dim);
ModulePtr Identity();

// ---- of the lesson on modules and parameters
// Linear layers between consecutive sizes with ReLU between them, in one Sequential called net (keys net.0.weight, ...).
ModulePtr mlp(const std::vector<std::int64_t>& sizes);
// The number of scalar parameters; a shared one counts once.
std::int64_t countParameters(const Module& module, bool trainableOnly = false);
// requires_grad off for every parameter.
void freeze(Module& module);

}  // namespace megalith::nn
