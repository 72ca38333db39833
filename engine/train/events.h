// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace megalith::train {

struct Metric
{
    std::string name;  // "accuracy", "mae"
    double value = 0.0;
};

struct StartEvent
{
    std::string device;
    std::int64_t parameters = 0;
    std::int64_t trainSamples = 0;
    std::int64_t valSamples = 0;
    std::int64_t stepsPerEpoch = 0;
    std::int64_t totalSteps = 0;  // of the whole run, counted from its beginning
    std::int64_t firstStep = 0;   // steps done before (resumed)
};

// After every optimizer step: the loss before the update, the learning rate that was used.
struct StepEvent
{
    std::int64_t step = 0;   // from 1
    std::int64_t epoch = 0;  // from 0
    double loss = 0.0;
    double lr = 0.0;
};

struct EpochEvent
{
    std::int64_t epoch = 0;
    std::int64_t step = 0;
    double loss = 0.0;  // mean of the epoch's steps
    double lr = 0.0;
    std::optional<double> valLoss;  // nothing without validation data
    std::vector<Metric> valMetrics;
    double seconds = 0.0;  // since the start of the run
    bool best = false;
};

struct DoneEvent
{
    std::int64_t steps = 0;
    std::int64_t epochs = 0;
    std::int64_t bestEpoch = -1;
    double seconds = 0.0;
    double loss = 0.0;     // of the last step; NaN or infinite: the training diverged
    bool stopped = false;  // by the user
    bool earlyStopped = false;
};

// min, max, mean, deviation and a histogram of one tensor, as values that may cross threads.
struct TensorSnapshot
{
    std::string key;
    std::vector<std::int64_t> shape;
    double minimum = 0.0, maximum = 0.0, mean = 0.0, deviation = 0.0, norm = 0.0;
    std::int64_t zeros = 0, nans = 0, infs = 0;
    std::vector<std::int64_t> histogram;  // equal bins from minimum to maximum
    std::int64_t step = 0;
};

}  // namespace megalith::train
