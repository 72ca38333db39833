// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace megalith::io {

// Writes a file so that its place holds either the old content or the whole new one, also after a crash: a temporary file
// beside the target, write, fsync, rename, fsync of the folder. The target's permissions are kept; a symbolic link is
// followed. Destroyed without commit() it removes the temporary and leaves the target as it was.
// Every failure throws Error with the path and the reason ("the disk is full").
class AtomicFile
{
public:
    explicit AtomicFile(std::filesystem::path target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text);
    std::uint64_t written() const { return m_written; }
    // Puts the file in its place. To be called once, last.
    void commit();

private:
    void flush();
    void writeNow(std::span<const std::byte> bytes);
    [[noreturn]] void fail(int errorNumber) const;

    std::filesystem::path m_shown;   // as the caller named it, for messages
    std::filesystem::path m_target;  // links followed
    std::filesystem::path m_temporary;
    std::vector<std::byte> m_buffer;
    std::uint64_t m_written = 0;
    int m_file = -1;
};

void writeFileAtomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void writeFileAtomically(const std::filesystem::path& path, std::string_view text);

constexpr std::uint64_t defaultMaxBytes = std::uint64_t{1} << 30;

// Throws Error that says so when there is no such file, when it is a folder or no regular file, or when it is larger than
// maxBytes (before memory is asked for).
std::vector<std::byte> readWholeFile(const std::filesystem::path& path, std::uint64_t maxBytes = defaultMaxBytes);
std::string readWholeText(const std::filesystem::path& path, std::uint64_t maxBytes = defaultMaxBytes);

// The reason of a failed system call in the user's words: "no such file or folder", "the disk is full".
std::string reasonText(int errorNumber);

}  // namespace megalith::io
