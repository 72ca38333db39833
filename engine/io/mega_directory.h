// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/shape.h"
#include "engine/io/mega.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The head of a .mega file, read and checked; what the reader alone uses.

namespace megalith::io {

constexpr std::uint32_t megaMagic = 0x4147454D;   // "MEGA"
constexpr std::uint32_t megaFooter = 0x4654474D;  // "MGTF"

enum MegaTensorFlag : std::uint32_t { megaCompressed = 1, megaShuffled = 2 };
enum MegaChecksum : std::uint32_t { megaNoChecksum = 0, megaCrc32 = 1, megaSha256 = 2 };

// How bytes lie in the file: of a whole tensor or of one chunk.
struct MegaStored
{
    std::uint64_t offset = 0;  // from the header's length
    std::uint64_t size = 0;
    std::uint64_t logicalSize = 0;
    std::uint32_t flags = 0;
    std::uint32_t codec = 0;
    std::uint32_t checksumType = megaNoChecksum;
    std::array<std::byte, 32> checksum{};

    bool compressed() const { return (flags & megaCompressed) != 0; }
    bool shuffled() const { return (flags & megaShuffled) != 0; }
};

struct MegaChunk
{
    std::uint32_t tensor = 0;
    std::uint64_t logicalOffset = 0;
    MegaStored stored;
};

struct MegaRecord
{
    std::string name;
    std::string dtype;
    Shape shape;
    MegaStored stored;
    std::uint32_t shuffleSize = 0;
    bool chunked = false;
    std::size_t firstChunk = 0;  // of a chunked tensor, in MegaDirectory::chunks
    std::size_t chunkCount = 0;
};

struct MegaDirectory
{
    std::vector<MegaRecord> records;
    std::vector<MegaChunk> chunks;  // by tensor, then by logical offset
    Metadata metadata;              // the footer's overlay applied
    std::uint64_t headerLength = 0;
    std::uint64_t size = 0;  // of the file proper, without a footer
};

// Keys that describe the file's own layout: an overlay may not change them and a writer sets them itself.
bool isStructuralKey(std::string_view key);

// Everything that can be checked without touching the payload is checked: after this every range lies inside the file, none
// overlap, every chunked tensor is covered. FormatError begins with `shown`.
MegaDirectory parseMegaDirectory(std::span<const std::byte> file, std::string_view shown);

// One metadata entry or many, from any place of the file. Appends to `metadata`; a key twice is an error.
class ByteReader;
void readMegaMetadata(ByteReader& reader, std::uint64_t count, std::string_view shown, Metadata& metadata);
// The footer's entries replace or are added. Returns the size of the file proper.
std::uint64_t applyMegaFooter(std::span<const std::byte> file, std::string_view shown, Metadata& overlay);

// The stored bytes' checksum, then decompression and unshuffling into `out`, which has logicalSize bytes.
// `tensor` and `shown` name them in FormatError.
struct MegaPayloadNames
{
    std::string_view shown;
    std::string_view tensor;
};
void verifyMegaChecksum(const MegaStored& stored, std::span<const std::byte> bytes, const MegaPayloadNames& names);
void decodeMegaPayload(const MegaStored& stored, std::uint32_t shuffleSize, std::span<const std::byte> bytes,
                       std::span<std::byte> out, const MegaPayloadNames& names);

}  // namespace megalith::io
