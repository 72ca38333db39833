// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/backend/backend.h"
#include "engine/core/tensor.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace megalith {

// What random draws are keyed by besides their stream and element. Both live on the device, so that a recorded step draws anew.
struct RandomState
{
    Tensor seed;  // i64, one element
    Tensor step;  // i64, one element; grows by one with every training step
};

// Devices and their memory. Made in main or by a document's model thread, destroyed after every tensor made in it.
class Session
{
public:
    // threads: how many the CPU computes with at most; 0: as many as OMP_NUM_THREADS says, else the processors.
    explicit Session(int threads = 0);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Backend& cpu();
    // Where new tensors are made.
    Backend& device() { return cpu(); }
    // In order of preference. "auto", "cpu", "opencl", "opencl:I" or a name fragment select; DeviceError says what there is.
    std::vector<DeviceInfo> devices();
    void selectDevice(const std::string& which);

    RandomState& random() { return m_random; }
    void manual_seed(std::int64_t seed);  // also sets the step back to 0

    // The session of this thread. Error when there is none.
    static Session& current();

private:
    friend class SessionScope;
    std::unique_ptr<Backend> m_cpu;
    RandomState m_random;
};

// Makes a session the current one of this thread until it goes out of scope. Also sets the thread's floating point mode (denormals
// count as zero: they make Adam three times slower).
class SessionScope
{
public:
    explicit SessionScope(Session& session);
    ~SessionScope();
    SessionScope(const SessionScope&) = delete;
    SessionScope& operator=(const SessionScope&) = delete;

private:
    Session* m_previous;
    unsigned m_floatMode;
};

}  // namespace megalith
