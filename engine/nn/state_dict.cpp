// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/nn/module.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace megalith::nn {

namespace {

std::string listed(const std::vector<std::string>& names)
{
    std::string out;
    for (const std::string& name : names)
        out += (out.empty() ? "" : ", ") + name;
    return out;
}

// What keeps an entry from being loaded into the tensor, or nothing.
std::optional<std::string> misfit(const StateEntry& entry, const Shape& shape, const Tensor& tensor)
{
    if (shape != tensor.shape())
        return "shape " + megalith::text(entry.shape) + " in the file, " + megalith::text(tensor.shape())
               + " in the model";
    const std::optional<DType> dtype = dtypeFromTag(entry.dtype);
    if (!dtype)
        return "dtype " + entry.dtype + " in the file, which Megalith does not compute with";
    if (entry.size != static_cast<std::size_t>(numel(shape)) * itemSize(*dtype))
        return std::to_string(entry.size) + " bytes in the file do not make shape " + megalith::text(entry.shape);
    return std::nullopt;
}

// A single number was saved with shape [1] once (PyTorch before 0.4).
Shape fileShape(const StateEntry& entry, const Tensor& tensor)
{
    return tensor.rank() == 0 && entry.shape == Shape{1} ? Shape{} : entry.shape;
}

}  // namespace

std::string LoadReport::text() const
{
    std::string out;
    const auto add = [&out](const char* what, const std::vector<std::string>& names) {
        if (!names.empty())
            out += (out.empty() ? "" : "; ") + std::string(what) + " " + listed(names);
    };
    add("missing", missing);
    add("unexpected", unexpected);
    add(wrongSizes.size() == 1 ? "wrong size" : "wrong sizes", wrongSizes);
    return out.empty() ? "everything fits" : out;
}

StateDict Module::state_dict(const std::string& prefix) const
{
    StateDict state;
    std::unordered_map<const void*, StateEntry> copies;
    for (const auto& [key, tensor] : stateTensors(prefix)) {
        auto it = copies.find(tensor.id());
        if (it == copies.end())
            it = copies.emplace(tensor.id(), tensor.toEntry()).first;
        state.add(key, it->second);
    }
    return state;
}

LoadReport Module::load_state_dict(const StateDict& state, bool strict)
{
    LoadReport report;
    std::vector<std::pair<Tensor, StateEntry>> fitting;
    std::unordered_set<std::string> expected;
    for (const auto& [key, tensor] : stateTensors()) {
        expected.insert(key);
        const StateEntry* entry = state.find(key);
        if (entry == nullptr) {
            report.missing.push_back(key);
            continue;
        }
        Shape shape = fileShape(*entry, tensor);
        if (const auto why = misfit(*entry, shape, tensor)) {
            report.wrongSizes.push_back(key + ": " + *why);
            continue;
        }
        fitting.emplace_back(tensor, *entry);
        fitting.back().second.shape = std::move(shape);
    }
    for (const auto& [key, entry] : state)
        if (!expected.contains(key))
            report.unexpected.push_back(key);
    if (strict && !report.ok())
        throw Error("the weights do not fit the model: " + report.text());
    for (const auto& [tensor, entry] : fitting)
        tensor.copyFrom(entry);
    return report;
}

}  // namespace megalith::nn
