// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace megalith::cli {

class Options;
class Output;

// The call makes no sense. Shown with the usage of the command; exit code 2.
class WrongCall : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// Does what a command was called for and returns the exit code. Throws Error for what cannot be done.
using Run = std::function<int(Output& out)>;

struct Command
{
    std::string_view name;
    std::string_view brief;  // one sentence without its full stop
    // Says which options there are; what it returns is called once they are read. nullptr: comes with a later version.
    Run (*prepare)(Options& options);
};

// In the order in which help lists them. A new command is one file and one line in commands.cpp.
std::span<const Command> commands();
const Command* findCommand(std::string_view name);

Run newCommand(Options& options);
Run checkCommand(Options& options);
Run summaryCommand(Options& options);
Run trainCommand(Options& options);
Run evalCommand(Options& options);
Run predictCommand(Options& options);
Run exportCommand(Options& options);
Run inspectCommand(Options& options);
Run devicesCommand(Options& options);

// The name that a mistyped one probably stands for; "" when none is near.
std::string nearest(std::string_view typed, std::span<const std::string_view> names);

// On standard error, in one line: "megalith: error: ...", "megalith: note: ...".
void printError(std::string_view text);
void printNote(std::string_view text);

}  // namespace megalith::cli
