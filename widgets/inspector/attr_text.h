// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/value.h"
#include "engine/nn/module_def.h"

#include <QString>

#include <optional>

// Arguments as a person types and reads them.
namespace megalith::ui {

// "128", "3, 3", "same", "None", "1, 28, 28"; nested lists as JSON.
QString attrText(const nn::AttrSpec& spec, const Value& value);
QString attrText(const nn::AttrSpec& spec, const AttrValue& value);
// What stands in an empty field: "auto (784)" with the worked-out value, or "auto".
QString autoText(const nn::AttrSpec& spec, const AttrValue* workedOut);

struct ParsedAttr
{
    std::optional<Value> value;  // nothing with an empty error: the default shall hold
    QString error;
};
// Numbers with a decimal point or comma; in lists commas and spaces part. "=width" passes in a composed module's inside.
ParsedAttr parseAttr(const nn::AttrSpec& spec, const QString& text);

// What the spec says of an argument, for a tooltip.
QString attrTip(const nn::AttrSpec& spec);

}  // namespace megalith::ui
