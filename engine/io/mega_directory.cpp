// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/mega_directory.h"

#include "engine/core/error.h"
#include "engine/core/state_dict.h"
#include "engine/io/bytes.h"
#include "engine/io/foreign_file.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace megalith::io {

namespace {

constexpr std::size_t chunkRecordSize = 88;
constexpr std::size_t segmentRecordSize = 72;
constexpr std::size_t expertRecordSize = 32;
constexpr std::size_t smallestTensorRecord = 4 + 4 + 4 + 4 + 8;
constexpr std::uint32_t knownDirectoryFlags = 0x3F;
constexpr std::uint32_t mostDimensions = 64;

class DirectoryParser
{
public:
    DirectoryParser(std::span<const std::byte> file, std::string_view shown)
        : m_file(file)
        , m_shown(shown)
        , m_reader(file, shown)
    {}

    MegaDirectory parse();

private:
    [[noreturn]] void refuse(const std::string& what) const { throw FormatError(std::string(m_shown) + ": " + what); }
    [[noreturn]] void refuseTensor(std::string_view name, const std::string& what) const
    {
        refuse("tensor " + shownName(name) + ": " + what);
    }

    void readTensors(std::uint64_t count);
    MegaRecord readTensor();
    void readShape(MegaRecord& record);
    std::uint64_t logicalSize(const MegaRecord& record) const;
    void readOptionalFields(MegaRecord& record, std::uint32_t flags);
    void checkStored(const MegaRecord& record, const MegaStored& stored) const;
    std::uint64_t directoryCount(const std::string& prefix) const;
    std::uint64_t wholeNumber(std::string_view key, std::uint64_t otherwise) const;
    void readChunks(std::uint64_t count);
    void assignChunks();
    void checkCover(const MegaRecord& record) const;
    void stepOver(std::uint64_t count, std::size_t recordSize, std::string_view what);
    void applyOverlay(Metadata overlay);
    void findHeaderLength();
    void checkRange(std::string_view name, const MegaStored& stored) const;
    void checkRanges() const;

    std::span<const std::byte> m_file;
    std::string_view m_shown;
    ByteReader m_reader;
    MegaDirectory m_directory;
};

MegaDirectory DirectoryParser::parse()
{
    refuseForeignFile(m_file, m_shown);
    m_reader.take(4);
    const auto version = m_reader.get<std::uint32_t>();
    if (version != 1)
        refuse("it has version " + std::to_string(version) + " of the .mega format; version 1 can be read");
    Metadata overlay;
    m_directory.size = applyMegaFooter(m_file, m_shown, overlay);
    m_reader = ByteReader(m_file.first(static_cast<std::size_t>(m_directory.size)), m_shown);
    m_reader.take(8);
    const auto tensorCount = m_reader.get<std::uint64_t>();
    const auto metadataCount = m_reader.get<std::uint64_t>();

    m_reader.enter("the metadata");
    readMegaMetadata(m_reader, metadataCount, m_shown, m_directory.metadata);
    m_reader.enter("the tensor directory");
    readTensors(tensorCount);
    m_reader.enter("the chunk directory");
    readChunks(directoryCount("mega.chunk_directory"));
    assignChunks();
    stepOver(directoryCount("mega.segment_directory"), segmentRecordSize, "the segment directory");
    stepOver(directoryCount("mega.moe.expert_table"), expertRecordSize, "the expert table");
    findHeaderLength();
    checkRanges();
    applyOverlay(std::move(overlay));
    return std::move(m_directory);
}

void DirectoryParser::readTensors(std::uint64_t count)
{
    if (count > m_reader.remaining() / smallestTensorRecord)
        refuse("it declares " + std::to_string(count)
               + " tensors, an absurd count for what is left of the file: it ends early");
    std::unordered_set<std::string_view> names;
    m_directory.records.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        m_directory.records.push_back(readTensor());
        if (!names.insert(m_directory.records.back().name).second)
            refuse("the tensor name " + shownName(m_directory.records.back().name) + " is there twice");
    }
}

MegaRecord DirectoryParser::readTensor()
{
    MegaRecord record;
    record.name = m_reader.text(m_reader.get<std::uint32_t>());
    if (!isUtf8(record.name))
        refuse("the tensor name " + shownName(record.name) + " is no UTF-8 text");
    const auto flags = m_reader.get<std::uint32_t>();
    if ((flags & ~knownDirectoryFlags) != 0)
        refuseTensor(record.name, "unknown directory flags " + std::to_string(flags));
    readShape(record);
    record.dtype = m_reader.text(m_reader.get<std::uint32_t>());
    if (record.dtype != "F4" && !itemSizeOfTag(record.dtype))
        refuseTensor(record.name, "unknown dtype " + shownName(record.dtype));
    record.stored.logicalSize = logicalSize(record);
    record.stored.size = record.stored.logicalSize;
    record.stored.offset = m_reader.get<std::uint64_t>();
    readOptionalFields(record, flags);
    if (!record.chunked)
        checkStored(record, record.stored);
    return record;
}

void DirectoryParser::readShape(MegaRecord& record)
{
    const auto rank = m_reader.get<std::uint32_t>();
    if (rank > mostDimensions)
        refuseTensor(record.name, "it has " + std::to_string(rank) + " dimensions; at most "
                                      + std::to_string(mostDimensions) + " can be read");
    record.shape.resize(rank);
    for (std::size_t i = rank; i-- > 0;) {
        const auto size = m_reader.get<std::uint64_t>();
        if (size > static_cast<std::uint64_t>(INT64_MAX))
            refuseTensor(record.name, "size overflow: a dimension of " + std::to_string(size));
        record.shape[i] = static_cast<std::int64_t>(size);
    }
}

std::uint64_t DirectoryParser::logicalSize(const MegaRecord& record) const
{
    // A size of 0 does not hide an overflow of the others: strides are made of them.
    std::uint64_t elements = 1;
    bool empty = false;
    for (const std::int64_t size : record.shape) {
        empty = empty || size == 0;
        const auto factor = static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1));
        if (elements > static_cast<std::uint64_t>(INT64_MAX) / 8 / factor)
            refuseTensor(record.name,
                         "size overflow: " + text(record.shape) + " has more bytes than 63 bits can count");
        elements *= factor;
    }
    if (empty)
        return 0;
    return record.dtype == "F4" ? (elements + 1) / 2 : elements * *itemSizeOfTag(record.dtype);
}

void DirectoryParser::readOptionalFields(MegaRecord& record, std::uint32_t flags)
{
    if ((flags & 1) != 0) {
        const std::string_view format = m_reader.text(m_reader.get<std::uint32_t>());
        record.chunked = format == "chunked_raw_dense";
        if (!record.chunked && format != "raw_dense")
            refuseTensor(record.name, "unknown storage format " + shownName(format));
    }
    if ((flags & 2) != 0)
        record.stored.size = m_reader.get<std::uint64_t>();
    if ((flags & 4) != 0)
        record.stored.flags = m_reader.get<std::uint32_t>();
    if ((flags & 8) != 0)
        record.stored.codec = m_reader.get<std::uint32_t>();
    if ((flags & 16) != 0)
        record.shuffleSize = m_reader.get<std::uint32_t>();
    if ((flags & 32) != 0) {
        record.stored.checksumType = m_reader.get<std::uint32_t>();
        std::ranges::copy(m_reader.take(32), record.stored.checksum.begin());
    }
}

void DirectoryParser::checkStored(const MegaRecord& record, const MegaStored& stored) const
{
    if ((stored.flags & ~std::uint32_t{megaCompressed | megaShuffled}) != 0)
        refuseTensor(record.name, "unknown tensor flags " + std::to_string(stored.flags));
    if (stored.codec > 1)
        refuseTensor(record.name, "unknown codec " + std::to_string(stored.codec));
    if (stored.compressed() && stored.codec == 0)
        refuseTensor(record.name, "it is flagged as compressed but names no codec");
    if (!stored.compressed() && stored.codec != 0)
        refuseTensor(record.name, "it names a codec but is not flagged as compressed");
    if (!stored.compressed() && stored.size != stored.logicalSize)
        refuseTensor(record.name, std::to_string(stored.size) + " stored bytes where its shape and dtype need "
                                      + std::to_string(stored.logicalSize));
    if (stored.shuffled() && record.shuffleSize == 0)
        refuseTensor(record.name, "it is byte-shuffled with a shuffle size of 0");
    if (stored.shuffled() && stored.logicalSize % record.shuffleSize != 0)
        refuseTensor(record.name, "its shuffle size " + std::to_string(record.shuffleSize) + " is no divisor of its "
                                      + std::to_string(stored.logicalSize) + " bytes");
    if (stored.checksumType > megaSha256)
        refuseTensor(record.name, "unknown checksum type " + std::to_string(stored.checksumType));
    if (stored.checksumType == megaNoChecksum
        && std::ranges::any_of(stored.checksum, [](std::byte b) { return b != std::byte{0}; }))
        refuseTensor(record.name, "it has a checksum but no checksum type");
}

std::uint64_t DirectoryParser::wholeNumber(std::string_view key, std::uint64_t otherwise) const
{
    const Value* value = findMetadata(m_directory.metadata, key);
    if (value == nullptr)
        return otherwise;
    if (!value->isInteger() || value->integer() < 0)
        refuse(std::string(key) + " is no whole number that is 0 or more");
    return static_cast<std::uint64_t>(value->integer());
}

std::uint64_t DirectoryParser::directoryCount(const std::string& prefix) const
{
    const Value* format = findMetadata(m_directory.metadata, prefix + ".format");
    const bool known = format != nullptr && format->isString() && format->string() == "v1";
    const Value* count = findMetadata(m_directory.metadata, prefix + ".count");
    if (!known && (format != nullptr || count != nullptr))
        refuse(prefix + ".format is not v1");
    return wholeNumber(prefix + ".count", 0);
}

void DirectoryParser::readChunks(std::uint64_t count)
{
    if (count > m_reader.remaining() / chunkRecordSize)
        refuse("it declares " + std::to_string(count)
               + " chunks, an absurd count for what is left of the file: it ends early");
    m_directory.chunks.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        MegaChunk chunk;
        chunk.tensor = m_reader.get<std::uint32_t>();
        m_reader.get<std::uint32_t>();  // the chunk's own number
        chunk.logicalOffset = m_reader.get<std::uint64_t>();
        chunk.stored.logicalSize = m_reader.get<std::uint64_t>();
        chunk.stored.offset = m_reader.get<std::uint64_t>();
        chunk.stored.size = m_reader.get<std::uint64_t>();
        chunk.stored.codec = m_reader.get<std::uint32_t>();
        chunk.stored.flags = m_reader.get<std::uint32_t>();
        chunk.stored.checksumType = m_reader.get<std::uint32_t>();
        m_reader.get<std::uint32_t>();  // reserved
        std::ranges::copy(m_reader.take(32), chunk.stored.checksum.begin());
        if (chunk.tensor >= m_directory.records.size())
            refuse("chunk " + std::to_string(i) + " belongs to tensor number " + std::to_string(chunk.tensor)
                   + "; the file has " + std::to_string(m_directory.records.size()) + " tensors");
        const MegaRecord& record = m_directory.records[chunk.tensor];
        if (!record.chunked)
            refuseTensor(record.name, "it has a chunk but is not stored in chunks");
        checkStored(record, chunk.stored);
        m_directory.chunks.push_back(chunk);
    }
}

void DirectoryParser::assignChunks()
{
    auto& chunks = m_directory.chunks;
    std::ranges::sort(chunks, {}, [](const MegaChunk& c) {
        return std::tuple(c.tensor, c.logicalOffset, c.stored.logicalSize, c.stored.offset);
    });
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        MegaRecord& record = m_directory.records[chunks[i].tensor];
        if (record.chunkCount++ == 0)
            record.firstChunk = i;
    }
    for (const MegaRecord& record : m_directory.records)
        if (record.chunked)
            checkCover(record);
}

void DirectoryParser::checkCover(const MegaRecord& record) const
{
    if (record.chunkCount == 0 && record.stored.logicalSize > 0)
        refuseTensor(record.name, "it is stored in chunks but has none");
    std::uint64_t covered = 0;
    for (std::size_t i = 0; i < record.chunkCount; ++i) {
        const MegaChunk& chunk = m_directory.chunks[record.firstChunk + i];
        if (chunk.logicalOffset != covered)
            refuseTensor(record.name, std::string("its chunks ")
                                          + (chunk.logicalOffset > covered ? "leave a gap" : "overlap") + " at byte "
                                          + std::to_string(std::min(covered, chunk.logicalOffset)));
        if (chunk.stored.logicalSize > record.stored.logicalSize - covered)
            refuseTensor(record.name, "its chunks have more bytes than the tensor");
        covered += chunk.stored.logicalSize;
    }
    if (covered != record.stored.logicalSize)
        refuseTensor(record.name, "its chunks leave a gap at byte " + std::to_string(covered));
}

void DirectoryParser::stepOver(std::uint64_t count, std::size_t recordSize, std::string_view what)
{
    m_reader.enter(what);
    if (count > m_reader.remaining() / recordSize)
        refuse("the file ends early, in " + std::string(what) + " of " + std::to_string(count) + " records");
    m_reader.take(count * recordSize);
}

void DirectoryParser::findHeaderLength()
{
    const std::uint64_t alignment = wholeNumber("general.alignment", 32);
    if (alignment == 0)
        refuse("alignment 0 (general.alignment)");
    const std::uint64_t used = m_reader.position();
    const std::uint64_t padding = (alignment - used % alignment) % alignment;
    if (padding > m_directory.size - used)
        refuse("the file ends early, in the padding before the payload (alignment " + std::to_string(alignment) + ")");
    m_directory.headerLength = used + padding;
}

void DirectoryParser::checkRange(std::string_view name, const MegaStored& stored) const
{
    const std::uint64_t room = m_directory.size - m_directory.headerLength;
    if (stored.size > 0 && (stored.offset > room || stored.size > room - stored.offset))
        refuseTensor(name, "payload outside the file: " + std::to_string(stored.size) + " bytes at "
                               + std::to_string(stored.offset) + ", the file ends early, after "
                               + std::to_string(room));
}

void DirectoryParser::checkRanges() const
{
    struct Range
    {
        std::uint64_t begin;
        std::uint64_t end;
        std::size_t tensor;
    };
    std::vector<Range> ranges;
    const auto add = [&ranges](const MegaStored& stored, std::size_t tensor) {
        if (stored.size > 0)
            ranges.push_back({stored.offset, stored.offset + stored.size, tensor});
    };
    for (std::size_t i = 0; i < m_directory.records.size(); ++i) {
        checkRange(m_directory.records[i].name, m_directory.records[i].stored);
        if (!m_directory.records[i].chunked)
            add(m_directory.records[i].stored, i);
    }
    for (const MegaChunk& chunk : m_directory.chunks) {
        checkRange(m_directory.records[chunk.tensor].name, chunk.stored);
        add(chunk.stored, chunk.tensor);
    }
    std::ranges::sort(ranges, {}, [](const Range& r) { return std::pair(r.begin, r.end); });
    for (std::size_t i = 1; i < ranges.size(); ++i)
        if (ranges[i].begin < ranges[i - 1].end)
            refuse("the payloads of the tensors " + shownName(m_directory.records[ranges[i - 1].tensor].name) + " and "
                   + shownName(m_directory.records[ranges[i].tensor].name) + " overlap");
}

void DirectoryParser::applyOverlay(Metadata overlay)
{
    if (overlay.empty())
        return;
    std::unordered_map<std::string_view, std::size_t> places;
    m_directory.metadata.reserve(m_directory.metadata.size() + overlay.size());
    for (std::size_t i = 0; i < m_directory.metadata.size(); ++i)
        places.emplace(m_directory.metadata[i].first, i);
    for (auto& [key, value] : overlay) {
        const auto found = places.find(key);
        if (found != places.end())
            m_directory.metadata[found->second].second = std::move(value);
        else
            m_directory.metadata.emplace_back(std::move(key), std::move(value));
    }
}

}  // namespace

MegaDirectory parseMegaDirectory(std::span<const std::byte> file, std::string_view shown)
{
    return DirectoryParser(file, shown).parse();
}

}  // namespace megalith::io
