// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/cpu_context.h"

#include <map>
#include <vector>

namespace megalith {

// The processor. Keeps freed blocks for the next allocation of their size.
class CpuBackend : public Backend
{
public:
    explicit CpuBackend(int threads);
    ~CpuBackend() override;

    std::shared_ptr<Storage> allocate(std::size_t bytes) override;
    void release(std::byte* data, std::size_t bytes) noexcept override;
    void upload(const Storage& to, std::size_t offset, const void* from, std::size_t bytes) override;
    void download(const Storage& from, std::size_t offset, void* to, std::size_t bytes) override;
    bool supports(const KernelCall& call) const override { return call.cpu != nullptr; }
    void synchronize() override {}
    DeviceInfo info() const override;

protected:
    void run(const KernelCall& call) override;

private:
    CpuContext m_context;
    std::map<std::size_t, std::vector<std::byte*>> m_free;  // by block size
    std::size_t m_cached = 0;                               // bytes in m_free
    std::size_t m_inUse = 0;
};

// Bytes of memory that the machine has in all.
std::size_t physicalMemory();

}  // namespace megalith
