// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/state_dict.h"
#include "engine/io/mega.h"
#include "engine/io/tree.h"

#include <filesystem>

namespace megalith::io {

struct MegaReadOptions
{
    bool verifyChecksums = true;  // off: raw payloads are not touched until somebody reads them
};

// Reads name.mega, or the shards of name.mega.index.json. Memory-mapped: raw tensors point into the mapping, at any
// alignment (copy, never cast); chunked and compressed ones are decoded. FormatError names the file and the tensor; sizes are
// checked before memory is asked for. Error when the file is missing or a folder.
WeightsFile readMega(const std::filesystem::path& path, const MegaReadOptions& options = {});

// The model's parameters: a dict as it is; of a tree a flat dict of tensors, or the branch "model", "state_dict" or
// "model_state_dict" of a checkpoint. Tied weights keep both keys and share their data. FormatError says what the file holds
// instead. `shown` is the file's name for messages.
StateDict stateDictOf(const WeightsFile& file, const std::filesystem::path& shown = "the file");

// readMega and treeOf; messages carry the file's name.
TreeValue readMegaTree(const std::filesystem::path& path, const MegaReadOptions& options = {});

}  // namespace megalith::io
