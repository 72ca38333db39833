// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace megalith {

// What a JSON document holds: null, bool, whole number, number, text, list or object. Objects keep their order.
// Documents keep what they do not understand in this form, so that it is saved back as it was.
class Value
{
public:
    using List = std::vector<Value>;
    using Member = std::pair<std::string, Value>;
    using Object = std::vector<Member>;

    Value() = default;
    Value(bool b) : m_value(b) {}
    Value(int i) : m_value(std::int64_t{i}) {}
    Value(std::int64_t i) : m_value(i) {}
    Value(double d) : m_value(d) {}
    Value(const char* s) : m_value(std::string(s)) {}
    Value(std::string_view s) : m_value(std::string(s)) {}
    Value(std::string s) : m_value(std::move(s)) {}
    Value(List list) : m_value(std::move(list)) {}
    Value(Object object) : m_value(std::move(object)) {}

    bool isNull() const { return std::holds_alternative<std::monostate>(m_value); }
    bool isBool() const { return std::holds_alternative<bool>(m_value); }
    bool isInteger() const { return std::holds_alternative<std::int64_t>(m_value); }
    bool isNumber() const { return isInteger() || std::holds_alternative<double>(m_value); }
    bool isString() const { return std::holds_alternative<std::string>(m_value); }
    bool isList() const { return std::holds_alternative<List>(m_value); }
    bool isObject() const { return std::holds_alternative<Object>(m_value); }

    // Each throws std::bad_variant_access for another kind: ask first.
    bool boolean() const { return std::get<bool>(m_value); }
    std::int64_t integer() const { return std::get<std::int64_t>(m_value); }
    double number() const { return isInteger() ? static_cast<double>(integer()) : std::get<double>(m_value); }
    const std::string& string() const { return std::get<std::string>(m_value); }
    const List& list() const { return std::get<List>(m_value); }
    List& list() { return std::get<List>(m_value); }
    const Object& object() const { return std::get<Object>(m_value); }
    Object& object() { return std::get<Object>(m_value); }

    // The member of an object, or nullptr (also for what is no object).
    const Value* find(std::string_view key) const;
    Value* find(std::string_view key);
    // Replaces the member or adds it at the end; makes an object of null.
    void set(std::string_view key, Value value);
    void erase(std::string_view key);

    bool operator==(const Value&) const = default;

private:
    std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Object> m_value;
};

// "a whole number", "a list", ... for messages.
std::string_view kindName(const Value& value);

}  // namespace megalith
