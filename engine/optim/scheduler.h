// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"
#include "engine/core/value.h"
#include "engine/nn/attr_spec.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace megalith::optim {

// Where a schedule stands, for one group of parameters.
struct ScheduleState
{
    std::int64_t epoch = 0;  // how many times step() was called (torch's last_epoch)
    double baseLr = 0.0;     // the optimizer's own
    double lr = 0.0;         // in use until now
    std::optional<double> metric = std::nullopt;
};

// One class of torch.optim.lr_scheduler.
struct SchedulerDef
{
    std::string_view type;
    std::string_view doc;
    std::vector<nn::AttrSpec> attrs;
    bool perBatch = false;  // moves after every batch, not every epoch
    bool metric = false;    // step() needs one
    // The rate from now on. Epoch 0 is before the first step.
    double (*next)(const Attrs& attrs, const ScheduleState& state) = nullptr;
};

std::span<const SchedulerDef> allSchedulers();
const SchedulerDef* findScheduler(std::string_view type);

// Moves learning rates from epoch to epoch exactly as torch does: by recursion from the rate in use, rounding included.
class Scheduler
{
public:
    // One base rate for each group of the optimizer. Error names a wrong argument.
    Scheduler(const SchedulerDef& def, const Attrs& attrs, const std::vector<double>& baseLrs);

    double lr(std::size_t group = 0) const { return m_groups[group].lr; }
    std::size_t groupCount() const { return m_groups.size(); }
    std::int64_t epoch() const { return m_epoch; }
    // After every epoch (perBatch: after every batch).
    void step(std::optional<double> metric = std::nullopt);

    const SchedulerDef& def() const { return *m_def; }
    const Attrs& attrs() const { return m_attrs; }
    bool perBatch() const { return m_def->perBatch; }

    // {"last_epoch": 3, "base_lrs": [0.1], "last_lr": [0.01]}
    Value state() const;
    // FormatError when it is no such state or has another number of groups.
    void loadState(const Value& state);

private:
    struct Group
    {
        double base;
        double lr;
    };

    const SchedulerDef* m_def;
    Attrs m_attrs;
    std::int64_t m_epoch = 0;
    std::vector<Group> m_groups;
};

Scheduler makeScheduler(std::string_view type, const Attrs& attrs, const std::vector<double>& baseLrs);

}  // namespace megalith::optim
