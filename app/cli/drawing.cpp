// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/drawing.h"

#include "app/cli/listing.h"
#include "app/cli/output.h"
#include "app/cli/project.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace megalith::cli {

namespace {

class Drawing
{
public:
    Drawing(const graph::Document& document, const graph::Analysis& analysis, Output& out)
        : m_document(document)
        , m_analysis(analysis)
        , m_out(out)
    {
        for (const auto& [to, edge] : document.root.edges)
            m_takers[edge.from.node].insert(to.node);
    }

    void draw()
    {
        for (const graph::Id id : graph::order(m_document.root))
            drawNode(m_document.root.nodes.at(id));
    }

private:
    void drawNode(const graph::Node& node);
    void joinWires(std::size_t column, const std::set<std::size_t>& arriving, const std::set<std::size_t>& ending,
                   bool fresh);
    std::size_t freeColumn();
    std::string wires(std::size_t column, std::string_view mark) const;
    std::string label(const graph::Node& node) const;

    const graph::Document& m_document;
    const graph::Analysis& m_analysis;
    Output& m_out;
    std::map<graph::Id, std::set<graph::Id>> m_takers;  // who still waits for a node's value
    std::vector<graph::Id> m_columns;                   // whose value runs there; 0: nothing
};

std::size_t Drawing::freeColumn()
{
    const auto free = std::ranges::find(m_columns, graph::Id{0});
    const auto column = static_cast<std::size_t>(free - m_columns.begin());
    if (free == m_columns.end())
        m_columns.push_back(0);
    return column;
}

// The columns as they run past a line, and a mark in one of them.
std::string Drawing::wires(std::size_t column, std::string_view mark) const
{
    std::string text;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        text += std::string(i == column ? mark : m_columns[i] != 0 ? "│" : " ") + " ";
    return text;
}

std::string Drawing::label(const graph::Node& node) const
{
    std::string text = m_out.painted(Paint::Strong, node.name.empty() ? node.type : node.name) + " " + node.type;
    const graph::NodeInfo* info = m_analysis.first(node.id);
    if (info == nullptr)
        return text;
    const auto position = static_cast<std::size_t>(info - m_analysis.nodes.data());
    if (const std::int64_t count = m_analysis.parametersOf(position); count > 0 && !info->sharedWith)
        text += "  " + counted(count, "parameter");
    return text;
}

// A line on which the other arriving wires turn to the node's column.
void Drawing::joinWires(std::size_t column, const std::set<std::size_t>& arriving, const std::set<std::size_t>& ending,
                        bool fresh)
{
    std::size_t first = column, last = column;
    for (const std::size_t other : arriving) {
        first = std::min(first, other);
        last = std::max(last, other);
    }
    if (first == last)
        return;
    std::string text;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const bool inside = i >= first && i < last;
        std::string_view mark = m_columns[i] != 0 ? (i > first && i < last ? "┼" : "│") : inside ? "─" : " ";
        if (i == column)
            mark = i == first ? (fresh ? "╭" : "├") : i == last ? (fresh ? "╮" : "┤") : (fresh ? "┬" : "┼");
        else if (arriving.contains(i) && ending.contains(i))
            mark = i == first ? "╰" : i == last ? "╯" : "┴";
        else if (arriving.contains(i))
            mark = i == first ? "├" : i == last ? "┤" : "┼";
        text += std::string(mark) + (inside ? "─" : " ");
    }
    m_out.line(text);
}

void Drawing::drawNode(const graph::Node& node)
{
    std::set<std::size_t> arriving, ending;
    for (const graph::Edge* edge : m_document.root.edgesInto(node.id)) {
        const auto found = std::ranges::find(m_columns, edge->from.node);
        if (found != m_columns.end())
            arriving.insert(static_cast<std::size_t>(found - m_columns.begin()));
    }
    for (const std::size_t i : arriving) {
        std::set<graph::Id>& waiting = m_takers[m_columns[i]];
        waiting.erase(node.id);
        if (waiting.empty())
            ending.insert(i);
    }
    const bool fresh = ending.empty();
    const std::size_t column = fresh ? freeColumn() : *ending.begin();
    joinWires(column, arriving, ending, fresh);
    for (const std::size_t i : ending)
        m_columns[i] = 0;
    m_out.line(wires(column, node.type == "Input" || node.type == "Output" ? "○" : "●") + label(node));
    const graph::NodeInfo* info = m_analysis.first(node.id);
    if (!m_takers[node.id].empty()) {
        m_columns[column] = node.id;
        m_out.line(wires(column, "│") + (info == nullptr ? "" : m_out.painted(Paint::Faint, outputText(*info))));
    }
    while (!m_columns.empty() && m_columns.back() == 0)
        m_columns.pop_back();
}

}  // namespace

void drawArchitecture(const graph::Document& document, const graph::Analysis& analysis, Output& out)
{
    Drawing(document, analysis, out).draw();
}

}  // namespace megalith::cli
