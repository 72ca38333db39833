// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/check.h"

namespace megalith::cli {

class Output;

// The architecture as a drawing of lines: each node of the outermost graph on a line in topological order, and to its left the
// wires, each value in a column from the node that makes it to the last one that takes it.
void drawArchitecture(const graph::Document& document, const graph::Analysis& analysis, Output& out);

}  // namespace megalith::cli
