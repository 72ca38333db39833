// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/graph/parameter_store.h"

namespace megalith::graph {

Tensor ParameterStore::find(const StoreKey& key) const
{
    const auto it = m_values.find(key);
    return it == m_values.end() ? Tensor() : it->second;
}

Tensor ParameterStore::put(const StoreKey& key, Tensor tensor)
{
    return std::exchange(m_values[key], std::move(tensor));
}

Tensor ParameterStore::take(const StoreKey& key)
{
    const auto it = m_values.find(key);
    if (it == m_values.end())
        return {};
    Tensor taken = std::move(it->second);
    m_values.erase(it);
    return taken;
}

std::vector<StoredTensor> ParameterStore::removeAllBut(const std::set<StoreKey>& keep)
{
    std::vector<StoredTensor> removed;
    for (auto it = m_values.begin(); it != m_values.end();) {
        if (keep.contains(it->first)) {
            ++it;
            continue;
        }
        removed.emplace_back(it->first, std::move(it->second));
        it = m_values.erase(it);
    }
    return removed;
}

}  // namespace megalith::graph
