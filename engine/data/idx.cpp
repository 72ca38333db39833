// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/idx_reader.h"

#include "engine/core/error.h"
#include "engine/data/elements.h"
#include "engine/data/source.h"
#include "engine/data/targets.h"

#include <fmt/format.h>

#include <array>
#include <system_error>
#include <utility>

namespace megalith::data {

namespace fs = std::filesystem;

namespace {

// Images and labels of one part.
struct IdxFiles
{
    std::vector<std::pair<std::string, DataFile>> inputs;  // by Input name; "" for the only one
    std::optional<DataFile> targets;
};

struct IdxSet
{
    IdxFiles train;
    std::optional<IdxFiles> test;
    std::vector<std::string> labelNames;
};

// "train-images-idx3-ubyte" or the same with .gz, as MNIST's files are called.
DataFile fileIn(const fs::path& folder, const std::string& shownFolder, const std::string& name)
{
    for (const char* ending : {".gz", ""}) {
        std::error_code error;
        if (fs::exists(folder / (name + ending), error))
            return {folder / (name + ending), shownFolder + "/" + name + ending};
    }
    return {folder / name, shownFolder + "/" + name};
}

IdxFiles partIn(const fs::path& folder, const std::string& shownFolder, const std::string& part)
{
    return {{{"", fileIn(folder, shownFolder, part + "-images-idx3-ubyte")}},
            fileIn(folder, shownFolder, part + "-labels-idx1-ubyte")};
}

IdxSet filesOf(const Value& data, const fs::path& projectFolder)
{
    IdxSet set;
    if (data.find("inputs") == nullptr && data.find("path") != nullptr) {
        const DataFile path = fileOf(data, "path", projectFolder);
        std::error_code error;
        if (!fs::is_directory(path.path, error)) {
            set.train.inputs.emplace_back("", path);
        } else {
            set.train = partIn(path.path, path.shown, "train");
            const IdxFiles test = partIn(path.path, path.shown, "t10k");
            if (fs::exists(test.inputs.front().second.path, error))
                set.test = test;
            return set;
        }
    } else {
        set.train.inputs = inputFiles(data, projectFolder);
    }
    if (const Value* targets = data.find("targets"); targets != nullptr && !targets->isNull())
        set.train.targets = fileOf(data, "targets", projectFolder);
    return set;
}

// [N, H, W] are pictures of one channel.
bool isImage(const IdxHeader& header)
{
    return header.shape.size() == 3 && header.dtype == "U8";
}

InputFacts factsOf(const std::string& name, const DataFile& file, const IdxHeader& header)
{
    InputFacts facts{
        name, {header.shape.begin() + 1, header.shape.end()}, inputDType(header.dtype), isImage(header), file.shown};
    if (facts.image)
        facts.sample.insert(facts.sample.begin(), 1);
    return facts;
}

SourceFacts factsOf(const IdxSet& set, std::int64_t ignoreIndex)
{
    SourceFacts facts;
    for (const auto& [name, file] : set.train.inputs) {
        const IdxHeader header = readIdxHeader(file);
        facts.inputs.push_back(factsOf(name, file, header));
        facts.count = header.shape.front();
    }
    if (set.test)
        facts.testCount = readIdxHeader(set.test->inputs.front().second).shape.front();
    facts.hasTargets = set.train.targets.has_value();
    if (facts.hasTargets)
        describeTargets(readIdx(*set.train.targets), set.labelNames, set.train.targets->shown, true, ignoreIndex,
                        facts);
    return facts;
}

RawPart read(const IdxFiles& files, const SourceFacts& facts, const SourceRequest& request)
{
    RawPart part;
    for (std::size_t i = 0; i < files.inputs.size(); ++i) {
        request.checkCancelled();
        StateEntry images = readIdx(files.inputs[i].second);
        if (facts.inputs[i].image)
            images.shape.insert(images.shape.begin() + 1, 1);
        part.inputs.push_back(std::move(images));
    }
    if (files.targets && request.context.hasTargets)
        part.targets = readIdx(*files.targets);
    return part;
}

RawData load(IdxSet set, const SourceRequest& request)
{
    RawData raw;
    raw.facts = factsOf(set, request.context.ignoreIndex);
    raw.train = read(set.train, raw.facts, request);
    if (set.test && request.wantsTest())
        raw.test = read(*set.test, raw.facts, request);
    raw.labelNames = std::move(set.labelNames);
    if (set.train.targets)
        raw.targetsShown = set.train.targets->shown;
    return raw;
}

// Xiao, Rasul, Vollgraf: Fashion-MNIST, arXiv 1708.07747, as Debian installs it.
IdxSet fashionFiles(const Value& data, const fs::path& projectFolder)
{
    fs::path folder = "/usr/share/datasets/fashion-mnist";
    if (data.find("path") != nullptr)
        folder = fileOf(data, "path", projectFolder).path;
    IdxSet set{
        partIn(folder, "fashion-mnist", "train"),
        partIn(folder, "fashion-mnist", "t10k"),
        {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"}};
    for (const fs::path& path : {set.train.inputs.front().second.path, set.train.targets->path,
                                 set.test->inputs.front().second.path, set.test->targets->path})
    {
        std::error_code error;
        if (!fs::exists(path, error))
            throw DataError(fmt::format("fashion-mnist is not installed: there is no {}; on Debian and Ubuntu: "
                                        "sudo apt install dataset-fashion-mnist",
                                        path.string()));
    }
    return set;
}

}  // namespace

const Source idx{
    "idx",
    [](const Value& data, const fs::path& folder, std::int64_t ignoreIndex) {
        return factsOf(filesOf(data, folder), ignoreIndex);
    },
    [](const SourceRequest& request) { return load(filesOf(request.data, request.context.projectFolder), request); }};

const Source fashionMnist{"fashion-mnist",
                          [](const Value& data, const fs::path& folder, std::int64_t ignoreIndex) {
                              return factsOf(fashionFiles(data, folder), ignoreIndex);
                          },
                          [](const SourceRequest& request) {
                              return load(fashionFiles(request.data, request.context.projectFolder), request);
                          }};

}  // namespace megalith::data
