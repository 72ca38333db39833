// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/files.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <system_error>

#include <unistd.h>

namespace megalith::data {

namespace fs = std::filesystem;

namespace {

std::uint64_t machineMemory()
{
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0)
        return std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

// Bytes of the character that begins with this one; 0 when none does.
std::size_t sequenceLength(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2 || lead > 0xF4)
        return 0;
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

}  // namespace

DataFile fileAt(const std::string& text, const fs::path& projectFolder)
{
    return {projectFolder / fs::path(text), text};
}

DataFile fileOf(const Value& data, std::string_view key, const fs::path& projectFolder)
{
    const Value* value = data.find(key);
    if (value == nullptr || value->isNull())
        throw DataError(fmt::format("data.{} is missing: it names the file, relative to the project", key));
    if (!value->isString() || value->string().empty())
        throw DataError(fmt::format("data.{} must be the name of a file, but it is {}", key,
                                    value->isString() ? "empty" : kindName(*value)));
    return fileAt(value->string(), projectFolder);
}

std::vector<std::pair<std::string, DataFile>> inputFiles(const Value& data, const fs::path& projectFolder)
{
    const Value* inputs = data.find("inputs");
    if (inputs == nullptr || !inputs->isObject())
        return {{"", fileOf(data, "inputs", projectFolder)}};
    std::vector<std::pair<std::string, DataFile>> files;
    for (const auto& [name, file] : inputs->object()) {
        if (!file.isString() || file.string().empty())
            throw DataError(fmt::format("data.inputs.{} must be the name of a file, but it is {}", name,
                                        file.isString() ? "empty" : kindName(file)));
        files.emplace_back(name, fileAt(file.string(), projectFolder));
    }
    if (files.empty())
        throw DataError("data.inputs names no file");
    return files;
}

std::uint64_t checkFile(const DataFile& file)
{
    std::error_code error;
    const fs::file_status status = fs::status(file.path, error);
    if (status.type() == fs::file_type::not_found)
        throw DataError(fmt::format("{}: there is no such file ({})", file.shown, file.path.string()));
    if (error)
        throw DataError(fmt::format("{}: cannot be opened: {}", file.shown, error.message()));
    if (status.type() == fs::file_type::directory)
        throw DataError(fmt::format("{}: is a folder, but a file is needed", file.shown));
    if (status.type() != fs::file_type::regular)
        throw DataError(fmt::format("{}: is not a regular file", file.shown));
    const std::uint64_t size = fs::file_size(file.path, error);
    if (error)
        throw DataError(fmt::format("{}: cannot be opened: {}", file.shown, error.message()));
    if (size == 0)
        throw DataError(fmt::format("{}: the file is empty", file.shown));
    return size;
}

std::string readFile(const DataFile& file, std::uint64_t copies)
{
    const std::uint64_t size = checkFile(file);
    checkMemory(size * copies, file.shown);
    std::ifstream stream(file.path, std::ios::binary);
    if (!stream)
        throw DataError(fmt::format("{}: cannot be opened: {}", file.shown, std::strerror(errno)));
    std::string bytes(static_cast<std::size_t>(size), '\0');
    stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (static_cast<std::uint64_t>(stream.gcount()) != size)
        throw DataError(fmt::format("{}: only {} of {} bytes could be read", file.shown, stream.gcount(), size));
    return bytes;
}

void checkMemory(std::uint64_t bytes, std::string_view shown)
{
    const std::uint64_t memory = machineMemory();
    if (bytes > memory)
        throw DataError(fmt::format("{}: needs {:.1f} GB of memory, but this machine has {:.1f} GB", shown,
                                    static_cast<double>(bytes) / 1e9, static_cast<double>(memory) / 1e9));
}

std::size_t checkedBytes(std::int64_t count, const Shape& sample, DType dtype, std::string_view shown)
{
    Shape shape{count};
    shape.insert(shape.end(), sample.begin(), sample.end());
    // numel() refuses what does not fit in 63 bits; three more for the size of an element.
    const auto elements = static_cast<std::uint64_t>(numel(shape));
    if (elements > std::numeric_limits<std::uint64_t>::max() / 16)
        throw DataError(fmt::format("{}: {} samples of {} are more than any memory holds", shown, count, text(sample)));
    const std::uint64_t bytes = elements * itemSize(dtype);
    checkMemory(bytes, shown);
    return static_cast<std::size_t>(bytes);
}

bool isUtf8(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = sequenceLength(lead);
        if (length == 0 || i + length > text.size())
            return false;
        for (std::size_t k = 1; k < length; ++k)
            if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80)
                return false;
        if (length >= 3) {
            // Surrogates, longer forms than needed, and beyond U+10FFFF.
            const auto second = static_cast<unsigned char>(text[i + 1]);
            if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0) || (lead == 0xF0 && second < 0x90)
                || (lead == 0xF4 && second >= 0x90))
                return false;
        }
        i += length;
    }
    return true;
}

std::string shortened(std::string_view text)
{
    constexpr std::size_t longest = 40;
    std::size_t end = std::min(text.size(), longest);
    while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
        --end;
    std::string cut(text.substr(0, end));
    std::replace_if(
        cut.begin(), cut.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return end < text.size() ? cut + "..." : cut;
}

}  // namespace megalith::data
