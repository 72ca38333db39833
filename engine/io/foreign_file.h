// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace megalith::io {

// Throws FormatError unless the file begins as a .mega file; says what it is instead where that can be told: empty, a Git LFS
// pointer, an HTML page, a zip archive, ...
void refuseForeignFile(std::span<const std::byte> file, std::string_view shown);

}  // namespace megalith::io
