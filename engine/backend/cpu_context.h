// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>

namespace megalith {

// What CPU kernels share: how many threads to use, and caches of prepared primitives. Belongs to the CpuBackend.
class CpuContext
{
public:
    explicit CpuContext(int maxThreads);
    ~CpuContext();
    CpuContext(const CpuContext&) = delete;
    CpuContext& operator=(const CpuContext&) = delete;

    int maxThreads() const { return m_maxThreads; }
    // 1 for less work than a parallel region costs, else all. Follows from the size alone, so that results repeat.
    int threadsFor(std::int64_t elementOperations) const;

    struct Dnn;  // engine and primitive cache of oneDNN, made when first needed; engine/backend/cpu_dnn.h
    Dnn& dnn();

private:
    int m_maxThreads;
    std::unique_ptr<Dnn> m_dnn;
};

}  // namespace megalith
