// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/check.h"
#include "engine/graph/document.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace megalith::cli {

// A project as a command works on it.
struct Project
{
    std::filesystem::path path;
    graph::Document document;

    std::string shown() const { return path.string(); }
    std::filesystem::path folder() const { return path.parent_path(); }
    // What its document says of weights beside it; empty when nothing.
    std::filesystem::path weights() const;
};

// Error as io::readProject. Says in a note when the file is of a higher version.
Project openProject(const std::string& path);

enum class Look { Network, NetworkAndTraining };

// Network: what it takes to build it. NetworkAndTraining: data and settings too; a source that cannot be read is an error of
// the project.
graph::Analysis analyse(const Project& project, Look look);

// Throws Error "d.megaproj: fc1: ..." for the first error, and says how many there are.
void requireSound(const Project& project, const graph::Analysis& analysis);

// "1 error", "2 errors", "1,234 parameters".
std::string counted(std::int64_t count, std::string_view what);
// "572 bytes", "1.2 MiB".
std::string sizeShown(std::int64_t bytes);

}  // namespace megalith::cli
