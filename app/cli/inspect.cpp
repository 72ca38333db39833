// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/glob.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/project.h"
#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/core/number_text.h"
#include "engine/io/mapped_file.h"
#include "engine/io/mega_directory.h"
#include "engine/io/mega_index.h"
#include "engine/io/mega_reader.h"
#include "engine/io/state_dict_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

namespace megalith::cli {

namespace {

struct InspectCall
{
    std::string file;
    std::optional<std::string> values;  // "": of every tensor
    bool stats = false;
    bool json = false;
};

// A tensor of the file; without its bytes where only the directory was read.
struct Item
{
    std::string name;
    StateEntry entry;
};

struct Contents
{
    std::vector<Item> items;
    io::Metadata metadata;
    io::Container container = io::Container::Dict;
    std::int64_t bytes = 0;
    std::int64_t fileBytes = 0;
};

io::Container containerOf(const io::Metadata& metadata)
{
    const Value* said = io::findMetadata(metadata, "tensorplay.container");
    for (const auto one : {io::Container::List, io::Container::Tuple, io::Container::Tensor, io::Container::Tree})
        if (said != nullptr && said->isString() && said->string() == io::containerName(one))
            return one;
    return io::Container::Dict;
}

// The directory alone: the payload is not touched.
Contents readDirectory(const std::filesystem::path& path)
{
    const auto file = io::MappedFile::open(path);
    io::MegaDirectory directory = io::parseMegaDirectory(file->bytes(), path.string());
    Contents contents;
    contents.metadata = std::move(directory.metadata);
    contents.container = containerOf(contents.metadata);
    for (io::MegaRecord& record : directory.records)
        contents.items.push_back(
            {std::move(record.name),
             StateEntry{record.dtype, record.shape, nullptr, static_cast<std::size_t>(record.stored.logicalSize)}});
    return contents;
}

Contents readAll(const std::filesystem::path& path, bool verify)
{
    io::WeightsFile file = io::readMega(path, io::MegaReadOptions{verify});
    Contents contents;
    contents.metadata = std::move(file.metadata);
    contents.container = file.container;
    for (const auto& [name, entry] : file.tensors)
        contents.items.push_back({name, entry});
    return contents;
}

Contents readContents(const InspectCall& call)
{
    const std::filesystem::path path(call.file);
    const bool payload = call.values || call.stats;
    Contents contents = payload || io::isMegaIndex(path) ? readAll(path, payload) : readDirectory(path);
    for (const Item& item : contents.items)
        contents.bytes += static_cast<std::int64_t>(item.entry.size);
    std::error_code ignored;
    contents.fileBytes = static_cast<std::int64_t>(std::filesystem::file_size(path, ignored));
    return contents;
}

bool wantsValues(const InspectCall& call, const Item& item)
{
    return call.values && fits(item.name, call.values->empty() ? "*" : std::string_view(*call.values));
}

// Whole numbers of 64 bits keep every digit, and a negative zero its sign.
std::string elementText(const StateEntry& entry, std::int64_t index)
{
    const auto at = [&](auto number) {
        std::memcpy(&number, entry.data.get() + static_cast<std::size_t>(index) * sizeof number, sizeof number);
        return std::to_string(number);
    };
    if (entry.dtype == "I64")
        return at(std::int64_t{});
    if (entry.dtype == "U64")
        return at(std::uint64_t{});
    const double value = io::elementAsDouble(entry, index);
    if (entry.dtype == "BOOL")
        return value != 0.0 ? "true" : "false";
    return value == 0.0 && std::signbit(value) ? "-0.0" : jsonNumber(value);
}

void requireValues(const Item& item)
{
    if (!io::hasValues(item.entry))
        throw Error("tensor " + item.name + ": values of dtype " + item.entry.dtype + " cannot be shown");
}

void writeValues(const Item& item, Output& out)
{
    requireValues(item);
    const std::int64_t count = numel(item.entry.shape);
    for (std::int64_t i = 0; i < count; ++i)
        out.write((i == 0 ? "" : ", ") + elementText(item.entry, i));
}

Value statsValue(const io::TensorStats& stats)
{
    return Value::Object{{"min", stats.min},   {"max", stats.max},     {"mean", stats.mean}, {"std", stats.std},
                         {"norm", stats.norm}, {"zeros", stats.zeros}, {"nan", stats.nan},   {"inf", stats.inf}};
}

void printJson(const InspectCall& call, const Contents& contents, Output& out)
{
    Value::Object metadata(contents.metadata.begin(), contents.metadata.end());
    out.json(Value::Object{{"format", "mega"},
                           {"tensors", static_cast<std::int64_t>(contents.items.size())},
                           {"bytes", contents.bytes},
                           {"container", io::containerName(contents.container)},
                           {"metadata", std::move(metadata)},
                           {"file_bytes", contents.fileBytes}});
    for (const Item& item : contents.items) {
        const StateEntry& entry = item.entry;
        Value::Object object{{"name", item.name},
                             {"dtype", entry.dtype},
                             {"shape", Value::List(entry.shape.begin(), entry.shape.end())},
                             {"bytes", static_cast<std::int64_t>(entry.size)}};
        if (call.stats && io::hasValues(entry))
            object.emplace_back("stats", statsValue(io::statsOf(entry)));
        std::string line = writeJson(object);
        if (wantsValues(call, item)) {
            // Element by element: as a list of values a large tensor would take many times its size.
            line.pop_back();
            out.write(line + ", \"values\": [");
            writeValues(item, out);
            line = "]}";
        }
        out.line(line);
    }
}

// Metadata in one line: layouts and projects are long.
std::string shown(const Value& value)
{
    constexpr std::size_t longest = 100;
    std::string whole = value.isString() ? value.string() : writeJson(value);
    std::ranges::replace_if(
        whole, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    std::string part = cut(whole, longest);
    return part.size() < whole.size() ? part + " ..." : part;
}

std::string shown(double value)
{
    return std::isfinite(value) ? fmt::format("{:.5g}", value) : shortestText(value);
}

void printText(const InspectCall& call, const Contents& contents, Output& out)
{
    out.line(fmt::format("{}: {} of {}, {}", call.file, io::containerName(contents.container),
                         counted(static_cast<std::int64_t>(contents.items.size()), "tensor"),
                         sizeShown(contents.bytes)));
    for (const auto& [key, value] : contents.metadata)
        out.line("  " + key + " = " + shown(value));
    out.line({});
    std::vector<std::string> heading{"name", "dtype", "shape", "bytes"};
    std::vector<bool> right{false, false, false, true};
    if (call.stats)
        for (const char* name : {"min", "max", "mean", "std", "norm", "zeros", "nan", "inf"}) {
            heading.emplace_back(name);
            right.push_back(true);
        }
    Table table(std::move(heading), std::move(right));
    for (const Item& item : contents.items) {
        std::vector<std::string> row{item.name, item.entry.dtype, text(item.entry.shape),
                                     withThousands(static_cast<std::int64_t>(item.entry.size))};
        if (call.stats && io::hasValues(item.entry)) {
            const io::TensorStats stats = io::statsOf(item.entry);
            for (const double number : {stats.min, stats.max, stats.mean, stats.std, stats.norm})
                row.push_back(shown(number));
            for (const std::int64_t count : {stats.zeros, stats.nan, stats.inf})
                row.push_back(withThousands(count));
        }
        table.add(std::move(row));
    }
    table.print(out);
    for (const Item& item : contents.items)
        if (wantsValues(call, item)) {
            out.line({});
            out.write(item.name + " " + text(item.entry.shape) + ": [");
            writeValues(item, out);
            out.line("]");
        }
}

int inspect(const InspectCall& call, Output& out)
{
    const Contents contents = readContents(call);
    if (call.json)
        printJson(call, contents, out);
    else
        printText(call, contents, out);
    return 0;
}

}  // namespace

Run inspectCommand(Options& options)
{
    const auto call = std::make_shared<InspectCall>();
    options.positional(call->file, "FILE", "A weights file: .mega or .mega.index.json");
    options.flag(call->stats, "--stats", "min, max, mean, std, norm, zeros, NaN and Inf of each tensor");
    options.optionalText(call->values, "--values", "GLOB",
                         "Every value of the tensors whose names fit (* and ?); of all without GLOB");
    options.flag(call->json, "--json", "One JSON object per line");
    return [call](Output& out) { return inspect(*call, out); };
}

}  // namespace megalith::cli
