// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace megalith::io {

// A whole file, read-only, in memory by mmap. Kept alive by whoever holds a part of it.
class MappedFile : public std::enable_shared_from_this<MappedFile>
{
public:
    // Throws Error when there is no such file, or it is a folder, no regular file or not readable.
    static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::span<const std::byte> bytes() const { return {m_data, m_size}; }
    std::size_t size() const { return m_size; }
    // Shares ownership of the whole mapping; for StateEntry::data.
    std::shared_ptr<const std::byte> at(std::size_t offset) const;

private:
    MappedFile() = default;

    const std::byte* m_data = nullptr;
    std::size_t m_size = 0;
};

}  // namespace megalith::io
