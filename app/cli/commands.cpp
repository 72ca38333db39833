// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"

#include <algorithm>
#include <array>
#include <vector>

namespace megalith::cli {

namespace {

constexpr std::array allCommands = {
    Command{"new", "makes a project from a template", newCommand},
    Command{"check", "shapes, counts and everything that is wrong with a project", checkCommand},
    Command{"summary", "the module tree with output shapes, parameters and totals", summaryCommand},
    Command{"train", "trains a project", trainCommand},
    Command{"eval", "loss and metrics on the validation part", evalCommand},
    Command{"predict", "the network's output for a file", predictCommand},
    Command{"export", "writes a project's weights, reads them back and compares", exportCommand},
    Command{"inspect", "what is in a weights file", inspectCommand},
    Command{"devices", "what can compute, in order of preference", devicesCommand},
    Command{"convert", "weights from one format to another", nullptr},
    Command{"diff", "the differences of two projects or weights files", nullptr},
    Command{"load", "puts weights into a project by mapping rules", nullptr},
    Command{"verify", "repeats the proof of an export", nullptr},
    Command{"render", "the graph as a picture", nullptr},
};

// How many letters are wrong, missing, too many, or swapped with their neighbour.
std::size_t distance(std::string_view a, std::string_view b)
{
    const std::size_t width = b.size() + 1;
    std::vector<std::size_t> cells((a.size() + 1) * width);
    const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return cells[i * width + j]; };
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                at(i, j) = i + j;
                continue;
            }
            const std::size_t changed = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
            at(i, j) = std::min({changed, at(i - 1, j) + 1, at(i, j - 1) + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
        }
    return at(a.size(), b.size());
}

}  // namespace

std::span<const Command> commands()
{
    return allCommands;
}

const Command* findCommand(std::string_view name)
{
    const auto found = std::ranges::find(allCommands, name, &Command::name);
    return found == allCommands.end() ? nullptr : &*found;
}

std::string nearest(std::string_view typed, std::span<const std::string_view> names)
{
    constexpr std::size_t longest = 64;
    if (typed.size() > longest)
        return {};
    std::string_view best;
    std::size_t least = std::max<std::size_t>(typed.size() / 3, 1) + 1;
    for (const std::string_view name : names)
        if (const std::size_t d = distance(typed, name); d < least) {
            best = name;
            least = d;
        }
    return std::string(best);
}

}  // namespace megalith::cli
