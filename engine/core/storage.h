// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace megalith {

class Backend;

// Memory of one device, 64-byte aligned, given back to the backend that allocated it. Shared by views through shared_ptr.
class Storage
{
public:
    Storage(Backend& backend, std::byte* data, std::size_t bytes) : m_backend(&backend), m_data(data), m_bytes(bytes) {}
    ~Storage();
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    Backend& backend() const { return *m_backend; }
    std::byte* data() const { return m_data; }
    std::size_t bytes() const { return m_bytes; }

    // Grows with every in-place change; autograd compares it with what it was when a tensor was saved.
    std::uint64_t version() const { return m_version; }
    void bumpVersion() { ++m_version; }

private:
    Backend* m_backend;
    std::byte* m_data;
    std::size_t m_bytes;
    std::uint64_t m_version = 0;
};

}  // namespace megalith
