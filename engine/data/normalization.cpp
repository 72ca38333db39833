// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/normalization.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace megalith::data {

namespace {

constexpr std::string_view metadataName = "megalith.normalize";

[[noreturn]] void refuse(std::string_view what)
{
    throw DataError(fmt::format("{}: {}", metadataName, what));
}

std::vector<double> numbers(const Value& object, std::string_view key)
{
    const Value* list = object.find(key);
    if (list == nullptr || !list->isList())
        refuse(fmt::format("\"{}\" must be a list of numbers", key));
    std::vector<double> result;
    for (const Value& item : list->list()) {
        if (!item.isNumber() || !std::isfinite(item.number()))
            refuse(fmt::format("\"{}\" has an entry that is no finite number", key));
        result.push_back(item.number());
    }
    return result;
}

InputNormalization inputFromValue(const std::string& name, const Value& value)
{
    InputNormalization input;
    input.input = name;
    input.offset = numbers(value, "offset");
    input.scale = numbers(value, "scale");
    if (input.offset.size() != input.scale.size())
        refuse(fmt::format("input {} has {} offsets but {} scales", name, input.offset.size(), input.scale.size()));
    if (std::find(input.scale.begin(), input.scale.end(), 0.0) != input.scale.end())
        refuse(fmt::format("input {} has a scale of 0", name));
    const Value* columns = value.find("columns");
    if (columns == nullptr)
        return input;
    if (!columns->isList())
        refuse("\"columns\" must be a list of texts");
    for (const Value& column : columns->list()) {
        if (!column.isString())
            refuse("\"columns\" must be a list of texts");
        input.columns.push_back(column.string());
    }
    return input;
}

Value::List toList(const std::vector<double>& numbers)
{
    return {numbers.begin(), numbers.end()};
}

}  // namespace

NormalizationGroups::NormalizationGroups(const Shape& sample)
{
    if (sample.empty())
        return;
    const bool channels = sample.size() >= 3;
    count = static_cast<std::size_t>(channels ? sample.front() : sample.back());
    if (channels)
        for (std::size_t i = 1; i < sample.size(); ++i)
            inner *= static_cast<std::size_t>(sample[i]);
    count = std::max<std::size_t>(count, 1);
    inner = std::max<std::size_t>(inner, 1);
}

const InputNormalization* Normalization::find(std::string_view input) const
{
    const auto it = std::find_if(inputs.begin(), inputs.end(), [&](const auto& entry) { return entry.input == input; });
    return it == inputs.end() ? nullptr : &*it;
}

Value Normalization::toValue() const
{
    Value::Object entries;
    for (const InputNormalization& input : inputs) {
        Value::Object entry{{"offset", toList(input.offset)}, {"scale", toList(input.scale)}};
        if (!input.columns.empty())
            entry.emplace_back("columns", Value::List(input.columns.begin(), input.columns.end()));
        entries.emplace_back(input.input, std::move(entry));
    }
    return Value::Object{{"kind", normalizationName(kind)}, {"inputs", std::move(entries)}};
}

Normalization Normalization::fromValue(const Value& value)
{
    Normalization result;
    const Value* kind = value.find("kind");
    const Value* inputs = value.find("inputs");
    if (kind == nullptr || !kind->isString())
        refuse("\"kind\" is missing");
    result.kind = normalizationKind(kind->string());
    if (inputs == nullptr || !inputs->isObject())
        refuse("\"inputs\" must be an object by the names of the Inputs");
    for (const auto& [name, entry] : inputs->object())
        result.inputs.push_back(inputFromValue(name, entry));
    return result;
}

NormalizationKind normalizationKind(std::string_view name)
{
    if (name == "none")
        return NormalizationKind::None;
    if (name == "standard")
        return NormalizationKind::Standard;
    if (name == "minmax")
        return NormalizationKind::MinMax;
    throw DataError(fmt::format("data.normalize is \"{}\", but it must be none, standard or minmax", name));
}

std::string_view normalizationName(NormalizationKind kind)
{
    switch (kind) {
    case NormalizationKind::Standard: return "standard";
    case NormalizationKind::MinMax: return "minmax";
    case NormalizationKind::None: break;
    }
    return "none";
}

}  // namespace megalith::data
