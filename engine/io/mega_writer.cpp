// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/mega_writer.h"

#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/io/atomic_file.h"
#include "engine/io/bytes.h"
#include "engine/io/mega_directory.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <unordered_set>

namespace megalith::io {

namespace {

constexpr std::uint32_t alignment = 4096;

void appendString(std::string& out, std::string_view text)
{
    appendBytes(out, static_cast<std::uint64_t>(text.size()));
    out += text;
}

void appendCompactString(std::string& out, std::string_view text)
{
    appendBytes(out, static_cast<std::uint32_t>(text.size()));
    out += text;
}

enum MetadataType : std::uint32_t {
    typeU32 = 4,
    typeU64 = 6,
    typeI64 = 7,
    typeF64 = 9,
    typeBool = 10,
    typeText = 11,
    typeArray = 12
};

MetadataType typeOf(const Value& value)
{
    if (value.isBool())
        return typeBool;
    if (value.isInteger())
        return value.integer() < 0 ? typeI64 : value.integer() > std::int64_t{UINT32_MAX} ? typeU64 : typeU32;
    return value.isNumber() ? typeF64 : typeText;
}

// One type for all elements: the widest number that they need. typeArray when there is none.
MetadataType elementType(const Value::List& list)
{
    const auto plain = [](const Value& v) { return v.isBool() || v.isNumber() || v.isString(); };
    if (!std::ranges::all_of(list, plain))
        return typeArray;
    if (list.empty() || std::ranges::all_of(list, &Value::isString))
        return typeText;
    if (std::ranges::all_of(list, &Value::isBool))
        return typeBool;
    if (!std::ranges::all_of(list, &Value::isNumber))
        return typeArray;
    if (!std::ranges::all_of(list, &Value::isInteger))
        return typeF64;
    MetadataType type = typeU32;
    for (const Value& v : list)
        type = std::max(type, typeOf(v));
    return type;
}

void appendElement(std::string& out, MetadataType type, const Value& value)
{
    switch (type) {
    case typeBool: appendBytes(out, static_cast<std::uint8_t>(value.boolean() ? 1 : 0)); break;
    case typeU32: appendBytes(out, static_cast<std::uint32_t>(value.integer())); break;
    case typeU64:
    case typeI64: appendBytes(out, value.integer()); break;
    case typeF64: appendBytes(out, value.number()); break;
    case typeText:
    case typeArray: appendString(out, value.isString() ? value.string() : writeJson(value)); break;
    }
}

void appendMetadata(std::string& out, const std::string& key, const Value& value)
{
    appendString(out, key);
    const MetadataType element = value.isList() ? elementType(value.list()) : typeArray;
    if (value.isList() && element != typeArray) {
        appendBytes(out, std::uint32_t{typeArray});
        appendBytes(out, std::uint32_t{element});
        appendBytes(out, static_cast<std::uint64_t>(value.list().size()));
        for (const Value& item : value.list())
            appendElement(out, element, item);
        return;
    }
    const MetadataType type = typeOf(value);
    appendBytes(out, std::uint32_t{type});
    appendElement(out, type, value);
}

bool isOurs(std::string_view key)
{
    return isStructuralKey(key) || key == "tensorplay.container" || key == "tensorplay.byteorder"
           || key == "tensorplay.tensor_devices" || key == "tensorplay.checksum" || key == "tensorplay.tensor_checksums"
           || key == "tensorplay.layout";
}

std::uint32_t crcOf(const StateEntry& entry)
{
    return static_cast<std::uint32_t>(
        crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(entry.data.get()), entry.size));
}

void checkTensor(const std::filesystem::path& path, const std::string& name, const StateEntry& entry)
{
    const auto refuse = [&](const std::string& what) {
        throw Error("cannot write " + path.string() + ": tensor " + shownName(name) + ": " + what);
    };
    const auto itemSize = itemSizeOfTag(entry.dtype);
    if (!isUtf8(name))
        refuse("its name is no UTF-8 text");
    if (!itemSize && entry.dtype != "F4")
        refuse("dtype " + shownName(entry.dtype) + " is not known in .mega");
    const auto elements = static_cast<std::size_t>(numel(entry.shape));
    const std::size_t expected = itemSize ? elements * *itemSize : (elements + 1) / 2;
    if (entry.size != expected || (entry.size > 0 && entry.data == nullptr))
        refuse(fmt::format("{} bytes where {} of {} has {}", entry.size, text(entry.shape), entry.dtype, expected));
}

class Writer
{
public:
    Writer(const std::filesystem::path& path, const WeightsFile& file) : m_path(path), m_file(file) {}

    void write();

private:
    Metadata fileMetadata() const;
    void appendDirectory();

    const std::filesystem::path& m_path;
    const WeightsFile& m_file;
    std::vector<std::uint32_t> m_checksums;
    std::string m_header;
};

void Writer::write()
{
    for (const auto& [name, entry] : m_file.tensors) {
        checkTensor(m_path, name, entry);
        m_checksums.push_back(crcOf(entry));
    }
    const Metadata metadata = fileMetadata();
    appendBytes(m_header, megaMagic);
    appendBytes(m_header, std::uint32_t{1});
    appendBytes(m_header, static_cast<std::uint64_t>(m_file.tensors.size()));
    appendBytes(m_header, static_cast<std::uint64_t>(metadata.size()));
    for (const auto& [key, value] : metadata)
        appendMetadata(m_header, key, value);
    appendDirectory();
    m_header.resize((m_header.size() + alignment - 1) / alignment * alignment, '\0');

    AtomicFile out(m_path);
    out.write(m_header);
    for (const auto& [name, entry] : m_file.tensors)
        out.write(entry.bytes());
    out.commit();
}

// The order in which tensorplay.save writes them, then what is given beside.
Metadata Writer::fileMetadata() const
{
    std::string devices;
    std::string checksums;
    for (std::size_t i = 0; const auto& [name, entry] : m_file.tensors) {
        const std::string key = (i == 0 ? "" : ",") + jsonString(name);
        devices += key + ":\"cpu\"";
        checksums += key + fmt::format(":\"{:08x}\"", m_checksums[i++]);
    }
    const Value* architecture = findMetadata(m_file.metadata, "general.architecture");
    Metadata out = {{"general.architecture", architecture != nullptr ? *architecture : Value("tensorplay")},
                    {"general.alignment", std::int64_t{alignment}},
                    {"mega.tensor_info.format", "self_describing"},
                    {"tensorplay.container", containerName(m_file.container)},
                    {"tensorplay.byteorder", "little"},
                    {"tensorplay.tensor_devices", "{" + devices + "}"},
                    {"tensorplay.checksum", "crc32"},
                    {"tensorplay.tensor_checksums", "{" + checksums + "}"}};
    if (m_file.container == Container::Tree)
        out.emplace_back("tensorplay.layout", m_file.layout);
    std::unordered_set<std::string_view> keys;
    for (const auto& [key, value] : m_file.metadata) {
        const auto refuse = [&](const char* what) {
            throw Error("cannot write " + m_path.string() + ": the metadata key " + shownName(key) + what);
        };
        if (!keys.insert(key).second)
            refuse(" is there twice");
        if (!isUtf8(key) || (value.isString() && !isUtf8(value.string())))
            refuse(" or its text is no UTF-8");
        if (!isOurs(key) && key != "general.architecture")
            out.emplace_back(key, value);
    }
    return out;
}

void Writer::appendDirectory()
{
    std::uint64_t offset = 0;
    for (std::size_t i = 0; const auto& [name, entry] : m_file.tensors) {
        constexpr std::uint32_t hasChecksum = 1U << 5;
        appendCompactString(m_header, name);
        appendBytes(m_header, hasChecksum);
        appendBytes(m_header, static_cast<std::uint32_t>(entry.shape.size()));
        for (auto size = entry.shape.rbegin(); size != entry.shape.rend(); ++size)
            appendBytes(m_header, *size);
        appendCompactString(m_header, entry.dtype);
        appendBytes(m_header, offset);
        appendBytes(m_header, std::uint32_t{megaCrc32});
        appendBytes(m_header, m_checksums[i++]);
        m_header.append(28, '\0');
        offset += entry.size;
    }
}

}  // namespace

void writeMega(const std::filesystem::path& path, const WeightsFile& file)
{
    Writer(path, file).write();
}

void writeMega(const std::filesystem::path& path, const TreeValue& value, const Metadata& metadata)
{
    WeightsFile file = fileOf(value);
    file.metadata = metadata;
    writeMega(path, file);
}

void writeMega(const std::filesystem::path& path, const StateDict& dict, const Metadata& metadata)
{
    writeMega(path, TreeValue(dict), metadata);
}

}  // namespace megalith::io
