// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace megalith::data {

// A table as RFC 4180 has it: the first line names the columns; quotes, "" inside them, CRLF and line breaks in quotes. Also
// taken: a byte order mark, semicolons or tabs between values, spaces around them, empty lines at the end.
// DataError in one sentence with file, line and column.
class CsvReader
{
public:
    // `text` must outlive the reader; `shown` is what messages call the file.
    CsvReader(std::string_view text, std::string shown);

    const std::vector<std::string>& columns() const { return m_columns; }
    // Position of a column. DataError when there is none or it is there twice.
    std::size_t columnIndex(std::string_view name) const;

    // Reads the next row; false at the end.
    bool next();
    // Of the row last read.
    std::string_view cell(std::size_t column) const { return m_cells[column]; }
    // A finite number with a decimal point. DataError otherwise.
    double number(std::size_t column) const;
    // A text that is not blank. DataError otherwise.
    std::string_view label(std::size_t column) const;

    // How much of the text has been read, 0 .. 1.
    double progress() const;
    const std::string& shown() const { return m_shown; }

private:
    void checkText() const;
    void detectDelimiter();
    void readHeader();
    void readRecord();
    void readCell(std::string& cell);
    void readQuoted(std::string& cell);
    bool atEnd() const { return m_position >= m_text.size(); }
    bool atLineEnd() const { return m_text[m_position] == '\n' || m_text[m_position] == '\r'; }
    void skipLineEnd();
    void skipBlanks();
    [[noreturn]] void refuse(std::size_t column, std::string_view what) const;

    std::string_view m_text;
    std::string m_shown;
    std::size_t m_position = 0;
    char m_delimiter = ',';
    std::int64_t m_nextLine = 1;  // line at m_position
    std::int64_t m_line = 0;      // first line of the current record
    std::vector<std::string> m_columns;
    std::vector<std::string> m_cells;
    std::size_t m_cellCount = 0;
    bool m_quoted = false;  // something in the record is in quotes
};

}  // namespace megalith::data
