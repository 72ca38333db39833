// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/graph/analyzer.h"
#include "engine/nn/module_def.h"

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
constexpr std::array optimizerRules{
    SettingRule{"type", Want::Text},
    SettingRule{"lr", Want::Number, 0},
    SettingRule{"weight_decay", Want::Number, 0},
    SettingRule{"momentum", Want::Number, 0},
    SettingRule{"eps", Want::Number, 0},
    SettingRule{"nesterov", Want::Boolean},
    SettingRule{"amsgrad", Want::Boolean},
    SettingRule{"maximize", Want::Boolean},
};
constexpr std::array namedRules{SettingRule{"type", Want::Text}};
constexpr std::array lossRules{SettingRule{"type", Want::Text}, SettingRule{"output", Want::Text}};
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

void Analyzer::checkLoss(const Value& loss)
{
    const std::string path = "training.loss";
    if (!checkRules(loss, path, lossRules))
        return;
    if (memberOf(loss, "type") == nullptr)
        reportGlobal(Severity::Error, path + ".type", "setting", "is missing");
    std::vector<std::string> outputs;
    for (const Id id : outputNodes(m_document.root))
        outputs.push_back(m_document.root.nodes.at(id).name);
    const auto has = [&outputs](std::string_view name) {
        return std::find(outputs.begin(), outputs.end(), name) != outputs.end();
    };
    std::string names;
    for (const std::string& name : outputs)
        names += (names.empty() ? "" : ", ") + name;
    if (const Value* output = memberOf(loss, "output")) {
        if (!has(output->string()))
            reportGlobal(Severity::Error, path + ".output", "setting",
                         fmt::format("there is no Output node {}; there are {}", jsonString(output->string()), names));
        return;
    }
    // Losses of several arguments take the Outputs named like these.
    const bool byName =
        has("input") || (has("input1") && has("input2")) || (has("anchor") && has("positive") && has("negative"));
    if (outputs.size() > 1 && !byName)
        reportGlobal(
            Severity::Error, path, "setting",
            fmt::format("the network has several outputs ({}): say with \"output\" which one the loss takes", names));
}

void Analyzer::checkSettings()
{
    const Value& training = m_document.training;
    if (!training.isObject()) {
        reportGlobal(Severity::Warning, "training", "setting", "there is nothing that says how to train");
        return;
    }
    checkRules(training, "training", trainingRules);
    const auto named = [&](std::string_view key, const auto& rules) {
        const Value* value = memberOf(training, key);
        const std::string path = "training." + std::string(key);
        if (value == nullptr || !value->isObject())
            return;
        if (checkRules(*value, path, rules) && memberOf(*value, "type") == nullptr)
            reportGlobal(Severity::Error, path + ".type", "setting", "is missing");
    };
    for (const std::string_view key : {"loss", "optimizer"})
        if (memberOf(training, key) == nullptr)
            reportGlobal(Severity::Error, "training." + std::string(key), "setting", "is missing");
    if (const Value* loss = memberOf(training, "loss"); loss != nullptr && loss->isObject())
        checkLoss(*loss);
    named("optimizer", optimizerRules);
    named("scheduler", namedRules);
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
    checkTargets(facts);
}

void Analyzer::checkTargets(const DataFacts& facts)
{
    const Value* loss = m_document.training.find("loss");
    const Value* type = loss == nullptr ? nullptr : loss->find("type");
    const std::vector<Id> outputs = outputNodes(m_document.root);
    const Value* chosen = loss == nullptr ? nullptr : loss->find("output");
    const Node* output = outputs.size() == 1 ? m_document.root.node(outputs.front()) : nullptr;
    if (chosen != nullptr && chosen->isString())
        output = m_document.root.named(chosen->string());
    if (type == nullptr || !type->isString() || output == nullptr || output->type != "Output")
        return;
    const std::size_t at = m_result.byId.at(output->id);
    const NodeInfo& info = m_result.nodes[at];
    if (info.inputs.empty() || !info.inputs.front().shape.known)
        return;
    const PortShape& shape = info.inputs.front().shape;
    const bool classes = type->string() == "CrossEntropyLoss" || type->string() == "NLLLoss";
    if (classes && facts.classes > 0) {
        if (shape.dims.size() < 2)
            report(Severity::Error, at, "data",
                   fmt::format("{} needs [N, classes], found {}", type->string(), text(shape)), "input");
        else if (shape.dims[1].factor == 0 && shape.dims[1].constant < facts.classes)
            report(Severity::Error, at, "data",
                   fmt::format("the data has {} classes but the output only {}", facts.classes, text(shape.dims[1])),
                   "input");
    }
    if (classes || !facts.target)
        return;
    TensorMeta found = graph::at(shape, 1);
    if (!found.shape.empty())
        found.shape.erase(found.shape.begin());
    if (found.shape != facts.target->shape)
        report(Severity::Warning, at, "data",
               fmt::format("the output's samples are {} but the targets' are {}", megalith::text(found.shape),
                           megalith::text(facts.target->shape)),
               "input");
}

}  // namespace megalith::graph
