// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/value.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace megalith::cli {

// Whoever read standard output has gone (`| head`): nothing is left to do.
class OutputClosed
{};

enum class Paint { Plain, Strong, Faint, Good, Bad, Careful };

// Standard output. Lines appear at once. Error when they cannot be written, OutputClosed when nobody reads them any more.
class Output
{
public:
    Output();

    bool terminal() const { return m_terminal; }
    // Columns of the terminal now.
    std::size_t width() const;

    void write(std::string_view text);  // kept until there is much of it, or a line
    void line(std::string_view text);
    void json(const Value& object);
    void flush();

    // From here on what cannot be written is dropped: the work matters more. failure() then says why, "" when all went well.
    void keepGoing() { m_keepGoing = true; }
    const std::string& failure() const { return m_failure; }

    // Colours on a terminal, unless NO_COLOR says otherwise.
    std::string painted(Paint paint, std::string_view text) const;
    // Whether the terminal understands escape sequences.
    bool escapes() const { return m_escapes; }

private:
    void fail(int errorNumber);

    std::string m_buffer;
    std::string m_failure;
    bool m_terminal;
    bool m_escapes;
    bool m_colors;
    bool m_keepGoing = false;
    bool m_broken = false;
};

// Columns that a text takes; wide letters count as two.
std::size_t columnsOf(std::string_view text);
// Cut so that it takes at most so many columns.
std::string cut(std::string_view text, std::size_t columns);

// Texts in columns, two spaces between them. The first row is the heading; of numbers (right) the column is aligned right.
class Table
{
public:
    explicit Table(std::vector<std::string> heading, std::vector<bool> right = {});
    void add(std::vector<std::string> row) { m_rows.push_back(std::move(row)); }
    void print(Output& out) const;

private:
    std::vector<std::vector<std::string>> m_rows;
    std::vector<bool> m_right;
};

}  // namespace megalith::cli
