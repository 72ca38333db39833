// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"
#include "engine/core/value.h"
#include "engine/optim/optimizer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace megalith::train {

// A type and its arguments: {"type": "StepLR", "step_size": 10}.
struct Choice
{
    std::string type;
    Attrs args;
};

struct EarlyStopping
{
    std::string monitor = "val_loss";  // "loss", "val_loss" or "val_" and a metric
    std::int64_t patience = 5;
    double minDelta = 0.0;
};

// "training" of a project, read.
struct Settings
{
    Choice loss;
    std::string lossOutput;  // which Output the loss takes; empty: the only one, or those named like its arguments
    Choice optimizer;
    std::vector<optim::KeyGroup> paramGroups;
    std::optional<Choice> scheduler;
    std::int64_t batchSize = 32;
    bool shuffle = true;
    bool dropLast = false;
    std::int64_t epochs = 10;
    std::optional<double> clipGradNorm;
    std::optional<double> clipGradValue;
    std::optional<EarlyStopping> earlyStopping;
    std::int64_t seed = 0;
    std::string device = "auto";
};

// Error names the JSON path and what is wrong: "training.optimizer.lr must be a number >= 0, not nan".
Settings readSettings(const Value& training);

}  // namespace megalith::train
