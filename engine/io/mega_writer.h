// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/state_dict.h"
#include "engine/io/mega.h"
#include "engine/io/tree.h"

#include <filesystem>

namespace megalith::io {

// Writes a .mega file as tensorplay.save does: alignment 4096, a CRC-32 for each tensor, payloads back to back in order, and
// TensorPlay's metadata. Atomic. A state_dict becomes a dict, or a tree when one tensor has two names.
// `metadata` is added; its "general.architecture" replaces "tensorplay"; keys that describe this very file (general.alignment,
// tensorplay.*, directories) are ours and what is given for them is left out. Whole numbers are stored as u32, u64 or i64,
// other numbers as f64; lists of one kind as arrays; objects, null and mixed lists as JSON text.
// Error when the file cannot be written; a tensor of unknown dtype, of a size that is not its shape's, or a key that is not UTF-8.
void writeMega(const std::filesystem::path& path, const StateDict& dict, const Metadata& metadata = {});
void writeMega(const std::filesystem::path& path, const TreeValue& value, const Metadata& metadata = {});
// The file as it is, its own metadata included.
void writeMega(const std::filesystem::path& path, const WeightsFile& file);

}  // namespace megalith::io
