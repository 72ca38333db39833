// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/idx_reader.h"

#include "engine/core/error.h"
#include "engine/core/file_kind.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace megalith::data {

namespace {

// No deflate stream grows to more than 1,032 times its size.
constexpr std::uint64_t largestRatio = 1032;
constexpr std::size_t largestRank = 8;

// Bytes one after the other, inflated when they are gzip.
class ByteSource
{
public:
    virtual ~ByteSource() = default;
    // Reads up to `size` bytes; fewer only at the end. DataError for a damaged archive.
    virtual std::size_t read(unsigned char* to, std::size_t size) = 0;
    // No file that is this long can hold more.
    virtual std::uint64_t mostBytes() const = 0;
};

class FileSource : public ByteSource
{
public:
    explicit FileSource(const DataFile& file) : m_shown(file.shown), m_size(checkFile(file))
    {
        m_file = gzopen(file.path.c_str(), "rb");
        if (m_file == nullptr)
            throw DataError(fmt::format("{}: cannot be opened: {}", m_shown, std::strerror(errno)));
        gzbuffer(m_file, 1u << 18);
        m_compressed = gzdirect(m_file) == 0;
    }
    ~FileSource() override { gzclose(m_file); }
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;

    std::size_t read(unsigned char* to, std::size_t size) override
    {
        std::size_t done = 0;
        while (done < size) {
            const auto piece = static_cast<unsigned>(std::min<std::size_t>(size - done, 1u << 24));
            const int got = gzread(m_file, to + done, piece);
            int code = Z_OK;
            gzerror(m_file, &code);
            if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
                throw DataError(
                    fmt::format("{}: the gzip archive is {}", m_shown, code == Z_BUF_ERROR ? "cut off" : "damaged"));
            if (got == 0)
                break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }
    std::uint64_t mostBytes() const override { return m_compressed ? m_size * largestRatio : m_size; }

private:
    std::string m_shown;
    std::uint64_t m_size;
    gzFile m_file = nullptr;
    bool m_compressed = false;
};

class MemorySource : public ByteSource
{
public:
    MemorySource(std::span<const unsigned char> bytes, std::string_view shown) : m_shown(shown), m_size(bytes.size())
    {
        m_stream.next_in = const_cast<unsigned char*>(bytes.data());
        m_stream.avail_in = static_cast<unsigned>(bytes.size());
        if (inflateInit2(&m_stream, 15 + 16) != Z_OK)
            throw DataError(fmt::format("{}: cannot be unpacked", shown));
    }
    ~MemorySource() override { inflateEnd(&m_stream); }
    MemorySource(const MemorySource&) = delete;
    MemorySource& operator=(const MemorySource&) = delete;

    std::size_t read(unsigned char* to, std::size_t size) override
    {
        m_stream.next_out = to;
        m_stream.avail_out = static_cast<unsigned>(size);
        const int code = m_end ? Z_STREAM_END : inflate(&m_stream, Z_NO_FLUSH);
        m_end = code == Z_STREAM_END;
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            throw DataError(fmt::format("{}: the gzip archive is damaged", m_shown));
        return size - m_stream.avail_out;
    }
    std::uint64_t mostBytes() const override { return m_size * largestRatio; }

private:
    std::string m_shown;
    std::uint64_t m_size;
    z_stream m_stream{};
    bool m_end = false;
};

struct ElementType
{
    unsigned char code;
    std::string_view tag;
    std::size_t size;
};

constexpr std::array elementTypes = {
    ElementType{0x08, "U8", 1},  ElementType{0x09, "I8", 1},  ElementType{0x0B, "I16", 2},
    ElementType{0x0C, "I32", 4}, ElementType{0x0D, "F32", 4}, ElementType{0x0E, "F64", 8},
};

[[noreturn]] void refuseForeign(std::span<const unsigned char> start, std::string_view shown)
{
    const auto kind = fileKind({reinterpret_cast<const char*>(start.data()), start.size()});
    throw DataError(fmt::format("{}: is not an IDX file{}{}", shown, kind ? " but " : "", kind.value_or("")));
}

std::pair<IdxHeader, ElementType> readHeader(ByteSource& source, std::string_view shown)
{
    std::array<unsigned char, 64> start{};
    const std::size_t magic = source.read(start.data(), 4);
    const auto type = std::find_if(elementTypes.begin(), elementTypes.end(),
                                   [&](const ElementType& candidate) { return candidate.code == start[2]; });
    const std::size_t rank = start[3];
    if (magic < 4 || start[0] != 0 || start[1] != 0 || type == elementTypes.end() || rank == 0 || rank > largestRank) {
        const std::size_t more = magic < 4 ? 0 : source.read(start.data() + 4, start.size() - 4);
        refuseForeign(std::span(start).first(magic + more), shown);
    }
    if (source.read(start.data() + 4, 4 * rank) != 4 * rank)
        throw DataError(fmt::format("{}: the IDX file ends inside its header", shown));

    IdxHeader header{std::string(type->tag), {}};
    std::uint64_t bytes = type->size;
    bool absurd = false;
    for (std::size_t i = 0; i < rank; ++i) {
        const unsigned char* at = start.data() + 4 + 4 * i;
        const std::uint64_t size =
            std::uint64_t{at[0]} << 24 | std::uint64_t{at[1]} << 16 | std::uint64_t{at[2]} << 8 | at[3];
        header.shape.push_back(static_cast<std::int64_t>(size));
        // Zero sizes hide none of the others.
        const std::uint64_t factor = std::max<std::uint64_t>(size, 1);
        absurd = absurd || bytes > source.mostBytes() / factor;
        bytes *= factor;
    }
    if (absurd)
        throw DataError(fmt::format("{}: the header says {} numbers {}, which do not fit into a file of this size",
                                    shown, header.dtype, text(header.shape)));
    return {std::move(header), *type};
}

void swapBytes(std::byte* data, std::size_t count, std::size_t size)
{
    if (size == 1 || std::endian::native == std::endian::big)
        return;
    for (std::size_t i = 0; i < count; ++i)
        std::reverse(data + i * size, data + (i + 1) * size);
}

StateEntry readArray(ByteSource& source, std::string_view shown)
{
    auto [header, type] = readHeader(source, shown);
    const auto count = static_cast<std::size_t>(numel(header.shape));
    const std::size_t bytes = count * type.size;
    checkMemory(bytes, shown);
    const std::shared_ptr<std::byte> data(new std::byte[std::max<std::size_t>(bytes, 1)],
                                          std::default_delete<std::byte[]>());
    const std::size_t got = source.read(reinterpret_cast<unsigned char*>(data.get()), bytes);
    if (got != bytes)
        throw DataError(fmt::format("{}: the header says {} bytes of numbers, but the file has {}", shown, bytes, got));
    unsigned char more = 0;
    if (source.read(&more, 1) != 0)
        throw DataError(
            fmt::format("{}: the file goes on after the {} bytes of numbers that its header says", shown, bytes));
    swapBytes(data.get(), count, type.size);
    return {std::move(header.dtype), std::move(header.shape), data, bytes};
}

}  // namespace

StateEntry readIdx(const DataFile& file)
{
    FileSource source(file);
    return readArray(source, file.shown);
}

StateEntry parseIdx(std::span<const unsigned char> bytes, std::string_view shown)
{
    MemorySource source(bytes, shown);
    return readArray(source, shown);
}

IdxHeader readIdxHeader(const DataFile& file)
{
    FileSource source(file);
    return readHeader(source, file.shown).first;
}

}  // namespace megalith::data
