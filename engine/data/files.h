// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/dtype.h"
#include "engine/core/shape.h"
#include "engine/core/value.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace megalith::data {

// A file of a project: where it is, and what messages call it (as the project writes it).
struct DataFile
{
    std::filesystem::path path;
    std::string shown;
};

// The path under `key` of the "data" object, relative to the project's folder. DataError when it is absent or no text.
DataFile fileOf(const Value& data, std::string_view key, const std::filesystem::path& projectFolder);
DataFile fileAt(const std::string& text, const std::filesystem::path& projectFolder);

// Files by Input name: "inputs" is one file (for the only Input, named "") or an object of files.
std::vector<std::pair<std::string, DataFile>> inputFiles(const Value& data, const std::filesystem::path& projectFolder);

// Size of a regular file that can be read and is not empty. DataError otherwise, in one sentence.
std::uint64_t checkFile(const DataFile& file);
// The whole file; refuses one that memory cannot hold `copies` times.
std::string readFile(const DataFile& file, std::uint64_t copies = 1);

// count * the sample's bytes. DataError, with `shown`, when that is absurd or more than the machine's memory.
std::size_t checkedBytes(std::int64_t count, const Shape& sample, DType dtype, std::string_view shown);
void checkMemory(std::uint64_t bytes, std::string_view shown);

bool isUtf8(std::string_view text);
// As a message shows it: on one line, not too long, cut between characters.
std::string shortened(std::string_view text);

}  // namespace megalith::data
