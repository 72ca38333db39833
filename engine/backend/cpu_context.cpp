// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/cpu_context.h"

#include "engine/backend/cpu_dnn.h"

#include <algorithm>

namespace megalith {

CpuContext::CpuContext(int maxThreads) : m_maxThreads(std::max(maxThreads, 1)) {}

CpuContext::~CpuContext() = default;

int CpuContext::threadsFor(std::int64_t elementOperations) const
{
    // A parallel region costs 1 to 2 us, in which one thread does about this many additions from cache.
    constexpr std::int64_t worthwhile = 65536;
    return elementOperations < worthwhile ? 1 : m_maxThreads;
}

CpuContext::Dnn& CpuContext::dnn()
{
    if (!m_dnn)
        m_dnn = std::make_unique<Dnn>();
    return *m_dnn;
}

}  // namespace megalith
