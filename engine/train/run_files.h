// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/state_dict.h"
#include "engine/io/mega.h"
#include "engine/io/tree.h"
#include "engine/train/events.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace megalith::train {

// The folder of one run: best.mega, last.mega, checkpoint.mega and metrics.csv. Weights are written every few seconds at most and at
// the end; each file is whole at any time.
class RunFiles
{
public:
    // Makes the folder. Rows of metrics.csv beyond keepSteps are dropped (a run that goes on from an earlier checkpoint).
    RunFiles(std::filesystem::path folder, std::int64_t keepSteps, const std::string& metricName);

    void step(const StepEvent& event, double seconds);
    // Fills in the validation columns of the epoch's last step.
    void epoch(const EpochEvent& event);
    void setBest(StateDict best) { m_best = std::move(best); }
    // Takes over the best weights of the run that this one goes on from, unless they are here.
    void keepBestOf(const std::filesystem::path& folder);
    bool due() const;
    void write(const StateDict& last, const io::TreeValue& checkpoint, const io::Metadata& metadata,
               const std::string& projectText);

    const std::filesystem::path& folder() const { return m_folder; }

private:
    std::filesystem::path m_folder;
    std::string m_rows;
    std::string m_header;
    std::string m_lastRowTail;  // seconds of the row that is not closed yet
    std::optional<StateDict> m_best;
    std::chrono::steady_clock::time_point m_written;

    void closeRow(const std::string& validation);
};

}  // namespace megalith::train
