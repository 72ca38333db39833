// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/io/bytes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace megalith::test {

// Makes .mega files by hand, broken ones too: nothing is checked.
struct MegaBuilder
{
    using Field = std::uint64_t;
    struct Tensor
    {
        std::string name = "w";
        std::vector<Field> shape = {4};
        std::string dtype = "F32";
        Field offset = 0;
        std::optional<std::string> format = {};
        std::optional<Field> stored = {};
        std::optional<std::uint32_t> flags = {};
        std::optional<std::uint32_t> codec = {};
        std::optional<std::uint32_t> shuffle = {};
        std::optional<std::uint32_t> checksumType = {};
        std::string checksum = std::string(32, '\0');
        std::uint32_t moreDirectoryFlags = 0;
    };
    struct Chunk
    {
        std::uint32_t tensor = 0;
        Field logicalOffset = 0;
        Field logicalSize = 0;
        Field offset = 0;
        Field stored = 0;
        std::uint32_t codec = 0;
        std::uint32_t flags = 0;
    };

    std::vector<std::pair<std::string, std::string>> metadata;  // key and value with its type
    std::vector<Tensor> tensors;
    std::vector<Chunk> chunks;
    std::string afterChunks;
    std::string payload = std::string(16, 'x');
    std::uint32_t version = 1;
    std::optional<Field> tensorCount;
    std::optional<Field> metadataCount;
    std::size_t alignment = 32;

    static std::string text(std::string_view text)
    {
        std::string out;
        io::appendBytes(out, static_cast<std::uint64_t>(text.size()));
        return out.append(text);
    }
    static std::string compact(std::string_view text)
    {
        std::string out;
        io::appendBytes(out, static_cast<std::uint32_t>(text.size()));
        return out.append(text);
    }
    template<typename T>
    static std::string value(std::uint32_t type, T number)
    {
        std::string out;
        io::appendBytes(out, type);
        io::appendBytes(out, number);
        return out;
    }
    static std::string textValue(std::string_view value)
    {
        std::string out;
        io::appendBytes(out, std::uint32_t{11});
        return out + text(value);
    }

    static std::string record(const Tensor& t)
    {
        std::string fields;
        std::uint32_t present = t.moreDirectoryFlags;
        const auto add = [&fields, &present](std::uint32_t bit, const auto& field) {
            if (!field)
                return;
            present |= 1U << bit;
            io::appendBytes(fields, *field);
        };
        if (t.format) {
            present |= 1;
            fields += compact(*t.format);
        }
        add(1, t.stored);
        add(2, t.flags);
        add(3, t.codec);
        add(4, t.shuffle);
        add(5, t.checksumType);
        if (t.checksumType)
            fields += t.checksum;
        std::string out = compact(t.name);
        io::appendBytes(out, present);
        io::appendBytes(out, static_cast<std::uint32_t>(t.shape.size()));
        for (auto size = t.shape.rbegin(); size != t.shape.rend(); ++size)
            io::appendBytes(out, *size);
        out += compact(t.dtype);
        io::appendBytes(out, t.offset);
        return out + fields;
    }

    std::string build() const
    {
        std::string out = "MEGA";
        io::appendBytes(out, version);
        io::appendBytes(out, tensorCount.value_or(tensors.size()));
        io::appendBytes(out, metadataCount.value_or(metadata.size()));
        for (const auto& [key, value] : metadata)
            out += text(key) + value;
        for (const Tensor& tensor : tensors)
            out += record(tensor);
        for (const Chunk& c : chunks) {
            io::appendBytes(out, c.tensor);
            io::appendBytes(out, std::uint32_t{0});
            for (const Field field : {c.logicalOffset, c.logicalSize, c.offset, c.stored})
                io::appendBytes(out, field);
            for (const std::uint32_t field : {c.codec, c.flags, std::uint32_t{0}, std::uint32_t{0}})
                io::appendBytes(out, field);
            out.append(32, '\0');
        }
        out += afterChunks;
        out.resize((out.size() + alignment - 1) / alignment * alignment, '\0');
        return out + payload;
    }

    void declareChunks()
    {
        metadata.emplace_back("mega.chunk_directory.format", textValue("v1"));
        metadata.emplace_back("mega.chunk_directory.count", value(4, static_cast<std::uint32_t>(chunks.size())));
    }
};

}  // namespace megalith::test
