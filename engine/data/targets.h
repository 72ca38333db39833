// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/state_dict.h"
#include "engine/data/dataset.h"
#include "engine/data/source.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace megalith::data {

// The distinct whole numbers among the targets, sorted and numbered from 0. One equal to ignoreIndex is no class, and no class
// gets that number, so that a loss leaves out what the file marks and nothing else.
class ClassNumbers
{
public:
    // `labelNames` are those of the values 0, 1, ...; any other value is called by its digits.
    ClassNumbers(std::vector<std::int64_t> values, std::int64_t ignoreIndex, std::span<const std::string> labelNames,
                 std::string_view shown);

    std::int64_t numberOf(std::int64_t value) const;
    std::int64_t count() const { return static_cast<std::int64_t>(m_names.size()); }
    const std::vector<std::string>& names() const { return m_names; }

private:
    std::vector<std::int64_t> m_values;   // sorted
    std::vector<std::int64_t> m_numbers;  // of m_values
    std::int64_t m_ignoreIndex;
    std::vector<std::string> m_names;
};

// Fills what SourceFacts say about targets.
void describeTargets(const StateEntry& targets, std::span<const std::string> labelNames, std::string_view shown,
                     bool table, std::int64_t ignoreIndex, SourceFacts& facts);

// Makes the targets of any rows of a source, in the form that the loss takes.
class TargetMaker
{
public:
    // `raw` must outlive it. DataError when the loss wants classes and the targets are none.
    TargetMaker(const RawData& raw, const LoadContext& context);

    Targets make(const StateEntry& targets, std::span<const std::int64_t> rows) const;

private:
    const RawData& m_raw;
    bool m_classes = false;
    DType m_dtype = DType::F32;  // of values
    std::optional<ClassNumbers> m_numbers;
};

}  // namespace megalith::data
