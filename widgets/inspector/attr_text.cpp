// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/attr_text.h"

#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/core/number_text.h"
#include "widgets/text.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace megalith::ui {

namespace {

QString attributeTr(const char* text, int n = -1)
{
    return QCoreApplication::translate("Attribute", text, nullptr, n);
}

bool isList(nn::AttrKind kind)
{
    return kind == nn::AttrKind::Sizes || kind == nn::AttrKind::Padding || kind == nn::AttrKind::Shape
           || kind == nn::AttrKind::Reals;
}

QString rangeText(const nn::AttrSpec& spec)
{
    const auto number = [](double value) { return qs(shortestText(value)); };
    const bool size = spec.kind == nn::AttrKind::Size;
    const std::optional<double> least = spec.minimum ? spec.minimum : size ? std::optional<double>(1.0) : std::nullopt;
    if (least && spec.maximum)
        return attributeTr("%1 to %2").arg(number(*least), number(*spec.maximum));
    if (least)
        return attributeTr("%1 or more").arg(number(*least));
    return spec.maximum ? attributeTr("at most %1").arg(number(*spec.maximum)) : QString();
}

QString rangeError(const nn::AttrSpec& spec, double value)
{
    const bool counts = spec.kind == nn::AttrKind::Size;
    const double least = spec.minimum.value_or(counts ? 1.0 : -1e308);
    if (value >= least && (!spec.maximum || value <= *spec.maximum))
        return {};
    return attributeTr("%1 has to be %2").arg(qs(spec.name), rangeText(spec));
}

ParsedAttr wrong(const nn::AttrSpec& spec, const char* what)
{
    return {std::nullopt, attributeTr("%1 has to be %2").arg(qs(spec.name), attributeTr(what))};
}

ParsedAttr parseNumberAttr(const nn::AttrSpec& spec, const QString& text)
{
    for (const std::string_view choice : spec.choices)
        if (text.compare(qs(choice), Qt::CaseInsensitive) == 0)
            return {Value(choice), {}};
    const bool whole = spec.kind != nn::AttrKind::Real;
    const std::optional<std::int64_t> integer = parseInteger(ss(text));
    const std::optional<double> real = readNumber(text);
    if (whole ? !integer : !real || !std::isfinite(*real))
        return wrong(spec, whole ? QT_TRANSLATE_NOOP("Attribute", "a whole number")
                                 : QT_TRANSLATE_NOOP("Attribute", "a number"));
    if (const QString error = rangeError(spec, integer ? static_cast<double>(*integer) : *real); !error.isEmpty())
        return {std::nullopt, error};
    return integer ? ParsedAttr{Value(*integer), {}} : ParsedAttr{Value(*real), {}};
}

ParsedAttr parseListAttr(const nn::AttrSpec& spec, QString text)
{
    for (const std::string_view choice : spec.choices)
        if (text.compare(qs(choice), Qt::CaseInsensitive) == 0)
            return {Value(choice), {}};
    text.remove(QRegularExpression(QStringLiteral("[\\[\\]()]")));
    const QStringList parts = text.split(QRegularExpression(QStringLiteral("[,;\\sx\u00D7]+")), Qt::SkipEmptyParts);
    Value::List list;
    for (const QString& part : parts) {
        if (spec.noneEntries && part.compare(QStringLiteral("None"), Qt::CaseInsensitive) == 0) {
            list.emplace_back();
            continue;
        }
        const std::optional<std::int64_t> integer = parseInteger(ss(part));
        const std::optional<double> real = parseNumber(ss(part));
        if (spec.kind == nn::AttrKind::Reals ? !real : !integer)
            return wrong(spec, QT_TRANSLATE_NOOP("Attribute", "whole numbers, parted by commas"));
        if (spec.kind != nn::AttrKind::Shape)
            if (const QString error = rangeError(spec, *real); !error.isEmpty())
                return {std::nullopt, error};
        list.push_back(integer ? Value(*integer) : Value(*real));
    }
    const bool oneForAll = list.size() == 1 && spec.kind != nn::AttrKind::Shape && spec.kind != nn::AttrKind::Reals;
    if (oneForAll)
        return {list.front(), {}};
    if (spec.kind != nn::AttrKind::Shape && list.size() != spec.tupleSize)
        return {
            std::nullopt,
            attributeTr("%1 takes one number or %2, not %3").arg(qs(spec.name)).arg(spec.tupleSize).arg(list.size())};
    return {Value(std::move(list)), {}};
}

ParsedAttr parseNumbersAttr(const nn::AttrSpec& spec, const QString& text)
{
    try {
        return {parseJson(ss(text)), {}};
    } catch (const Error& error) {
        return {
            std::nullopt,
            attributeTr("%1 has to be a number or nested lists of numbers: %2").arg(qs(spec.name), qs(error.what()))};
    }
}

}  // namespace

QString attrText(const nn::AttrSpec& spec, const Value& value)
{
    if (value.isNull())
        return spec.noneAllowed ? QStringLiteral("None") : QString();
    if (value.isString())
        return qs(value.string());
    if (value.isList() && isList(spec.kind)) {
        QStringList parts;
        for (const Value& entry : value.list())
            parts << (entry.isNull() ? QStringLiteral("None") : qs(writeJson(entry)));
        return parts.join(QStringLiteral(", "));
    }
    if (value.isBool())
        return value.boolean() ? QStringLiteral("True") : QStringLiteral("False");
    return qs(writeJson(value));
}

QString attrText(const nn::AttrSpec& spec, const AttrValue& value)
{
    if (std::holds_alternative<std::monostate>(value))
        return spec.noneAllowed ? QStringLiteral("None") : QString();
    if (const auto* text = std::get_if<std::string>(&value))
        return qs(*text);
    if (const auto* number = std::get_if<double>(&value))
        return qs(shortestText(*number));
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
        QStringList parts;
        for (const std::int64_t entry : *list)
            parts << (spec.noneEntries && entry == nn::noneEntry ? QStringLiteral("None") : QString::number(entry));
        return parts.join(QStringLiteral(", "));
    }
    QString text = qs(pythonText(value));
    return text.remove(QLatin1Char('(')).remove(QLatin1Char(')'));
}

QString autoText(const nn::AttrSpec& spec, const AttrValue* workedOut)
{
    const QString value = workedOut ? attrText(spec, *workedOut) : QString();
    return value.isEmpty() || value == QLatin1String("None") ? attributeTr("auto")
                                                             : attributeTr("auto (%1)").arg(value);
}

ParsedAttr parseAttr(const nn::AttrSpec& spec, const QString& given)
{
    const QString text = given.trimmed();
    if (text.isEmpty())
        return spec.required && spec.kind != nn::AttrKind::Shape
                   ? ParsedAttr{std::nullopt, attributeTr("%1 has no default: it needs a value").arg(qs(spec.name))}
               : spec.required ? ParsedAttr{Value(Value::List{}), {}}
                               : ParsedAttr{};
    if (text.startsWith(QLatin1Char('=')))
        return {Value(ss(text)), {}};
    if (spec.noneAllowed && text.compare(QStringLiteral("None"), Qt::CaseInsensitive) == 0)
        return {Value(), {}};
    switch (spec.kind) {
    case nn::AttrKind::Size:
    case nn::AttrKind::Integer:
    case nn::AttrKind::Real: return parseNumberAttr(spec, text);
    case nn::AttrKind::Boolean:
        if (text.compare(QStringLiteral("true"), Qt::CaseInsensitive) == 0)
            return {Value(true), {}};
        if (text.compare(QStringLiteral("false"), Qt::CaseInsensitive) == 0)
            return {Value(false), {}};
        return wrong(spec, QT_TRANSLATE_NOOP("Attribute", "True or False"));
    case nn::AttrKind::Choice:
        if (std::find(spec.choices.begin(), spec.choices.end(), ss(text)) != spec.choices.end())
            return {Value(ss(text)), {}};
        return wrong(spec, QT_TRANSLATE_NOOP("Attribute", "one of the names offered"));
    case nn::AttrKind::Sizes:
    case nn::AttrKind::Padding:
    case nn::AttrKind::Shape:
    case nn::AttrKind::Reals: return parseListAttr(spec, text);
    case nn::AttrKind::Numbers: return parseNumbersAttr(spec, text);
    }
    return {};
}

QString attrTip(const nn::AttrSpec& spec)
{
    QString tip = QStringLiteral("%1: %2").arg(qs(spec.name), qs(spec.doc));
    if (const QString range = rangeText(spec); !range.isEmpty())
        tip += QStringLiteral("\n") + range;
    if (spec.fromWire)
        tip += QStringLiteral("\n") + attributeTr("Empty: worked out from the wires");
    else if (!spec.required)
        tip += QStringLiteral("\n") + attributeTr("Default: %1").arg(attrText(spec, spec.defaultValue));
    return tip;
}

}  // namespace megalith::ui
