// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/tree.h"

#include "engine/core/error.h"
#include "engine/io/bytes.h"

#include <algorithm>
#include <array>

namespace megalith::io {

namespace {

[[noreturn]] void refuseKind(std::string_view expected, const TreeValue& found)
{
    throw FormatError("expected " + std::string(expected) + ", found " + std::string(kindName(found)));
}

}  // namespace

TreeValue::TreeValue(const StateDict& dict)
{
    Dict items;
    items.reserve(dict.size());
    for (const auto& [key, entry] : dict)
        items.emplace_back(key, entry);
    m_value = std::move(items);
}

bool TreeValue::boolean() const
{
    if (!isBool())
        refuseKind("true or false", *this);
    return std::get<bool>(m_value);
}

std::int64_t TreeValue::integer() const
{
    if (!isInteger())
        refuseKind("a whole number", *this);
    return std::get<std::int64_t>(m_value);
}

double TreeValue::number() const
{
    if (!isNumber())
        refuseKind("a number", *this);
    return isInteger() ? static_cast<double>(integer()) : std::get<double>(m_value);
}

const std::string& TreeValue::string() const
{
    if (!isString())
        refuseKind("a text", *this);
    return std::get<std::string>(m_value);
}

const TreeValue::List& TreeValue::items() const
{
    if (isTuple())
        return std::get<Tuple>(m_value).items;
    if (!isList())
        refuseKind("a list", *this);
    return std::get<List>(m_value);
}

const TreeValue::Dict& TreeValue::dict() const
{
    if (!isDict())
        refuseKind("a dict", *this);
    return std::get<Dict>(m_value);
}

const StateEntry& TreeValue::tensor() const
{
    if (!isTensor())
        refuseKind("a tensor", *this);
    return std::get<StateEntry>(m_value);
}

const TreeValue* TreeValue::find(std::string_view key) const
{
    if (!isDict())
        return nullptr;
    const auto found = std::ranges::find(dict(), key, &std::pair<std::string, TreeValue>::first);
    return found == dict().end() ? nullptr : &found->second;
}

const TreeValue& TreeValue::at(std::string_view key) const
{
    for (const auto& [name, value] : dict())
        if (name == key)
            return value;
    throw FormatError("the key \"" + shownName(key) + "\" is missing");
}

void TreeValue::set(std::string_view key, TreeValue value)
{
    if (isNull())
        m_value = Dict();
    if (!isDict())
        refuseKind("a dict", *this);
    Dict& items = std::get<Dict>(m_value);
    const auto found = std::ranges::find(items, key, &std::pair<std::string, TreeValue>::first);
    if (found != items.end())
        found->second = std::move(value);
    else
        items.emplace_back(std::string(key), std::move(value));
}

std::string_view kindName(const TreeValue& value)
{
    if (value.isNull())
        return "null";
    if (value.isBool())
        return "true or false";
    if (value.isInteger())
        return "a whole number";
    if (value.isNumber())
        return "a number";
    if (value.isString())
        return "a text";
    if (value.isDict())
        return "a dict";
    return value.isTensor() ? "a tensor" : value.isTuple() ? "a tuple" : "a list";
}

StateDict stateDictOf(const TreeValue& value, std::string_view where)
{
    StateDict dict;
    if (!value.isDict())
        throw FormatError(std::string(where) + " is " + std::string(kindName(value)) + ", not a dict of tensors");
    for (const auto& [key, item] : value.dict()) {
        if (!item.isTensor())
            throw FormatError(std::string(where) + ": " + shownName(key) + " is " + std::string(kindName(item))
                              + ", not a tensor");
        dict.add(key, item.tensor());
    }
    return dict;
}

}  // namespace megalith::io
