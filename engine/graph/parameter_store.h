// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/tensor.h"
#include "engine/graph/document.h"

#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace megalith::graph {

// Where a value belongs: ids from the root to the node, and the parameter's or buffer's name there. Names of nodes take no part, so
// that renaming keeps values; ids are never used twice, so that a deleted node's values wait for undo.
struct StoreKey
{
    std::vector<Id> path;
    std::string name;
    auto operator<=>(const StoreKey&) const = default;
};

using StoredTensor = std::pair<StoreKey, Tensor>;

// The values of a document's parameters and buffers. They outlive every compiled module; owned by the thread that owns tensors.
class ParameterStore
{
public:
    // Empty when there is none.
    Tensor find(const StoreKey& key) const;
    // Returns what was there.
    Tensor put(const StoreKey& key, Tensor tensor);
    Tensor take(const StoreKey& key);
    // Takes away and returns all values whose key is not among these (a deleted node's, when undo shall not bring them back).
    std::vector<StoredTensor> removeAllBut(const std::set<StoreKey>& keep);
    void clear() { m_values.clear(); }
    std::size_t size() const { return m_values.size(); }
    auto begin() const { return m_values.begin(); }
    auto end() const { return m_values.end(); }

private:
    std::map<StoreKey, Tensor> m_values;
};

}  // namespace megalith::graph
