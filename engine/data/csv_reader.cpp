// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/csv_reader.h"

#include "engine/core/error.h"
#include "engine/core/file_kind.h"
#include "engine/core/number_text.h"
#include "engine/data/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace megalith::data {

CsvReader::CsvReader(std::string_view text, std::string shown) : m_text(text), m_shown(std::move(shown))
{
    if (m_text.starts_with("\xEF\xBB\xBF"))
        m_text.remove_prefix(3);
    checkText();
    detectDelimiter();
    readHeader();
}

void CsvReader::checkText() const
{
    if (const auto kind = fileKind(m_text))
        throw DataError(fmt::format("{}: is not a CSV table but {}", m_shown, *kind));
    if (!isUtf8(m_text))
        throw DataError(fmt::format("{}: the text is not UTF-8; save it as UTF-8", m_shown));
    if (m_text.find('\0') != std::string_view::npos)
        throw DataError(fmt::format("{}: is not a CSV table: it holds zero bytes", m_shown));
    if (m_text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw DataError(fmt::format("{}: there is nothing in it", m_shown));
}

// What stands most often between the names of the first line.
void CsvReader::detectDelimiter()
{
    constexpr std::array<char, 3> candidates = {',', ';', '\t'};
    std::array<std::size_t, 3> counts{};
    bool quoted = false;
    for (const char c : m_text) {
        if (c == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        if (c == '\n' || c == '\r')
            break;
        for (std::size_t i = 0; i < candidates.size(); ++i)
            counts[i] += c == candidates[i] ? 1 : 0;
    }
    const auto most = std::max_element(counts.begin(), counts.end());
    m_delimiter = candidates[static_cast<std::size_t>(most - counts.begin())];
}

void CsvReader::readHeader()
{
    readRecord();
    m_columns.assign(m_cells.begin(), m_cells.begin() + static_cast<std::ptrdiff_t>(m_cellCount));
    const bool numbers = std::all_of(m_columns.begin(), m_columns.end(),
                                     [](const std::string& name) { return parseNumber(name).has_value(); });
    if (numbers && !m_quoted)
        throw DataError(fmt::format("{}: line 1 has numbers, but the first line must name the columns", m_shown));
}

std::size_t CsvReader::columnIndex(std::string_view name) const
{
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        if (m_columns[i] != name)
            continue;
        if (found)
            throw DataError(fmt::format("{}: two columns are called \"{}\"", m_shown, shortened(name)));
        found = i;
    }
    if (found)
        return *found;
    std::string names;
    constexpr std::size_t longestList = 10;
    for (std::size_t i = 0; i < std::min(m_columns.size(), longestList); ++i)
        names += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", shortened(m_columns[i]));
    if (m_columns.size() > longestList)
        names += fmt::format(" and {} more", m_columns.size() - longestList);
    throw DataError(fmt::format("{}: there is no column \"{}\"; there are {}", m_shown, shortened(name), names));
}

bool CsvReader::next()
{
    if (atEnd() || m_text.find_first_not_of(" \t\r\n", m_position) == std::string_view::npos)
        return false;
    readRecord();
    const bool blank = m_cellCount == 1 && m_cells[0].empty() && !m_quoted;
    if (blank && m_columns.size() > 1)
        throw DataError(fmt::format("{}: line {} is empty", m_shown, m_line));
    if (m_cellCount != m_columns.size())
        throw DataError(fmt::format("{}: line {} has {} value{}, but the first line names {} column{}", m_shown, m_line,
                                    m_cellCount, m_cellCount == 1 ? "" : "s", m_columns.size(),
                                    m_columns.size() == 1 ? "" : "s"));
    return true;
}

void CsvReader::readRecord()
{
    m_line = m_nextLine;
    m_cellCount = 0;
    m_quoted = false;
    while (true) {
        if (m_cells.size() == m_cellCount)
            m_cells.emplace_back();
        readCell(m_cells[m_cellCount]);
        ++m_cellCount;
        if (atEnd())
            return;
        if (atLineEnd()) {
            skipLineEnd();
            return;
        }
        ++m_position;  // the delimiter
    }
}

void CsvReader::readCell(std::string& cell)
{
    cell.clear();
    skipBlanks();
    if (!atEnd() && m_text[m_position] == '"') {
        readQuoted(cell);
        return;
    }
    const std::size_t start = m_position;
    while (!atEnd() && m_text[m_position] != m_delimiter && !atLineEnd())
        ++m_position;
    std::size_t end = m_position;
    while (end > start && (m_text[end - 1] == ' ' || m_text[end - 1] == '\t'))
        --end;
    cell.assign(m_text.substr(start, end - start));
}

void CsvReader::readQuoted(std::string& cell)
{
    const std::int64_t opened = m_nextLine;
    m_quoted = true;
    ++m_position;
    while (true) {
        const std::size_t quote = m_text.find('"', m_position);
        if (quote == std::string_view::npos)
            throw DataError(fmt::format("{}: line {}: a quote is opened but not closed", m_shown, opened));
        const std::string_view piece = m_text.substr(m_position, quote - m_position);
        m_nextLine += std::count(piece.begin(), piece.end(), '\n');
        cell += piece;
        m_position = quote + 1;
        if (atEnd() || m_text[m_position] != '"')
            break;
        cell += '"';
        ++m_position;
    }
    skipBlanks();
    if (!atEnd() && m_text[m_position] != m_delimiter && !atLineEnd())
        throw DataError(fmt::format("{}: line {}: there is text after a closing quote", m_shown, m_nextLine));
}

// LF, CRLF, or CR alone.
void CsvReader::skipLineEnd()
{
    if (m_text[m_position] == '\r')
        ++m_position;
    if (!atEnd() && m_text[m_position] == '\n')
        ++m_position;
    ++m_nextLine;
}

void CsvReader::skipBlanks()
{
    while (!atEnd() && m_text[m_position] != m_delimiter && (m_text[m_position] == ' ' || m_text[m_position] == '\t'))
        ++m_position;
}

void CsvReader::refuse(std::size_t column, std::string_view what) const
{
    throw DataError(fmt::format("{}: line {}, column \"{}\" {}", m_shown, m_line, shortened(m_columns[column]), what));
}

double CsvReader::number(std::size_t column) const
{
    const std::string& text = m_cells[column];
    if (text.empty())
        refuse(column, "is blank, but a number is needed");
    const auto value = parseNumber(text);
    if (!value) {
        std::string pointed = text;
        std::replace(pointed.begin(), pointed.end(), ',', '.');
        const bool comma = pointed != text && parseNumber(pointed);
        refuse(column, fmt::format("has \"{}\", but a number {}", shortened(text),
                                   comma ? "with a decimal point, not a comma, is needed" : "is needed"));
    }
    if (!std::isfinite(*value))
        refuse(column, fmt::format("has \"{}\", but a finite number is needed", text));
    return *value;
}

std::string_view CsvReader::label(std::size_t column) const
{
    if (m_cells[column].empty())
        refuse(column, "is blank, but a class or a number is needed");
    return m_cells[column];
}

double CsvReader::progress() const
{
    return m_text.empty() ? 1.0 : static_cast<double>(m_position) / static_cast<double>(m_text.size());
}

}  // namespace megalith::data
