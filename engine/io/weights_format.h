// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/state_dict.h"
#include "engine/io/mega.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace megalith::io {

// A model's parameters with what the file says about them.
struct Weights
{
    StateDict tensors;
    Metadata metadata;
};

// One format of weights files. A new one is one file in engine/io/formats/ and one line in weightsFormats().
struct WeightsFormat
{
    std::string_view name;                     // "mega"
    std::vector<std::string_view> extensions;  // ".mega", ".mega.index.json"; the first is the one that is written
    // Whether the first bytes of a file (64 at most) are this format's.
    bool (*probe)(std::span<const std::byte> head);
    Weights (*read)(const std::filesystem::path& path);
    void (*write)(const std::filesystem::path& path, const StateDict& tensors,
                  const Metadata& metadata);  // null: read only
};

std::span<const WeightsFormat> weightsFormats();
// By the extension of the name, upper or lower case; nullptr when no format has it.
const WeightsFormat* formatForPath(const std::filesystem::path& path);
// ".mega, .mega.index.json", for messages and file dialogs.
std::string knownExtensions();

// The format follows from the extension, or from the content where the extension is none of ours. Error or FormatError with
// the path; an unknown format lists what exists.
Weights readWeights(const std::filesystem::path& path);
// The format follows from the extension. Atomic.
void writeWeights(const std::filesystem::path& path, const StateDict& tensors, const Metadata& metadata = {});

}  // namespace megalith::io

namespace megalith {

// save(model->state_dict(), "model.mega"), and back: model->load_state_dict(load("model.mega")). As writeWeights and readWeights.
void save(const StateDict& state_dict, const std::filesystem::path& path);
StateDict load(const std::filesystem::path& path);

}  // namespace megalith
