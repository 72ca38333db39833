// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/weights_format.h"

#include "engine/core/error.h"
#include "engine/io/formats/formats.h"
#include "engine/io/mapped_file.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace megalith::io {

namespace {

constexpr std::size_t headSize = 64;

bool hasExtension(const std::filesystem::path& path, std::string_view extension)
{
    const std::string name = path.filename().string();
    if (name.size() < extension.size())
        return false;
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    return std::ranges::equal(std::string_view(name).substr(name.size() - extension.size()), extension, same);
}

const WeightsFormat* formatOfContent(const std::filesystem::path& path)
{
    const auto file = MappedFile::open(path);
    const auto head = file->bytes().first(std::min(headSize, file->size()));
    const auto formats = weightsFormats();
    const auto found = std::ranges::find_if(formats, [head](const WeightsFormat& f) { return f.probe(head); });
    return found == formats.end() ? nullptr : &*found;
}

}  // namespace

std::span<const WeightsFormat> weightsFormats()
{
    static const std::array formats = {
        megaFormat(),
    };
    return formats;
}

const WeightsFormat* formatForPath(const std::filesystem::path& path)
{
    for (const WeightsFormat& format : weightsFormats())
        if (std::ranges::any_of(format.extensions, [&path](std::string_view e) { return hasExtension(path, e); }))
            return &format;
    return nullptr;
}

std::string knownExtensions()
{
    std::string out;
    for (const WeightsFormat& format : weightsFormats())
        for (const std::string_view extension : format.extensions)
            out.append(out.empty() ? "" : ", ").append(extension);
    return out;
}

Weights readWeights(const std::filesystem::path& path)
{
    const WeightsFormat* format = formatForPath(path);
    if (format == nullptr)
        format = formatOfContent(path);
    if (format == nullptr)
        throw FormatError("cannot read " + path.string()
                          + ": it is no weights file that is known; these are: " + knownExtensions());
    return format->read(path);
}

void writeWeights(const std::filesystem::path& path, const StateDict& tensors, const Metadata& metadata)
{
    const WeightsFormat* format = formatForPath(path);
    if (format == nullptr || !hasExtension(path, format->extensions.front()) || format->write == nullptr) {
        std::string writable;
        for (const WeightsFormat& known : weightsFormats())
            if (known.write != nullptr)
                writable.append(writable.empty() ? "" : ", ").append(known.extensions.front());
        throw Error("cannot write " + path.string()
                    + ": its extension says no weights format that can be written; these are: " + writable);
    }
    format->write(path, tensors, metadata);
}

}  // namespace megalith::io

namespace megalith {

void save(const StateDict& state_dict, const std::filesystem::path& path)
{
    io::writeWeights(path, state_dict);
}

StateDict load(const std::filesystem::path& path)
{
    return io::readWeights(path).tensors;
}

}  // namespace megalith
