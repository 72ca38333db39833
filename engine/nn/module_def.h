// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"
#include "engine/core/tensor.h"
#include "engine/nn/attr_spec.h"
#include "engine/nn/init.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace megalith::nn {

class Module;

// The groups of the palette, in its order.
enum class Category : std::uint8_t {
    InputOutput,
    Linear,
    Convolution,
    Pooling,
    Normalization,
    Activation,
    Shape,
    Dropout,
    Function,
    Tensor,
    Container
};
std::string_view categoryName(Category category);

struct ParameterSpec
{
    std::string name;
    Shape shape;
    Init init;
    DType dtype = DType::F32;
    std::optional<NumberArray> values = std::nullopt;  // instead of init: written in the attributes
};

struct BufferSpec
{
    std::string name;
    Shape shape;
    double fill = 0.0;
    DType dtype = DType::F32;
    bool persistent = true;
    std::optional<NumberArray> values = std::nullopt;  // instead of fill
};

using Metas = std::vector<TensorMeta>;

// One kind of node: a module or a function. Palette, inspector, project file, check, print, and command line read this and nothing else.
struct ModuleDef
{
    std::string_view type;
    Category category = Category::Function;
    std::string_view doc;                        // one sentence
    std::vector<std::string_view> aliases = {};  // other words that people search for
    std::vector<AttrSpec> attrs = {};
    std::vector<std::string_view> inputs = {"input"};
    std::vector<std::string_view> outputs = {"output"};
    bool variadic = false;           // any number of inputs, named 0, 1, ...
    std::size_t requiredInputs = 1;  // the rest may stay unwired
    bool function = false;           // no nn.Module in PyTorch: print and code export write it as a call
    bool trainingDiffers = false;    // behaves differently in train and eval mode
    bool anyAttrs = false;           // takes whatever arguments it is given and ignores them (Identity)

    // Fills in sizes that are null and come from the wires. nullptr: there are none.
    void (*resolve)(Attrs& attrs, std::span<const TensorMeta> inputs) = nullptr;
    // Arguments that do not fit each other (groups must divide channels). Throws Error. nullptr: nothing to check.
    void (*checkAttrs)(const Attrs& attrs) = nullptr;
    std::vector<ParameterSpec> (*parameters)(const Attrs& attrs) = nullptr;
    std::vector<BufferSpec> (*buffers)(const Attrs& attrs) = nullptr;
    // ShapeError without the node's name: "input ends in 128 but in_features is 784".
    // Optional inputs that are not wired are left out at the end.
    Metas (*infer)(const Attrs& attrs, std::span<const TensorMeta> inputs) = nullptr;
    // What only a training step cannot take: "a batch of 1 ...". ShapeError as infer's. nullptr: trains on whatever infer takes.
    void (*checkTraining)(const Attrs& attrs, std::span<const TensorMeta> inputs) = nullptr;
    // An unwired optional input is an empty Tensor.
    Tensors (*forward)(const Module& module, const Tensors& inputs) = nullptr;
    // What print(module) writes between the parentheses. nullptr: every argument as name=value.
    std::string (*repr)(const Attrs& attrs) = nullptr;
};

// Every module and function there is, in palette order. Input, Output, Parameter, Buffer and Constant are among them.
std::span<const ModuleDef* const> allModules();
const ModuleDef* findModule(std::string_view type);
const AttrSpec* findAttr(const ModuleDef& def, std::string_view name);
// complete() of attr_spec.h for a module, and its checkAttrs.
Attrs complete(const ModuleDef& def, const Attrs& given);
// "in_features must be given: ..." while sizes that follow from the wires are null; empty when all are known.
std::string unknownSizes(const ModuleDef& def, const Attrs& attrs);

}  // namespace megalith::nn
