// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/document.h"

#include <string>
#include <string_view>

namespace megalith::graph {

// Reads a project file's text. FormatError "NAME: graph.edges[3].to: node 9 does not exist" for the first rule that it breaks;
// `displayName` is what stands for NAME. Unknown types and keys are kept; of a higher version the document is read-only.
Document parseProject(std::string_view text, std::string_view displayName);

// The file's text: the same document gives the same bytes, whatever the locale, and parseProject of it the same document.
std::string projectText(const Document& document);

}  // namespace megalith::graph
