// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/settings.h"

#include "engine/core/error.h"
#include "engine/graph/attr_values.h"
#include "engine/nn/loss.h"
#include "engine/optim/scheduler.h"

#include <algorithm>

namespace megalith::train {

namespace {

[[noreturn]] void wrong(const std::string& path, std::string_view expected)
{
    throw Error(path + " must be " + std::string(expected));
}

const Value& member(const Value& object, const std::string& path, std::string_view key)
{
    const Value* value = object.find(key);
    if (value == nullptr)
        throw Error(path + " says no " + std::string(key));
    return *value;
}

bool present(const Value* value)
{
    return value != nullptr && !value->isNull();
}

std::int64_t whole(const Value& object, std::string_view key, std::int64_t byDefault, std::int64_t least)
{
    const Value* value = object.find(key);
    if (value == nullptr)
        return byDefault;
    if (!value->isInteger() || value->integer() < least)
        wrong("training." + std::string(key), "a whole number of at least " + std::to_string(least));
    return value->integer();
}

bool flag(const Value& object, std::string_view key, bool byDefault)
{
    const Value* value = object.find(key);
    if (value == nullptr)
        return byDefault;
    if (!value->isBool())
        wrong("training." + std::string(key), "true or false");
    return value->boolean();
}

std::optional<double> positive(const Value& object, std::string_view key)
{
    const Value* value = object.find(key);
    if (!present(value))
        return std::nullopt;
    if (!value->isNumber() || !(value->number() > 0.0))
        wrong("training." + std::string(key), "a number above 0, or null");
    return value->number();
}

// Everything but the given keys becomes an argument of the type's specs.
template<typename Def>
Choice choice(const Value& object, const std::string& path, const Def* (*find)(std::string_view),
              std::initializer_list<std::string_view> others)
{
    if (!object.isObject())
        wrong(path, "an object with a type");
    const Value& type = member(object, path, "type");
    if (!type.isString())
        wrong(path + ".type", "a text");
    const Def* def = find(type.string());
    if (def == nullptr)
        throw Error(path + ".type: there is no " + type.string());
    Choice out{type.string(), {}};
    for (const auto& [key, value] : object.object()) {
        if (key == "type" || std::find(others.begin(), others.end(), key) != others.end())
            continue;
        try {
            out.args.set(key, graph::attrValue(value, nn::findAttr(def->attrs, key)));
        } catch (const Error& e) {
            throw Error(path + "." + key + ": " + e.what());
        }
    }
    return out;
}

std::vector<optim::KeyGroup> readGroups(const Value& optimizer, const optim::OptimizerDef& def)
{
    std::vector<optim::KeyGroup> groups;
    const Value* list = optimizer.find("param_groups");
    if (!present(list))
        return groups;
    const std::string path = "training.optimizer.param_groups";
    if (!list->isList())
        wrong(path, "a list");
    for (std::size_t i = 0; i < list->list().size(); ++i) {
        const std::string here = path + "[" + std::to_string(i) + "]";
        const Value& entry = list->list()[i];
        if (!entry.isObject())
            wrong(here, "an object");
        optim::KeyGroup group;
        for (const auto& [key, value] : entry.object()) {
            if (key != "params") {
                group.args.set(key, graph::attrValue(value, nn::findAttr(def.attrs, key)));
                continue;
            }
            if (!value.isList())
                wrong(here + ".params", "a list of state_dict keys");
            for (const Value& name : value.list()) {
                if (!name.isString())
                    wrong(here + ".params", "a list of state_dict keys");
                group.params.push_back(name.string());
            }
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

EarlyStopping readStopping(const Value& value)
{
    EarlyStopping out;
    const std::string path = "training.early_stopping";
    if (!value.isObject())
        wrong(path, "an object or null");
    if (const Value* monitor = value.find("monitor")) {
        if (!monitor->isString())
            wrong(path + ".monitor", "a text");
        out.monitor = monitor->string();
    }
    if (const Value* patience = value.find("patience")) {
        if (!patience->isInteger() || patience->integer() < 0)
            wrong(path + ".patience", "a whole number of at least 0");
        out.patience = patience->integer();
    }
    if (const Value* delta = value.find("min_delta")) {
        if (!delta->isNumber())
            wrong(path + ".min_delta", "a number");
        out.minDelta = delta->number();
    }
    return out;
}

}  // namespace

Settings readSettings(const Value& training)
{
    if (training.isNull())
        throw Error("training: the project says nothing about training");
    if (!training.isObject())
        wrong("training", "an object");
    Settings out;
    const Value& loss = member(training, "training", "loss");
    out.loss = choice(loss, "training.loss", nn::findLoss, {"output"});
    if (const Value* output = loss.find("output"); present(output)) {
        if (!output->isString())
            wrong("training.loss.output", "the name of an Output");
        out.lossOutput = output->string();
    }
    const Value& optimizer = member(training, "training", "optimizer");
    out.optimizer = choice(optimizer, "training.optimizer", optim::findOptimizer, {"param_groups"});
    out.paramGroups = readGroups(optimizer, *optim::findOptimizer(out.optimizer.type));
    if (const Value* scheduler = training.find("scheduler"); present(scheduler))
        out.scheduler = choice(*scheduler, "training.scheduler", optim::findScheduler, {});
    out.batchSize = whole(training, "batch_size", out.batchSize, 1);
    out.shuffle = flag(training, "shuffle", out.shuffle);
    out.dropLast = flag(training, "drop_last", out.dropLast);
    out.epochs = whole(training, "epochs", out.epochs, 0);
    out.clipGradNorm = positive(training, "clip_grad_norm");
    out.clipGradValue = positive(training, "clip_grad_value");
    if (const Value* stopping = training.find("early_stopping"); present(stopping))
        out.earlyStopping = readStopping(*stopping);
    out.seed = whole(training, "seed", out.seed, 0);
    if (const Value* device = training.find("device"); present(device)) {
        if (!device->isString())
            wrong("training.device", "a text");
        out.device = device->string();
    }
    if (present(training.find("ema")))
        throw Error("training.ema: a moving average of the weights does not exist yet; set it to null");
    return out;
}

}  // namespace megalith::train
