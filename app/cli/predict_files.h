// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/state_dict.h"
#include "engine/data/dataset.h"
#include "engine/data/normalization.h"

#include <string>
#include <utility>
#include <vector>

// What predict reads and writes.

namespace megalith::cli {

using NamedEntries = std::vector<std::pair<std::string, StateEntry>>;

// What --input says, FILE or NAME=FILE each, as the network's Inputs take it, the batch in front. An .npy is used as it is, .csv
// and .png are normalised. WrongCall for inputs that do not meet the network's; Error for files that do not.
NamedEntries readInputs(const std::vector<std::string>& given, const std::vector<data::InputSpec>& inputs,
                        const data::Normalization& normalization);

// u8, [1, C, H, W] or [1, H, W], of a PNG picture that is exactly as large as the Input takes it.
StateEntry readPicture(const data::InputSpec& input, const std::string& file);

// WrongCall when the ending is neither .npy nor .csv.
void requireOutputFormat(const std::string& file);
// Writes each output to the file, several ones to FILE-NAME.ext. Returns the files' names.
std::vector<std::string> writeOutputs(const std::string& file, const NamedEntries& outputs);
// A heading, then a line for each sample; elements of more dimensions one after the other.
std::string csvText(const NamedEntries& outputs);

}  // namespace megalith::cli
