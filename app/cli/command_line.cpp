// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command_line.h"

#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/signals.h"
#include "engine/core/error.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <string>
#include <vector>

namespace megalith::cli {

namespace {

constexpr int done = 0;
constexpr int failed = 1;
constexpr int wrongCall = 2;

constexpr std::string_view generalUsage = "usage: megalith [FILE.megaproj]\n"
                                          "       megalith COMMAND [...]\n";

std::string generalHelp()
{
    std::string text(generalUsage);
    text += "\nWithout a command the window opens. Commands:\n";
    for (const Command& command : commands())
        if (command.prepare != nullptr)
            text += fmt::format("  {:<10}{}\n", command.name, command.brief);
    text += fmt::format("  {:<10}{}\n", "help", "this, or what a command takes: megalith help train");
    return text
           + "\nmegalith --version prints the version. Exit code: 0 done, 1 it could not be done, 2 the call was wrong.\n";
}

int refuse(const std::string& text, const std::string& usage)
{
    printError(text);
    std::fputs(usage.c_str(), stderr);
    return wrongCall;
}

int refuseUnknown(const std::string& name)
{
    std::vector<std::string_view> names{"help"};
    for (const Command& command : commands())
        names.push_back(command.name);
    const std::string near = nearest(name, names);
    const std::string kind = name.starts_with('-') ? "option " : "command ";
    return refuse("there is no " + kind + name + (near.empty() ? "" : "; did you mean " + near + "?"),
                  std::string(generalUsage) + "megalith help lists the commands\n");
}

int refuseLater(const Command& command)
{
    return refuse("megalith " + std::string(command.name) + " does not exist yet; it comes with a later version",
                  std::string(generalUsage) + "megalith help lists the commands\n");
}

int help(const std::vector<std::string>& arguments, Output& out)
{
    if (arguments.empty() || arguments.front() == "help") {
        out.write(generalHelp());
        out.flush();
        return done;
    }
    if (arguments.size() > 1)
        return refuse("help: one argument too many: " + arguments[1], "usage: megalith help [COMMAND]\n");
    const Command* command = findCommand(arguments.front());
    if (command == nullptr)
        return refuseUnknown(arguments.front());
    if (command->prepare == nullptr)
        return refuseLater(*command);
    Options options(command->name, command->brief);
    const Run run = command->prepare(options);
    out.write(options.help());
    out.flush();
    return done;
}

int runCommand(const Command& command, const std::vector<std::string>& arguments, Output& out)
{
    Options options(command.name, command.brief);
    const Run run = command.prepare(options);
    try {
        if (options.parse(arguments))
            return run(out);
    } catch (const WrongCall& call) {
        return refuse(call.what(), options.usage() + "\nmegalith help " + std::string(command.name) + " says more\n");
    }
    out.write(options.help());
    out.flush();
    return done;
}

int dispatch(const std::vector<std::string>& arguments, Output& out)
{
    if (arguments.empty())
        return refuse("a command is missing", std::string(generalUsage) + "megalith help lists the commands\n");
    const std::string& name = arguments.front();
    const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    if (name == "--version") {
        out.line("megalith " MEGALITH_VERSION);
        return done;
    }
    if (name == "help" || name == "--help" || name == "-h")
        return help(rest, out);
    const Command* command = findCommand(name);
    if (command != nullptr)
        return command->prepare == nullptr ? refuseLater(*command) : runCommand(*command, rest, out);
    if (name.ends_with(".mega") || name.ends_with(".megaproj"))
        return refuse(name.ends_with(".mega") ? "opening a checkpoint in the window does not exist yet; "
                                                "megalith inspect shows what is in "
                                                    + name
                                              : "the window opens one project: " + name,
                      std::string(generalUsage));
    return refuseUnknown(name);
}

int fail(std::string_view text)
{
    printError(text);
    return failed;
}

}  // namespace

int runCommandLine(int argc, char** argv)
{
    guardStandardStreams();
    try {
        Output out;
        return dispatch({argv + (argc > 0 ? 1 : 0), argv + argc}, out);
    } catch (const OutputClosed&) {
        return failed;
    } catch (const Cancelled&) {
        if (StopSignals::asked() != 0)
            return StopSignals::exitCode();
        return fail("stopped");
    } catch (const Error& error) {
        return fail(error.what());
    } catch (const std::bad_alloc&) {
        return fail("there is not enough memory");
    } catch (const std::exception& error) {
        return fail(std::string("this should not happen: ") + error.what());
    }
}

}  // namespace megalith::cli
