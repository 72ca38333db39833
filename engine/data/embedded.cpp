// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/embedded_tables.h"

#include "engine/core/error.h"
#include "engine/data/idx_reader.h"
#include "engine/data/source.h"
#include "engine/data/table.h"

#include <fmt/format.h>

#include <utility>

namespace megalith::data {

namespace fs = std::filesystem;

namespace {

std::span<const unsigned char> bytesOf(std::string_view name)
{
    for (const EmbeddedTable& table : embeddedTables())
        if (table.name == name)
            return table.bytes;
    throw Error(fmt::format("the table {} is not inside this program", name));
}

// 1,797 handwritten digits of 8x8, values 0 .. 16: resources/data/README.md.
SourceFacts digitFacts(const Value&, const fs::path&, std::int64_t)
{
    SourceFacts facts;
    facts.inputs = {{"", {1, 8, 8}, DType::F32, true, "digits"}};
    facts.count = 1797;
    facts.targetSample = {1};
    facts.classCount = 10;
    for (char digit = '0'; digit <= '9'; ++digit)
        facts.classNames.emplace_back(1, digit);
    return facts;
}

RawData digitLoad(const SourceRequest& request)
{
    RawData raw;
    raw.facts = digitFacts(request.data, request.context.projectFolder, request.context.ignoreIndex);
    StateEntry images = parseIdx(bytesOf("digits-images-idx3-ubyte.gz"), "digits");
    images.shape.insert(images.shape.begin() + 1, 1);
    raw.train.inputs.push_back(std::move(images));
    raw.train.targets = parseIdx(bytesOf("digits-labels-idx1-ubyte.gz"), "digits");
    raw.targetsShown = "digits";
    return raw;
}

// 150 flowers. Species are numbered in the order of their names, so that losses of values can take them too.
RawData irisTable(const Value& data, const LoadContext& context)
{
    const std::span<const unsigned char> bytes = bytesOf("iris.csv");
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return readTable(text, "iris", data, TargetCells::NumbersOrTexts, context);
}

SourceFacts irisFacts(const Value& data, const fs::path& projectFolder, std::int64_t ignoreIndex)
{
    LoadContext context;
    context.projectFolder = projectFolder;
    context.ignoreIndex = ignoreIndex;
    return irisTable(data, context).facts;
}

RawData irisLoad(const SourceRequest& request)
{
    return irisTable(request.data, request.context);
}

}  // namespace

const Source digits{"digits", digitFacts, digitLoad};
const Source iris{"iris", irisFacts, irisLoad};

}  // namespace megalith::data
