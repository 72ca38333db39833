// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

// The folders that runs leave beside a project: NAME.runs/1, NAME.runs/2, ...
namespace megalith::app {

struct RunCurves
{
    struct Step
    {
        std::int64_t step = 0;
        double loss = 0.0;
    };
    std::vector<Step> steps;
    std::vector<Step> validation;
};

// The latest run with a metrics.csv; empty when there is none.
QString lastRunFolder(const QString& projectPath);
// What metrics.csv of a run holds; nothing when it cannot be read.
std::optional<RunCurves> readCurves(const QString& runFolder);

}  // namespace megalith::app
