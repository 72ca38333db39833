// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace megalith {

// The shortest text that reads back to the same number, whatever the locale ("0.001", "1e-05", "nan", "inf", "-inf").
std::string shortestText(double value);
std::string shortestText(float value);
// As Python's repr: "1.0", "0.001", "1e-05".
std::string pythonNumber(double value);
// Whole text or nothing; a decimal point, never a comma; "nan", "inf" and "-inf" are numbers.
std::optional<double> parseNumber(std::string_view text);
std::optional<std::int64_t> parseInteger(std::string_view text);
// "1,234,567"
std::string withThousands(std::int64_t value);

}  // namespace megalith
