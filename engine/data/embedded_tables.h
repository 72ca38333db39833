// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace megalith::data {

// A file of resources/data inside the program.
struct EmbeddedTable
{
    std::string_view name;
    std::span<const unsigned char> bytes;
};

std::span<const EmbeddedTable> embeddedTables();

}  // namespace megalith::data
