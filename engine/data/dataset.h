// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/dtype.h"
#include "engine/core/shape.h"
#include "engine/core/state_dict.h"
#include "engine/core/value.h"
#include "engine/data/normalization.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace megalith::data {

// An Input node: its shape without the batch dimension.
struct InputSpec
{
    std::string name;
    Shape shape;
    DType dtype = DType::F32;
};

// Rows of one Input, [count, sample...], row-major. A plain value: it may cross threads.
struct Samples
{
    std::string name;
    DType dtype = DType::F32;
    Shape sample;
    std::int64_t count = 0;
    std::vector<std::byte> bytes;

    std::size_t rowBytes() const;
};

struct Targets
{
    Samples values;                       // int64 for classes, else floating
    bool classes = false;                 // numbers of classes (not probabilities)
    std::vector<std::string> classNames;  // by number: the sorted distinct targets
    std::int64_t classCount = 0;
};

struct LoadedData
{
    std::vector<Samples> trainInputs;  // in the order of LoadContext::inputs
    std::vector<Samples> valInputs;    // empty without validation
    std::optional<Targets> trainTargets;
    std::optional<Targets> valTargets;
    Normalization normalization;
    std::vector<std::string> inputColumns;  // tables: in order, of all Inputs one after the other
    std::vector<std::string> targetColumns;

    std::int64_t trainCount() const { return trainInputs.empty() ? 0 : trainInputs.front().count; }
    std::int64_t valCount() const { return valInputs.empty() ? 0 : valInputs.front().count; }
};

struct LoadContext
{
    std::filesystem::path projectFolder;  // what paths in the project are relative to
    std::uint64_t seed = 0;               // training.seed: what is generated, and the split
    std::vector<InputSpec> inputs;        // the Input nodes; the samples' shapes must be theirs
    bool hasTargets = true;               // the loss takes a target
    bool targetsAreClasses = false;       // CrossEntropyLoss, NLLLoss
    std::int64_t ignoreIndex = -100;      // such a class target is no class and stays as it is
    // Of the scored output, without the batch dimension: floating class targets of this shape are probabilities. Unknown:
    // those of more than one dimension are.
    std::optional<Shape> outputShape;
    // Of floating targets. Absent: that of the first floating Input, else float32.
    std::optional<DType> targetDtype;
    std::function<bool()> cancelled;       // asked now and then; true ends the loading with Cancelled
    std::function<void(double)> progress;  // 0 .. 1
};

// Everything that the project's "data" object describes: read, split by the seed, normalised as fitted on the training part,
// converted to the Inputs' dtypes. Both parts keep the order of the source. DataError, FormatError or ShapeError in one
// sentence; Cancelled.
LoadedData load(const Value& data, const LoadContext& context);

struct InputFacts
{
    std::string name;  // empty: for the only Input, whatever its name
    Shape sample;
    DType dtype = DType::F32;  // what an Input for it would have
    bool image = false;        // [C, H, W]; an Input may leave the one channel out: [H, W]
    std::string shown;         // for messages: "digits", "x.npy"
};

// What is known of a source without loading it.
struct SourceFacts
{
    std::vector<InputFacts> inputs;
    std::int64_t count = 0;
    std::int64_t testCount = 0;  // 0: no test part of its own
    bool hasTargets = true;
    Shape targetSample;           // of targets used as values: [1] for one column
    Shape classSample;            // of targets used as classes: [] for one column
    std::int64_t classCount = 0;  // how many classes whole numbers and texts would be; 0: neither
    std::vector<std::string> classNames;
    std::vector<std::string> inputColumns;
    std::vector<std::string> targetColumns;
};

// Reads headers, and of tables and labels what it takes to know the columns and classes. Targets equal to ignoreIndex are no
// classes. Throws as load() does.
SourceFacts sourceFacts(const Value& data, const std::filesystem::path& projectFolder, std::int64_t ignoreIndex = -100);

// Why the network's Inputs do not fit the source, in one sentence that says both; nothing when they do.
std::optional<std::string> inputProblem(const SourceFacts& facts, const std::vector<InputSpec>& inputs);

// Names for "data.source", in the order in which they are offered.
std::vector<std::string> sourceNames();

// An array [N, sample...] as an Input takes it: its shape checked, normalised, converted. For predict: a decoded picture
// (u8, [1, C, H, W], values 0 .. 255). `shown` names it in messages.
Samples toSamples(const StateEntry& array, const InputSpec& input, const Normalization& normalization,
                  std::string_view shown);
// A table's rows for the Inputs, without targets. Columns by the names kept in the normalisation; without any the Inputs take
// as many as they have elements, one Input after the other.
std::vector<Samples> readCsvInputs(const std::filesystem::path& path, const std::vector<InputSpec>& inputs,
                                   const Normalization& normalization);

}  // namespace megalith::data
