// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"
#include "engine/core/tensor.h"
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
enum class Category : std::uint8_t { InputOutput, Linear, Convolution, Pooling, Normalization, Activation, Shape, Dropout, Function, Tensor, Container };
std::string_view categoryName(Category category);

enum class AttrKind : std::uint8_t {
    Size,     // whole number >= minimum (1 unless said)
    Integer,  // any whole number
    Real,
    Boolean,
    Choice,   // one of choices
    Sizes,    // one whole number for all, or tupleSize of them
    Padding,  // Sizes, or one of choices ('same', 'valid')
    Shape,    // a list of whole numbers of any length
    Numbers,  // nested lists of numbers
};

// One constructor argument: everything that the inspector, check, print and code export know of it.
struct AttrSpec
{
    std::string_view name;
    AttrKind kind = AttrKind::Integer;
    AttrValue defaultValue;       // null: none, see required and noneAllowed
    bool required = false;        // has no default
    bool noneAllowed = false;     // null is PyTorch's None
    bool fromWire = false;        // null means: work it out from the wires
    std::optional<double> minimum = std::nullopt;
    std::optional<double> maximum = std::nullopt;
    std::vector<std::string_view> choices = {};
    std::size_t tupleSize = 1;
    std::string_view doc = {};
};

// Builders, so that a module's list of arguments reads like its constructor.
AttrSpec size(std::string_view name, std::string_view doc);                                   // required, >= 1
AttrSpec size(std::string_view name, std::int64_t byDefault, std::string_view doc);
AttrSpec sizeFromWire(std::string_view name, std::string_view doc);                           // null: from the wires
AttrSpec integer(std::string_view name, std::int64_t byDefault, std::string_view doc);
AttrSpec real(std::string_view name, double byDefault, std::string_view doc, std::optional<double> minimum = std::nullopt, std::optional<double> maximum = std::nullopt);
AttrSpec realOrNone(std::string_view name, AttrValue byDefault, std::string_view doc);
AttrSpec boolean(std::string_view name, bool byDefault, std::string_view doc);
AttrSpec choice(std::string_view name, std::string_view byDefault, std::vector<std::string_view> choices, std::string_view doc);
AttrSpec sizes(std::string_view name, std::size_t n, std::string_view doc);                   // required, each >= 1
AttrSpec sizes(std::string_view name, std::size_t n, AttrValue byDefault, std::int64_t minimum, std::string_view doc);
AttrSpec shape(std::string_view name, std::string_view doc);                                  // required

struct ParameterSpec
{
    std::string name;
    Shape shape;
    Init init;
    DType dtype = DType::F32;
};

struct BufferSpec
{
    std::string name;
    Shape shape;
    double fill = 0.0;
    DType dtype = DType::F32;
    bool persistent = true;
};

using Metas = std::vector<TensorMeta>;

// One kind of node: a module or a function. Palette, inspector, project file, check, print, and command line read this and nothing else.
struct ModuleDef
{
    std::string_view type;
    Category category = Category::Function;
    std::string_view doc;  // one sentence
    std::vector<std::string_view> aliases = {};  // other words that people search for
    std::vector<AttrSpec> attrs = {};
    std::vector<std::string_view> inputs = {"input"};
    std::vector<std::string_view> outputs = {"output"};
    bool variadic = false;         // any number of inputs, named 0, 1, ...
    std::size_t requiredInputs = 1;  // the rest may stay unwired
    bool function = false;         // no nn.Module in PyTorch: print and code export write it as a call
    bool trainingDiffers = false;  // behaves differently in train and eval mode

    // Fills in sizes that are null and come from the wires. nullptr: there are none.
    void (*resolve)(Attrs& attrs, std::span<const TensorMeta> inputs) = nullptr;
    // Arguments that do not fit each other (groups must divide channels). Throws Error. nullptr: nothing to check.
    void (*checkAttrs)(const Attrs& attrs) = nullptr;
    std::vector<ParameterSpec> (*parameters)(const Attrs& attrs) = nullptr;
    std::vector<BufferSpec> (*buffers)(const Attrs& attrs) = nullptr;
    // ShapeError without the node's name: "input ends in 128 but in_features is 784".
    Metas (*infer)(const Attrs& attrs, std::span<const TensorMeta> inputs) = nullptr;
    // An unwired optional input is an empty Tensor.
    Tensors (*forward)(const Module& module, const Tensors& inputs) = nullptr;
    // What print(module) writes between the parentheses. nullptr: every argument as name=value.
    std::string (*repr)(const Attrs& attrs) = nullptr;
};

// Every module and function there is, in palette order. Input, Output, Parameter, Buffer and Constant are among them.
std::span<const ModuleDef* const> allModules();
const ModuleDef* findModule(std::string_view type);
const AttrSpec* findAttr(const ModuleDef& def, std::string_view name);
// Given arguments plus defaults, in the spec's order; sizes that come from the wires stay null. Error names the attribute when one
// is unknown, missing, of another type or out of range.
Attrs complete(const ModuleDef& def, const Attrs& given);

}  // namespace megalith::nn
