// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>

namespace megalith::io {

// An open file for reading. Throws Error when there is none, or when it is a folder, a pipe or a device.
class RegularFile
{
public:
    explicit RegularFile(const std::filesystem::path& path);
    ~RegularFile();
    RegularFile(const RegularFile&) = delete;
    RegularFile& operator=(const RegularFile&) = delete;

    int descriptor() const { return m_file; }
    std::size_t size() const { return m_size; }

private:
    int m_file = -1;
    std::size_t m_size = 0;
};

}  // namespace megalith::io
