// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/graph/analyzer.h"
#include "engine/graph/attr_values.h"
#include "engine/nn/loss.h"
#include "engine/nn/module_def.h"
#include "engine/optim/optimizer.h"
#include "engine/optim/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace megalith::graph {

namespace {

enum class Want : std::uint8_t { Whole, Number, Boolean, Text, Object };

struct SettingRule
{
    std::string_view key;
    Want want;
    double least = -HUGE_VAL;
    bool above = false;  // greater than `least`, not equal
    bool orNull = false;
};

// What this version knows of "training" itself; losses, optimizers and schedulers have their own arguments.
constexpr std::array trainingRules{
    SettingRule{"loss", Want::Object},
    SettingRule{"optimizer", Want::Object},
    SettingRule{"scheduler", Want::Object, -HUGE_VAL, false, true},
    SettingRule{"batch_size", Want::Whole, 1},
    SettingRule{"shuffle", Want::Boolean},
    SettingRule{"drop_last", Want::Boolean},
    SettingRule{"epochs", Want::Whole, 0},
    SettingRule{"clip_grad_norm", Want::Number, 0, true, true},
    SettingRule{"clip_grad_value", Want::Number, 0, true, true},
    SettingRule{"early_stopping", Want::Object, -HUGE_VAL, false, true},
    SettingRule{"ema", Want::Object, -HUGE_VAL, false, true},
    SettingRule{"seed", Want::Whole, 0},
    SettingRule{"device", Want::Text},
};
constexpr std::array stoppingRules{
    SettingRule{"monitor", Want::Text},
    SettingRule{"patience", Want::Whole, 0},
    SettingRule{"min_delta", Want::Number, 0},
};

std::string_view wantText(Want want)
{
    switch (want) {
    case Want::Whole: return "a whole number";
    case Want::Number: return "a number";
    case Want::Boolean: return "true or false";
    case Want::Text: return "a text";
    case Want::Object: return "an object";
    }
    return {};
}

// "" when the value is as the rule says.
std::string problemOf(const SettingRule& rule, const Value& value)
{
    if (value.isNull() && rule.orNull)
        return {};
    const bool kind = (rule.want == Want::Whole && value.isInteger()) || (rule.want == Want::Number && value.isNumber())
                      || (rule.want == Want::Boolean && value.isBool()) || (rule.want == Want::Text && value.isString())
                      || (rule.want == Want::Object && value.isObject());
    const bool ranged = rule.want == Want::Whole || rule.want == Want::Number;
    std::string expected(wantText(rule.want));
    if (ranged && std::isfinite(rule.least))
        expected += fmt::format("{} {}", rule.above ? " above" : " of at least", rule.least);
    if (rule.orNull)
        expected += " or null";
    if (!kind)
        return fmt::format("must be {}, not {}", expected,
                           value.isList() || value.isObject() ? kindName(value) : writeJson(value));
    if (!ranged)
        return {};
    const double number = value.number();
    const bool inside = std::isfinite(number) && (rule.above ? number > rule.least : number >= rule.least);
    return inside ? std::string() : fmt::format("must be {}, not {}", expected, writeJson(value));
}

const Value* memberOf(const Value& object, std::string_view key)
{
    return object.find(key);
}

std::int64_t wholeOr(const Value& object, std::string_view key, std::int64_t fallback)
{
    const Value* value = memberOf(object, key);
    return value != nullptr && value->isInteger() ? value->integer() : fallback;
}

}  // namespace

// The sizes of the batches that training will meet, as far as they are known.
void Analyzer::findBatches()
{
    if (!m_options.settings || !m_document.training.isObject())
        return;
    const std::int64_t size = wholeOr(m_document.training, "batch_size", 0);
    if (size < 1)
        return;
    const std::int64_t samples = m_options.facts == nullptr ? 0 : m_options.facts->trainSamples;
    m_batches.push_back(samples > 0 ? std::min(samples, size) : size);
    const Value* drop = memberOf(m_document.training, "drop_last");
    const bool drops = drop != nullptr && drop->isBool() && drop->boolean();
    if (samples > size && samples % size != 0 && !drops)
        m_batches.push_back(samples % size);
}

template<typename Rules>
bool Analyzer::checkRules(const Value& section, const std::string& path, const Rules& rules)
{
    bool ok = true;
    for (const SettingRule& rule : rules) {
        const Value* value = memberOf(section, rule.key);
        const std::string problem = value == nullptr ? std::string() : problemOf(rule, *value);
        if (problem.empty())
            continue;
        reportGlobal(Severity::Error, path + "." + std::string(rule.key), "setting", problem);
        ok = false;
    }
    return ok;
}

// The arguments of a loss, an optimizer or a scheduler, each problem under its own path; nothing when there is one.
std::optional<Attrs> Analyzer::settingAttrs(const Value& object, const std::string& path, std::string_view owner,
                                            std::span<const nn::AttrSpec> specs,
                                            std::initializer_list<std::string_view> others)
{
    Attrs attrs;
    bool ok = true;
    const auto fail = [&](std::string_view key, const std::string& problem) {
        reportGlobal(Severity::Error, key.empty() ? path : path + "." + std::string(key), "setting", problem);
        ok = false;
    };
    std::string names;
    for (const nn::AttrSpec& spec : specs)
        names += (names.empty() ? "" : ", ") + std::string(spec.name);
    for (const auto& [key, value] : object.object()) {
        if (key == "type" || std::find(others.begin(), others.end(), key) != others.end())
            continue;
        const nn::AttrSpec* spec = nn::findAttr(specs, key);
        if (spec == nullptr) {
            fail(key, fmt::format("{} has no such argument; it has {}", owner, names.empty() ? "none" : names));
            continue;
        }
        try {
            AttrValue converted = attrValue(value, spec);
            nn::checkValue(*spec, converted);
            attrs.set(key, std::move(converted));
        } catch (const Error& error) {
            fail(key, error.what());
        }
    }
    if (!ok)
        return std::nullopt;
    try {
        nn::complete(owner, specs, attrs);
    } catch (const Error& error) {
        fail({}, error.what());
        return std::nullopt;
    }
    return attrs;
}

// The object's "type" when it names one of the definitions, else nullptr and an error.
template<typename Def>
const Def* Analyzer::settingType(const Value& object, const std::string& path, std::string_view what,
                                 std::span<const Def> all)
{
    const Value* type = object.find("type");
    if (type == nullptr || !type->isString()) {
        reportGlobal(Severity::Error, path + ".type", "setting", type == nullptr ? "is missing" : "must be a text");
        return nullptr;
    }
    std::string names;
    for (const Def& def : all) {
        if (def.type == type->string())
            return &def;
        names += (names.empty() ? "" : ", ") + std::string(def.type);
    }
    reportGlobal(Severity::Error, path + ".type", "setting",
                 fmt::format("there is no {} called {}; there are {}", what, jsonString(type->string()), names));
    return nullptr;
}

// What arrives at the Outputs that the loss takes; nothing when that is not known or not clear.
std::optional<std::vector<TensorMeta>> Analyzer::lossInputs(const nn::LossDef& def, const Value& loss)
{
    std::vector<std::string> names;
    for (const Id id : outputNodes(m_document.root))
        names.push_back(m_document.root.nodes.at(id).name);
    std::string list;
    for (const std::string& name : names)
        list += (list.empty() ? "" : ", ") + name;
    std::vector<std::string> wanted;
    const Value* output = loss.find("output");
    if (def.arguments.size() > 1) {
        wanted.assign(def.arguments.begin(), def.arguments.end());
    } else if (output != nullptr) {
        if (!output->isString()) {
            reportGlobal(Severity::Error, "training.loss.output", "setting", "must be a text");
            return std::nullopt;
        }
        wanted.push_back(output->string());
    } else if (names.size() == 1) {
        wanted = names;
    } else if (names.size() > 1) {
        reportGlobal(
            Severity::Error, "training.loss", "setting",
            fmt::format("the network has several outputs ({}): say with \"output\" which one the loss takes", list));
    }
    std::vector<TensorMeta> metas;
    for (const std::string& name : wanted) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            if (!names.empty())
                reportGlobal(
                    Severity::Error, output != nullptr ? "training.loss.output" : "training.loss", "setting",
                    fmt::format("{} takes the Output node {}, and there are {}", def.type, jsonString(name), list));
            return std::nullopt;
        }
        const NodeInfo& info = m_result.nodes[m_result.byId.at(m_document.root.named(name)->id)];
        if (info.inputs.empty() || !info.inputs.front().shape.known)
            return std::nullopt;
        metas.push_back(graph::at(info.inputs.front().shape, batchA));
    }
    return metas.empty() ? std::nullopt : std::optional(std::move(metas));
}

void Analyzer::checkLoss(const Value& loss)
{
    const std::string path = "training.loss";
    const nn::LossDef* def = settingType(loss, path, "loss", nn::allLosses());
    if (def == nullptr)
        return;
    const std::optional<Attrs> attrs = settingAttrs(loss, path, def->type, def->attrs, {"output"});
    const std::optional<std::vector<TensorMeta>> outputs = lossInputs(*def, loss);
    if (!attrs || !outputs)
        return;
    try {
        nn::checkLoss(*def, *attrs, *outputs);
    } catch (const Error& error) {
        reportGlobal(Severity::Error, path, "loss", withN(error.what()));
        return;
    }
    if (m_options.facts != nullptr)
        checkTargets(*def, *outputs, *m_options.facts);
}

void Analyzer::checkTargets(const nn::LossDef& def, const std::vector<TensorMeta>& outputs, const DataFacts& facts)
{
    if (def.classes && facts.classes > 0) {
        const std::int64_t told = nn::classCount(def, outputs);
        if (told > 0 && told < facts.classes)
            reportGlobal(
                Severity::Error, "training.loss", "data",
                fmt::format("the data has {} classes but the output tells only {} apart", facts.classes, told));
        return;
    }
    if (!facts.target)
        return;
    TensorMeta target = *facts.target;
    target.shape.insert(target.shape.begin(), batchA);
    try {
        nn::checkTarget(def, outputs, target);
    } catch (const Error& error) {
        reportGlobal(Severity::Error, "training.loss", "data", withN(error.what()));
    }
}

void Analyzer::checkOptimizer(const Value& optimizer)
{
    const std::string path = "training.optimizer";
    const optim::OptimizerDef* def = settingType(optimizer, path, "optimizer", optim::allOptimizers());
    if (def == nullptr)
        return;
    const std::optional<Attrs> own = settingAttrs(optimizer, path, def->type, def->attrs, {"param_groups"});
    const auto complete = [&](const std::string& at, const Attrs& attrs) {
        try {
            optim::complete(*def, attrs);
        } catch (const Error& error) {
            reportGlobal(Severity::Error, at, "setting", error.what());
        }
    };
    if (own)
        complete(path, *own);
    const Value* groups = optimizer.find("param_groups");
    if (groups == nullptr || groups->isNull())
        return;
    if (!groups->isList()) {
        reportGlobal(Severity::Error, path + ".param_groups", "setting", "must be a list");
        return;
    }
    std::set<std::string, std::less<>> keys;
    bool all = true;
    for (const NodeInfo& info : m_result.nodes) {
        all = all && info.state == State::Ok;
        for (const TensorInfo& tensor : info.tensors)
            if (!tensor.buffer)
                keys.insert(tensor.key);
    }
    for (std::size_t i = 0; i < groups->list().size(); ++i) {
        const Value& group = groups->list()[i];
        const std::string at = fmt::format("{}.param_groups[{}]", path, i);
        const Value* params = group.find("params");
        if (params == nullptr || !params->isList()) {
            reportGlobal(Severity::Error, at + ".params", "setting", "must be a list of keys");
            continue;
        }
        for (const Value& key : params->list())
            if (!key.isString() || (all && !keys.contains(key.string())))
                reportGlobal(Severity::Error, at + ".params", "setting", "there is no parameter " + writeJson(key));
        std::optional<Attrs> attrs = settingAttrs(group, at, def->type, def->attrs, {"params"});
        if (!attrs || !own)
            continue;
        Attrs merged = *own;
        for (const auto& [name, value] : *attrs)
            merged.set(name, value);
        complete(at, merged);
    }
}

void Analyzer::checkSettings()
{
    const Value& training = m_document.training;
    if (!training.isObject()) {
        reportGlobal(Severity::Warning, "training", "setting", "there is nothing that says how to train");
        return;
    }
    checkRules(training, "training", trainingRules);
    for (const std::string_view key : {"loss", "optimizer"})
        if (memberOf(training, key) == nullptr)
            reportGlobal(Severity::Error, "training." + std::string(key), "setting", "is missing");
    if (const Value* loss = memberOf(training, "loss"); loss != nullptr && loss->isObject())
        checkLoss(*loss);
    if (const Value* optimizer = memberOf(training, "optimizer"); optimizer != nullptr && optimizer->isObject())
        checkOptimizer(*optimizer);
    if (const Value* scheduler = memberOf(training, "scheduler"); scheduler != nullptr && scheduler->isObject()) {
        const std::string path = "training.scheduler";
        if (const auto* def = settingType(*scheduler, path, "scheduler", optim::allSchedulers()))
            settingAttrs(*scheduler, path, def->type, def->attrs, {});
    }
    if (const Value* stopping = memberOf(training, "early_stopping"); stopping != nullptr && stopping->isObject())
        checkRules(*stopping, "training.early_stopping", stoppingRules);
    if (m_options.settingProblems)
        for (const auto& [path, problem] : m_options.settingProblems(m_document))
            reportGlobal(Severity::Error, path, "setting", problem);
}

void Analyzer::checkData()
{
    const Value& data = m_document.data;
    if (!data.isObject()) {
        reportGlobal(Severity::Warning, "data", "setting", "there is no data to train on");
        return;
    }
    constexpr std::array rules{SettingRule{"source", Want::Text}, SettingRule{"path", Want::Text},
                               SettingRule{"normalize", Want::Text}};
    checkRules(data, "data", rules);
    if (memberOf(data, "source") == nullptr)
        reportGlobal(Severity::Error, "data.source", "setting", "is missing");
    if (const Value* share = memberOf(data, "validation")) {
        const bool part = share->isString() && share->string() == "test";
        const bool number = share->isNumber() && share->number() >= 0.0 && share->number() < 1.0;
        if (!part && !number)
            reportGlobal(Severity::Error, "data.validation", "setting",
                         "must be a number from 0 up to, but not including, 1, or \"test\", not " + writeJson(*share));
    }
    if (const Value* how = memberOf(data, "normalize"); how != nullptr && how->isString()) {
        const std::string& name = how->string();
        if (name != "none" && name != "standard" && name != "minmax")
            reportGlobal(Severity::Error, "data.normalize", "setting",
                         "must be \"none\", \"standard\" or \"minmax\", not " + jsonString(name));
    }
    if (m_options.facts != nullptr)
        checkFacts(*m_options.facts);
}

// Shapes of the network's ends beside those of the data.
void Analyzer::checkFacts(const DataFacts& facts)
{
    std::vector<std::pair<std::string, TensorMeta>> inputs;
    for (const Id id : inputNodes(m_document.root)) {
        const NodeInfo& info = *m_result.first(id);
        if (!info.outputs.front().shape.known)
            return;
        TensorMeta sample = graph::at(info.outputs.front().shape, 1);
        sample.shape.erase(sample.shape.begin());
        inputs.emplace_back(info.name, std::move(sample));
    }
    if (facts.inputProblem) {
        if (const std::optional<std::string> problem = facts.inputProblem(inputs))
            reportGlobal(Severity::Error, "data", "data", *problem);
    } else {
        for (const auto& [name, sample] : inputs) {
            const auto named = facts.inputs.find(name);
            const auto found = named != facts.inputs.end() || inputs.size() > 1 ? named : facts.inputs.find("");
            if (found != facts.inputs.end() && found->second.shape != sample.shape)
                report(Severity::Error, m_result.byId.at(m_document.root.named(name)->id), "data",
                       fmt::format("its shape is {} but the data's samples are {}", megalith::text(sample.shape),
                                   megalith::text(found->second.shape)));
        }
    }
}

}  // namespace megalith::graph
