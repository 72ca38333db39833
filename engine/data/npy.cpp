// SPDX-License-Identifier: GPL-3.0-or-later
// .npy is read by engine/io, which otherwise stands right of this folder: io/npy knows core alone, and one parser is enough.
#include "engine/io/npy.h"

#include "engine/core/error.h"
#include "engine/data/elements.h"
#include "engine/data/files.h"
#include "engine/data/source.h"
#include "engine/data/targets.h"

#include <fmt/format.h>

#include <utility>

namespace megalith::data {

namespace fs = std::filesystem;

namespace {

StateEntry readArray(const DataFile& file)
{
    checkFile(file);
    StateEntry array = io::readNpy(file.path);
    if (array.shape.empty())
        throw DataError(fmt::format("{}: is a single number, but its first dimension must be the samples", file.shown));
    return array;
}

RawData read(const Value& data, const fs::path& projectFolder, bool withTargets, std::int64_t ignoreIndex)
{
    RawData raw;
    raw.table = false;
    for (const auto& [name, file] : inputFiles(data, projectFolder)) {
        StateEntry array = readArray(file);
        raw.facts.inputs.push_back({name, sampleShape(array), inputDType(array.dtype), false, file.shown});
        raw.facts.count = array.shape.front();
        raw.train.inputs.push_back(std::move(array));
    }
    const Value* targets = data.find("targets");
    raw.facts.hasTargets = targets != nullptr && !targets->isNull();
    if (!raw.facts.hasTargets || !withTargets)
        return raw;
    const DataFile file = fileOf(data, "targets", projectFolder);
    raw.targetsShown = file.shown;
    raw.train.targets = readArray(file);
    describeTargets(*raw.train.targets, raw.labelNames, file.shown, raw.table, ignoreIndex, raw.facts);
    return raw;
}

}  // namespace

const Source npy{"npy",
                 [](const Value& data, const fs::path& projectFolder, std::int64_t ignoreIndex) {
                     return read(data, projectFolder, true, ignoreIndex).facts;
                 },
                 [](const SourceRequest& request) {
                     const LoadContext& context = request.context;
                     return read(request.data, context.projectFolder, context.hasTargets, context.ignoreIndex);
                 }};

}  // namespace megalith::data
