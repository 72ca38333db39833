// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/graph/edit.h"

#include <algorithm>

namespace megalith::graph {

bool isEmpty(const Edit& edit)
{
    const auto* composite = std::get_if<Composite>(&edit.what);
    return composite != nullptr && std::all_of(composite->edits.begin(), composite->edits.end(), isEmpty);
}

std::string describe(const Edit& edit)
{
    struct Words
    {
        std::string operator()(const SetNode& e) const
        {
            return e.node ? "Change " + e.node->name : std::string("Delete");
        }
        std::string operator()(const SetEdge& e) const { return e.edge ? "Connect" : "Disconnect"; }
        std::string operator()(const SetFrame& e) const { return e.frame ? "Change frame" : "Delete frame"; }
        std::string operator()(const SetModule& e) const
        {
            return (e.body ? "Change module " : "Delete module ") + e.name;
        }
        std::string operator()(const SetSequential& e) const
        {
            return e.sequential ? "Make it a chain" : "Make it a free graph";
        }
        std::string operator()(const SetArgs& e) const { return "Change arguments of " + e.module; }
        std::string operator()(const SetProject& e) const { return "Change " + e.key; }
        std::string operator()(const Composite& e) const { return e.name; }
    };
    return std::visit(Words{}, edit.what);
}

namespace {

void gather(const Edit& edit, Touched& found)
{
    if (const auto* composite = std::get_if<Composite>(&edit.what))
        for (const Edit& part : composite->edits)
            gather(part, found);
    else if (const auto* node = std::get_if<SetNode>(&edit.what))
        found.nodes.emplace_back(node->module, node->id);
    else if (const auto* edge = std::get_if<SetEdge>(&edit.what))
        found.edges.emplace_back(edge->module, edge->to);
    else if (const auto* frame = std::get_if<SetFrame>(&edit.what))
        found.frames.push_back(frame->id);
    else if (const auto* module = std::get_if<SetModule>(&edit.what))
        found.modules.push_back(module->name);
    else if (const auto* chain = std::get_if<SetSequential>(&edit.what))
        found.modules.push_back(chain->module);
    else if (const auto* args = std::get_if<SetArgs>(&edit.what))
        found.modules.push_back(args->module);
    else
        found.project = true;
}

}  // namespace

Touched touched(const Edit& edit)
{
    Touched found;
    gather(edit, found);
    return found;
}

}  // namespace megalith::graph
