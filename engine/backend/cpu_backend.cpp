// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/cpu_backend.h"

#include "engine/core/error.h"
#include "engine/core/number_text.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>

#include <unistd.h>

namespace megalith {

namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t cacheLimit = std::size_t{2} << 30;

// Sizes are rounded so that blocks fit again: four steps to each power of two.
std::size_t blockSize(std::size_t bytes)
{
    if (bytes <= 256)
        return std::max<std::size_t>((bytes + alignment - 1) / alignment * alignment, alignment);
    const std::size_t step = std::bit_floor(bytes - 1) / 4;
    return (bytes + step - 1) / step * step;
}

std::string gigabytes(std::size_t bytes)
{
    return shortestText(static_cast<double>(bytes / 100000000) / 10.0) + " GB";
}

std::string processorName()
{
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("model name"))
            return line.substr(std::min(line.find(':') + 2, line.size()));
    return "processor";
}

}  // namespace

std::size_t physicalMemory()
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)
                                 : std::size_t{4} << 30;
}

CpuBackend::CpuBackend(int threads) : m_context(threads) {}

CpuBackend::~CpuBackend()
{
    for (const auto& [size, blocks] : m_free)
        for (std::byte* block : blocks)
            std::free(block);
}

std::shared_ptr<Storage> CpuBackend::allocate(std::size_t bytes)
{
    const std::size_t limit = physicalMemory();
    if (bytes > limit || m_inUse > limit - bytes)
        throw DeviceError("cpu: " + gigabytes(bytes) + " more are wanted, " + gigabytes(m_inUse)
                          + " are in use, and this machine has " + gigabytes(limit) + " of memory");
    const std::size_t size = blockSize(bytes);
    std::byte* data = nullptr;
    const auto it = m_free.find(size);
    if (it != m_free.end() && !it->second.empty()) {
        data = it->second.back();
        it->second.pop_back();
        m_cached -= size;
    } else {
        data = static_cast<std::byte*>(std::aligned_alloc(alignment, size));
        if (data == nullptr)
            throw DeviceError("cpu: no memory left for " + gigabytes(bytes));
    }
    m_inUse += size;
    return std::make_shared<Storage>(*this, data, bytes);
}

void CpuBackend::release(std::byte* data, std::size_t bytes) noexcept
{
    const std::size_t size = blockSize(bytes);
    m_inUse -= size;
    if (m_cached + size > cacheLimit) {
        std::free(data);
        return;
    }
    try {
        m_free[size].push_back(data);
        m_cached += size;
    } catch (const std::bad_alloc&) {
        std::free(data);
    }
}

void CpuBackend::upload(const Storage& to, std::size_t offset, const void* from, std::size_t bytes)
{
    if (bytes != 0)
        std::memcpy(to.data() + offset, from, bytes);
}

void CpuBackend::download(const Storage& from, std::size_t offset, void* to, std::size_t bytes)
{
    if (bytes != 0)
        std::memcpy(to, from.data() + offset, bytes);
}

DeviceInfo CpuBackend::info() const
{
    const int threads = m_context.maxThreads();
    return {"cpu", processorName() + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
            "cpu", true,
            "",    physicalMemory()};
}

void CpuBackend::run(const KernelCall& call)
{
    call.cpu(call, m_context);
}

}  // namespace megalith
