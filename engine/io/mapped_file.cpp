// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/mapped_file.h"

#include "engine/core/error.h"
#include "engine/io/atomic_file.h"
#include "engine/io/regular_file.h"

#include <sys/mman.h>

#include <cerrno>

namespace megalith::io {

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path)
{
    const RegularFile file(path);
    std::shared_ptr<MappedFile> mapped(new MappedFile);
    if (file.size() == 0)
        return mapped;
    void* data = ::mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (data == MAP_FAILED)
        throw Error("cannot read " + path.string() + ": " + reasonText(errno));
    mapped->m_data = static_cast<const std::byte*>(data);
    mapped->m_size = file.size();
    return mapped;
}

MappedFile::~MappedFile()
{
    if (m_size > 0)
        ::munmap(const_cast<std::byte*>(m_data), m_size);
}

std::shared_ptr<const std::byte> MappedFile::at(std::size_t offset) const
{
    return {shared_from_this(), m_data + offset};
}

}  // namespace megalith::io
