// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/drawing.h"
#include "app/cli/listing.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/project.h"
#include "engine/backend/session.h"
#include "engine/nn/module.h"
#include "engine/nn/module_def.h"
#include "engine/train/workspace.h"

#include <algorithm>
#include <memory>

namespace megalith::cli {

namespace {

struct Call
{
    std::string project;
    bool json = false;
};

// Without the batch dimension; a size that depends on the batch in another way is a text.
Value shapeValue(const graph::PortShape& shape)
{
    if (!shape.known)
        return {};
    const graph::Dim batch{0, 1, true};
    Value::List sizes;
    for (std::size_t i = 0; i < shape.dims.size(); ++i) {
        const graph::Dim& dim = shape.dims[i];
        if (i == 0 && dim == batch)
            continue;
        sizes.push_back(dim.known && dim.factor == 0 ? Value(dim.constant) : Value(graph::text(dim)));
    }
    return sizes;
}

Value shapeValue(const Shape& shape)
{
    return Value::List(shape.begin(), shape.end());
}

Value tensorValue(const graph::TensorInfo& tensor)
{
    Value::Object object{{"key", tensor.key},
                         {"shape", shapeValue(tensor.shape)},
                         {"numel", numel(tensor.shape)},
                         {"kind", tensor.buffer ? "buffer" : "parameter"},
                         {"trainable", tensor.trainable},
                         {"dtype", dtypeTag(tensor.dtype)}};
    if (tensor.buffer)
        object.emplace_back("persistent", tensor.persistent);
    if (!tensor.tiedTo.empty())
        object.emplace_back("tied_to", tensor.tiedTo);
    return object;
}

// What print(model) names, and what holds tensors of its own (a Parameter node).
bool isListed(const graph::NodeInfo& node)
{
    if (node.composed || !node.tensors.empty())
        return true;
    return node.def != nullptr && !node.def->function && node.def->category != nn::Category::InputOutput
           && node.def->category != nn::Category::Tensor;
}

void printJson(const graph::Analysis& analysis, Output& out)
{
    for (std::size_t i = 0; i < analysis.nodes.size(); ++i) {
        const graph::NodeInfo& node = analysis.nodes[i];
        if (!isListed(node))
            continue;
        Value::List keys, tensors;
        for (const graph::TensorInfo& tensor : node.tensors) {
            if (tensor.persistent)
                keys.push_back(tensor.key);
            tensors.push_back(tensorValue(tensor));
        }
        Value::Object line{{"name", node.name},
                           {"type", node.type},
                           {"output_shape", node.outputs.empty() ? Value() : shapeValue(node.outputs.front().shape)},
                           {"parameters", analysis.parametersOf(i)},
                           {"trainable", analysis.parametersOf(i, true)},
                           {"keys", std::move(keys)},
                           {"tensors", std::move(tensors)}};
        if (node.sharedWith)
            line.emplace_back("shares", analysis.nodes[*node.sharedWith].name);
        out.json(std::move(line));
    }
    const graph::Totals& totals = analysis.totals;
    out.json(Value::Object{{"event", "total"},
                           {"parameters", totals.parameters},
                           {"trainable", totals.trainable},
                           {"frozen", totals.frozen},
                           {"buffers", totals.buffers},
                           {"parameter_bytes", totals.parameterBytes},
                           {"buffer_bytes", totals.bufferBytes}});
}

void printText(const Project& project, const graph::Analysis& analysis, Output& out)
{
    Session session;
    const SessionScope scope(session);
    train::Workspace workspace(session, project.document, project.path.string());
    out.line(nn::text(workspace.model()));
    out.line({});
    printListing(analysis, out);
    if (out.terminal()) {
        drawArchitecture(project.document, analysis, out);
        out.line({});
    }
    out.line(totalsText(analysis.totals));
}

int summary(const Call& call, Output& out)
{
    const Project project = openProject(call.project);
    const graph::Analysis analysis = analyse(project, Look::Network);
    requireSound(project, analysis);
    if (call.json)
        printJson(analysis, out);
    else
        printText(project, analysis, out);
    return 0;
}

}  // namespace

Run summaryCommand(Options& options)
{
    const auto call = std::make_shared<Call>();
    options.positional(call->project, "PROJECT", "The project, a .megaproj file");
    options.flag(call->json, "--json", "One JSON object per line");
    return [call](Output& out) { return summary(*call, out); };
}

}  // namespace megalith::cli
