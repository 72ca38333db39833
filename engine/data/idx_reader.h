// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/state_dict.h"
#include "engine/data/files.h"

#include <span>
#include <string>
#include <string_view>

namespace megalith::data {

// The IDX format of MNIST (Y. LeCun, C. Cortes, C. Burges), gzip or not: bytes, whole numbers of 16 and 32 bits, floats.
// Sizes are checked against the file's before memory is asked for. DataError in one sentence.
StateEntry readIdx(const DataFile& file);
// The same from a gzip archive in memory.
StateEntry parseIdx(std::span<const unsigned char> bytes, std::string_view shown);

struct IdxHeader
{
    std::string dtype;  // "U8", ...
    Shape shape;        // samples first
};

// The first bytes only.
IdxHeader readIdxHeader(const DataFile& file);

}  // namespace megalith::data
