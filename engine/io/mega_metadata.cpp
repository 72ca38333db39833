// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/io/bytes.h"
#include "engine/io/mega_directory.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace megalith::io {

namespace {

// An element costs a byte in the file and a Value in memory.
constexpr std::uint64_t mostElements = std::uint64_t{1} << 24;
constexpr int deepestArray = 16;
constexpr std::size_t trailerSize = 68;

class MetadataReader
{
public:
    MetadataReader(ByteReader& reader, std::string_view shown) : m_reader(reader), m_shown(shown) {}

    std::string key() { return std::string(text("a metadata key")); }
    Value value(std::string_view key) { return value(m_reader.get<std::uint32_t>(), key, 0); }

private:
    std::string_view text(std::string_view what)
    {
        const std::string_view text = m_reader.text(m_reader.get<std::uint64_t>());
        if (!isUtf8(text))
            throw FormatError(std::string(m_shown) + ": " + std::string(what) + " is no UTF-8 text");
        return text;
    }

    Value value(std::uint32_t type, std::string_view key, int depth)
    {
        switch (type) {
        case 0: return std::int64_t{m_reader.get<std::uint8_t>()};
        case 1: return std::int64_t{m_reader.get<std::int8_t>()};
        case 2: return std::int64_t{m_reader.get<std::uint16_t>()};
        case 3: return std::int64_t{m_reader.get<std::int16_t>()};
        case 4: return std::int64_t{m_reader.get<std::uint32_t>()};
        case 5: return std::int64_t{m_reader.get<std::int32_t>()};
        case 6: return unsignedValue(m_reader.get<std::uint64_t>());
        case 7: return m_reader.get<std::int64_t>();
        case 8: return double{m_reader.get<float>()};
        case 9: return m_reader.get<double>();
        case 10: return m_reader.get<std::uint8_t>() != 0;
        case 11: return text("the metadata " + shownName(key));
        case 12: return array(key, depth + 1);
        default:
            throw FormatError(std::string(m_shown) + ": unknown metadata type " + std::to_string(type) + " of "
                              + shownName(key));
        }
    }

    static Value unsignedValue(std::uint64_t number)
    {
        if (number > static_cast<std::uint64_t>(INT64_MAX))
            return static_cast<double>(number);
        return static_cast<std::int64_t>(number);
    }

    Value array(std::string_view key, int depth)
    {
        constexpr std::array<std::size_t, 13> least = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1, 8, 12};
        if (depth > deepestArray)
            throw FormatError(std::string(m_shown) + ": the metadata " + shownName(key) + " is nested deeper than "
                              + std::to_string(deepestArray));
        const auto type = m_reader.get<std::uint32_t>();
        const auto count = m_reader.get<std::uint64_t>();
        if (type < least.size() && count > m_reader.remaining() / least[type])
            throw FormatError(std::string(m_shown) + ": the file ends early, in the metadata " + shownName(key)
                              + ", an array of " + std::to_string(count));
        m_elements += count;
        if (count > mostElements || m_elements > mostElements)
            throw FormatError(std::string(m_shown) + ": the metadata's arrays have more than "
                              + std::to_string(mostElements) + " elements");
        Value::List list;
        list.reserve(static_cast<std::size_t>(count));
        for (std::uint64_t i = 0; i < count; ++i)
            list.push_back(value(type, key, depth));
        return list;
    }

    ByteReader& m_reader;
    std::string_view m_shown;
    std::uint64_t m_elements = 0;
};

struct Trailer
{
    std::uint64_t generation = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t base = 0;
    std::span<const std::byte> digest;
};

std::span<const std::byte> checkedOverlay(std::span<const std::byte> file, const Trailer& trailer,
                                          std::string_view shown)
{
    const auto refuse = [shown](const char* what) {
        throw FormatError(std::string(shown) + ": footer overlay: " + what);
    };
    const std::uint64_t end = file.size() - trailerSize;
    if (trailer.generation == 0)
        refuse("its generation is 0");
    if (trailer.base > trailer.offset || trailer.offset > end || trailer.size > end - trailer.offset
        || trailer.size == 0)
        refuse("its range does not lie inside the file");
    const auto overlay = file.subspan(static_cast<std::size_t>(trailer.offset), static_cast<std::size_t>(trailer.size));
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    EVP_Digest(overlay.data(), overlay.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
    if (std::memcmp(digest.data(), trailer.digest.data(), trailer.digest.size()) != 0)
        refuse("checksum mismatch (SHA-256); the file is damaged");
    return overlay;
}

}  // namespace

const Value* findMetadata(const Metadata& metadata, std::string_view key)
{
    const auto found =
        std::find_if(metadata.begin(), metadata.end(), [key](const auto& item) { return item.first == key; });
    return found == metadata.end() ? nullptr : &found->second;
}

bool isStructuralKey(std::string_view key)
{
    constexpr std::array<std::string_view, 8> keys = {"general.alignment",
                                                      "mega.tensor_info.format",
                                                      "mega.chunk_directory.format",
                                                      "mega.chunk_directory.count",
                                                      "mega.segment_directory.format",
                                                      "mega.segment_directory.count",
                                                      "mega.moe.expert_table.format",
                                                      "mega.moe.expert_table.count"};
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void readMegaMetadata(ByteReader& reader, std::uint64_t count, std::string_view shown, Metadata& metadata)
{
    constexpr std::size_t smallest = 8 + 4 + 1;
    if (count > reader.remaining() / smallest)
        throw FormatError(std::string(shown) + ": it declares " + std::to_string(count)
                          + " metadata entries, an absurd count for what is left of the file: it ends early");
    MetadataReader values(reader, shown);
    std::unordered_set<std::string> keys;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::string key = values.key();
        if (!keys.insert(key).second)
            throw FormatError(std::string(shown) + ": the metadata key " + shownName(key) + " is there twice");
        Value value = values.value(key);
        metadata.emplace_back(std::move(key), std::move(value));
    }
}

std::uint64_t applyMegaFooter(std::span<const std::byte> file, std::string_view shown, Metadata& overlay)
{
    if (file.size() < trailerSize)
        return file.size();
    ByteReader reader(file.last(trailerSize), shown);
    if (reader.get<std::uint32_t>() != megaFooter)
        return file.size();
    Trailer trailer;
    trailer.generation = reader.get<std::uint64_t>();
    trailer.offset = reader.get<std::uint64_t>();
    trailer.size = reader.get<std::uint64_t>();
    trailer.base = reader.get<std::uint64_t>();
    trailer.digest = reader.take(32);

    ByteReader entries(checkedOverlay(file, trailer, shown), shown);
    entries.enter("the footer overlay");
    if (entries.get<std::uint32_t>() != megaFooter)
        throw FormatError(std::string(shown) + ": footer overlay: it does not begin with its magic number");
    readMegaMetadata(entries, entries.get<std::uint64_t>(), shown, overlay);
    if (entries.remaining() != 0)
        throw FormatError(std::string(shown) + ": footer overlay: there are bytes after its last entry");
    for (const auto& [key, value] : overlay)
        if (isStructuralKey(key))
            throw FormatError(std::string(shown) + ": footer overlay: it may not replace " + key);
    return trailer.base;
}

}  // namespace megalith::io
