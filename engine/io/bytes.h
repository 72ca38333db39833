// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/error.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace megalith::io {

static_assert(std::endian::native == std::endian::little, "files are little-endian and are read as they lie");

// Walks over bytes; never past their end. `shown` and `part` make the message: "x.mega: the file ends early, in the metadata".
class ByteReader
{
public:
    ByteReader(std::span<const std::byte> bytes, std::string_view shown) : m_bytes(bytes), m_shown(shown) {}

    void enter(std::string_view part) { m_part = part; }
    std::size_t position() const { return m_position; }
    std::size_t remaining() const { return m_bytes.size() - m_position; }

    std::span<const std::byte> take(std::uint64_t n)
    {
        if (n > remaining())
            throw FormatError(std::string(m_shown) + ": the file ends early, in " + std::string(m_part));
        const auto part = m_bytes.subspan(m_position, static_cast<std::size_t>(n));
        m_position += part.size();
        return part;
    }
    template<typename T>
    T get()
    {
        T value{};
        std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
        return value;
    }
    std::string_view text(std::uint64_t n)
    {
        const auto part = take(n);
        return {reinterpret_cast<const char*>(part.data()), part.size()};
    }

private:
    std::span<const std::byte> m_bytes;
    std::string_view m_shown;
    std::string_view m_part = "the header";
    std::size_t m_position = 0;
};

template<typename T>
void appendBytes(std::string& out, T value)
{
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    out.append(raw, sizeof(T));
}

// Strict: no overlong forms, no surrogates.
bool isUtf8(std::string_view text);
// A name from a file for a message: in one line, cut to a readable length.
std::string shownName(std::string_view name);
// "1.5 GB"
std::string sizeText(std::uint64_t bytes);

}  // namespace megalith::io
