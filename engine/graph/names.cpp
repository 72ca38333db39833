// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/graph/edit.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace megalith::graph {

namespace {

struct ShortName
{
    std::string_view type;
    std::string_view name;
};

// What people call these in their own code. All others: the type in small letters, with _ between words.
constexpr std::array shortNames{
    ShortName{"Input", "x"},
    ShortName{"Output", "y"},
    ShortName{"Linear", "fc"},
    ShortName{"Conv1d", "conv"},
    ShortName{"Conv2d", "conv"},
    ShortName{"Conv3d", "conv"},
    ShortName{"BatchNorm1d", "bn"},
    ShortName{"BatchNorm2d", "bn"},
    ShortName{"BatchNorm3d", "bn"},
    ShortName{"MaxPool1d", "pool"},
    ShortName{"MaxPool2d", "pool"},
    ShortName{"MaxPool3d", "pool"},
    ShortName{"AvgPool1d", "pool"},
    ShortName{"AvgPool2d", "pool"},
    ShortName{"AvgPool3d", "pool"},
    ShortName{"AdaptiveAvgPool2d", "pool"},
    ShortName{"LayerNorm", "norm"},
    ShortName{"GroupNorm", "norm"},
    ShortName{"RMSNorm", "norm"},
    ShortName{"Embedding", "embed"},
    ShortName{"MultiheadAttention", "attn"},
    ShortName{"Parameter", "weight"},
    ShortName{"Sigmoid", "sigmoid"},
};
// These are counted from 1 on: fc1, fc2.
constexpr std::array<std::string_view, 5> counted{"fc", "conv", "bn", "pool", "attn"};

char small(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool isCapital(char c)
{
    return c >= 'A' && c <= 'Z';
}

// MultiheadAttention -> multihead_attention, ReLU -> relu, LSTM -> lstm, MaxPool2d -> max_pool2d
std::string snakeCase(std::string_view type)
{
    std::string out;
    for (std::size_t i = 0; i < type.size(); ++i) {
        const bool start = i > 0 && isCapital(type[i]) && !isCapital(type[i - 1]) && i + 1 < type.size()
                           && !isCapital(type[i + 1]) && type[i - 1] != '_';
        if (start)
            out += '_';
        out += small(type[i]);
    }
    return isValidName(out) ? out : "node";
}

std::string baseName(const Document& document, std::string_view type)
{
    if (!document.modules.contains(type))
        for (const ShortName& known : shortNames)
            if (known.type == type)
                return std::string(known.name);
    std::string base = snakeCase(type);
    if (base == "re_lu")
        base = "relu";
    return base;
}

}  // namespace

std::string freeName(const Document& document, const Body& body, std::string_view type)
{
    std::set<std::string_view> taken;
    for (const auto& [id, node] : body.nodes)
        taken.insert(node.name);
    const std::string base = baseName(document, type);
    const bool fromOne =
        document.modules.contains(type) || std::find(counted.begin(), counted.end(), base) != counted.end();
    if (!fromOne && !taken.contains(base))
        return base;
    for (std::size_t number = fromOne ? 1 : 2;; ++number) {
        std::string name = base + std::to_string(number);
        if (!taken.contains(name))
            return name;
    }
}

}  // namespace megalith::graph
