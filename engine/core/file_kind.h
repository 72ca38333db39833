// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace megalith {

// What a file is, by its first bytes (256 are enough): "a zip archive", "an HTML page", "a Git LFS pointer ...". For messages
// about a file that has another one's name; nothing when it is none of those.
std::optional<std::string_view> fileKind(std::string_view start);

}  // namespace megalith
