// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace megalith {

namespace {

struct Kind
{
    std::string_view begin;
    std::string_view name;
};

constexpr std::array kinds = {
    Kind{"MEGA", "a weights file (.mega)"},
    Kind{"PK\x03\x04", "a zip archive"},
    Kind{"PK\x05\x06", "an empty zip archive"},
    Kind{"\x1f\x8b", "a gzip archive"},
    Kind{"\x28\xb5\x2f\xfd", "a zstd archive"},
    Kind{"\x93NUMPY", "a NumPy array (.npy)"},
    Kind{"\x89HDF", "an HDF5 file"},
    Kind{"GGUF", "a GGUF file"},
    Kind{"\x80\x02", "a Python pickle (an old PyTorch file)"},
    Kind{"\x89PNG", "a PNG image"},
    Kind{"%PDF", "a PDF document"},
    Kind{"version https://git-lfs", "a Git LFS pointer, whose file has yet to be fetched (git lfs pull)"},
};

// `lower` has small letters alone.
bool startsWithAnyCase(std::string_view text, std::string_view lower)
{
    return text.size() >= lower.size() && std::equal(lower.begin(), lower.end(), text.begin(), [](char a, char b) {
               return a == std::tolower(static_cast<unsigned char>(b));
           });
}

}  // namespace

std::optional<std::string_view> fileKind(std::string_view start)
{
    for (const Kind& kind : kinds)
        if (start.starts_with(kind.begin))
            return kind.name;
    start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
    for (const std::string_view page : {"<!doctype", "<html", "<head"})
        if (startsWithAnyCase(start, page))
            return "an HTML page";
    if (startsWithAnyCase(start, "<?xml"))
        return "an XML document";
    return std::nullopt;
}

}  // namespace megalith
