// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/attrs.h"

#include "engine/core/error.h"
#include "engine/core/number_text.h"

#include <algorithm>

namespace megalith {

namespace {

[[noreturn]] void wrongType(std::string_view name, std::string_view expected, const AttrValue* found)
{
    throw Error(std::string(name) + " must be " + std::string(expected)
                + (found == nullptr ? ", but it is not given" : ", not " + pythonText(*found)));
}

template<typename T>
std::string listText(const std::vector<T>& values)
{
    std::string out = "(";
    for (std::size_t i = 0; i < values.size(); ++i)
        out += (i == 0 ? "" : ", ") + pythonText(AttrValue(values[i]));
    return out + (values.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string pythonText(const AttrValue& value)
{
    struct Visitor
    {
        std::string operator()(std::monostate) const { return "None"; }
        std::string operator()(bool b) const { return b ? "True" : "False"; }
        std::string operator()(std::int64_t i) const { return std::to_string(i); }
        std::string operator()(double d) const { return pythonNumber(d); }
        std::string operator()(const std::string& s) const { return s; }
        std::string operator()(const std::vector<std::int64_t>& v) const { return listText(v); }
        std::string operator()(const std::vector<double>& v) const { return listText(v); }
        std::string operator()(const NumberArray& a) const { return "values of " + listText(a.shape); }
    };
    return std::visit(Visitor{}, value);
}

const AttrValue* Attrs::find(std::string_view name) const
{
    const auto it = std::find_if(m_items.begin(), m_items.end(), [name](const Item& i) { return i.first == name; });
    return it == m_items.end() ? nullptr : &it->second;
}

bool Attrs::isNull(std::string_view name) const
{
    const AttrValue* value = find(name);
    return value == nullptr || std::holds_alternative<std::monostate>(*value);
}

void Attrs::set(std::string_view name, AttrValue value)
{
    const auto it = std::find_if(m_items.begin(), m_items.end(), [name](const Item& i) { return i.first == name; });
    if (it == m_items.end())
        m_items.emplace_back(std::string(name), std::move(value));
    else
        it->second = std::move(value);
}

void Attrs::erase(std::string_view name)
{
    std::erase_if(m_items, [name](const Item& i) { return i.first == name; });
}

bool Attrs::flag(std::string_view name) const
{
    const AttrValue* value = find(name);
    if (value == nullptr || !std::holds_alternative<bool>(*value))
        wrongType(name, "true or false", value);
    return std::get<bool>(*value);
}

std::int64_t Attrs::integer(std::string_view name) const
{
    const AttrValue* value = find(name);
    if (value == nullptr || !std::holds_alternative<std::int64_t>(*value))
        wrongType(name, "a whole number", value);
    return std::get<std::int64_t>(*value);
}

double Attrs::real(std::string_view name) const
{
    const AttrValue* value = find(name);
    if (value != nullptr && std::holds_alternative<std::int64_t>(*value))
        return static_cast<double>(std::get<std::int64_t>(*value));
    if (value == nullptr || !std::holds_alternative<double>(*value))
        wrongType(name, "a number", value);
    return std::get<double>(*value);
}

const std::string& Attrs::string(std::string_view name) const
{
    const AttrValue* value = find(name);
    if (value == nullptr || !std::holds_alternative<std::string>(*value))
        wrongType(name, "a text", value);
    return std::get<std::string>(*value);
}

std::vector<std::int64_t> Attrs::integers(std::string_view name) const
{
    const AttrValue* value = find(name);
    if (value != nullptr && std::holds_alternative<std::int64_t>(*value))
        return {std::get<std::int64_t>(*value)};
    if (value == nullptr || !std::holds_alternative<std::vector<std::int64_t>>(*value))
        wrongType(name, "a list of whole numbers", value);
    return std::get<std::vector<std::int64_t>>(*value);
}

std::vector<double> Attrs::reals(std::string_view name) const
{
    const AttrValue* value = find(name);
    if (value != nullptr && std::holds_alternative<std::vector<double>>(*value))
        return std::get<std::vector<double>>(*value);
    if (value != nullptr && std::holds_alternative<double>(*value))
        return {std::get<double>(*value)};
    const std::vector<std::int64_t> whole = integers(name);
    return {whole.begin(), whole.end()};
}

std::vector<std::int64_t> Attrs::tuple(std::string_view name, std::size_t n) const
{
    std::vector<std::int64_t> values = integers(name);
    if (values.size() == 1 && n != 1)
        values.assign(n, values.front());
    if (values.size() != n)
        throw Error(std::string(name) + " must be one number or " + std::to_string(n) + ", not "
                    + std::to_string(values.size()));
    return values;
}

}  // namespace megalith
