// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/check.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Numbers and shapes as people read them.
namespace megalith::ui {

inline QString qs(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
inline std::string ss(const QString& text)
{
    return text.toStdString();
}

// "200,768", with the separators of the user's locale.
QString countText(std::int64_t count);
// Three to four significant digits: "0.0179", "8.04", "1.2e-07", "NaN", "Inf".
QString numberText(double value);
// "N x 16 x 28 x 28"; empty when unknown.
QString shapeText(const graph::PortShape& shape);
// The same without the batch: "16 x 28 x 28".
QString sampleText(const graph::PortShape& shape);
// "64 x 3136"; "scalar" without dimensions.
QString shapeText(const Shape& shape);
// "9 s", "3 min 20 s", "2 h 5 min".
QString durationText(double seconds);
// "312 MB".
QString bytesText(std::int64_t bytes);
// A whole number or a number, decimal point or comma, whatever the locale; nothing when it is none.
std::optional<double> readNumber(const QString& text);

}  // namespace megalith::ui
