// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/value.h"

#include <string>
#include <string_view>

namespace megalith {

// Strict JSON (RFC 8259). FormatError with line and column; nesting deeper than 200, a key twice in one object and a number
// that no double holds are errors too. A whole number outside 64 bits becomes a double.
Value parseJson(std::string_view text);

// One line, ", " and ": " between: {"a": 1, "b": [1, 2.5]}. Whole doubles are written without ".0", others shortest; a
// non-finite number is the text "nan", "inf" or "-inf". UTF-8 stays as it is.
std::string writeJson(const Value& value);
// A text in quotes, escaped.
std::string jsonString(std::string_view text);
// A number as writeJson writes it.
std::string jsonNumber(double value);

}  // namespace megalith
