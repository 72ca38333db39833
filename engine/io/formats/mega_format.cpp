// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/formats/formats.h"
#include "engine/io/mega_reader.h"
#include "engine/io/mega_writer.h"

#include <algorithm>
#include <cstring>

namespace megalith::io {

namespace {

bool probe(std::span<const std::byte> head)
{
    return head.size() >= 4 && std::memcmp(head.data(), "MEGA", 4) == 0;
}

Weights read(const std::filesystem::path& path)
{
    WeightsFile file = readMega(path);
    return {stateDictOf(file, path), std::move(file.metadata)};
}

void write(const std::filesystem::path& path, const StateDict& tensors, const Metadata& metadata)
{
    writeMega(path, tensors, metadata);
}

}  // namespace

WeightsFormat megaFormat()
{
    return {"mega", {".mega", ".mega.index.json"}, probe, read, write};
}

}  // namespace megalith::io
