// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/session.h"

#include "engine/backend/cpu_backend.h"
#include "engine/core/error.h"
#include "engine/core/number_text.h"

#include <omp.h>

#include <algorithm>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace megalith {

namespace {

thread_local Session* currentSession = nullptr;

int defaultThreads()
{
    return std::max(1, omp_get_max_threads());
}

Tensor scalar(Backend& backend, std::int64_t value)
{
    Tensor tensor(backend.allocate(sizeof value), DType::I64, {1}, {1}, 0);
    tensor.copyFrom(&value, sizeof value);
    return tensor;
}

}  // namespace

Session::Session(int threads) : m_cpu(std::make_unique<CpuBackend>(threads > 0 ? threads : defaultThreads()))
{
    m_random = {scalar(*m_cpu, 0), scalar(*m_cpu, 0)};
}

Session::~Session()
{
    m_random = {};
}

Backend& Session::cpu()
{
    return *m_cpu;
}

std::vector<DeviceInfo> Session::devices()
{
    return {m_cpu->info()};
}

void Session::selectDevice(const std::string& which)
{
    if (which.empty() || which == "auto" || which == "cpu")
        return;
    throw DeviceError("device " + which + ": this build computes on the CPU alone; choose cpu or auto");
}

void Session::manual_seed(std::int64_t seed)
{
    const std::int64_t zero = 0;
    m_random.seed.copyFrom(&seed, sizeof seed);
    m_random.step.copyFrom(&zero, sizeof zero);
}

Session& Session::current()
{
    if (currentSession == nullptr)
        throw Error("no session on this thread: make a Session and a SessionScope first");
    return *currentSession;
}

SessionScope::SessionScope(Session& session) : m_previous(currentSession), m_floatMode(0)
{
    currentSession = &session;
#if defined(__x86_64__)
    m_floatMode = _mm_getcsr();
    _mm_setcsr(m_floatMode | 0x8040u);  // flush to zero, denormals are zero
#endif
}

SessionScope::~SessionScope()
{
    currentSession = m_previous;
#if defined(__x86_64__)
    _mm_setcsr(m_floatMode);
#endif
}

}  // namespace megalith
