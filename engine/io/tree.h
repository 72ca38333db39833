// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/state_dict.h"
#include "engine/io/mega.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace megalith::io {

// What a checkpoint holds: null, bool, whole number, number, text, list, tuple, dict (ordered) or tensor.
// tensorplay.save and .load know the same values as None, bool, int, float, str, list, tuple, dict and Tensor.
class TreeValue
{
public:
    using List = std::vector<TreeValue>;
    struct Tuple
    {
        List items;
    };
    using Dict = std::vector<std::pair<std::string, TreeValue>>;

    TreeValue() = default;
    TreeValue(bool b) : m_value(b) {}
    TreeValue(int i) : m_value(std::int64_t{i}) {}
    TreeValue(std::int64_t i) : m_value(i) {}
    TreeValue(double d) : m_value(d) {}
    TreeValue(const char* s) : m_value(std::string(s)) {}
    TreeValue(std::string_view s) : m_value(std::string(s)) {}
    TreeValue(std::string s) : m_value(std::move(s)) {}
    TreeValue(List list) : m_value(std::move(list)) {}
    TreeValue(Tuple tuple) : m_value(std::move(tuple)) {}
    TreeValue(Dict dict) : m_value(std::move(dict)) {}
    TreeValue(StateEntry tensor) : m_value(std::move(tensor)) {}
    // A dict of tensors.
    explicit TreeValue(const StateDict& dict);

    bool isNull() const { return std::holds_alternative<std::monostate>(m_value); }
    bool isBool() const { return std::holds_alternative<bool>(m_value); }
    bool isInteger() const { return std::holds_alternative<std::int64_t>(m_value); }
    bool isNumber() const { return isInteger() || std::holds_alternative<double>(m_value); }
    bool isString() const { return std::holds_alternative<std::string>(m_value); }
    bool isList() const { return std::holds_alternative<List>(m_value); }
    bool isTuple() const { return std::holds_alternative<Tuple>(m_value); }
    bool isDict() const { return std::holds_alternative<Dict>(m_value); }
    bool isTensor() const { return std::holds_alternative<StateEntry>(m_value); }

    // Each throws FormatError for another kind ("expected a whole number, found a text"); items() takes list and tuple.
    bool boolean() const;
    std::int64_t integer() const;
    double number() const;  // takes a whole number too
    const std::string& string() const;
    const List& items() const;
    const Dict& dict() const;
    const StateEntry& tensor() const;

    // The member of a dict, or nullptr (also for what is no dict).
    const TreeValue* find(std::string_view key) const;
    // The member of a dict; FormatError that names the key when it is not there.
    const TreeValue& at(std::string_view key) const;
    // Adds a member at the end or replaces it; makes a dict of null.
    void set(std::string_view key, TreeValue value);

private:
    std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Tuple, Dict, StateEntry> m_value;
};

// "a whole number", "a dict", ... for messages.
std::string_view kindName(const TreeValue& value);

// A dict whose values are tensors alone, as a state_dict; tensors that are one stay one. FormatError that names the key
// (after `where`) for anything else.
StateDict stateDictOf(const TreeValue& value, std::string_view where);

// The file that holds the value, as tensorplay.save lays it out: a dict, list or tuple of distinct tensors, or one tensor,
// plainly; anything else as a tree, whose tensors are named by their path ("model.fc1.weight", a clash gets "#1").
// One tensor at two places is stored once. Throws Error for two equal keys in one dict.
WeightsFile fileOf(const TreeValue& value);
// The inverse. FormatError when the layout is no JSON, names a tensor that is not there, or bends its marks.
TreeValue treeOf(const WeightsFile& file);

}  // namespace megalith::io
