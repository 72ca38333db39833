// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"

#include "app/cli/command.h"
#include "engine/core/number_text.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>

namespace megalith::cli {

struct Options::Impl
{
    std::string command;
    CLI::App app;
    std::vector<std::string> usage;  // parts after "megalith COMMAND"
    std::vector<std::string> names;  // "--epochs", for what was mistyped
    std::vector<std::pair<std::optional<std::int64_t>*, std::pair<std::string, std::optional<std::string>>>> numbers;

    CLI::Option* add(CLI::Option* option, const std::string& name, const std::string& value, bool required)
    {
        names.push_back(name);
        const std::string shown = value.empty() ? name : name + " " + value;
        usage.push_back(required ? shown : "[" + shown + "]");
        if (!value.empty())
            option->type_name(value);
        return option->required(required);
    }
    [[noreturn]] void refuse(const CLI::ParseError& error) const;
};

namespace {

// CLI11's sentences begin in capitals; ours go on after "megalith: error:".
std::string lowered(std::string text)
{
    if (text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z')
        text[0] = static_cast<char>(text[0] - 'A' + 'a');
    return text;
}

}  // namespace

void Options::Impl::refuse(const CLI::ParseError& error) const
{
    if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr)
        throw WrongCall(command + ": " + lowered(error.what()));
    const std::vector<std::string> rest = app.remaining();
    const auto option =
        std::ranges::find_if(rest, [](const std::string& word) { return word.size() > 1 && word.front() == '-'; });
    if (option == rest.end())
        throw WrongCall(command + ": one argument too many: " + (rest.empty() ? std::string() : rest.front()));
    const std::string typed = option->substr(0, option->find('='));
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string near = nearest(typed, known);
    throw WrongCall(command + ": there is no option " + typed + (near.empty() ? "" : "; did you mean " + near + "?"));
}

Options::Options(std::string_view command, std::string_view brief) : m_impl(std::make_unique<Impl>())
{
    m_impl->command = command;
    m_impl->app.name("megalith " + m_impl->command);
    m_impl->app.description("megalith " + m_impl->command + ": " + std::string(brief) + ".");
    m_impl->app.set_help_flag("-h,--help", "Print this and do nothing");
    m_impl->app.get_formatter()->column_width(34);
    m_impl->app.get_formatter()->label("REQUIRED", "(required)");
}

Options::~Options() = default;

void Options::positional(std::string& into, const std::string& name, const std::string& help, bool required)
{
    CLI::Option* option = m_impl->app.add_option(name, into, help);
    option->required(required)->type_name("");
    m_impl->usage.push_back(required ? name : "[" + name + "]");
}

void Options::flag(bool& into, const std::string& name, const std::string& help)
{
    m_impl->add(m_impl->app.add_flag(name, into, help), name, {}, false);
}

void Options::text(std::optional<std::string>& into, const std::string& name, const std::string& value,
                   const std::string& help, bool required)
{
    const auto take = [&into](const std::string& given) { into = given; };
    m_impl->add(m_impl->app.add_option_function<std::string>(name, take, help), name, value, required);
}

void Options::texts(std::vector<std::string>& into, const std::string& name, const std::string& value,
                    const std::string& help, bool required)
{
    CLI::Option* option = m_impl->app.add_option(name, into, help);
    option->allow_extra_args(false);
    m_impl->add(option, name, value, required);
    m_impl->usage.back().append(" ...");
}

void Options::optionalText(std::optional<std::string>& into, const std::string& name, const std::string& value,
                           const std::string& help)
{
    const auto take = [&into](const std::vector<std::string>& given) {
        into = given.empty() ? std::string() : given.front();
    };
    CLI::Option* option = m_impl->app.add_option_function<std::vector<std::string>>(name, take, help);
    option->expected(0, 1);
    m_impl->add(option, name, "[" + value + "]", false);
}

void Options::whole(std::optional<std::int64_t>& into, const std::string& name, const std::string& value,
                    const std::string& help)
{
    const auto take = [&into, name](const std::string& given) {
        const std::optional<std::int64_t> number = parseInteger(given);
        if (!number || *number < 0)
            throw WrongCall(name + " must be a whole number of at least 0, not " + given);
        into = number;
    };
    m_impl->add(m_impl->app.add_option_function<std::string>(name, take, help), name, value, false);
}

bool Options::parse(const std::vector<std::string>& arguments)
{
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    try {
        m_impl->app.parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
        return false;
    } catch (const CLI::ParseError& error) {
        m_impl->refuse(error);
    }
    return true;
}

std::string Options::help() const
{
    return m_impl->app.help();
}

std::string Options::usage() const
{
    // Positionals first: an option with an optional value would take them for it.
    std::string line = "usage: megalith " + m_impl->command;
    for (const bool positionals : {true, false})
        for (const std::string& part : m_impl->usage)
            if ((part.find("--") == std::string::npos) == positionals)
                line += " " + part;
    return line;
}

}  // namespace megalith::cli
