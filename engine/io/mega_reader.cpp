// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/mega_reader.h"

#include "engine/core/error.h"
#include "engine/io/bytes.h"
#include "engine/io/mapped_file.h"
#include "engine/io/mega_directory.h"
#include "engine/io/mega_index.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <new>

namespace megalith::io {

namespace {

std::uint64_t physicalMemory()
{
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long size = ::sysconf(_SC_PAGE_SIZE);
    return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) : UINT64_MAX;
}

// No zstd block is smaller than 4 bytes or gives more than 128 KiB: what claims to is not worth the memory.
std::uint64_t mostDecompressed(std::uint64_t stored)
{
    return (stored / 4 + 1) * (std::uint64_t{128} * 1024);
}

class PayloadReader
{
public:
    PayloadReader(const MappedFile& file, const MegaDirectory& directory, std::string_view shown, bool verify)
        : m_file(file)
        , m_directory(directory)
        , m_shown(shown)
        , m_verify(verify)
    {}

    void checkMemory() const;
    StateEntry read(const MegaRecord& record) const;

private:
    std::span<const std::byte> bytesOf(const MegaStored& stored) const
    {
        if (stored.size == 0)
            return {};
        return m_file.bytes().subspan(static_cast<std::size_t>(m_directory.headerLength + stored.offset),
                                      static_cast<std::size_t>(stored.size));
    }
    static bool inPlace(const MegaRecord& record) { return !record.chunked && record.stored.flags == 0; }
    std::span<const MegaChunk> chunksOf(const MegaRecord& record) const
    {
        return std::span(m_directory.chunks).subspan(record.firstChunk, record.chunkCount);
    }
    void checkExpansion(const MegaRecord& record, const MegaStored& stored) const;

    const MappedFile& m_file;
    const MegaDirectory& m_directory;
    std::string_view m_shown;
    bool m_verify;
};

void PayloadReader::checkExpansion(const MegaRecord& record, const MegaStored& stored) const
{
    if (stored.compressed() && stored.logicalSize > mostDecompressed(stored.size))
        throw FormatError(std::string(m_shown) + ": tensor " + shownName(record.name) + ": " + sizeText(stored.size)
                          + " of zstd data cannot hold the " + sizeText(stored.logicalSize) + " of the tensor");
}

void PayloadReader::checkMemory() const
{
    std::uint64_t decoded = 0;
    for (const MegaRecord& record : m_directory.records) {
        if (inPlace(record))
            continue;
        if (!record.chunked)
            checkExpansion(record, record.stored);
        for (const MegaChunk& chunk : chunksOf(record))
            checkExpansion(record, chunk.stored);
        // The sum of many 63-bit sizes may not wrap.
        decoded = std::min(decoded, UINT64_MAX / 2) + record.stored.logicalSize;
    }
    if (decoded > physicalMemory())
        throw Error(std::string(m_shown) + ": its tensors need " + sizeText(decoded)
                    + " of memory once decompressed; this machine has " + sizeText(physicalMemory()));
}

StateEntry PayloadReader::read(const MegaRecord& record) const
{
    StateEntry entry{record.dtype, record.shape, nullptr, static_cast<std::size_t>(record.stored.logicalSize)};
    const MegaPayloadNames names{m_shown, record.name};
    if (m_verify && !record.chunked)
        verifyMegaChecksum(record.stored, bytesOf(record.stored), names);
    if (inPlace(record)) {
        if (entry.size > 0)
            entry.data = m_file.at(static_cast<std::size_t>(m_directory.headerLength + record.stored.offset));
        return entry;
    }
    const std::shared_ptr<std::byte> memory(new std::byte[std::max<std::size_t>(entry.size, 1)],
                                            std::default_delete<std::byte[]>());
    const std::span<std::byte> out(memory.get(), entry.size);
    if (!record.chunked)
        decodeMegaPayload(record.stored, record.shuffleSize, bytesOf(record.stored), out, names);
    for (const MegaChunk& chunk : chunksOf(record)) {
        if (m_verify)
            verifyMegaChecksum(chunk.stored, bytesOf(chunk.stored), names);
        const auto part = out.subspan(static_cast<std::size_t>(chunk.logicalOffset),
                                      static_cast<std::size_t>(chunk.stored.logicalSize));
        decodeMegaPayload(chunk.stored, record.shuffleSize, bytesOf(chunk.stored), part, names);
    }
    if (entry.size > 0)
        entry.data = memory;
    return entry;
}

std::string textOf(const Metadata& metadata, std::string_view key)
{
    const Value* value = findMetadata(metadata, key);
    return value != nullptr && value->isString() ? value->string() : std::string();
}

// As tensorplay.load: an unknown container, or a tree without its layout, is a plain dict.
void findContainer(WeightsFile& file, std::string_view shown)
{
    const std::string name = textOf(file.metadata, "tensorplay.container");
    for (const Container container : {Container::List, Container::Tuple, Container::Tensor, Container::Tree})
        if (name == containerName(container))
            file.container = container;
    if (file.container == Container::Tree) {
        file.layout = textOf(file.metadata, "tensorplay.layout");
        if (file.layout.empty())
            file.container = Container::Dict;
    }
    if (file.container == Container::Tensor && file.tensors.size() != 1)
        throw FormatError(std::string(shown) + ": it is said to hold one tensor and has "
                          + std::to_string(file.tensors.size()));
    if (textOf(file.metadata, "tensorplay.byteorder") == "big")
        throw FormatError(std::string(shown) + ": its tensors are big-endian; only little-endian ones can be read");
}

WeightsFile readOneFile(const std::filesystem::path& path, const MegaReadOptions& options)
{
    const std::string shown = path.string();
    const auto mapped = MappedFile::open(path);
    MegaDirectory directory = parseMegaDirectory(mapped->bytes(), shown);
    WeightsFile file;
    const PayloadReader payload(*mapped, directory, shown, options.verifyChecksums);
    payload.checkMemory();
    try {
        for (const MegaRecord& record : directory.records)
            file.tensors.add(record.name, payload.read(record));
    } catch (const std::bad_alloc&) {
        throw Error(shown + ": there is not enough memory for its tensors");
    }
    file.metadata = std::move(directory.metadata);
    findContainer(file, shown);
    return file;
}

}  // namespace

std::string_view containerName(Container container)
{
    constexpr std::array<std::string_view, 5> names = {"dict", "list", "tuple", "tensor", "tree"};
    return names[static_cast<std::size_t>(container)];
}

WeightsFile readMega(const std::filesystem::path& path, const MegaReadOptions& options)
{
    return isMegaIndex(path) ? readMegaIndex(path, options) : readOneFile(path, options);
}

TreeValue readMegaTree(const std::filesystem::path& path, const MegaReadOptions& options)
{
    const WeightsFile file = readMega(path, options);
    try {
        return treeOf(file);
    } catch (const FormatError& e) {
        throw FormatError(path.string() + ": " + e.what());
    }
}

StateDict stateDictOf(const WeightsFile& file, const std::filesystem::path& shown)
{
    if (file.container == Container::Dict)
        return file.tensors;
    const std::string name = shown.string();
    if (file.container != Container::Tree)
        throw FormatError(name + " holds a " + std::string(containerName(file.container)) + " of "
                          + std::to_string(file.tensors.size())
                          + " tensors without names, not the state_dict of a model");
    try {
        const TreeValue tree = treeOf(file);
        if (!tree.isDict())
            throw FormatError("it holds " + std::string(kindName(tree)) + ", not the state_dict of a model");
        const auto isTensor = [](const auto& item) { return item.second.isTensor(); };
        if (std::ranges::all_of(tree.dict(), isTensor))
            return stateDictOf(tree, "the state_dict");
        for (const std::string_view branch : {"model", "state_dict", "model_state_dict"})
            if (const TreeValue* found = tree.find(branch); found != nullptr && found->isDict())
                return stateDictOf(*found, branch);
        std::string keys;
        for (const auto& [key, value] : tree.dict())
            keys += (keys.empty() ? "" : ", ") + key;
        throw FormatError("it holds a checkpoint without a branch \"model\" or \"state_dict\"; its keys are "
                          + shownName(keys));
    } catch (const FormatError& e) {
        throw FormatError(name + ": " + e.what());
    }
}

}  // namespace megalith::io
