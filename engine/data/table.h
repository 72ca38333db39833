// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/data/csv_reader.h"
#include "engine/data/source.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace megalith::data {

// Which columns of a table are whose. "inputs" is a list of column names, or an object of lists by Input name; absent: all that
// are no targets. "targets" is a list or one name; absent: the last column.
struct TableColumns
{
    std::vector<std::pair<std::string, std::vector<std::size_t>>> inputs;  // by Input name; "" for the only one
    std::vector<std::size_t> targets;
};

// What a target column may hold.
enum class TargetCells {
    Unread,
    Numbers,
    NumbersOrTexts  // one column of texts becomes class numbers
};

// A CSV text as a source: `shown` names it in messages.
RawData readTable(std::string_view text, const std::string& shown, const Value& data, TargetCells cells,
                  const LoadContext& context);

}  // namespace megalith::data
