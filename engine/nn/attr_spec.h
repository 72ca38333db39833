// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace megalith::nn {

enum class AttrKind : std::uint8_t {
    Size,     // whole number >= minimum (1 unless said)
    Integer,  // any whole number
    Real,
    Boolean,
    Choice,   // one of choices
    Sizes,    // one whole number for all, or tupleSize of them
    Padding,  // Sizes, or one of choices ('same', 'valid')
    Shape,    // a list of whole numbers of any length
    Numbers,  // a number, or nested lists of numbers
    Reals,    // tupleSize numbers
};

// The entry of a Sizes list that stands for PyTorch's None (AdaptiveAvgPool2d((None, 7)) is {noneEntry, 7}).
inline constexpr std::int64_t noneEntry = -1;

// One constructor argument: everything that the inspector, check, print and code export know of it.
struct AttrSpec
{
    std::string_view name;
    AttrKind kind = AttrKind::Integer;
    AttrValue defaultValue = {};  // null: none, see required and noneAllowed
    bool required = false;        // has no default
    bool noneAllowed = false;     // null is PyTorch's None
    bool noneEntries = false;     // Sizes: an entry may be null, kept as noneEntry
    bool fromWire = false;        // null means: work it out from the wires
    std::optional<double> minimum = std::nullopt;
    std::optional<double> maximum = std::nullopt;
    std::vector<std::string_view> choices = {};
    std::size_t tupleSize = 1;
    std::string_view doc = {};
};

// Builders, so that a list of arguments reads like its constructor.
AttrSpec size(std::string_view name, std::string_view doc);  // required, >= 1
AttrSpec size(std::string_view name, std::int64_t byDefault, std::string_view doc);
AttrSpec sizeFromWire(std::string_view name, std::string_view doc);  // null: from the wires
AttrSpec integer(std::string_view name, std::int64_t byDefault, std::string_view doc);
AttrSpec integerOrNone(std::string_view name, AttrValue byDefault, std::string_view doc);
AttrSpec real(std::string_view name, double byDefault, std::string_view doc,
              std::optional<double> minimum = std::nullopt, std::optional<double> maximum = std::nullopt);
AttrSpec realOrNone(std::string_view name, AttrValue byDefault, std::string_view doc);
AttrSpec reals(std::string_view name, std::vector<double> byDefault, std::string_view doc,
               std::optional<double> minimum = std::nullopt, std::optional<double> maximum = std::nullopt);
AttrSpec boolean(std::string_view name, bool byDefault, std::string_view doc);
AttrSpec choice(std::string_view name, std::string_view byDefault, std::vector<std::string_view> choices,
                std::string_view doc);
AttrSpec sizes(std::string_view name, std::size_t n, std::string_view doc);  // required, each >= 1
AttrSpec sizes(std::string_view name, std::size_t n, AttrValue byDefault, std::int64_t minimum, std::string_view doc);
AttrSpec shape(std::string_view name, std::string_view doc);          // required, each >= 0
AttrSpec numbersOrNone(std::string_view name, std::string_view doc);  // null by default

// "a whole number >= 1", "a number from 0 to 1", "one of 'mean', 'sum'": what an error and a tooltip say.
std::string expectedText(const AttrSpec& spec);
// Error "out_features must be a whole number >= 1, not 0" unless the value fits the spec. null fits what may be None or comes from
// the wires.
void checkValue(const AttrSpec& spec, const AttrValue& value);
const AttrSpec* findAttr(std::span<const AttrSpec> specs, std::string_view name);
// Given arguments plus defaults, in the specs' order; sizes that come from the wires stay null. Error names the attribute when one
// is unknown, missing, of another type or out of range; `owner` ("Linear") is whose arguments they are.
Attrs complete(std::string_view owner, std::span<const AttrSpec> specs, const Attrs& given);
// "SGD: " before a message that does not begin with SGD already.
std::string withOwner(std::string_view owner, std::string_view message);

// A value of kind Numbers with its shape; a single number has shape [].
NumberArray numbersOf(const AttrValue& value);

}  // namespace megalith::nn
