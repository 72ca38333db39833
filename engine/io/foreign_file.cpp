// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/foreign_file.h"

#include "engine/core/error.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace megalith::io {

namespace {

struct Known
{
    std::string_view begin;
    std::string_view what;
};

constexpr std::array<Known, 10> knownFiles = {{
    {"PK\x03\x04", "a zip archive (PyTorch's .pt and NumPy's .npz files are such), not a .mega file"},
    {"PK\x05\x06", "an empty zip archive, not a .mega file"},
    {"\x1f\x8b", "a gzip archive, not a .mega file"},
    {"\x93NUMPY", "a NumPy array (.npy), not a .mega file"},
    {"\x89HDF", "an HDF5 file, not a .mega file"},
    {"GGUF", "a GGUF file, not a .mega file"},
    {"\x28\xb5\x2f\xfd", "a zstd archive, not a .mega file"},
    {"%PDF", "a PDF document, not a .mega file"},
    {"\x80\x02", "a Python pickle (an old PyTorch file), not a .mega file"},
    {"{", "a JSON document, not a .mega file (an index of shards has a name ending in .mega.index.json)"},
}};

bool isHtml(std::string_view head)
{
    std::string text;
    for (const char c : head)
        if (!text.empty() || !std::isspace(static_cast<unsigned char>(c)))
            text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text.starts_with("<!doctype") || text.starts_with("<html") || text.starts_with("<head")
           || text.starts_with("<?xml");
}

}  // namespace

void refuseForeignFile(std::span<const std::byte> file, std::string_view shown)
{
    const std::string_view head(reinterpret_cast<const char*>(file.data()), std::min<std::size_t>(file.size(), 256));
    if (head.starts_with("MEGA"))
        return;
    std::string_view what = "not a .mega file";
    if (head.empty())
        what = "an empty file";
    else if (head.starts_with("version https://git-lfs"))
        what = "a Git LFS pointer, not the file itself; `git lfs pull` fetches it";
    else if (isHtml(head))
        what = "an HTML page, not a .mega file; the download was answered with a page";
    else if (std::string_view("MEGA").starts_with(head))
        what = "not a whole .mega file: it ends early";
    else
        for (const Known& known : knownFiles)
            if (head.starts_with(known.begin))
                what = known.what;
    throw FormatError(std::string(shown) + " is " + std::string(what));
}

}  // namespace megalith::io
