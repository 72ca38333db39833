// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/graph/summary.h"

#include "engine/core/json.h"
#include "engine/core/number_text.h"
#include "engine/nn/module_def.h"

#include <fmt/format.h>

#include <algorithm>

namespace megalith::graph {

namespace {

std::string argumentsOf(const NodeInfo& info)
{
    if (info.def == nullptr || info.state == State::Error)
        return {};
    if (info.def->repr != nullptr)
        return info.def->repr(info.attrs);
    std::string out;
    for (const auto& [name, value] : info.attrs)
        out += (out.empty() ? "" : ", ") + name + "=" + pythonText(value);
    return out;
}

// Sizes behind the batch; what depends on N in another way as its text.
Value shapeValue(const PortShape& shape)
{
    if (!shape.known)
        return {};
    Value::List sizes;
    const bool batched = !shape.dims.empty() && shape.dims.front() == Dim{0, 1, true};
    for (std::size_t i = batched ? 1 : 0; i < shape.dims.size(); ++i) {
        const Dim& dim = shape.dims[i];
        sizes.push_back(dim.known && dim.factor == 0 ? Value(dim.constant) : Value(text(dim)));
    }
    return sizes;
}

SummaryRow rowOf(const Analysis& analysis, std::size_t at)
{
    const NodeInfo& info = analysis.nodes[at];
    SummaryRow row;
    row.name = info.name;
    row.type = info.type;
    row.depth = info.path.size() - 1;
    row.arguments = argumentsOf(info);
    row.shared = info.sharedWith.has_value();
    if (!info.outputs.empty())
        row.output = info.outputs.front().shape;
    row.parameters = analysis.parametersOf(at);
    row.trainable = analysis.parametersOf(at, true);
    for (const TensorInfo& tensor : info.tensors)
        row.tensors.push_back({tensor.key, tensor.shape, numel(tensor.shape), tensor.buffer, tensor.trainable});
    return row;
}

std::string tensorShapes(const SummaryRow& row)
{
    std::string out;
    for (const SummaryTensor& tensor : row.tensors) {
        if (tensor.buffer)
            continue;
        const std::string name = tensor.key == row.name ? std::string() : tensor.key.substr(row.name.size() + 1) + " ";
        out += (out.empty() ? "" : ", ") + name + megalith::text(tensor.shape) + (tensor.trainable ? "" : " frozen");
    }
    return out;
}

// Width on a terminal: UTF-8 characters, not bytes.
std::size_t widthOf(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width)
{
    const std::size_t have = widthOf(text);
    return text + std::string(have < width ? width - have : 0, ' ');
}

}  // namespace

Summary summarize(const Document& document, const Analysis& analysis)
{
    Summary summary;
    summary.root = document.root.sequential ? "Sequential" : "Model";
    summary.totals = analysis.totals;
    for (std::size_t at = 0; at < analysis.nodes.size(); ++at) {
        const NodeInfo& info = analysis.nodes[at];
        const Body* body = document.body(info.module);
        const bool function = info.def != nullptr && (info.def->function || info.type == "Constant");
        if (info.type == "Input" || info.type == "Output" || (function && (body == nullptr || !body->sequential)))
            continue;
        summary.rows.push_back(rowOf(analysis, at));
    }
    return summary;
}

std::vector<std::string> summaryLines(const Summary& summary)
{
    std::vector<std::string> lines;
    for (const SummaryRow& row : summary.rows) {
        Value::List keys;
        Value::List tensors;
        for (const SummaryTensor& tensor : row.tensors) {
            keys.emplace_back(tensor.key);
            tensors.emplace_back(Value::Object{{"key", tensor.key},
                                               {"shape", Value::List(tensor.shape.begin(), tensor.shape.end())},
                                               {"numel", tensor.numel},
                                               {"kind", tensor.buffer ? "buffer" : "parameter"},
                                               {"trainable", tensor.trainable}});
        }
        lines.push_back(writeJson(Value::Object{{"name", row.name},
                                                {"type", row.type},
                                                {"output_shape", shapeValue(row.output)},
                                                {"parameters", row.parameters},
                                                {"trainable", row.trainable},
                                                {"keys", std::move(keys)},
                                                {"tensors", std::move(tensors)},
                                                {"arguments", row.arguments},
                                                {"shared", row.shared}}));
    }
    const Totals& totals = summary.totals;
    lines.push_back(writeJson(Value::Object{{"event", "total"},
                                            {"parameters", totals.parameters},
                                            {"trainable", totals.trainable},
                                            {"frozen", totals.frozen},
                                            {"buffers", totals.buffers},
                                            {"parameter_bytes", totals.parameterBytes},
                                            {"buffer_bytes", totals.bufferBytes}}));
    return lines;
}

std::string summaryTree(const Summary& summary)
{
    struct Line
    {
        std::string tree, shape, count, tensors;
    };
    std::vector<Line> lines{{summary.root + "(", {}, {}, {}}};
    std::size_t depth = 0;
    const auto close = [&](std::size_t to) {
        for (; depth > to; --depth)
            lines.push_back({std::string(2 * depth, ' ') + ")", {}, {}, {}});
    };
    for (std::size_t i = 0; i < summary.rows.size(); ++i) {
        const SummaryRow& row = summary.rows[i];
        close(row.depth);
        const bool opens = i + 1 < summary.rows.size() && summary.rows[i + 1].depth > row.depth;
        const std::string name = row.name.substr(row.name.find_last_of('.') + 1);
        std::string tree = std::string(2 * (row.depth + 1), ' ') + "(" + name + "): " + row.type + "(" + row.arguments;
        tree += opens ? "" : ")";
        depth = opens ? row.depth + 1 : depth;
        std::string count = row.parameters == 0 ? "-" : withThousands(row.parameters);
        if (row.shared && row.parameters > 0)
            count += " shared";
        lines.push_back({std::move(tree), text(row.output), std::move(count), tensorShapes(row)});
    }
    close(0);
    lines.push_back({")", {}, {}, {}});
    std::size_t treeWidth = 0;
    std::size_t shapeWidth = 0;
    std::size_t countWidth = 0;
    for (const Line& line : lines) {
        treeWidth = std::max(treeWidth, std::min<std::size_t>(widthOf(line.tree), 96));
        shapeWidth = std::max(shapeWidth, widthOf(line.shape));
        countWidth = std::max(countWidth, widthOf(line.count));
    }
    std::string out;
    for (const Line& line : lines) {
        std::string written = line.tree;
        if (!line.shape.empty())
            written = padded(line.tree, treeWidth) + "  " + padded(line.shape, shapeWidth) + "  "
                      + std::string(countWidth - widthOf(line.count), ' ') + line.count
                      + (line.tensors.empty() ? "" : "  ") + line.tensors;
        out += written + "\n";
    }
    const Totals& t = summary.totals;
    out += fmt::format("\nParameters  {}  ({} trainable, {} frozen), {} bytes\nBuffers     {}, {} bytes\n",
                       withThousands(t.parameters), withThousands(t.trainable), withThousands(t.frozen),
                       withThousands(t.parameterBytes), withThousands(t.buffers), withThousands(t.bufferBytes));
    return out;
}

}  // namespace megalith::graph
