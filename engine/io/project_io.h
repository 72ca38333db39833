// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/document.h"

#include <filesystem>

namespace megalith::io {

// Reads a *.megaproj. Error "digits.megaproj: ..." for a missing file, a folder, a file that is no project, or one that breaks a rule.
graph::Document readProject(const std::filesystem::path& path);

// Writes it in one step: a reader sees the old text or the new, never a part. Error when it cannot be written (the old file then
// stays as it was), and for a document of a higher version.
void saveProject(const graph::Document& document, const std::filesystem::path& path);

}  // namespace megalith::io
