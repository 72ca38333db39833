// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/graph/templates.h"

#include "engine/core/error.h"
#include "engine/data/dataset.h"
#include "engine/graph/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace megalith::graph {

using namespace std::string_view_literals;

namespace {

constexpr std::array templates{
    TemplateDef{"mlp", "Linear layers with ReLU between them: tables, points, small pictures.", "digits"},
    TemplateDef{"cnn", "Two convolutions with pooling, then two linear layers: pictures.", "digits"},
};

// Puts one node behind the other, from left to right.
class Chain
{
public:
    Chain(std::string_view projectName, bool sequential)
    {
        m_document.name = projectName;
        m_document.root.sequential = sequential;
    }

    void add(std::string_view type, Value attrs = Value::Object{})
    {
        Added added = addNode(m_document, {}, type, place());
        auto& edits = std::get<Composite>(added.edit.what).edits;
        std::get<SetNode>(edits.front().what).node->attrs = std::move(attrs);
        if (m_last != 0) {
            const Endpoint to{added.id, "input"};
            edits.push_back({SetEdge{{}, to, Edge{{m_last, "output"}, to, {}, {}}}});
        }
        apply(m_document, added.edit);
        m_last = added.id;
        ++m_count;
    }
    void linear(std::int64_t out) { add("Linear", Value::Object{{"out_features", out}}); }
    void input(const Shape& shape) { add("Input", Value::Object{{"shape", Value::List(shape.begin(), shape.end())}}); }
    void convolution(std::int64_t out, bool padded)
    {
        Value::Object attrs{{"out_channels", out}, {"kernel_size", 3}};
        if (padded)
            attrs.emplace_back("padding", 1);
        add("Conv2d", std::move(attrs));
        add("ReLU");
        add("MaxPool2d", Value::Object{{"kernel_size", 2}});
    }
    Document take() { return std::move(m_document); }

private:
    // Rows of five, with room for wires.
    Point place() const { return {240.0 * static_cast<double>(m_count % 5), 180.0 * static_cast<double>(m_count / 5)}; }

    Document m_document;
    Id m_last = 0;
    std::int64_t m_count = 0;
};

struct Recipe
{
    std::int64_t epochs = 20;
    double lr = 0.001;
    std::int64_t batch = 64;
    bool cosine = false;  // the rate falls to nothing over the epochs
};

Value trainingOf(const Recipe& recipe, bool classes)
{
    return Value::Object{
        {"loss", Value::Object{{"type", classes ? "CrossEntropyLoss" : "MSELoss"}}},
        {"optimizer", Value::Object{{"type", "Adam"}, {"lr", recipe.lr}}},
        {"scheduler",
         recipe.cosine ? Value(Value::Object{{"type", "CosineAnnealingLR"}, {"T_max", recipe.epochs}}) : Value()},
        {"batch_size", recipe.batch},
        {"shuffle", true},
        {"drop_last", false},
        {"epochs", recipe.epochs},
        {"clip_grad_norm", Value()},
        {"early_stopping", Value()},
        {"seed", 0},
        {"device", "auto"}};
}

Value dataOf(const TemplateData& data)
{
    Value::Object members{{"source", data.source}};
    if (!data.path.empty())
        members.emplace_back("path", data.path);
    members.emplace_back("validation", data.testPart ? Value("test") : Value(0.2));
    members.emplace_back("normalize", "standard");
    return members;
}

std::int64_t outputsOf(const TemplateData& data)
{
    return data.classes > 0 ? data.classes : numel(data.target);
}

// Small sets need more rounds than large ones.
Recipe recipeOf(const TemplateData& data)
{
    const std::int64_t size = numel(data.sample);
    if (size >= 256)
        return {10, 0.001, 64};
    if (size >= 32)
        return {20, 0.003, 32, true};
    return {100, 0.01, 32};
}

void finish(Document& document, const std::optional<TemplateData>& data, const Recipe& recipe, bool classes)
{
    if (data)
        document.data = dataOf(*data);
    document.training = trainingOf(recipe, classes);
}

Document mlp(std::string_view projectName, const TemplateData& data)
{
    Chain chain(projectName, false);
    chain.input(data.sample);
    if (data.sample.size() > 1)
        chain.add("Flatten");
    const bool small = numel(data.sample) < 32;
    for (const std::int64_t hidden :
         small ? std::array<std::int64_t, 2>{32, 32} : std::array<std::int64_t, 2>{256, 128}) {
        chain.linear(hidden);
        chain.add("ReLU");
        if (!small)
            chain.add("Dropout", Value::Object{{"p", 0.3}});
    }
    chain.linear(outputsOf(data));
    chain.add("Output");
    Document document = chain.take();
    finish(document, data, recipeOf(data), data.classes > 0);
    return document;
}

// The layers as they are said, in a chain whose places are the names.
Document mlpOfSizes(std::string_view projectName, const std::optional<TemplateData>& data,
                    const std::vector<std::int64_t>& sizes)
{
    for (const std::int64_t size : sizes)
        if (size < 1)
            throw Error(fmt::format("a layer needs a size of at least 1, not {}", size));
    if (sizes.size() < 2)
        throw Error("layer sizes are at least two numbers: those of the input and of the output");
    if (data && numel(data->sample) != sizes.front())
        throw Error(fmt::format("{} has samples of {} numbers, but the sizes begin with {}", data->source,
                                numel(data->sample), sizes.front()));
    if (data && outputsOf(*data) > sizes.back())
        throw Error(fmt::format("{} has {} {}, but the sizes end with {}", data->source, outputsOf(*data),
                                data->classes > 0 ? "classes" : "values to predict", sizes.back()));
    Chain chain(projectName, true);
    chain.input(data ? data->sample : Shape{sizes.front()});
    if (data && data->sample.size() > 1)
        chain.add("Flatten");
    for (std::size_t i = 1; i < sizes.size(); ++i) {
        chain.add("Linear", Value::Object{{"in_features", sizes[i - 1]}, {"out_features", sizes[i]}});
        if (i + 1 < sizes.size())
            chain.add("ReLU");
    }
    chain.add("Output");
    Document document = chain.take();
    finish(document, data, data ? recipeOf(*data) : Recipe{}, !data || data->classes > 0);
    return document;
}

Document cnn(std::string_view projectName, const TemplateData& data)
{
    if (!data.image || data.sample.size() != 3)
        throw Error(fmt::format("the cnn template needs pictures, and {} has none", data.source));
    const std::int64_t side = std::min(data.sample[1], data.sample[2]);
    if (side < 4)
        throw Error(
            fmt::format("the cnn template needs pictures of at least 4 x 4, not {}", megalith::text(data.sample)));
    const bool padded = side < 14;  // without a border, too little would be left
    Chain chain(projectName, false);
    chain.input(data.sample);
    chain.convolution(16, padded);
    chain.convolution(32, padded);
    chain.add("Flatten");
    chain.linear(64);
    chain.add("ReLU");
    chain.linear(outputsOf(data));
    chain.add("Output");
    Document document = chain.take();
    finish(document, data, {side < 14 ? 20 : 5, 0.001, 64}, data.classes > 0);
    return document;
}

// A small built-in source that has as many numbers and classes, or nothing.
std::optional<TemplateData> dataFitting(const std::vector<std::int64_t>& sizes)
{
    for (const std::string_view source : {"digits", "iris", "moons", "blobs"}) {
        std::optional<TemplateData> data = builtInData(source);
        if (data && numel(data->sample) == sizes.front() && data->classes == sizes.back())
            return data;
    }
    return std::nullopt;
}

}  // namespace

std::optional<TemplateData> builtInData(std::string_view source)
{
    constexpr std::array withoutPath{"moons"sv,         "circles"sv, "spirals"sv, "blobs"sv,        "xor"sv,
                                     "regression-1d"sv, "digits"sv,  "iris"sv,    "fashion-mnist"sv};
    if (std::find(withoutPath.begin(), withoutPath.end(), source) == withoutPath.end())
        return std::nullopt;
    const data::SourceFacts facts = data::sourceFacts(Value(Value::Object{{"source", source}}), {});
    const data::InputFacts& input = facts.inputs.front();
    return TemplateData{std::string(source), {}, input.sample, input.image, facts.classCount, facts.targetSample,
                        facts.testCount > 0};
}

std::span<const TemplateDef> allTemplates()
{
    return templates;
}

Document newFromTemplate(std::string_view name, std::string_view projectName, const std::optional<TemplateData>& data,
                         const std::vector<std::int64_t>& sizes)
{
    const auto* def =
        std::find_if(templates.begin(), templates.end(), [name](const TemplateDef& t) { return t.name == name; });
    if (def == templates.end()) {
        std::string names;
        for (const TemplateDef& each : templates)
            names += (names.empty() ? "" : ", ") + std::string(each.name);
        throw Error(fmt::format("there is no template called {}; there are {}", name, names));
    }
    if (!sizes.empty() && name != "mlp")
        throw Error(fmt::format("layer sizes are for the mlp template, not for {}", name));
    if (!sizes.empty())
        return mlpOfSizes(projectName, data ? data : dataFitting(sizes), sizes);
    const TemplateData chosen = data ? *data : builtInData(def->source).value();
    return name == "cnn" ? cnn(projectName, chosen) : mlp(projectName, chosen);
}

}  // namespace megalith::graph
