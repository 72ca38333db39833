// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_folder.h"

#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/io/atomic_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace megalith::cli {

namespace fs = std::filesystem;

namespace {

constexpr mode_t mode = 0777;  // less the umask

[[noreturn]] void fail(const fs::path& path, int errorNumber)
{
    throw Error(path.string() + ": " + io::reasonText(errorNumber));
}

// False when it was there already.
bool makeFolder(const fs::path& path)
{
    if (::mkdir(path.c_str(), mode) == 0)
        return true;
    const int reason = errno;
    std::error_code ignored;
    if (reason == EEXIST && fs::is_directory(path, ignored))
        return false;
    fail(path, reason == EEXIST ? ENOTDIR : reason);
}

std::int64_t highestIn(const fs::path& runs)
{
    std::int64_t highest = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(runs, error))
        highest = std::max(highest, parseInteger(entry.path().filename().string()).value_or(0));
    if (error)
        fail(runs, error.value());
    return highest;
}

}  // namespace

RunFolder RunFolder::given(const fs::path& folder)
{
    RunFolder run;
    run.m_path = folder;
    const fs::path around = folder.parent_path();
    std::error_code error;
    if (!around.empty())
        fs::create_directories(around, error);
    if (error)
        fail(around, error.value());
    run.m_made = makeFolder(folder);
    if (::access(folder.c_str(), W_OK) != 0)
        fail(folder, errno);
    return run;
}

RunFolder RunFolder::next(const fs::path& project)
{
    RunFolder run;
    const fs::path runs = project.parent_path() / (project.stem().string() + ".runs");
    if (makeFolder(runs))
        run.m_madeAround = runs;
    for (std::int64_t number = highestIn(runs) + 1;; ++number) {
        run.m_path = runs / std::to_string(number);
        if (::mkdir(run.m_path.c_str(), mode) == 0)
            break;
        if (errno != EEXIST)
            fail(run.m_path, errno);
    }
    run.m_made = true;
    return run;
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : m_path(std::move(other.m_path))
    , m_made(std::exchange(other.m_made, false))
    , m_madeAround(std::exchange(other.m_madeAround, {}))
{}

RunFolder::~RunFolder()
{
    // rmdir refuses a folder that is not empty.
    if (m_made)
        ::rmdir(m_path.c_str());
    if (!m_madeAround.empty())
        ::rmdir(m_madeAround.c_str());
}

}  // namespace megalith::cli
