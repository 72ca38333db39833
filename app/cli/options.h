// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace megalith::cli {

// What a command takes. The variables named here are written by parse() and must live until then. CLI11 behind it is included
// in one source alone, and numbers are read without the locale.
class Options
{
public:
    Options(std::string_view command, std::string_view brief);
    ~Options();

    void positional(std::string& into, const std::string& name, const std::string& help, bool required = true);
    void flag(bool& into, const std::string& name, const std::string& help);
    // `value` is what the usage calls it: "FILE".
    void text(std::optional<std::string>& into, const std::string& name, const std::string& value,
              const std::string& help, bool required = false);
    // May be given several times, one value each.
    void texts(std::vector<std::string>& into, const std::string& name, const std::string& value,
               const std::string& help, bool required = false);
    // With a value or without one, which gives "".
    void optionalText(std::optional<std::string>& into, const std::string& name, const std::string& value,
                      const std::string& help);
    // A whole number of at least 0.
    void whole(std::optional<std::int64_t>& into, const std::string& name, const std::string& value,
               const std::string& help);

    // False: help was asked for. WrongCall for what does not fit.
    bool parse(const std::vector<std::string>& arguments);
    std::string help() const;   // usage and every option
    std::string usage() const;  // "usage: megalith train [OPTIONS] PROJECT", a line without its end

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace megalith::cli
