// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace megalith {

// A nested list of numbers with its shape: the "values" of a Parameter, Buffer or Constant.
struct NumberArray
{
    std::vector<std::int64_t> shape;
    std::vector<double> values;
    bool operator==(const NumberArray&) const = default;
};

// An argument as the project file has it. std::monostate is null (PyTorch's None, or "work it out").
using AttrValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                               std::vector<double>, NumberArray>;

// Python's spelling: None, True, 0.5, 'same', (3, 2). What print(module) and generated code write.
std::string pythonText(const AttrValue& value);

// Named arguments in the order in which they were given. Small: looked up by walking.
class Attrs
{
public:
    using Item = std::pair<std::string, AttrValue>;

    Attrs() = default;
    Attrs(std::initializer_list<Item> items) : m_items(items) {}

    const AttrValue* find(std::string_view name) const;
    bool has(std::string_view name) const { return find(name) != nullptr; }
    bool isNull(std::string_view name) const;  // absent or null
    void set(std::string_view name, AttrValue value);
    void erase(std::string_view name);
    bool empty() const { return m_items.empty(); }
    auto begin() const { return m_items.begin(); }
    auto end() const { return m_items.end(); }
    bool operator==(const Attrs&) const = default;

    // Each throws Error that names the attribute when it is absent or of another type.
    bool flag(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    double real(std::string_view name) const;  // takes an integer too
    const std::string& string(std::string_view name) const;
    std::vector<std::int64_t> integers(std::string_view name) const;  // takes a single integer too
    std::vector<double> reals(std::string_view name) const;           // takes numbers of any kind
    // An integer stands for n equal ones; a list must have n entries.
    std::vector<std::int64_t> tuple(std::string_view name, std::size_t n) const;

private:
    std::vector<Item> m_items;
};

}  // namespace megalith
