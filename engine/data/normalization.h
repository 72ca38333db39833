// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/shape.h"
#include "engine/core/value.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace megalith::data {

enum class NormalizationKind {
    None,
    Standard,  // mean 0, deviation 1 (of the population: divided by N)
    MinMax     // smallest 0, largest 1
};

// One Input's: value' = (value - offset) / scale, in double. A deviation or range of 0 counts as 1.
struct InputNormalization
{
    std::string input;
    std::vector<double> offset;  // one for each group; empty: unchanged (whole numbers and masks)
    std::vector<double> scale;
    std::vector<std::string> columns;  // a table's, in order; else empty

    bool operator==(const InputNormalization&) const = default;
};

// Which elements of a sample share offset and scale. [K] and [L, K]: a group for each column (the last dimension).
// [C, H, W] and more dimensions: a group for each channel (the first). A scalar is one group.
struct NormalizationGroups
{
    std::size_t count = 1;  // groups
    std::size_t inner = 1;  // element i of a sample belongs to group (i / inner) % count

    explicit NormalizationGroups(const Shape& sample);
    std::size_t groupOf(std::size_t element) const { return element / inner % count; }
};

// What was done to the inputs, as the weights keep it in their metadata "megalith.normalize".
struct Normalization
{
    NormalizationKind kind = NormalizationKind::None;
    std::vector<InputNormalization> inputs;

    const InputNormalization* find(std::string_view input) const;

    // {"kind": "standard", "inputs": {"x": {"offset": [...], "scale": [...], "columns": [...]}}}
    Value toValue() const;
    // DataError for what toValue() cannot have written.
    static Normalization fromValue(const Value& value);

    bool operator==(const Normalization&) const = default;
};

// "none", "standard", "minmax"; DataError for another name.
NormalizationKind normalizationKind(std::string_view name);
std::string_view normalizationName(NormalizationKind kind);

}  // namespace megalith::data
