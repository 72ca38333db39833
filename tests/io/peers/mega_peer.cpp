// SPDX-License-Identifier: GPL-3.0-or-later
// A small program for peers.py: writes what other programs are to read, and shows what it reads of theirs.

#include "engine/core/dtype.h"
#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/io/atomic_file.h"
#include "engine/io/mega_reader.h"
#include "engine/io/mega_writer.h"
#include "engine/io/npy.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace megalith;
using io::TreeValue;

// Byte i is (37 i + seed) mod 256, for BOOL i mod 2: peers.py makes the same.
StateEntry pattern(std::string_view dtype, Shape shape, int seed)
{
    std::vector<std::byte> bytes(static_cast<std::size_t>(numel(shape)) * itemSizeOfTag(dtype).value());
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(dtype == "BOOL" ? i % 2 : (37 * i + static_cast<std::size_t>(seed)) % 256);
    return makeEntry(dtype, std::move(shape), bytes);
}

// sin(i + seed) as float32
StateEntry wave(Shape shape, int seed)
{
    std::vector<float> values(static_cast<std::size_t>(numel(shape)));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(std::sin(static_cast<double>(i) + seed));
    return makeEntry("F32", std::move(shape), std::as_bytes(std::span(values)));
}

StateDict everyDtype()
{
    StateDict dict;
    int seed = 0;
    for (const char* dtype :
         {"U8", "BOOL", "I8", "I16", "U16", "F16", "BF16", "I32", "U32", "F32", "I64", "U64", "F64"})
        dict.add(std::string("t_") + dtype, pattern(dtype, {1, 5, 3}, seed++));
    dict.add("scalar", pattern("I64", {}, 100));
    dict.add("模型.层 \"x\"", pattern("F32", {2, 1, 2, 2}, 101));
    return dict;
}

TreeValue checkpoint()
{
    const StateEntry weight = wave({3, 2}, 1);
    return TreeValue::Dict{
        {"model", TreeValue::Dict{{"fc.weight", weight}, {"fc.bias", wave({3}, 2)}}},
        {"optimizer",
         TreeValue::Dict{{"state", TreeValue::Dict{{"0", TreeValue::Dict{{"step", 12}, {"exp_avg", wave({3, 2}, 3)}}}}},
                         {"betas", TreeValue::Tuple{{0.9, 0.999}}},
                         {"lr", 1.0}}},
        {"best", std::numeric_limits<double>::infinity()},
        {"epoch", std::int64_t{1} << 53},
        {"none", TreeValue()},
        {"flags", TreeValue::List{true, false, "späť\n\"初\""}},
        {"same", weight},
        {"mark", TreeValue::Dict{{"__tuple__", "text"}}}};
}

// state_dict of Sequential(Linear(4, 6), BatchNorm1d(6), ReLU(), Linear(6, 3))
StateDict model()
{
    StateDict dict;
    dict.add("0.weight", wave({6, 4}, 0));
    dict.add("0.bias", wave({6}, 1));
    dict.add("1.weight", wave({6}, 2));
    dict.add("1.bias", wave({6}, 3));
    dict.add("1.running_mean", wave({6}, 4));
    const std::vector<float> variances(6, 0.75F);
    dict.add("1.running_var", makeEntry("F32", {6}, std::as_bytes(std::span(variances))));
    const std::int64_t batches = 17;
    dict.add("1.num_batches_tracked", makeEntry("I64", {}, std::as_bytes(std::span(&batches, 1))));
    dict.add("3.weight", wave({3, 6}, 5));
    dict.add("3.bias", wave({3}, 6));
    return dict;
}

void write(const std::filesystem::path& folder)
{
    io::writeMega(folder / "dtypes.mega", everyDtype(),
                  {{"megalith.real", 0.5}, {"megalith.list", Value::List{-1, 2}}});
    io::writeMega(folder / "模型 🧠.mega", model());
    StateDict tied = model();
    tied.add("4.weight", *tied.find("3.weight"));
    io::writeMega(folder / "tied.mega", tied);
    io::writeMega(folder / "checkpoint.mega", checkpoint());
    StateDict empty;
    empty.add("none", pattern("F32", {0, 4}, 0));
    empty.add("some", pattern("F32", {2}, 1));
    io::writeMega(folder / "empty.mega", empty);
    io::writeMega(folder / "no-tensors.mega", StateDict());
}

// manifest.json and one file of bytes for each tensor
void dump(const std::filesystem::path& file, const std::filesystem::path& folder)
{
    const io::WeightsFile read = io::readMega(file);
    Value::List tensors;
    for (const auto& [name, entry] : read.tensors) {
        const std::string bytes = std::to_string(tensors.size()) + ".bin";
        io::writeFileAtomically(folder / bytes, entry.bytes());
        Value::List shape(entry.shape.begin(), entry.shape.end());
        tensors.push_back(
            Value::Object{{"name", name}, {"dtype", entry.dtype}, {"shape", std::move(shape)}, {"file", bytes}});
    }
    Value::List keys;
    if (read.container == io::Container::Dict || read.container == io::Container::Tree)
        for (const auto& [key, entry] : io::stateDictOf(read, file))
            keys.emplace_back(key);
    // What is read as a tree and written again is for the other program to compare with what it wrote.
    io::writeMega(folder / "again.mega", io::treeOf(read));
    const Value manifest = Value::Object{
        {"tensors", std::move(tensors)}, {"container", io::containerName(read.container)}, {"keys", std::move(keys)}};
    io::writeFileAtomically(folder / "manifest.json", writeJson(manifest));
}

}  // namespace

int main(int argc, char** argv)
{
    const std::vector<std::string_view> arguments(argv + 1, argv + argc);
    try {
        if (arguments.size() == 2 && arguments[0] == "write")
            write(arguments[1]);
        else if (arguments.size() == 3 && arguments[0] == "dump")
            dump(arguments[1], arguments[2]);
        else
            throw Error("usage: mega_peer write FOLDER | mega_peer dump FILE FOLDER");
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
