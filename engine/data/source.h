// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/state_dict.h"
#include "engine/core/value.h"
#include "engine/data/dataset.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace megalith::data {

// Arrays as a source has them: [N, ...] of any dtype, not yet split, normalised or converted.
struct RawPart
{
    std::vector<StateEntry> inputs;  // in the order of RawData::facts.inputs
    std::optional<StateEntry> targets;
};

struct RawData
{
    SourceFacts facts;
    RawPart train;
    std::optional<RawPart> test;
    // Names of the target values 0, 1, ...; empty: a class is called by its number.
    std::vector<std::string> labelNames;
    // Targets are columns of a table: one column of classes is [N], one column of values [N, 1]. Otherwise they have the
    // shape that they have.
    bool table = true;
    std::string targetsShown;  // for messages: "labels.npy"
};

// What a source may ask about what it is loaded for.
struct SourceRequest
{
    const Value& data;
    const LoadContext& context;

    // Throws Cancelled when the user asked to stop.
    void checkCancelled() const;
    // "validation" is "test".
    bool wantsTest() const;
};

// One kind of data. `name` is what "data.source" says.
struct Source
{
    std::string_view name;
    SourceFacts (*facts)(const Value& data, const std::filesystem::path& projectFolder, std::int64_t ignoreIndex);
    RawData (*load)(const SourceRequest& request);
};

// Every source, in the order in which they are offered.
std::span<const Source* const> sources();

extern const Source moons, circles, spirals, blobs, xorPattern, regression1d;  // generated.cpp
extern const Source digits, iris;                                              // embedded.cpp
extern const Source csv;                                                       // csv.cpp
extern const Source idx, fashionMnist;                                         // idx.cpp
extern const Source npy;                                                       // npy.cpp

}  // namespace megalith::data
