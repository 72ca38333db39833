// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/value.h"

#include <algorithm>

namespace megalith {

const Value* Value::find(std::string_view key) const
{
    if (!isObject())
        return nullptr;
    const Object& members = object();
    const auto it = std::find_if(members.begin(), members.end(), [key](const Member& m) { return m.first == key; });
    return it == members.end() ? nullptr : &it->second;
}

Value* Value::find(std::string_view key)
{
    return const_cast<Value*>(std::as_const(*this).find(key));
}

void Value::set(std::string_view key, Value value)
{
    if (!isObject())
        m_value = Object{};
    if (Value* there = find(key))
        *there = std::move(value);
    else
        object().emplace_back(std::string(key), std::move(value));
}

void Value::erase(std::string_view key)
{
    if (isObject())
        std::erase_if(object(), [key](const Member& m) { return m.first == key; });
}

std::string_view kindName(const Value& value)
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
    return value.isList() ? "a list" : "an object";
}

}  // namespace megalith
