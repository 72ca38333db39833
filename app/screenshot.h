// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QSize>
#include <QString>

namespace megalith::app {

struct ScreenshotOptions
{
    QString file;
    QString project;
    QSize size{1600, 1000};
    ui::Scheme scheme = ui::Scheme::Light;
    QString dock;
};

// `megalith --screenshot FILE.png --project PROJECT [--size WxH] [--theme light|dark] [--dock NAME]`: draws the window with
// the project, its weights and its last run into a picture. The exit code.
int runScreenshot(int argc, char** argv);

}  // namespace megalith::app
