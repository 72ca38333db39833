// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <omp.h>

namespace megalith::cpu {

// A library that uses OpenMP uses this many threads while the object lives. Holds for the calling thread alone.
class OmpThreads
{
public:
    explicit OmpThreads(int threads) : m_before(omp_get_max_threads()), m_changed(threads != m_before)
    {
        if (m_changed)
            omp_set_num_threads(threads);
    }
    ~OmpThreads()
    {
        if (m_changed)
            omp_set_num_threads(m_before);
    }
    OmpThreads(const OmpThreads&) = delete;
    OmpThreads& operator=(const OmpThreads&) = delete;

private:
    int m_before;
    bool m_changed;
};

}  // namespace megalith::cpu
