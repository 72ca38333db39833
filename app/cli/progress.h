// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/train/events.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace megalith::cli {

class Output;

// What a person sees of a training: a line for each epoch, and on a terminal one line that is written again and again.
class Progress
{
public:
    Progress(Output& out, bool quiet) : m_out(out), m_quiet(quiet) {}

    void start(const train::StartEvent& event, const std::string& title);
    void step(const train::StepEvent& event);
    void epoch(const train::EpochEvent& event);
    void done(const train::DoneEvent& event, const std::string& folder);
    // Takes the running line away, so that something else can be written.
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    std::int64_t epochs() const;
    void draw(const train::StepEvent& event);
    std::string timeLeft(std::int64_t step) const;

    Output& m_out;
    bool m_quiet;
    train::StartEvent m_start;
    Clock::time_point m_began;
    Clock::time_point m_drawn;
    bool m_shown = false;
};

// "0:07", "12:30", "3:05:00"
std::string clockText(double seconds);
// "0.8 s", "12 s", "3:05"
std::string secondsText(double seconds);
// A loss or a metric with four or five digits that matter.
std::string shortNumber(double value);

}  // namespace megalith::cli
