// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/json.h"
#include "engine/graph/check.h"
#include "engine/graph/document.h"
#include "engine/graph/project_text.h"

#include <QString>
#include <QStringList>

#include <initializer_list>
#include <string>
#include <string_view>

// Small projects for the tests, written as their nodes and edges are in the file.
namespace fixture {

inline std::string projectWith(std::string_view nodes, std::string_view edges, std::string_view moreGraph = {},
                               std::string_view more = {})
{
    std::string text =
        R"({"format": "megalith-project", "version": 1, "name": "t", "graph": {"sequential": false, "nodes": [)";
    text += nodes;
    text += "], \"edges\": [";
    text += edges;
    text += "]";
    text += moreGraph;
    text += "}";
    text += more;
    text += "}";
    return text;
}

struct Step
{
    std::string_view type;
    std::string_view attrs = "{}";
    std::string_view more = {};  // further keys, beginning with a comma
};

// x -> m1 -> m2 -> ... -> y with ids 1, 2, 3, ...
inline std::string chainText(std::string_view inputAttrs, std::initializer_list<Step> steps, bool sequential = false,
                             std::string_view more = {})
{
    std::string nodes = R"({"id": 1, "type": "Input", "name": "x", "attrs": )" + std::string(inputAttrs) + "}";
    std::string edges;
    int id = 1;
    const auto add = [&](std::string_view type, const std::string& name, std::string_view attrs,
                         std::string_view extra) {
        edges += (id == 1 ? "" : ", ");
        edges +=
            "{\"from\": [" + std::to_string(id) + ", \"output\"], \"to\": [" + std::to_string(id + 1) + ", \"input\"]}";
        ++id;
        nodes += ", {\"id\": " + std::to_string(id) + ", \"type\": \"" + std::string(type) + "\"";
        if (!name.empty())
            nodes += ", \"name\": \"" + name + "\"";
        nodes += ", \"attrs\": " + std::string(attrs) + std::string(extra) + "}";
    };
    for (const Step& step : steps)
        add(step.type, sequential ? std::string() : "m" + std::to_string(id), step.attrs, step.more);
    add("Output", "y", "{}", {});
    std::string text = projectWith(nodes, edges, {}, more);
    if (sequential)
        text.replace(text.find("\"sequential\": false"), 19, "\"sequential\": true");
    return text;
}

inline megalith::graph::Document parse(std::string_view text)
{
    return megalith::graph::parseProject(text, "t.megaproj");
}

inline megalith::graph::Document chain(std::string_view inputAttrs, std::initializer_list<Step> steps,
                                       bool sequential = false, std::string_view more = {})
{
    return parse(chainText(inputAttrs, steps, sequential, more));
}

// Data and training that fit any network with one output.
inline const char* const goodSettings = R"(, "data": {"source": "digits", "validation": 0.2, "normalize": "standard"},
    "training": {"loss": {"type": "MSELoss"}, "optimizer": {"type": "SGD", "lr": 0.1}, "scheduler": null, "batch_size": 8, "epochs": 2, "seed": 0})";

inline megalith::graph::Analysis graphOnly(const megalith::graph::Document& document)
{
    megalith::graph::CheckOptions options;
    options.settings = false;
    return megalith::graph::analyze(document, options);
}

// "error m2 shape: message", one a line.
inline QString report(const megalith::graph::Analysis& analysis)
{
    QStringList lines;
    for (const megalith::graph::Diagnostic& d : analysis.diagnostics)
        lines << QString::fromStdString(std::string(severityName(d.severity)) + " " + d.path
                                        + (d.port.empty() ? "" : "." + d.port) + " " + d.rule + ": " + d.message);
    return lines.join('\n');
}

// What a call throws; empty when it does not.
template<typename Call>
QString thrown(Call&& call)
{
    try {
        call();
    } catch (const std::exception& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

}  // namespace fixture
