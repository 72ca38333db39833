// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/listing.h"

#include "app/cli/output.h"
#include "app/cli/project.h"
#include "engine/core/number_text.h"

#include <fmt/format.h>

namespace megalith::cli {

namespace {

std::string parametersText(const graph::Analysis& analysis, std::size_t position)
{
    const graph::NodeInfo& node = analysis.nodes[position];
    if (node.sharedWith)
        return "as " + analysis.nodes[*node.sharedWith].name;
    const std::int64_t all = analysis.parametersOf(position);
    return all == 0 ? std::string() : withThousands(all);
}

std::string trainableText(const graph::Analysis& analysis, std::size_t position)
{
    if (analysis.nodes[position].sharedWith)
        return {};
    const std::int64_t all = analysis.parametersOf(position);
    const std::int64_t trainable = analysis.parametersOf(position, true);
    if (all == 0)
        return {};
    return trainable == all ? "trainable" : trainable == 0 ? "frozen" : withThousands(trainable) + " trainable";
}

std::string stateText(const graph::NodeInfo& node)
{
    switch (node.state) {
    case graph::State::Ok: return {};
    case graph::State::Error: return "error";
    case graph::State::Waiting: return "waits for " + node.waitsFor;
    case graph::State::Unknown: return "unknown type";
    }
    return {};
}

}  // namespace

std::string outputText(const graph::NodeInfo& node)
{
    std::string text;
    for (const graph::Port& port : node.outputs)
        text += (text.empty() ? "" : ", ") + graph::text(port.shape);
    if (node.outputs.empty() && !node.inputs.empty())
        text = graph::text(node.inputs.front().shape);
    return text;
}

void printListing(const graph::Analysis& analysis, Output& out)
{
    if (analysis.nodes.empty())
        return;
    Table table({"name", "type", "output", "parameters", ""}, {false, false, false, true});
    for (std::size_t i = 0; i < analysis.nodes.size(); ++i) {
        const graph::NodeInfo& node = analysis.nodes[i];
        const std::string state = stateText(node);
        table.add({std::string(2 * (node.path.size() - 1), ' ') + node.name, node.type, outputText(node),
                   parametersText(analysis, i), state.empty() ? trainableText(analysis, i) : state});
    }
    table.print(out);
    out.line({});
}

std::string totalsText(const graph::Totals& totals)
{
    std::string text = fmt::format("{} ({} trainable, {} frozen)", counted(totals.parameters, "parameter"),
                                   withThousands(totals.trainable), withThousands(totals.frozen));
    if (totals.buffers > 0)
        text += fmt::format(", {} in buffers", counted(totals.buffers, "element"));
    return text + ", " + sizeShown(totals.parameterBytes + totals.bufferBytes);
}

}  // namespace megalith::cli
