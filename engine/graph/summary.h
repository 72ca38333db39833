// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/check.h"

#include <cstdint>
#include <string>
#include <vector>

namespace megalith::graph {

struct SummaryTensor
{
    std::string key;
    Shape shape;
    std::int64_t numel = 0;
    bool buffer = false;
    bool trainable = false;
};

// One module, or a bare Parameter or Buffer. Functions have a line only in a chain, where they have a place.
struct SummaryRow
{
    std::string name;  // "block1.conv"
    std::string type;
    std::size_t depth = 0;  // how many composed modules are around it
    std::string arguments;  // as print shows them
    PortShape output;
    std::int64_t parameters = 0;  // of a composed module with what is inside, each tensor once
    std::int64_t trainable = 0;
    std::vector<SummaryTensor> tensors;  // its own
    bool shared = false;                 // counted at an earlier row
};

struct Summary
{
    std::string root;  // "Sequential" or "Model"
    std::vector<SummaryRow> rows;
    Totals totals;
};

Summary summarize(const Document& document, const Analysis& analysis);

// One JSON object a line: each row, then the totals. Output shapes stand without the batch.
std::vector<std::string> summaryLines(const Summary& summary);
// The tree as print(model) shows it, each line with output shape and parameters; then the totals.
std::string summaryTree(const Summary& summary);

// The root graph from top to bottom, wires as lines: for a terminal. Without Unicode in ASCII.
std::string drawing(const Document& document, const Analysis& analysis, bool unicode = true);

}  // namespace megalith::graph
