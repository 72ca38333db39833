// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/nn/module_def.h"

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>

class QApplication;
class QPen;

// The one place that names colours, sizes and fonts. Nothing else does.
namespace megalith::ui {

enum class Scheme { Light, Dark };

struct Colors
{
    QColor window, dock, canvas, grid;
    QColor node, line, head;
    QColor text, muted;
    QColor accent, onAccent, error, warning, good;
    QColor selection;  // behind selected text and rows: the accent, thin
};

const Colors& colors(Scheme scheme);
// Which scheme a palette made by applyTheme belongs to; for others its lightness decides.
Scheme schemeOf(const QPalette& palette);
inline const Colors& colors(const QPalette& palette)
{
    return colors(schemeOf(palette));
}

// Sizes in device-independent pixels.
namespace size {
inline constexpr int gap1 = 4, gap2 = 8, gap3 = 12, gap4 = 16;
inline constexpr int radius = 6;
inline constexpr int controlHeight = 30;
inline constexpr int rowHeight = 26;
inline constexpr int labelWidth = 112;  // of forms: the longest names of arguments
inline constexpr int textPixels = 13, smallPixels = 11;
inline constexpr double nodeMinWidth = 160, nodeMaxWidth = 220, nodeHeight = 78, nodeStrip = 6, nodePadding = 12;
inline constexpr double port = 10, portHit = 24, wire = 2;
inline constexpr double grid = 40, snap = 10;
// Zoom factors at which the next simpler picture begins.
inline constexpr double detailAll = 0.75, detailShape = 0.4, detailName = 0.2;
inline constexpr double zoomMin = 0.1, zoomMax = 4.0;
inline constexpr int tickMs = 50;  // the window follows a run at most this often
}  // namespace size

// A category keeps its colour in both schemes.
QColor categoryColor(nn::Category category);
// As people read it: "Input and output", "Normalisation".
QString categoryTitle(nn::Category category);
// Curve i's colour, then its dash: solid, dashed, dotted. Validation is always dashed.
QColor curveColor(int i);
QPen curvePen(int i, double width = 2.0);

QFont textFont();
QFont smallFont();
QFont strongFont();
QFont monoFont();
QFont smallMonoFont();
// In scene pixels, for what scales with the canvas.
QFont sceneFont(int pixels, bool strong = false);
QFont sceneMonoFont(int pixels);

// Fusion, palette, fonts and the style sheet.
void applyTheme(QApplication& application, Scheme scheme);

}  // namespace megalith::ui
