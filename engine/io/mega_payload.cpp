// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/io/bytes.h"
#include "engine/io/mega_directory.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <array>
#include <vector>

namespace megalith::io {

namespace {

[[noreturn]] void refuse(const MegaPayloadNames& names, const std::string& what)
{
    throw FormatError(std::string(names.shown) + ": tensor " + shownName(names.tensor) + ": " + what);
}

void decompress(std::span<const std::byte> in, std::span<std::byte> out, const MegaPayloadNames& names)
{
    const unsigned long long declared = ZSTD_getFrameContentSize(in.data(), in.size());
    const bool tooLarge =
        declared != ZSTD_CONTENTSIZE_UNKNOWN && declared != ZSTD_CONTENTSIZE_ERROR && declared > out.size();
    const std::size_t got = tooLarge ? 0 : ZSTD_decompress(out.data(), out.size(), in.data(), in.size());
    if (tooLarge || (ZSTD_isError(got) != 0 && ZSTD_getErrorCode(got) == ZSTD_error_dstSize_tooSmall))
        refuse(names, fmt::format("its zstd data decompresses to more than the tensor holds ({} bytes)", out.size()));
    if (ZSTD_isError(got) != 0)
        refuse(names, fmt::format("its zstd data is damaged ({})", ZSTD_getErrorName(got)));
    if (got != out.size())
        refuse(names, fmt::format("its zstd data decompresses to {} bytes, the tensor holds {}", got, out.size()));
}

// Shuffled: the first bytes of all elements, then all second bytes, ...
void unshuffle(std::span<const std::byte> in, std::size_t elementSize, std::span<std::byte> out)
{
    const std::size_t elements = in.size() / elementSize;
    for (std::size_t b = 0; b < elementSize; ++b)
        for (std::size_t i = 0; i < elements; ++i)
            out[i * elementSize + b] = in[b * elements + i];
}

}  // namespace

void verifyMegaChecksum(const MegaStored& stored, std::span<const std::byte> bytes, const MegaPayloadNames& names)
{
    if (stored.checksumType == megaCrc32) {
        const auto crc = static_cast<std::uint32_t>(
            crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
        std::uint32_t expected = 0;
        std::memcpy(&expected, stored.checksum.data(), sizeof expected);
        if (crc != expected)
            refuse(names,
                   fmt::format("checksum mismatch (CRC-32 {:08x}, the directory says {:08x}); the file is damaged", crc,
                               expected));
    } else if (stored.checksumType == megaSha256) {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
        EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
        if (std::memcmp(digest.data(), stored.checksum.data(), stored.checksum.size()) != 0)
            refuse(names, "checksum mismatch (SHA-256); the file is damaged");
    }
}

void decodeMegaPayload(const MegaStored& stored, std::uint32_t shuffleSize, std::span<const std::byte> bytes,
                       std::span<std::byte> out, const MegaPayloadNames& names)
{
    if (!stored.shuffled()) {
        if (stored.compressed())
            decompress(bytes, out, names);
        else if (!out.empty())
            std::memcpy(out.data(), bytes.data(), out.size());
        return;
    }
    std::vector<std::byte> plain;
    if (stored.compressed()) {
        plain.resize(out.size());
        decompress(bytes, plain, names);
        bytes = plain;
    }
    unshuffle(bytes, shuffleSize, out);
}

}  // namespace megalith::io
