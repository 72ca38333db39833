// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include "app/cli/command.h"
#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/io/atomic_file.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace megalith::cli {

namespace {

constexpr std::size_t bufferSize = std::size_t{1} << 16;

bool isSet(const char* variable)
{
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

bool dumb()
{
    const char* term = std::getenv("TERM");
    return term == nullptr || std::string_view(term) == "dumb";
}

// One character of UTF-8: how many bytes, and which. What is no UTF-8 is one byte, shown as U+FFFD.
struct Letter
{
    std::size_t bytes = 1;
    char32_t code = 0xFFFD;
    bool valid = false;
};

Letter letterAt(std::string_view text, std::size_t at)
{
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80)
        return {1, first, true};
    const std::size_t bytes = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (bytes == 0 || at + bytes > text.size())
        return {};
    char32_t code = first & (0xFFu >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        const auto next = static_cast<unsigned char>(text[at + i]);
        if ((next & 0xC0) != 0x80)
            return {};
        code = (code << 6) | (next & 0x3Fu);
    }
    return {bytes, code, true};
}

std::size_t columnsOf(char32_t code)
{
    if (code >= 0x0300 && code <= 0x036F)
        return 0;  // combining marks
    const bool wide = (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF)
                      || (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF)
                      || (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60)
                      || (code >= 0x1F300 && code <= 0x1FAFF) || (code >= 0x20000 && code <= 0x3FFFD);
    return wide ? 2 : 1;
}

// On standard error nothing is left to tell that it failed.
void printOnError(std::string_view kind, std::string_view text)
{
    std::string line = "megalith: " + std::string(kind) + ": ";
    for (std::size_t at = 0; at < text.size();) {
        const Letter letter = letterAt(text, at);
        if (letter.code < 0x20 || letter.code == 0x7F)
            line += ' ';
        else if (letter.valid)
            line += text.substr(at, letter.bytes);
        else
            line += "\uFFFD";
        at += letter.bytes;
    }
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
}

}  // namespace

void printError(std::string_view text)
{
    printOnError("error", text);
}

void printNote(std::string_view text)
{
    printOnError("note", text);
}

Output::Output()
    : m_terminal(::isatty(STDOUT_FILENO) == 1)
    , m_escapes(m_terminal && !dumb())
    , m_colors(m_escapes && !isSet("NO_COLOR"))
{}

std::size_t Output::width() const
{
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

void Output::write(std::string_view text)
{
    m_buffer += text;
    if (m_buffer.size() >= bufferSize)
        flush();
}

void Output::line(std::string_view text)
{
    m_buffer += text;
    m_buffer += '\n';
    flush();
}

void Output::json(const Value& object)
{
    line(writeJson(object));
}

void Output::flush()
{
    std::string_view rest = m_broken ? std::string_view() : m_buffer;
    while (!rest.empty()) {
        const ssize_t count = ::write(STDOUT_FILENO, rest.data(), rest.size());
        if (count >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EAGAIN) {
            pollfd wait{STDOUT_FILENO, POLLOUT, 0};
            ::poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            const int reason = errno;
            m_buffer.clear();
            return fail(reason);
        }
    }
    m_buffer.clear();
}

void Output::fail(int errorNumber)
{
    m_broken = true;
    if (errorNumber != EPIPE)
        m_failure = "standard output: " + io::reasonText(errorNumber);
    if (m_keepGoing)
        return;
    if (errorNumber == EPIPE)
        throw OutputClosed();
    throw Error(m_failure);
}

std::string Output::painted(Paint paint, std::string_view text) const
{
    constexpr std::array<std::string_view, 6> codes = {"", "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[31m", "\x1b[33m"};
    const std::string_view code = codes[static_cast<std::size_t>(paint)];
    if (!m_colors || code.empty())
        return std::string(text);
    return std::string(code) + std::string(text) + "\x1b[0m";
}

std::size_t columnsOf(std::string_view text)
{
    std::size_t columns = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Letter letter = letterAt(text, at);
        columns += columnsOf(letter.code);
        at += letter.bytes;
    }
    return columns;
}

std::string cut(std::string_view text, std::size_t columns)
{
    std::size_t used = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Letter letter = letterAt(text, at);
        used += columnsOf(letter.code);
        if (used > columns)
            return std::string(text.substr(0, at));
        at += letter.bytes;
    }
    return std::string(text);
}

Table::Table(std::vector<std::string> heading, std::vector<bool> right) : m_right(std::move(right))
{
    m_right.resize(heading.size());
    m_rows.push_back(std::move(heading));
}

void Table::print(Output& out) const
{
    std::vector<std::size_t> widths(m_rows.front().size());
    for (const auto& row : m_rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], columnsOf(row[i]));
    for (std::size_t r = 0; r < m_rows.size(); ++r) {
        std::string line;
        for (std::size_t i = 0; i < m_rows[r].size(); ++i) {
            const std::string& text = m_rows[r][i];
            const std::string padding(widths[i] - columnsOf(text), ' ');
            line += (i == 0 ? "" : "  ") + (m_right[i] ? padding + text : text + padding);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out.line(r == 0 ? out.painted(Paint::Strong, line) : line);
    }
}

}  // namespace megalith::cli
