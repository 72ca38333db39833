// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/bytes.h"

#include <fmt/format.h>

#include <array>

namespace megalith::io {

namespace {

// Bytes of the code point that starts here; 0 when none does. The ranges of table 3-7 of the Unicode standard.
std::size_t codePointLength(std::string_view text)
{
    const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80)
        return 1;
    const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (length == 0 || text.size() < length)
        return 0;
    const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (byte(1) < low || byte(1) > high)
        return 0;
    for (std::size_t i = 2; i < length; ++i)
        if (byte(i) < 0x80 || byte(i) > 0xBF)
            return 0;
    return length;
}

}  // namespace

bool isUtf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = codePointLength(text);
        if (length == 0)
            return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string shownName(std::string_view name)
{
    constexpr std::size_t longest = 120;
    std::string out;
    while (!name.empty() && out.size() < longest) {
        const std::size_t length = codePointLength(name);
        const auto first = static_cast<unsigned char>(name[0]);
        if (length == 0 || first < 0x20 || first == 0x7F)
            out += fmt::format("\\x{:02x}", first);
        else
            out += name.substr(0, length);
        name.remove_prefix(length == 0 ? 1 : length);
    }
    return name.empty() ? out : out + "...";
}

std::string sizeText(std::uint64_t bytes)
{
    constexpr std::array<const char*, 7> units = {"bytes", "KB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1000)
        return fmt::format("{} bytes", bytes);
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1000.0 && unit + 1 < units.size(); ++unit)
        value /= 1000.0;
    return fmt::format("{:.3g} {}", value, units[unit]);
}

}  // namespace megalith::io
