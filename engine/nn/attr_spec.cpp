// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/nn/attr_spec.h"

#include "engine/core/error.h"
#include "engine/core/number_text.h"

#include <algorithm>
#include <cmath>

namespace megalith::nn {

AttrSpec size(std::string_view name, std::string_view doc)
{
    return {.name = name, .kind = AttrKind::Size, .required = true, .minimum = 1, .doc = doc};
}

AttrSpec size(std::string_view name, std::int64_t byDefault, std::string_view doc)
{
    return {.name = name, .kind = AttrKind::Size, .defaultValue = byDefault, .minimum = 1, .doc = doc};
}

AttrSpec sizeFromWire(std::string_view name, std::string_view doc)
{
    return {.name = name, .kind = AttrKind::Size, .fromWire = true, .minimum = 1, .doc = doc};
}

AttrSpec integer(std::string_view name, std::int64_t byDefault, std::string_view doc)
{
    return {.name = name, .kind = AttrKind::Integer, .defaultValue = byDefault, .doc = doc};
}

AttrSpec integerOrNone(std::string_view name, AttrValue byDefault, std::string_view doc)
{
    return {
        .name = name, .kind = AttrKind::Integer, .defaultValue = std::move(byDefault), .noneAllowed = true, .doc = doc};
}

AttrSpec real(std::string_view name, double byDefault, std::string_view doc, std::optional<double> minimum,
              std::optional<double> maximum)
{
    return {.name = name,
            .kind = AttrKind::Real,
            .defaultValue = byDefault,
            .minimum = minimum,
            .maximum = maximum,
            .doc = doc};
}

AttrSpec realOrNone(std::string_view name, AttrValue byDefault, std::string_view doc)
{
    return {
        .name = name, .kind = AttrKind::Real, .defaultValue = std::move(byDefault), .noneAllowed = true, .doc = doc};
}

AttrSpec reals(std::string_view name, std::vector<double> byDefault, std::string_view doc,
               std::optional<double> minimum, std::optional<double> maximum)
{
    const std::size_t n = byDefault.size();
    return {.name = name,
            .kind = AttrKind::Reals,
            .defaultValue = std::move(byDefault),
            .minimum = minimum,
            .maximum = maximum,
            .tupleSize = n,
            .doc = doc};
}

AttrSpec boolean(std::string_view name, bool byDefault, std::string_view doc)
{
    return {.name = name, .kind = AttrKind::Boolean, .defaultValue = byDefault, .doc = doc};
}

AttrSpec choice(std::string_view name, std::string_view byDefault, std::vector<std::string_view> choices,
                std::string_view doc)
{
    return {.name = name,
            .kind = AttrKind::Choice,
            .defaultValue = std::string(byDefault),
            .choices = std::move(choices),
            .doc = doc};
}

AttrSpec sizes(std::string_view name, std::size_t n, std::string_view doc)
{
    return {.name = name, .kind = AttrKind::Sizes, .required = true, .minimum = 1, .tupleSize = n, .doc = doc};
}

AttrSpec sizes(std::string_view name, std::size_t n, AttrValue byDefault, std::int64_t minimum, std::string_view doc)
{
    const bool none = std::holds_alternative<std::monostate>(byDefault);
    return {.name = name,
            .kind = AttrKind::Sizes,
            .defaultValue = std::move(byDefault),
            .noneAllowed = none,
            .minimum = static_cast<double>(minimum),
            .tupleSize = n,
            .doc = doc};
}

AttrSpec shape(std::string_view name, std::string_view doc)
{
    return {.name = name, .kind = AttrKind::Shape, .required = true, .minimum = 0, .doc = doc};
}

AttrSpec numbersOrNone(std::string_view name, std::string_view doc)
{
    return {.name = name, .kind = AttrKind::Numbers, .noneAllowed = true, .doc = doc};
}

namespace {

std::string number(double value)
{
    return value == std::floor(value) && std::abs(value) < 1e15 ? std::to_string(static_cast<std::int64_t>(value))
                                                                : shortestText(value);
}

std::string rangeText(const AttrSpec& spec)
{
    if (spec.minimum && spec.maximum)
        return " from " + number(*spec.minimum) + " to " + number(*spec.maximum);
    if (spec.minimum)
        return " >= " + number(*spec.minimum);
    return spec.maximum ? " <= " + number(*spec.maximum) : std::string();
}

std::string choicesText(const AttrSpec& spec)
{
    std::string out;
    for (std::size_t i = 0; i < spec.choices.size(); ++i)
        out += (i == 0 ? "'" : ", '") + std::string(spec.choices[i]) + "'";
    return out;
}

std::string kindText(const AttrSpec& spec)
{
    const std::string whole = "a whole number" + rangeText(spec);
    switch (spec.kind) {
    case AttrKind::Size:
    case AttrKind::Integer: return whole;
    case AttrKind::Real: return "a number" + rangeText(spec);
    case AttrKind::Boolean: return "true or false";
    case AttrKind::Choice: return "one of " + choicesText(spec);
    case AttrKind::Sizes:
        return whole + (spec.tupleSize > 1 ? " or " + std::to_string(spec.tupleSize) + " of them" : "");
    case AttrKind::Padding:
        return whole + (spec.tupleSize > 1 ? ", " + std::to_string(spec.tupleSize) + " of them" : "") + ", or one of "
               + choicesText(spec);
    case AttrKind::Shape: return "a list of whole numbers" + rangeText(spec);
    case AttrKind::Numbers: return "a number or nested lists of numbers";
    case AttrKind::Reals: return std::to_string(spec.tupleSize) + " numbers" + rangeText(spec);
    }
    return {};
}

// NaN is in no range and nowhere wanted.
bool inRange(const AttrSpec& spec, double value)
{
    return !std::isnan(value) && (!spec.minimum || value >= *spec.minimum) && (!spec.maximum || value <= *spec.maximum);
}

bool wholeFits(const AttrSpec& spec, const AttrValue& value)
{
    const auto* whole = std::get_if<std::int64_t>(&value);
    return whole != nullptr && inRange(spec, static_cast<double>(*whole));
}

bool realFits(const AttrSpec& spec, const AttrValue& value)
{
    const auto* d = std::get_if<double>(&value);
    return d != nullptr ? inRange(spec, *d) : wholeFits(spec, value);
}

template<typename T>
bool listFits(const AttrSpec& spec, const AttrValue& value, std::optional<std::size_t> length)
{
    const auto* list = std::get_if<std::vector<T>>(&value);
    if (list == nullptr || (length && list->size() != *length))
        return false;
    return std::all_of(list->begin(), list->end(), [&spec](T x) {
        return (spec.noneEntries && x == static_cast<T>(noneEntry)) || inRange(spec, static_cast<double>(x));
    });
}

bool choiceFits(const AttrSpec& spec, const AttrValue& value)
{
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr && std::find(spec.choices.begin(), spec.choices.end(), *text) != spec.choices.end();
}

bool sizesFit(const AttrSpec& spec, const AttrValue& value)
{
    return wholeFits(spec, value) || listFits<std::int64_t>(spec, value, spec.tupleSize);
}

bool fits(const AttrSpec& spec, const AttrValue& value)
{
    if (std::holds_alternative<std::monostate>(value))
        return spec.noneAllowed || spec.fromWire;
    switch (spec.kind) {
    case AttrKind::Size:
    case AttrKind::Integer: return wholeFits(spec, value);
    case AttrKind::Real: return realFits(spec, value);
    case AttrKind::Boolean: return std::holds_alternative<bool>(value);
    case AttrKind::Choice: return choiceFits(spec, value);
    case AttrKind::Sizes: return sizesFit(spec, value);
    case AttrKind::Padding: return sizesFit(spec, value) || choiceFits(spec, value);
    case AttrKind::Shape: return wholeFits(spec, value) || listFits<std::int64_t>(spec, value, std::nullopt);
    case AttrKind::Numbers: return !std::holds_alternative<bool>(value) && !std::holds_alternative<std::string>(value);
    case AttrKind::Reals:
        return listFits<double>(spec, value, spec.tupleSize) || listFits<std::int64_t>(spec, value, spec.tupleSize);
    }
    return false;
}

}  // namespace

std::string expectedText(const AttrSpec& spec)
{
    return kindText(spec) + (spec.noneAllowed || spec.fromWire ? ", or null" : "");
}

void checkValue(const AttrSpec& spec, const AttrValue& value)
{
    if (fits(spec, value))
        return;
    const bool quoted = std::holds_alternative<std::string>(value);
    const std::string found = std::holds_alternative<std::monostate>(value) ? "null" : pythonText(value);
    throw Error(std::string(spec.name) + " must be " + expectedText(spec) + ", not "
                + (quoted ? "'" + found + "'" : found));
}

const AttrSpec* findAttr(std::span<const AttrSpec> specs, std::string_view name)
{
    const auto it = std::find_if(specs.begin(), specs.end(), [name](const AttrSpec& s) { return s.name == name; });
    return it == specs.end() ? nullptr : &*it;
}

Attrs complete(std::string_view owner, std::span<const AttrSpec> specs, const Attrs& given)
{
    for (const auto& [name, value] : given) {
        if (findAttr(specs, name) != nullptr)
            continue;
        std::string names;
        for (const AttrSpec& spec : specs)
            names += (names.empty() ? "" : ", ") + std::string(spec.name);
        throw Error(std::string(owner) + " has no argument " + name
                    + (names.empty() ? "; it takes none" : "; it takes " + names));
    }
    Attrs all;
    for (const AttrSpec& spec : specs) {
        const AttrValue* value = given.find(spec.name);
        if (value == nullptr && spec.required)
            throw Error(std::string(spec.name) + " is missing: it must be " + expectedText(spec));
        if (value != nullptr)
            checkValue(spec, *value);
        all.set(spec.name, value != nullptr ? *value : spec.defaultValue);
    }
    return all;
}

std::string withOwner(std::string_view owner, std::string_view message)
{
    return message.starts_with(owner) ? std::string(message) : std::string(owner) + ": " + std::string(message);
}

NumberArray numbersOf(const AttrValue& value)
{
    if (const auto* array = std::get_if<NumberArray>(&value))
        return *array;
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return {{}, {static_cast<double>(*whole)}};
    if (const auto* number = std::get_if<double>(&value))
        return {{}, {*number}};
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value))
        return {{static_cast<std::int64_t>(list->size())}, {list->begin(), list->end()}};
    if (const auto* list = std::get_if<std::vector<double>>(&value))
        return {{static_cast<std::int64_t>(list->size())}, *list};
    throw Error("expected a number or nested lists of numbers, not " + pythonText(value));
}

}  // namespace megalith::nn
