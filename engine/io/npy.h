// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/state_dict.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace megalith::io {

// NumPy's .npy, versions 1 to 3 (numpy.org/doc/stable/reference/generated/numpy.lib.format.html): bool, whole numbers of 8 to
// 64 bits, float16, float32 and float64. Big-endian and Fortran-ordered arrays are turned into little-endian, row-major ones;
// others point into the mapped file. FormatError for anything else (Python objects, complex, texts, records), for a header
// that is not NumPy's, and when the file's size is not what shape and dtype need.
StateEntry readNpy(const std::filesystem::path& path);
// The same from memory; `shown` names it in messages. The entry shares ownership through `owner`, or is a copy when it is null.
StateEntry parseNpy(std::span<const std::byte> bytes, std::string_view shown,
                    std::shared_ptr<const void> owner = nullptr);

// Version 1, little-endian, row-major. Error for a dtype that .npy does not have (BF16 and the 8-bit floats).
std::vector<std::byte> npyBytes(const StateEntry& entry);
void writeNpy(const std::filesystem::path& path, const StateEntry& entry);

}  // namespace megalith::io
