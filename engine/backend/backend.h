// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/backend/kernel.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace megalith {

struct DeviceInfo
{
    std::string id;    // "cpu", "opencl:0"
    std::string name;  // "AMD EPYC, 2 threads"
    std::string kind;  // "cpu" or "opencl"
    bool usable = true;
    std::string reason;  // why not usable
    std::size_t memoryBytes = 0;
};

// A device that holds memory and runs kernels. Used by one thread at a time.
class Backend
{
public:
    virtual ~Backend() = default;

    // 64-byte aligned. DeviceError before anything is asked for when more is wanted than the device can have.
    virtual std::shared_ptr<Storage> allocate(std::size_t bytes) = 0;
    virtual void release(std::byte* data, std::size_t bytes) noexcept = 0;
    virtual void upload(const Storage& to, std::size_t offset, const void* from, std::size_t bytes) = 0;
    virtual void download(const Storage& from, std::size_t offset, void* to, std::size_t bytes) = 0;

    virtual bool supports(const KernelCall& call) const = 0;
    // The one door through which every kernel runs; a Recording in place takes a copy of the call.
    void launch(const KernelCall& call);
    virtual void synchronize() = 0;
    virtual DeviceInfo info() const = 0;

    // Calls are appended here while it is set. Not owned.
    void record(std::vector<KernelCall>* into) { m_recording = into; }
    std::int64_t launches() const { return m_launches; }

protected:
    virtual void run(const KernelCall& call) = 0;

private:
    std::vector<KernelCall>* m_recording = nullptr;
    std::int64_t m_launches = 0;
};

}  // namespace megalith
