// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Where a test finds files and the program, as absolute UTF-8 paths without a final slash. They are values in one small
// source instead of macros on every command line, so that a compiler cache serves another checkout too.
namespace megalith::test {

extern const char* const dataFolder;    // tests/data
extern const char* const sourceFolder;  // the root of the repository
extern const char* const program;       // megalith in this build folder

}  // namespace megalith::test
