// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace megalith::cli {

// `megalith COMMAND ...`: no window, no display. Returns the exit code: 0 done, 1 it could not be done (one line on standard
// error), 2 the call was wrong (with the usage of that command), 128 + n ended by signal n.
int runCommandLine(int argc, char** argv);

}  // namespace megalith::cli

namespace megalith::app {

using cli::runCommandLine;

}  // namespace megalith::app
