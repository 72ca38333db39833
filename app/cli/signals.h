// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace megalith::cli {

// While it lives, SIGINT and SIGTERM ask to stop instead of ending the program; a second one ends it at once.
class StopSignals
{
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    // The signal that asked to stop; 0: none did.
    static int asked();
    static int exitCode() { return 128 + asked(); }
};

// Opens /dev/null where a standard stream is closed, so that no file gets its number. A reader that goes away and a limit on
// the size of files become errors of writing instead of signals.
void guardStandardStreams();

}  // namespace megalith::cli
