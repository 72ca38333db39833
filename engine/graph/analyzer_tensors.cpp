// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/graph/analyzer.h"
#include "engine/graph/attr_values.h"
#include "engine/nn/module_def.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unistd.h>

namespace megalith::graph {

namespace {

bool isBare(const Node& node)
{
    return node.type == "Parameter" || node.type == "Buffer";
}

std::string bytesText(double bytes)
{
    constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    while (bytes >= 1024.0 && unit + 1 < units.size()) {
        bytes /= 1024.0;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

std::string_view kindText(Directive::Kind kind)
{
    return kind == Directive::Kind::Frozen ? "frozen" : kind == Directive::Kind::Init ? "init" : "ties";
}

}  // namespace

// What the node says of parameters, aimed at itself (or, of a composed one, at what is inside).
void Analyzer::aim(Scope& scope, const Node& node, std::size_t at)
{
    const auto add = [&](Directive::Kind kind, const std::string& name, const Value* value) {
        std::string rest = name;
        if (isBare(node))
            rest = name == node.name ? std::string() : "." + name;
        scope.aimed[node.name].push_back({m_directives.size(), std::move(rest)});
        m_directives.push_back({kind, at, name, value, scope.prefix, false});
    };
    for (const std::string& name : node.frozen)
        add(Directive::Kind::Frozen, name, nullptr);
    for (const auto& [name, value] : node.init.isObject() ? node.init.object() : Value::Object{})
        add(Directive::Kind::Init, name, node.init.find(name));
    for (const auto& [name, value] : node.ties.isObject() ? node.ties.object() : Value::Object{})
        add(Directive::Kind::Tie, name, node.ties.find(name));
}

std::vector<Aimed> Analyzer::aimedAt(const Scope& scope, const Node& node) const
{
    const auto it = scope.aimed.find(node.name);
    return it == scope.aimed.end() ? std::vector<Aimed>{} : it->second;
}

void Analyzer::applyDirectives(const Scope& scope, const Node& node, std::size_t at)
{
    for (const Aimed& aimed : aimedAt(scope, node)) {
        Directive& directive = m_directives[aimed.directive];
        for (TensorInfo& tensor : m_result.nodes[at].tensors) {
            if (isBare(node) ? !aimed.rest.empty() : tensor.name != aimed.rest)
                continue;
            directive.used = true;
            if (directive.kind == Directive::Kind::Frozen)
                tensor.trainable = false;
            else if (directive.kind == Directive::Kind::Init)
                applyInit(directive, tensor);
            else
                tensor.tiedTo = directive.value->string();
        }
    }
}

void Analyzer::applyInit(const Directive& directive, TensorInfo& tensor)
{
    nn::Init init;
    try {
        for (const auto& [name, value] : directive.value->object()) {
            if (name == "type")
                init.type = value.string();
            else
                init.args.set(name, attrValue(value, nullptr));
        }
        nn::checkInit(init, tensor.shape);
    } catch (const Error& error) {
        report(Severity::Error, directive.carrier, "init", fmt::format("init of {}: {}", directive.name, error.what()));
        return;
    }
    tensor.init = std::move(init);
    tensor.initWritten = true;
}

// A tensor of a shared module is frozen when any of its places says so.
void Analyzer::joinShared()
{
    const auto each = [this](auto&& join) {
        for (NodeInfo& info : m_result.nodes) {
            if (!info.sharedWith)
                continue;
            NodeInfo& owner = m_result.nodes[*info.sharedWith];
            for (std::size_t i = 0; i < std::min(info.tensors.size(), owner.tensors.size()); ++i)
                join(owner.tensors[i], info.tensors[i]);
        }
    };
    each([](TensorInfo& owner, const TensorInfo& other) {
        owner.trainable = owner.trainable && other.trainable;
        if (owner.tiedTo.empty())
            owner.tiedTo = other.tiedTo;
    });
    each([](const TensorInfo& owner, TensorInfo& other) {
        other.trainable = owner.trainable;
        other.init = owner.init;
        other.initWritten = owner.initWritten;
        other.counted = false;
        other.tiedTo = owner.key;
    });
}

// Follows every tie to the tensor that stands for it.
void Analyzer::joinTies()
{
    struct Place
    {
        std::size_t node;
        std::size_t tensor;
    };
    std::unordered_map<std::string, Place> places;
    for (std::size_t n = 0; n < m_result.nodes.size(); ++n)
        for (std::size_t t = 0; t < m_result.nodes[n].tensors.size(); ++t)
            places.emplace(m_result.nodes[n].tensors[t].key, Place{n, t});
    const auto tensorAt = [this](const Place& place) -> TensorInfo& {
        return m_result.nodes[place.node].tensors[place.tensor];
    };
    std::unordered_map<std::string, std::string> targets;
    for (const Directive& directive : m_directives) {
        if (directive.kind != Directive::Kind::Tie || !directive.used)
            continue;
        const std::string& key = directive.value->string();
        const auto near = places.find(directive.scope + key);
        const auto found = near != places.end() ? near : places.find(key);
        if (found == places.end()) {
            report(Severity::Error, directive.carrier, "ties",
                   fmt::format("there is no parameter {}", jsonString(key)));
            continue;
        }
        for (std::size_t n = directive.carrier; n < m_result.nodes[directive.carrier].end; ++n)
            for (TensorInfo& tensor : m_result.nodes[n].tensors) {
                if (tensor.tiedTo != key)
                    continue;
                const TensorInfo& target = tensorAt(found->second);
                if (target.shape != tensor.shape || target.dtype != tensor.dtype || target.buffer != tensor.buffer)
                    report(Severity::Error, n, "ties",
                           fmt::format("{} has shape {} but {} has {}", tensor.name, megalith::text(tensor.shape),
                                       target.key, megalith::text(target.shape)));
                else
                    targets[tensor.key] = target.key;
            }
    }
    resolveTies(targets, [&](const std::string& key) -> TensorInfo& { return tensorAt(places.at(key)); });
}

void Analyzer::resolveTies(const std::unordered_map<std::string, std::string>& targets,
                           const std::function<TensorInfo&(const std::string&)>& tensor)
{
    const auto finalKey = [&](const std::string& key) -> std::string {
        std::string at = key;
        std::set<std::string> seen{key};
        while (true) {
            const auto tie = targets.find(at);
            std::string next = tie != targets.end()  ? tie->second
                               : !tensor(at).counted ? tensor(at).tiedTo
                                                     : std::string();
            if (next.empty())
                return at;
            if (!seen.insert(next).second)
                return {};
            at = std::move(next);
        }
    };
    std::vector<std::pair<TensorInfo*, TensorInfo*>> joined;
    for (std::size_t n = 0; n < m_result.nodes.size(); ++n)
        for (TensorInfo& each : m_result.nodes[n].tensors) {
            if (each.tiedTo.empty())
                continue;
            if (each.counted && !targets.contains(each.key)) {
                each.tiedTo.clear();  // a tie that was refused
                continue;
            }
            const std::string target = finalKey(each.key);
            if (target.empty()) {
                report(Severity::Error, n, "ties", fmt::format("{} is tied to itself in a circle", each.name));
                each.tiedTo.clear();
                continue;
            }
            joined.emplace_back(&each, &tensor(target));
        }
    for (auto& [each, target] : joined)
        target->trainable = target->trainable && each->trainable;
    for (auto& [each, target] : joined) {
        each->trainable = target->trainable;
        each->init = target->init;
        each->counted = false;
        each->tiedTo = target->key;
    }
}

void Analyzer::reportUnusedDirectives()
{
    for (const Directive& directive : m_directives) {
        const NodeInfo& info = m_result.nodes[directive.carrier];
        if (directive.used || info.state != State::Ok)
            continue;
        std::string names;
        for (std::size_t n = directive.carrier; n < info.end; ++n)
            for (const TensorInfo& tensor : m_result.nodes[n].tensors) {
                const bool bare = tensor.key == info.name;
                const std::string name = bare ? tensor.name : tensor.key.substr(info.name.size() + 1);
                names += (names.empty() ? "" : ", ") + name;
            }
        report(directive.kind == Directive::Kind::Tie ? Severity::Error : Severity::Warning, directive.carrier,
               std::string(kindText(directive.kind)),
               fmt::format("{} names {}, but {}", kindText(directive.kind), jsonString(directive.name),
                           names.empty() ? "there are no parameters" : "the parameters are " + names));
    }
}

void Analyzer::count()
{
    Totals& totals = m_result.totals;
    const auto add = [](std::int64_t& sum, std::int64_t more) {
        if (__builtin_add_overflow(sum, more, &sum))
            sum = INT64_MAX;
    };
    for (const NodeInfo& info : m_result.nodes) {
        for (const TensorInfo& tensor : info.tensors) {
            if (!tensor.counted)
                continue;
            const std::int64_t elements = numel(tensor.shape);
            std::int64_t bytes = 0;
            if (__builtin_mul_overflow(elements, static_cast<std::int64_t>(itemSize(tensor.dtype)), &bytes))
                bytes = INT64_MAX;
            add(tensor.buffer ? totals.buffers : totals.parameters, elements);
            add(tensor.buffer ? totals.bufferBytes : totals.parameterBytes, bytes);
            if (!tensor.buffer)
                add(tensor.trainable ? totals.trainable : totals.frozen, elements);
        }
        if (info.composed || info.type == "Output")
            continue;
        for (const Port& port : info.outputs)
            add(totals.activations, std::max<std::int64_t>(0, elements(port.shape, 1)));
    }
}

// Said before it happens: more than this machine can hold.
void Analyzer::checkMemory()
{
    double limit = static_cast<double>(m_options.memory);
    if (m_options.memory <= 0)
        limit = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    const std::int64_t batch = m_batches.empty() ? 1 : *std::max_element(m_batches.begin(), m_batches.end());
    double parameters = 0.0;
    double values = 0.0;
    bool said = false;
    const auto tooMuch = [&](std::size_t at, const std::string& what, double bytes) {
        if (said || bytes <= limit)
            return said;
        report(Severity::Error, at, "size",
               fmt::format("{} would need {}, more than the {} of this machine", what, bytesText(bytes),
                           bytesText(limit)));
        said = true;
        return true;
    };
    // What follows from the first is no cause of its own.
    for (std::size_t n = 0; n < m_result.nodes.size() && !said; ++n) {
        const NodeInfo& info = m_result.nodes[n];
        for (const TensorInfo& tensor : info.tensors) {
            double bytes = static_cast<double>(itemSize(tensor.dtype));
            for (const std::int64_t size : tensor.shape)
                bytes *= static_cast<double>(size);
            if (!tooMuch(n, tensor.name + " of shape " + megalith::text(tensor.shape), bytes) && tensor.counted)
                parameters += bytes;
        }
        for (const Port& port : info.outputs) {
            if (!port.shape.known || info.composed)
                continue;
            double bytes = static_cast<double>(itemSize(port.shape.dtype));
            for (const Dim& dim : port.shape.dims)
                bytes *=
                    static_cast<double>(dim.constant) + static_cast<double>(dim.factor) * static_cast<double>(batch);
            if (!tooMuch(n, fmt::format("its output {} with a batch of {}", text(port.shape), batch), bytes))
                values += bytes;
        }
    }
    // Values, their gradients, and a copy of each in the optimizer.
    const double all = 3.0 * parameters + values;
    if (!said && all > limit)
        reportGlobal(Severity::Error, "graph", "size",
                     fmt::format("training would need about {} with a batch of {}, more than the {} of this machine",
                                 bytesText(all), batch, bytesText(limit)));
}

void Analyzer::checkTrainable()
{
    const Totals& totals = m_result.totals;
    const auto failed = [](const NodeInfo& info) { return info.state != State::Ok; };
    if (totals.trainable > 0 || std::any_of(m_result.nodes.begin(), m_result.nodes.end(), failed))
        return;
    reportGlobal(Severity::Warning, "graph", "trainable",
                 totals.parameters > 0 ? "nothing to train: every parameter is frozen"
                                       : "nothing to train: the network has no parameters");
}

std::int64_t Analysis::parametersOf(std::size_t position, bool trainableOnly) const
{
    std::set<std::string_view> seen;
    std::int64_t sum = 0;
    for (std::size_t n = position; n < nodes[position].end; ++n)
        for (const TensorInfo& tensor : nodes[n].tensors) {
            const std::string_view key = tensor.tiedTo.empty() ? tensor.key : tensor.tiedTo;
            if (!tensor.buffer && (tensor.trainable || !trainableOnly) && seen.insert(key).second)
                sum += numel(tensor.shape);
        }
    return sum;
}

}  // namespace megalith::graph
