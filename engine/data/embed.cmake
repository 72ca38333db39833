# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DOUT=embedded_tables.cpp -P embed.cmake -- FILE...
# Writes a source that defines megalith::data::embeddedTables() with the bytes of each file under its name.
set(index 0)
while(NOT "${CMAKE_ARGV${index}}" STREQUAL "--")
    math(EXPR index "${index} + 1")
endwhile()
math(EXPR index "${index} + 1")

set(arrays "")
set(rows "")
set(number 0)
while(index LESS CMAKE_ARGC)
    set(file "${CMAKE_ARGV${index}}")
    get_filename_component(name "${file}" NAME)
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "constexpr unsigned char table${number}[] = {\n${bytes}};\n")
    string(APPEND rows "        {\"${name}\", {table${number}, sizeof table${number}}},\n")
    math(EXPR number "${number} + 1")
    math(EXPR index "${index} + 1")
endwhile()

file(WRITE "${OUT}" "// Made by embed.cmake.
#include \"engine/data/embedded_tables.h\"

namespace megalith::data {

namespace {

${arrays}
}  // namespace

std::span<const EmbeddedTable> embeddedTables()
{
    static constexpr EmbeddedTable tables[] = {
${rows}    };
    return tables;
}

}  // namespace megalith::data
")
