// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme.h"

#include <QApplication>
#include <QCoreApplication>
#include <QPen>
#include <QStyleFactory>
#include <QToolTip>

#include <array>

namespace megalith::ui {

namespace {

constexpr std::array<QRgb, 8> curveColors = {0x2D7DD2, 0xD9822B, 0x2E9E6B, 0x8C62C7,
                                             0xB5536F, 0x3A9CA6, 0x9A8B2F, 0x7A828F};

QColor rgb(QRgb value)
{
    return QColor::fromRgb(value);
}

Colors lightColors()
{
    Colors c;
    c.window = rgb(0xFFFFFF), c.dock = rgb(0xF4F5F7), c.canvas = rgb(0xF7F8FA), c.grid = rgb(0xE4E7EC);
    c.node = rgb(0xFFFFFF), c.line = rgb(0xC6CCD6), c.head = rgb(0xECEEF2);
    c.text = rgb(0x1B1F24), c.muted = rgb(0x5A616C);
    c.accent = rgb(0x1F5FD6), c.onAccent = rgb(0xFFFFFF), c.error = rgb(0xC22F2F), c.good = rgb(0x1E7F4F);
    c.warning = rgb(0x8A5A00);
    c.selection = rgb(0xDCE7FA);
    return c;
}

Colors darkColors()
{
    Colors c;
    c.window = rgb(0x1B1E24), c.dock = rgb(0x20242B), c.canvas = rgb(0x15181D), c.grid = rgb(0x20252D);
    c.node = rgb(0x262B34), c.line = rgb(0x444C59), c.head = rgb(0x2A303A);
    c.text = rgb(0xE7EAEF), c.muted = rgb(0xA2A9B5);
    c.accent = rgb(0x7DB0FF), c.onAccent = rgb(0x15181D), c.error = rgb(0xFF8A80), c.good = rgb(0x67D6A0);
    c.warning = rgb(0xE0B060);
    c.selection = rgb(0x2B3F5F);
    return c;
}

QFont baseFont(bool strong)
{
    QFont font;
    font.setFamilies({"Inter", "Noto Sans", "DejaVu Sans"});
    font.setPointSizeF(10.0);
    font.setWeight(strong ? QFont::DemiBold : QFont::Normal);
    font.setStyleHint(QFont::SansSerif);
    return font;
}

QFont baseMono()
{
    QFont font;
    font.setFamilies({"DejaVu Sans Mono", "Noto Sans Mono", "monospace"});
    font.setPointSizeF(9.0);
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    return font;
}

QPalette makePalette(const Colors& c)
{
    QPalette p;
    p.setColor(QPalette::Window, c.dock);
    p.setColor(QPalette::WindowText, c.text);
    p.setColor(QPalette::Base, c.node);
    p.setColor(QPalette::AlternateBase, c.dock);
    p.setColor(QPalette::Text, c.text);
    p.setColor(QPalette::PlaceholderText, c.muted);
    p.setColor(QPalette::Button, c.node);
    p.setColor(QPalette::ButtonText, c.text);
    p.setColor(QPalette::BrightText, c.error);
    p.setColor(QPalette::ToolTipBase, c.node);
    p.setColor(QPalette::ToolTipText, c.text);
    p.setColor(QPalette::Highlight, c.accent);
    p.setColor(QPalette::HighlightedText, c.onAccent);
    p.setColor(QPalette::Link, c.accent);
    p.setColor(QPalette::LinkVisited, c.accent);
    p.setColor(QPalette::Light, c.window);
    p.setColor(QPalette::Midlight, c.head);
    p.setColor(QPalette::Mid, c.line);
    p.setColor(QPalette::Dark, c.line);
    p.setColor(QPalette::Shadow, c.line);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        p.setColor(QPalette::Disabled, role, c.muted);
    p.setColor(QPalette::Disabled, QPalette::Highlight, c.head);
    p.setColor(QPalette::Disabled, QPalette::Base, c.dock);
    p.setColor(QPalette::Disabled, QPalette::Button, c.dock);
    return p;
}

// Colours are written as @name and filled in here, so that the text below reads like the rules it states.
QString filled(QString sheet, const Colors& c)
{
    const std::pair<const char*, QColor> names[] = {
        {"@selection", c.selection}, {"@onAccent", c.onAccent}, {"@accent", c.accent}, {"@window", c.window},
        {"@canvas", c.canvas},       {"@muted", c.muted},       {"@error", c.error},   {"@dock", c.dock},
        {"@node", c.node},           {"@line", c.line},         {"@head", c.head},     {"@text", c.text}};
    for (const auto& [name, color] : names)
        sheet.replace(QLatin1String(name), color.name());
    return sheet;
}

// Check marks and arrows are pictures to a style sheet: one for each scheme.
QString pictures(Scheme scheme)
{
    return QStringLiteral(R"(
QCheckBox::indicator:checked { image: url(:/icons/check-%1.svg); }
QComboBox::down-arrow { image: url(:/icons/arrow-%1.svg); width: 12px; height: 12px; }
)")
        .arg(scheme == Scheme::Dark ? QStringLiteral("dark") : QStringLiteral("light"));
}

QString styleSheet(const Colors& c)
{
    return filled(QStringLiteral(R"(
QMainWindow { background: @dock; }
QMainWindow::separator { background: @line; width: 1px; height: 1px; }
QMenuBar { background: @window; border-bottom: 1px solid @line; padding: 3px 6px; }
QMenuBar::item { padding: 5px 10px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: @head; }
QMenu { background: @node; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 20px; border-radius: 4px; }
QMenu::item:selected { background: @selection; color: @text; }
QMenu::item:disabled { color: @muted; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
QToolBar { background: @dock; border: none; border-bottom: 1px solid @line; spacing: 4px; padding: 7px 8px; }
QToolBar::separator { background: @line; width: 1px; margin: 3px 7px; }
QToolBar QToolButton { padding: 5px 8px; border: 1px solid transparent; border-radius: 6px; }
QToolBar QToolButton:hover { background: @head; }
QToolBar QToolButton:focus { border-color: @accent; }
QToolBar QToolButton:disabled { color: @muted; }
QStatusBar { background: @head; color: @text; }
QStatusBar::item { border: none; }
QDockWidget { font-weight: 600; }
QDockWidget::title { background: @dock; padding: 10px 12px 4px 12px; text-align: left; }
QTabBar { background: @dock; font-weight: 400; }
QTabBar::tab { background: transparent; color: @muted; padding: 8px 12px 7px 12px; border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @accent; border-bottom: 2px solid @accent; }
QTabBar::tab:hover:!selected { color: @text; }
QTabBar::tab:focus { color: @accent; }
QPushButton { background: @node; color: @text; border: 1px solid @line; border-radius: 6px; padding: 5px 12px; }
QPushButton:hover { background: @head; }
QPushButton:pressed { background: @selection; }
QPushButton:focus { border-color: @accent; }
QPushButton:disabled { background: @dock; color: @muted; }
QPushButton[primary="true"] { background: @accent; color: @onAccent; border-color: @accent; font-weight: 600; }
QPushButton[primary="true"]:focus { border-color: @text; }
QPushButton[primary="true"]:disabled { background: @head; color: @muted; border-color: @line; }
QLineEdit, QPlainTextEdit, QComboBox, QAbstractSpinBox { background: @node; color: @text; border: 1px solid @line; border-radius: 6px; padding: 4px 8px; selection-background-color: @accent; selection-color: @onAccent; }
QLineEdit:focus, QPlainTextEdit:focus, QComboBox:focus, QAbstractSpinBox:focus { border-color: @accent; }
QLineEdit:disabled, QPlainTextEdit:disabled, QComboBox:disabled, QAbstractSpinBox:disabled { background: @dock; color: @muted; }
QLineEdit[wrong="true"] { border-color: @error; color: @error; }
QLineEdit[byDefault="true"] { color: @muted; }
QComboBox[byDefault="true"] { color: @muted; }
QComboBox::drop-down { border: none; width: 20px; }
QCheckBox { spacing: 6px; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid @line; border-radius: 3px; background: @node; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; }
QCheckBox::indicator:focus { border-color: @accent; }
QCheckBox::indicator:disabled { background: @head; border-color: @line; }
QTreeView { show-decoration-selected: 1; }
QTreeView::item { padding: 4px 4px; min-height: 18px; }
QComboBox QAbstractItemView { background: @node; border: 1px solid @line; selection-background-color: @selection; selection-color: @text; }
QAbstractItemView { background: @dock; border: none; outline: none; selection-background-color: @selection; selection-color: @text; alternate-background-color: @dock; }
QAbstractItemView::item:selected { background: @selection; color: @text; }
QHeaderView { background: @dock; border: none; }
QHeaderView::section { background: @dock; color: @muted; border: none; padding: 4px 6px; font-weight: 400; }
QScrollArea { background: @dock; border: none; }
QScrollArea > QWidget > QWidget { background: @dock; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @line; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QProgressBar { background: @head; border: none; border-radius: 5px; max-height: 10px; min-height: 10px; }
QProgressBar::chunk { background: @accent; border-radius: 5px; }
QToolTip { background: @node; color: @text; border: 1px solid @line; padding: 4px; }
QLabel[muted="true"] { color: @muted; }
QLabel[notice="true"] { background: @node; border: 1px solid @line; border-radius: 4px; padding: 4px 8px; }
QLabel[error="true"] { color: @error; }
QLabel[title="true"] { font-weight: 600; }
QToolButton[quiet="true"] { border: 1px solid transparent; border-radius: 4px; padding: 2px; }
QToolButton[quiet="true"]:hover { background: @head; }
QToolButton[quiet="true"]:focus { border-color: @accent; }
QFrame#addList { background: @node; border: 1px solid @line; border-radius: 6px; }
QFrame#addList QAbstractItemView { background: @node; }
)"),
                  c);
}

}  // namespace

const Colors& colors(Scheme scheme)
{
    static const Colors light = lightColors();
    static const Colors dark = darkColors();
    return scheme == Scheme::Light ? light : dark;
}

Scheme schemeOf(const QPalette& palette)
{
    return palette.color(QPalette::WindowText).lightness() > palette.color(QPalette::Window).lightness()
               ? Scheme::Dark
               : Scheme::Light;
}

QColor categoryColor(nn::Category category)
{
    switch (category) {
    case nn::Category::InputOutput: return rgb(0x7A828F);
    case nn::Category::Linear: return rgb(0x2D7DD2);
    case nn::Category::Convolution: return rgb(0xD9822B);
    case nn::Category::Pooling: return rgb(0xB5536F);
    case nn::Category::Normalization: return rgb(0x8C62C7);
    case nn::Category::Activation: return rgb(0x2E9E6B);
    case nn::Category::Shape: return rgb(0x6B7A8F);
    case nn::Category::Dropout: return rgb(0x9A8B2F);
    case nn::Category::Function: return rgb(0x6B7A8F);
    case nn::Category::Tensor: return rgb(0x7A828F);
    case nn::Category::Container: return rgb(0x7A828F);
    }
    return rgb(0x7A828F);
}

QString categoryTitle(nn::Category category)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("Category", text); };
    switch (category) {
    case nn::Category::InputOutput: return tr("Input and output");
    case nn::Category::Linear: return tr("Linear");
    case nn::Category::Convolution: return tr("Convolution");
    case nn::Category::Pooling: return tr("Pooling");
    case nn::Category::Normalization: return tr("Normalisation");
    case nn::Category::Activation: return tr("Activation");
    case nn::Category::Shape: return tr("Shape");
    case nn::Category::Dropout: return tr("Dropout");
    case nn::Category::Function: return tr("Functions");
    case nn::Category::Tensor: return tr("Tensors");
    case nn::Category::Container: return tr("Containers");
    }
    return {};
}

QColor curveColor(int i)
{
    return rgb(curveColors[static_cast<std::size_t>(i) % curveColors.size()]);
}

QPen curvePen(int i, double width)
{
    constexpr std::array<Qt::PenStyle, 3> styles = {Qt::SolidLine, Qt::DashLine, Qt::DotLine};
    const std::size_t round = static_cast<std::size_t>(i) / curveColors.size();
    QPen pen(curveColor(i), width, styles[round % styles.size()]);
    pen.setCosmetic(true);
    return pen;
}

QFont textFont()
{
    return baseFont(false);
}

QFont smallFont()
{
    QFont font = baseFont(false);
    font.setPointSizeF(8.5);
    return font;
}

QFont strongFont()
{
    return baseFont(true);
}

QFont monoFont()
{
    return baseMono();
}

QFont smallMonoFont()
{
    QFont font = baseMono();
    font.setPointSizeF(8.25);
    return font;
}

QFont sceneFont(int pixels, bool strong)
{
    QFont font = baseFont(strong);
    font.setPixelSize(pixels);
    return font;
}

QFont sceneMonoFont(int pixels)
{
    QFont font = baseMono();
    font.setPixelSize(pixels);
    return font;
}

void applyTheme(QApplication& application, Scheme scheme)
{
    const Colors& c = colors(scheme);
    QApplication::setStyle(QStyleFactory::create("Fusion"));
    QApplication::setFont(textFont());
    QApplication::setPalette(makePalette(c));
    QToolTip::setPalette(makePalette(c));
    application.setStyleSheet(styleSheet(c) + pictures(scheme));
}

}  // namespace megalith::ui
