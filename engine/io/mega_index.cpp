// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/mega_index.h"

#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/io/atomic_file.h"
#include "engine/io/bytes.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <unordered_map>

namespace megalith::io {

namespace {

constexpr std::uint64_t largestIndex = std::uint64_t{256} << 20;

bool isInside(const std::filesystem::path& file, const std::filesystem::path& folder)
{
    const auto [end, rest] = std::ranges::mismatch(folder, file);
    return end == folder.end() && rest != file.end();
}

class IndexReader
{
public:
    IndexReader(const std::filesystem::path& path, const MegaReadOptions& options)
        : m_path(path)
        , m_shown(path.string())
        , m_options(options)
        , m_folder(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."))
    {}

    WeightsFile read();

private:
    [[noreturn]] void refuse(const std::string& what) const { throw FormatError(m_shown + ": " + what); }
    const WeightsFile& shard(const std::string& name);
    std::filesystem::path shardPath(const std::string& name) const;

    const std::filesystem::path& m_path;
    std::string m_shown;
    const MegaReadOptions& m_options;
    std::filesystem::path m_folder;
    std::unordered_map<std::string, std::string> m_places;  // of shards, as the index has them
    std::unordered_map<std::string, WeightsFile> m_shards;
};

WeightsFile IndexReader::read()
{
    Value index;
    try {
        index = parseJson(readWholeText(m_path, largestIndex));
    } catch (const FormatError& e) {
        refuse(std::string("the index is no JSON: ") + e.what());
    }
    const Value* map = index.find("weight_map");
    if (map == nullptr || !map->isObject())
        refuse("the index has no weight_map that is an object");
    if (const Value* places = index.find("shards"); places != nullptr && places->isObject())
        for (const auto& [name, place] : places->object())
            if (place.isString())
                m_places.emplace(name, place.string());

    WeightsFile file;
    for (const auto& [tensor, name] : map->object()) {
        if (!name.isString())
            refuse("weight_map: the shard of " + shownName(tensor) + " is " + std::string(kindName(name))
                   + ", not a name");
        const StateEntry* entry = shard(name.string()).tensors.find(tensor);
        if (entry == nullptr)
            refuse("the shard " + shownName(name.string()) + " lacks the tensor " + shownName(tensor));
        file.tensors.add(tensor, *entry);
    }
    if (Value* metadata = index.find("metadata"); metadata != nullptr && metadata->isObject())
        file.metadata = std::move(metadata->object());
    return file;
}

const WeightsFile& IndexReader::shard(const std::string& name)
{
    const auto found = m_shards.find(name);
    if (found != m_shards.end())
        return found->second;
    return m_shards.emplace(name, readMega(shardPath(name), m_options)).first->second;
}

std::filesystem::path IndexReader::shardPath(const std::string& name) const
{
    std::error_code error;
    if (const auto place = m_places.find(name); place != m_places.end()) {
        const auto given = std::filesystem::weakly_canonical(m_folder / place->second, error);
        const auto folder = error ? std::filesystem::path() : std::filesystem::canonical(m_folder, error);
        if (!error && isInside(given, folder) && std::filesystem::is_regular_file(given, error) && !isMegaIndex(given))
            return given;
    }
    const std::filesystem::path beside(name);
    if (name.empty() || beside.filename() != beside || name == "." || name == ".." || isMegaIndex(beside))
        refuse("the shard name " + shownName(name) + " is no plain file name");
    const std::filesystem::path path = m_folder / beside;
    if (!std::filesystem::exists(path, error))
        refuse("the shard " + shownName(name) + " is missing; it was looked for in " + m_folder.string());
    return path;
}

}  // namespace

bool isMegaIndex(const std::filesystem::path& path)
{
    return path.filename().string().ends_with(".index.json");
}

WeightsFile readMegaIndex(const std::filesystem::path& path, const MegaReadOptions& options)
{
    return IndexReader(path, options).read();
}

}  // namespace megalith::io
