// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/number_text.h"
#include "engine/graph/summary.h"

#include <algorithm>
#include <map>

namespace megalith::graph {

namespace {

// Parts of a cell, put together bit by bit; their characters follow from what meets.
enum Arm : unsigned { Up = 1, Down = 2, Left = 4, Right = 8, Dot = 16 };

std::string_view cellText(unsigned arms, bool unicode)
{
    static constexpr std::string_view lines[16] = {" ", "╵", "╷", "│", "╴", "╯", "╮", "┤",
                                                   "╶", "╰", "╭", "├", "─", "┴", "┬", "┼"};
    static constexpr std::string_view plain[16] = {" ", "|", "|", "|", "-", "'", ".", "+",
                                                   "-", "`", ".", "+", "-", "+", "+", "+"};
    if ((arms & Dot) != 0)
        return unicode ? "●" : "*";
    return unicode ? lines[arms & 15] : plain[arms & 15];
}

class Drawer
{
public:
    explicit Drawer(const Document& document)
    {
        for (const auto& [to, edge] : document.root.edges) {
            m_sources[to.node].push_back(edge.from.node);
            ++m_readers[edge.from.node];
        }
    }

    // The row of one node, and lanes as they are below it.
    std::vector<unsigned> row(Id id)
    {
        std::vector<std::size_t> lanes;  // of what the node reads
        for (const Id source : m_sources[id]) {
            const std::size_t lane = laneOf(source);
            --m_readers[source];
            if (lane < m_lanes.size() && std::find(lanes.begin(), lanes.end(), lane) == lanes.end())
                lanes.push_back(lane);
        }
        const auto ends = [this](std::size_t lane) { return m_readers[m_lanes[lane]] == 0; };
        std::sort(lanes.begin(), lanes.end());
        const auto ending = std::find_if(lanes.begin(), lanes.end(), ends);
        const std::size_t own = ending != lanes.end() ? *ending : freeLane();
        std::vector<unsigned> cells(std::max(m_lanes.size(), own + 1), 0);
        for (std::size_t lane = 0; lane < m_lanes.size(); ++lane)
            if (m_lanes[lane] != 0)
                cells[lane] = Up | Down;
        for (const std::size_t lane : lanes) {
            if (lane == own)
                continue;
            cells[lane] = Up | (ends(lane) ? 0U : unsigned{Down}) | (lane < own ? Right : Left);
            for (std::size_t between = std::min(lane, own) + 1; between < std::max(lane, own); ++between)
                cells[between] |= Left | Right;
        }
        cells[own] = Dot;
        for (const std::size_t lane : lanes)
            if (ends(lane))
                m_lanes[lane] = 0;
        m_lanes.resize(std::max(m_lanes.size(), own + 1), 0);
        m_lanes[own] = m_readers[id] > 0 ? id : 0;
        while (!m_lanes.empty() && m_lanes.back() == 0)
            m_lanes.pop_back();
        return cells;
    }

private:
    std::size_t laneOf(Id source) const
    {
        return static_cast<std::size_t>(std::find(m_lanes.begin(), m_lanes.end(), source) - m_lanes.begin());
    }
    std::size_t freeLane() const { return laneOf(0); }

    std::map<Id, std::vector<Id>> m_sources;
    std::map<Id, int> m_readers;  // that are still to come
    std::vector<Id> m_lanes;      // whose output runs down each column; 0: nobody's
};

}  // namespace

std::string drawing(const Document& document, const Analysis& analysis, bool unicode)
{
    struct Line
    {
        std::vector<unsigned> cells;
        std::string name, type, shape, count;
    };
    Drawer drawer(document);
    std::vector<Line> lines;
    std::size_t lanes = 0;
    std::size_t name = 0;
    std::size_t type = 0;
    std::size_t shape = 0;
    for (std::size_t at = 0; at < analysis.nodes.size(); at = analysis.nodes[at].end) {
        const NodeInfo& info = analysis.nodes[at];
        Line line{drawer.row(info.id()), info.name, info.type, {}, {}};
        if (!info.outputs.empty())
            line.shape = text(info.outputs.front().shape);
        else if (!info.inputs.empty())
            line.shape = text(info.inputs.front().shape);
        if (const std::int64_t parameters = analysis.parametersOf(at); parameters > 0)
            line.count = withThousands(parameters);
        lanes = std::max(lanes, line.cells.size());
        name = std::max(name, line.name.size());
        type = std::max(type, line.type.size());
        shape = std::max(shape, line.shape.size());
        lines.push_back(std::move(line));
    }
    std::string out;
    for (const Line& line : lines) {
        std::string row;
        for (std::size_t i = 0; i < lanes; ++i) {
            const unsigned arms = i < line.cells.size() ? line.cells[i] : 0;
            row += cellText(arms, unicode);
            const bool joined = i + 1 < line.cells.size() && (line.cells[i + 1] & Left) != 0;
            const bool leads = (arms & Right) != 0;
            row += joined || leads ? cellText(Left | Right, unicode) : " ";
        }
        const auto column = [](const std::string& text, std::size_t width) {
            return text + std::string(width - text.size() + 2, ' ');
        };
        row += " " + column(line.name, name) + column(line.type, type) + column(line.shape, shape) + line.count;
        row.erase(row.find_last_not_of(' ') + 1);
        out += row + "\n";
    }
    return out;
}

}  // namespace megalith::graph
