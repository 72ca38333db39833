// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/graph/attr_values.h"

#include "engine/core/error.h"
#include "engine/nn/attr_spec.h"

#include <algorithm>

namespace megalith::graph {

namespace {

double numberOf(const Value& value)
{
    if (value.isBool())
        return value.boolean() ? 1.0 : 0.0;
    if (!value.isNumber())
        throw Error("must hold numbers, not " + std::string(kindName(value)));
    return value.number();
}

void gather(const Value::List& list, std::size_t depth, NumberArray& array)
{
    const bool lists = !list.empty() && list.front().isList();
    const auto size = static_cast<std::int64_t>(list.size());
    if (array.shape.size() == depth)
        array.shape.push_back(size);
    else if (array.shape[depth] != size)
        throw Error("has rows of different lengths");
    const bool innermost = !lists;
    if (innermost && array.shape.size() > depth + 1)
        throw Error("has rows of different depths");
    for (const Value& item : list) {
        if (item.isList() != lists || (innermost && item.isList()))
            throw Error("has rows of different depths");
        if (lists)
            gather(item.list(), depth + 1, array);
        else
            array.values.push_back(numberOf(item));
    }
}

AttrValue listValue(const Value::List& list, const nn::AttrSpec* spec)
{
    const auto all = [&list](auto&& is) { return std::all_of(list.begin(), list.end(), is); };
    const bool numbers = spec != nullptr && spec->kind == nn::AttrKind::Numbers;
    if (numbers) {
        NumberArray array;
        gather(list, 0, array);
        return array;
    }
    const bool entries = spec != nullptr && spec->noneEntries;
    if (all([entries](const Value& v) { return v.isInteger() || (entries && v.isNull()); })) {
        std::vector<std::int64_t> whole;
        for (const Value& item : list)
            whole.push_back(item.isNull() ? nn::noneEntry : item.integer());
        return whole;
    }
    if (all([](const Value& v) { return v.isNumber(); })) {
        std::vector<double> real;
        for (const Value& item : list)
            real.push_back(item.number());
        return real;
    }
    NumberArray array;
    gather(list, 0, array);
    return array;
}

}  // namespace

AttrValue attrValue(const Value& value, const nn::AttrSpec* spec)
{
    if (value.isNull())
        return std::monostate();
    if (value.isBool())
        return value.boolean();
    if (value.isInteger())
        return value.integer();
    if (value.isNumber())
        return value.number();
    if (value.isString())
        return value.string();
    if (value.isList())
        return listValue(value.list(), spec);
    throw Error("must not be an object");
}

}  // namespace megalith::graph
