// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace megalith {

namespace {

template<typename T>
std::string shortest(T value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    std::array<char, 40> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), result.ptr};
}

template<typename T>
std::optional<T> parse(std::string_view text)
{
    T value{};
    if (!text.empty() && text.front() == '+')
        text.remove_prefix(1);
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size())
        return std::nullopt;
    return value;
}

}  // namespace

std::string shortestText(double value)
{
    return shortest(value);
}

std::string shortestText(float value)
{
    return shortest(value);
}

std::string pythonNumber(double value)
{
    if (!std::isfinite(value))
        return shortest(value);
    const double magnitude = std::abs(value);
    const bool scientific = magnitude != 0.0 && (magnitude < 1e-4 || magnitude >= 1e16);
    std::array<char, 400> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                      scientific ? std::chars_format::scientific : std::chars_format::fixed);
    std::string out(buffer.data(), result.ptr);
    if (!scientific && out.find('.') == std::string::npos)
        out += ".0";
    return out;
}

std::optional<double> parseNumber(std::string_view text)
{
    return parse<double>(text);
}

std::optional<std::int64_t> parseInteger(std::string_view text)
{
    return parse<std::int64_t>(text);
}

std::string withThousands(std::int64_t value)
{
    std::string out = std::to_string(value);
    const std::size_t first = value < 0 ? 1 : 0;
    for (std::size_t i = out.size(); i > first + 3; i -= 3)
        out.insert(i - 3, ",");
    return out;
}

}  // namespace megalith
