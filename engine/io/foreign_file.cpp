// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/foreign_file.h"

#include "engine/core/error.h"
#include "engine/core/file_kind.h"

#include <algorithm>
#include <string>

namespace megalith::io {

namespace {

std::string whatItIs(std::string_view head)
{
    if (head.empty())
        return "an empty file";
    if (std::string_view("MEGA").starts_with(head))
        return "not a whole .mega file: it ends early";
    if (head.starts_with("{"))
        return "a JSON document, not a .mega file (an index of shards has a name ending in .mega.index.json)";
    if (head.starts_with("PK\x03\x04"))
        return "a zip archive (PyTorch's .pt and NumPy's .npz files are such), not a .mega file";
    if (const auto kind = fileKind(head))
        return std::string(*kind) + ", not a .mega file";
    return "not a .mega file";
}

}  // namespace

void refuseForeignFile(std::span<const std::byte> file, std::string_view shown)
{
    const std::string_view head(reinterpret_cast<const char*>(file.data()), std::min<std::size_t>(file.size(), 256));
    if (!head.starts_with("MEGA"))
        throw FormatError(std::string(shown) + " is " + whatItIs(head));
}

}  // namespace megalith::io
