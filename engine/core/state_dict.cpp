// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/state_dict.h"

#include "engine/core/error.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace megalith {

bool StateEntry::sameTensor(const StateEntry& other) const
{
    return data != nullptr && data.get() == other.data.get() && size == other.size && dtype == other.dtype
           && shape == other.shape;
}

StateEntry makeEntry(std::string_view dtype, Shape shape, std::span<const std::byte> bytes)
{
    StateEntry entry{std::string(dtype), std::move(shape), nullptr, bytes.size()};
    auto copy = std::shared_ptr<std::byte>(new std::byte[std::max<std::size_t>(bytes.size(), 1)],
                                           std::default_delete<std::byte[]>());
    if (!bytes.empty())
        std::memcpy(copy.get(), bytes.data(), bytes.size());
    entry.data = std::move(copy);
    return entry;
}

void StateDict::add(std::string key, StateEntry entry)
{
    if (contains(key))
        throw Error("state_dict: the key " + key + " is there twice");
    const std::pair<std::size_t, std::size_t> place{std::hash<std::string_view>{}(key), m_items.size()};
    m_index.insert(std::upper_bound(m_index.begin(), m_index.end(), place), place);
    m_items.emplace_back(std::move(key), std::move(entry));
}

const StateEntry* StateDict::find(std::string_view key) const
{
    const std::size_t hash = std::hash<std::string_view>{}(key);
    for (auto it = std::lower_bound(m_index.begin(), m_index.end(), std::pair<std::size_t, std::size_t>{hash, 0});
         it != m_index.end() && it->first == hash; ++it)
        if (m_items[it->second].first == key)
            return &m_items[it->second].second;
    return nullptr;
}

std::optional<std::size_t> itemSizeOfTag(std::string_view tag)
{
    if (tag == "BOOL" || tag == "U8" || tag == "I8" || tag == "F8_E5M2" || tag == "F8_E4M3" || tag == "F8_E8M0")
        return 1;
    if (tag == "I16" || tag == "U16" || tag == "F16" || tag == "BF16")
        return 2;
    if (tag == "I32" || tag == "U32" || tag == "F32")
        return 4;
    if (tag == "I64" || tag == "U64" || tag == "F64")
        return 8;
    return std::nullopt;
}

}  // namespace megalith
