// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/optim/scheduler.h"

#include "engine/core/error.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace megalith::optim {

namespace {

double stepLr(const Attrs& attrs, const ScheduleState& s)
{
    return s.epoch == 0 || s.epoch % attrs.integer("step_size") != 0 ? s.lr : s.lr * attrs.real("gamma");
}

// Loshchilov and Hutter 2017 without restarts. torch goes on beyond T_max: back up, and down again.
double cosineAnnealingLr(const Attrs& attrs, const ScheduleState& s)
{
    const std::int64_t period = attrs.integer("T_max");
    const auto length = static_cast<double>(period);
    const double lowest = attrs.real("eta_min");
    if (s.epoch == 0)
        return s.lr;
    if ((s.epoch - 1 - period) % (2 * period) == 0)
        return s.lr + (s.baseLr - lowest) * (1.0 - std::cos(std::numbers::pi / length)) / 2.0;
    const auto epoch = static_cast<double>(s.epoch);
    return (1.0 + std::cos(std::numbers::pi * epoch / length))
               / (1.0 + std::cos(std::numbers::pi * (epoch - 1.0) / length)) * (s.lr - lowest)
           + lowest;
}

std::vector<SchedulerDef> makeSchedulers()
{
    return {
        {.type = "StepLR",
         .doc = "Multiplies the learning rate by gamma every step_size epochs.",
         .attrs = {nn::size("step_size", "epochs from one change to the next"),
                   nn::real("gamma", 0.1, "factor of a change", 0.0)},
         .next = stepLr},
        {.type = "CosineAnnealingLR",
         .doc = "Lowers the learning rate along half a cosine, to eta_min after T_max epochs.",
         .attrs = {nn::size("T_max", "epochs down to the lowest rate"),
                   nn::real("eta_min", 0.0, "the lowest rate", 0.0)},
         .next = cosineAnnealingLr},
    };
}

const Value::List& numbersIn(const Value& state, const char* key, std::size_t groups)
{
    const Value* list = state.find(key);
    if (list == nullptr || !list->isList() || list->list().size() != groups
        || !std::all_of(list->list().begin(), list->list().end(), [](const Value& v) { return v.isNumber(); }))
        throw FormatError("scheduler state: " + std::string(key) + " must be a list of " + std::to_string(groups)
                          + " numbers");
    return list->list();
}

}  // namespace

std::span<const SchedulerDef> allSchedulers()
{
    static const std::vector<SchedulerDef> all = makeSchedulers();
    return all;
}

const SchedulerDef* findScheduler(std::string_view type)
{
    const auto all = allSchedulers();
    const auto it = std::find_if(all.begin(), all.end(), [type](const SchedulerDef& def) { return def.type == type; });
    return it == all.end() ? nullptr : &*it;
}

Scheduler::Scheduler(const SchedulerDef& def, const Attrs& attrs, const std::vector<double>& baseLrs) : m_def(&def)
{
    try {
        m_attrs = nn::complete(def.type, def.attrs, attrs);
    } catch (const Error& error) {
        throw Error(nn::withOwner(def.type, error.what()));
    }
    for (const double base : baseLrs)
        m_groups.push_back({base, def.next(m_attrs, {.epoch = 0, .baseLr = base, .lr = base})});
}

void Scheduler::step(std::optional<double> metric)
{
    if (m_def->metric && !metric)
        throw Error(std::string(m_def->type) + ": step() needs the value that is watched");
    ++m_epoch;
    for (Group& group : m_groups)
        group.lr = m_def->next(m_attrs, {m_epoch, group.base, group.lr, metric});
}

Value Scheduler::state() const
{
    Value::List bases;
    Value::List rates;
    for (const Group& group : m_groups) {
        bases.emplace_back(group.base);
        rates.emplace_back(group.lr);
    }
    Value state{Value::Object{}};
    state.set("last_epoch", m_epoch);
    state.set("base_lrs", std::move(bases));
    state.set("last_lr", std::move(rates));
    return state;
}

void Scheduler::loadState(const Value& state)
{
    const Value* epoch = state.find("last_epoch");
    if (epoch == nullptr || !epoch->isInteger() || epoch->integer() < 0)
        throw FormatError("scheduler state: last_epoch must be a whole number >= 0");
    const Value::List& bases = numbersIn(state, "base_lrs", m_groups.size());
    const Value::List& rates = numbersIn(state, "last_lr", m_groups.size());
    m_epoch = epoch->integer();
    for (std::size_t i = 0; i < m_groups.size(); ++i)
        m_groups[i] = {bases[i].number(), rates[i].number()};
}

Scheduler makeScheduler(std::string_view type, const Attrs& attrs, const std::vector<double>& baseLrs)
{
    const SchedulerDef* def = findScheduler(type);
    if (def == nullptr) {
        std::string names;
        for (const SchedulerDef& each : allSchedulers())
            names += (names.empty() ? "" : ", ") + std::string(each.type);
        throw Error("there is no scheduler called " + std::string(type) + "; there are " + names);
    }
    return {*def, attrs, baseLrs};
}

}  // namespace megalith::optim
