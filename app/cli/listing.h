// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/check.h"

#include <string>

namespace megalith::cli {

class Output;

// A line for each node: name, type, output shape, parameters. What is inside a composed node follows it.
void printListing(const graph::Analysis& analysis, Output& out);

// "143 parameters (33 trainable, 110 frozen), 0 elements of buffers, 572 bytes"
std::string totalsText(const graph::Totals& totals);

// The output's shape as people read it: "[N, 128]"; several outputs one after the other.
std::string outputText(const graph::NodeInfo& node);

}  // namespace megalith::cli
