// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/atomic_file.h"

#include "engine/core/error.h"
#include "engine/io/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <random>
#include <system_error>
#include <utility>

namespace megalith::io {

namespace {

constexpr std::size_t bufferSize = std::size_t{64} * 1024;
constexpr int mostLinks = 40;

std::filesystem::path folderOf(const std::filesystem::path& file)
{
    return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

std::string temporaryName()
{
    static std::atomic<unsigned> counter{0};
    std::random_device random;
    return ".megalith-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + "-" + std::to_string(random())
           + ".tmp";
}

// A rename is on the disk only when its folder is. Folders that cannot be opened or synced (some network file systems) are
// left to the system.
void syncFolder(const std::filesystem::path& folder)
{
    const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    ::fsync(file);
    ::close(file);
}

template<typename Bytes>
Bytes readAll(const std::filesystem::path& path, std::uint64_t maxBytes)
{
    const RegularFile file(path);
    if (file.size() > maxBytes)
        throw Error("cannot read " + path.string() + ": it has " + std::to_string(file.size())
                    + " bytes, more than the " + std::to_string(maxBytes) + " that such a file may have");
    Bytes bytes;
    bytes.resize(file.size());
    std::size_t have = 0;
    while (have < bytes.size()) {
        const ssize_t n = ::read(file.descriptor(), bytes.data() + have, bytes.size() - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            throw Error("cannot read " + path.string() + ": " + reasonText(errno));
        if (n == 0)
            break;
        have += static_cast<std::size_t>(n);
    }
    bytes.resize(have);
    return bytes;
}

}  // namespace

std::string reasonText(int errorNumber)
{
    switch (errorNumber) {
    case ENOENT: return "no such file or folder";
    case ENOTDIR: return "a part of the path is no folder";
    case EISDIR: return "it is a folder";
    case EACCES:
    case EPERM: return "permission denied";
    case ENOSPC: return "the disk is full";
    case EDQUOT: return "the disk quota is used up";
    case EFBIG: return "the file would be larger than the system allows";
    case EROFS: return "the file system is read-only";
    case ENAMETOOLONG: return "the name is too long";
    case EMFILE:
    case ENFILE: return "too many files are open";
    case ELOOP: return "its symbolic links lead in a circle";
    case ENOMEM: return "out of memory";
    default: return std::generic_category().message(errorNumber);
    }
}

RegularFile::RegularFile(const std::filesystem::path& path)
{
    // Without O_NONBLOCK a pipe of that name would block.
    m_file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info = {};
    std::string wrong;
    if (m_file < 0 || ::fstat(m_file, &info) != 0)
        wrong = reasonText(errno);
    else if (S_ISDIR(info.st_mode))
        wrong = reasonText(EISDIR);
    else if (!S_ISREG(info.st_mode))
        wrong = "it is no regular file";
    if (!wrong.empty()) {
        if (m_file >= 0)
            ::close(m_file);
        throw Error("cannot read " + path.string() + ": " + wrong);
    }
    m_size = static_cast<std::size_t>(info.st_size);
}

RegularFile::~RegularFile()
{
    ::close(m_file);
}

AtomicFile::AtomicFile(std::filesystem::path target) : m_shown(std::move(target)), m_target(m_shown)
{
    // The file behind a link is replaced, or made, not the link.
    std::error_code error;
    for (int links = 0; std::filesystem::is_symlink(m_target, error); ++links) {
        if (links == mostLinks)
            fail(ELOOP);
        m_target = folderOf(m_target) / std::filesystem::read_symlink(m_target, error);
    }
    struct stat info = {};
    const bool exists = ::stat(m_target.c_str(), &info) == 0;
    if (m_target.filename().empty() || (exists && S_ISDIR(info.st_mode)))
        fail(EISDIR);
    if (exists && !S_ISREG(info.st_mode))
        throw Error("cannot write " + m_shown.string() + ": it is no regular file");

    m_temporary = folderOf(m_target) / temporaryName();
    m_file = ::open(m_temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (m_file < 0) {
        const int number = errno;
        const std::string folder = folderOf(m_target).string();
        const bool isThere = std::filesystem::is_directory(folderOf(m_target), error);
        if (number == ENOENT && !isThere)
            throw Error("cannot write " + m_shown.string() + ": there is no folder " + folder);
        if (number == EACCES || number == EPERM || number == EROFS || number == ENOENT)
            throw Error("cannot write " + m_shown.string() + ": nothing can be written in the folder " + folder
                        + (number == ENOENT ? "" : " (" + reasonText(number) + ")"));
        fail(number);
    }
    if (exists)
        ::fchmod(m_file, info.st_mode & 07777);
    m_buffer.reserve(bufferSize);
}

AtomicFile::~AtomicFile()
{
    if (m_file >= 0)
        ::close(m_file);
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes)
{
    m_written += bytes.size();
    if (m_buffer.size() + bytes.size() > bufferSize)
        flush();
    if (bytes.size() >= bufferSize)
        writeNow(bytes);
    else
        m_buffer.insert(m_buffer.end(), bytes.begin(), bytes.end());
}

void AtomicFile::write(std::string_view text)
{
    write(std::as_bytes(std::span(text.data(), text.size())));
}

void AtomicFile::flush()
{
    writeNow(m_buffer);
    m_buffer.clear();
}

void AtomicFile::writeNow(std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t n = ::write(m_file, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            fail(errno);
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
}

void AtomicFile::commit()
{
    flush();
    // Some file systems have no fsync: EINVAL.
    if (::fsync(m_file) != 0 && errno != EINVAL && errno != ENOTSUP)
        fail(errno);
    if (::close(std::exchange(m_file, -1)) != 0)
        fail(errno);
    if (::rename(m_temporary.c_str(), m_target.c_str()) != 0)
        fail(errno);
    m_temporary.clear();
    syncFolder(folderOf(m_target));
}

void AtomicFile::fail(int errorNumber) const
{
    throw Error("cannot write " + m_shown.string() + ": " + reasonText(errorNumber));
}

void writeFileAtomically(const std::filesystem::path& path, std::span<const std::byte> bytes)
{
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

void writeFileAtomically(const std::filesystem::path& path, std::string_view text)
{
    writeFileAtomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

std::vector<std::byte> readWholeFile(const std::filesystem::path& path, std::uint64_t maxBytes)
{
    return readAll<std::vector<std::byte>>(path, maxBytes);
}

std::string readWholeText(const std::filesystem::path& path, std::uint64_t maxBytes)
{
    return readAll<std::string>(path, maxBytes);
}

}  // namespace megalith::io
