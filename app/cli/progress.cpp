// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress.h"

#include "app/cli/output.h"
#include "app/cli/project.h"
#include "engine/core/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace megalith::cli {

namespace {

constexpr std::chrono::milliseconds redrawEvery{100};
constexpr std::size_t barWidth = 20;

std::string bar(double share)
{
    const auto filled = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(barWidth));
    return "[" + std::string(filled, '#') + std::string(barWidth - filled, '.') + "]";
}

}  // namespace

std::string clockText(double seconds)
{
    constexpr double longest = 1e9;
    const auto whole = static_cast<std::int64_t>(std::llround(std::clamp(seconds, 0.0, longest)));
    const std::int64_t hours = whole / 3600, minutes = whole / 60 % 60;
    return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                     : fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string secondsText(double seconds)
{
    return seconds < 10.0   ? fmt::format("{:.1f} s", seconds)
           : seconds < 60.0 ? fmt::format("{:.0f} s", seconds)
                            : clockText(seconds);
}

std::string shortNumber(double value)
{
    const double size = std::abs(value);
    if (!std::isfinite(value) || value == 0.0)
        return shortestText(value);
    return size >= 1e-3 && size < 1e5 ? fmt::format("{:.4f}", value) : fmt::format("{:.3e}", value);
}

std::int64_t Progress::epochs() const
{
    if (m_start.stepsPerEpoch <= 0)
        return 0;
    return (m_start.totalSteps + m_start.stepsPerEpoch - 1) / m_start.stepsPerEpoch;
}

void Progress::start(const train::StartEvent& event, const std::string& title)
{
    m_start = event;
    m_began = Clock::now();
    m_drawn = {};
    if (m_quiet)
        return;
    m_out.line(fmt::format("{}: {}, {} for training and {} for validation, on {}", title,
                           counted(event.parameters, "parameter"), counted(event.trainSamples, "sample"),
                           withThousands(event.valSamples), event.device));
    if (event.firstStep > 0)
        m_out.line(
            fmt::format("goes on after {} of {}", counted(event.firstStep, "step"), withThousands(event.totalSteps)));
}

std::string Progress::timeLeft(std::int64_t step) const
{
    const std::int64_t done = step - m_start.firstStep;
    if (done <= 0)
        return "-:--";
    const double elapsed = std::chrono::duration<double>(Clock::now() - m_began).count();
    return clockText(elapsed / static_cast<double>(done) * static_cast<double>(m_start.totalSteps - step));
}

void Progress::step(const train::StepEvent& event)
{
    if (m_quiet || !m_out.terminal() || Clock::now() - m_drawn < redrawEvery)
        return;
    draw(event);
    m_drawn = Clock::now();
}

void Progress::draw(const train::StepEvent& event)
{
    const double share =
        m_start.totalSteps > 0 ? static_cast<double>(event.step) / static_cast<double>(m_start.totalSteps) : 0.0;
    const std::string text = fmt::format("epoch {}/{} {} step {}/{}  loss {}  lr {}  ETA {}", event.epoch + 1, epochs(),
                                         bar(share), event.step, m_start.totalSteps, shortNumber(event.loss),
                                         fmt::format("{:.3g}", event.lr), timeLeft(event.step));
    // A line as wide as the terminal would wrap and could not be written again.
    const std::size_t width = m_out.width();
    const std::string fitting = cut(text, width > 1 ? width - 1 : 1);
    m_out.write("\r" + fitting);
    m_out.write(m_out.escapes() ? "\x1b[K" : std::string(width - 1 - std::min(columnsOf(fitting), width - 1), ' '));
    m_out.flush();
    m_shown = true;
}

void Progress::clear()
{
    if (!m_shown)
        return;
    m_out.write(m_out.escapes() ? std::string("\r\x1b[K") : "\r" + std::string(m_out.width() - 1, ' ') + "\r");
    m_out.flush();
    m_shown = false;
}

void Progress::epoch(const train::EpochEvent& event)
{
    if (m_quiet)
        return;
    clear();
    std::string text = fmt::format("epoch {}/{}  loss {}", event.epoch + 1, epochs(), shortNumber(event.loss));
    if (event.valLoss)
        text += "  val_loss " + shortNumber(*event.valLoss);
    for (const train::Metric& metric : event.valMetrics)
        text += fmt::format("  val_{} {}", metric.name, shortNumber(metric.value));
    text += "  " + secondsText(event.seconds);
    if (event.best)
        text += "  " + m_out.painted(Paint::Good, "best");
    m_out.line(text);
}

void Progress::done(const train::DoneEvent& event, const std::string& folder)
{
    if (m_quiet)
        return;
    clear();
    std::string text = fmt::format("{}: {}, {}, {}", event.stopped ? "stopped" : "done", counted(event.steps, "step"),
                                   counted(event.epochs, "epoch"), secondsText(event.seconds));
    if (event.bestEpoch >= 0)
        text += fmt::format("; best was epoch {}", event.bestEpoch + 1);
    if (event.earlyStopped)
        text += "; it got no better, so it ended early";
    m_out.line(text);
    m_out.line("files in " + folder);
    if (event.stopped)
        m_out.line("to go on: --resume " + folder + "/checkpoint.mega");
}

}  // namespace megalith::cli
