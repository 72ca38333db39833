// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/dtype.h"
#include "engine/core/shape.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace megalith {

// A tensor as a file holds it: bytes, a dtype tag ("F32", "BF16", "F8_E4M3", ...) and a shape, row-major, little-endian.
// dtypes that we do not compute with pass through unchanged.
struct StateEntry
{
    std::string dtype;
    Shape shape;
    std::shared_ptr<const std::byte> data;  // may share ownership of a whole mapped file; may be null when size is 0
    std::size_t size = 0;                   // bytes

    std::span<const std::byte> bytes() const { return {data.get(), size}; }
    // The very same tensor under another key (tied weights).
    bool sameTensor(const StateEntry& other) const;
};

// Makes an entry that owns a copy of the bytes.
StateEntry makeEntry(std::string_view dtype, Shape shape, std::span<const std::byte> bytes);

// Ordered, keys unique, as a PyTorch state_dict.
class StateDict
{
public:
    using Item = std::pair<std::string, StateEntry>;

    // Throws Error when the key is there already.
    void add(std::string key, StateEntry entry);
    const StateEntry* find(std::string_view key) const;
    bool contains(std::string_view key) const { return find(key) != nullptr; }
    std::size_t size() const { return m_items.size(); }
    bool empty() const { return m_items.empty(); }
    auto begin() const { return m_items.begin(); }
    auto end() const { return m_items.end(); }

private:
    std::vector<Item> m_items;
    std::vector<std::pair<std::size_t, std::size_t>> m_index;  // (hash of key, position), sorted
};

// Bytes of one element; nothing for an unknown tag. "F4" holds two to a byte and has no whole item size.
std::optional<std::size_t> itemSizeOfTag(std::string_view tag);

}  // namespace megalith
