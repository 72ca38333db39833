// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command_line.h"
#include "app/screenshot.h"
#include "app/window_run.h"

#include <string_view>

int main(int argc, char** argv)
{
    const std::string_view first = argc > 1 ? argv[1] : "";
    for (int i = 1; i < argc; ++i)
        if (std::string_view(argv[i]) == "--screenshot")
            return megalith::app::runScreenshot(argc, argv);
    if (argc == 1 || (argc == 2 && first.ends_with(".megaproj")))
        return megalith::app::runWindow(argc, argv);
    return megalith::app::runCommandLine(argc, argv);
}
