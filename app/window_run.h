// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace megalith::app {

// `megalith` and `megalith FILE.megaproj`: the window, until it is closed. The exit code.
int runWindow(int argc, char** argv);

}  // namespace megalith::app
