// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/io/mega.h"
#include "engine/io/mega_reader.h"

#include <filesystem>

namespace megalith::io {

// Whether the name ends in ".index.json".
bool isMegaIndex(const std::filesystem::path& path);
// The tensors of weight_map, in its order, from the shards that lie beside the index or where it says inside its folder.
WeightsFile readMegaIndex(const std::filesystem::path& path, const MegaReadOptions& options);

}  // namespace megalith::io
