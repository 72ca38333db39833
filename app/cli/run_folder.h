// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace megalith::cli {

// Where a run leaves its files. Removed again when it was made here and nothing came into it.
class RunFolder
{
public:
    // The folder given, made when it is not there.
    static RunFolder given(const std::filesystem::path& folder);
    // NAME.runs/N beside the project NAME.megaproj, N one above the highest there; another process never gets the same.
    static RunFolder next(const std::filesystem::path& project);
    ~RunFolder();
    RunFolder(RunFolder&& other) noexcept;
    RunFolder& operator=(RunFolder&&) = delete;

    const std::filesystem::path& path() const { return m_path; }

private:
    RunFolder() = default;

    std::filesystem::path m_path;
    bool m_made = false;
    std::filesystem::path m_madeAround;  // NAME.runs, when it was made too
};

}  // namespace megalith::cli
