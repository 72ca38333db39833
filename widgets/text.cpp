// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text.h"

#include "engine/core/number_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace megalith::ui {

namespace {

QString textTr(const char* text)
{
    return QCoreApplication::translate("Text", text);
}

}  // namespace

QString countText(std::int64_t count)
{
    QLocale locale;
    locale.setNumberOptions(QLocale::DefaultNumberOptions);
    // The C locale has no separators, and a long count without them cannot be read.
    if (locale.language() == QLocale::C)
        locale = QLocale(QLocale::English, QLocale::UnitedStates);
    return locale.toString(static_cast<qlonglong>(count));
}

QString numberText(double value)
{
    if (std::isnan(value))
        return QStringLiteral("NaN");
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("Inf") : QStringLiteral("-Inf");
    const double size = std::abs(value);
    if (value == 0.0)
        return QStringLiteral("0");
    if (size >= 1e6 || size < 1e-4)
        return QString::number(value, 'e', 2);
    const int power = static_cast<int>(std::floor(std::log10(size)));
    return QString::number(value, 'f', size >= 1.0 ? std::max(3 - power, 0) : 2 - power);
}

QString shapeText(const graph::PortShape& shape)
{
    if (!shape.known)
        return {};
    QString text;
    for (const graph::Dim& dim : shape.dims)
        text += (text.isEmpty() ? QString() : QStringLiteral(" x ")) + qs(graph::text(dim));
    return text.isEmpty() ? textTr("scalar") : text;
}

QString sampleText(const graph::PortShape& shape)
{
    graph::PortShape sample = shape;
    if (!sample.dims.empty() && sample.dims.front() == graph::Dim{0, 1, true})
        sample.dims.erase(sample.dims.begin());
    return sample.dims.empty() ? QString() : shapeText(sample);
}

QString shapeText(const Shape& shape)
{
    QString text;
    for (const std::int64_t size : shape)
        text += (text.isEmpty() ? QString() : QStringLiteral(" x ")) + QString::number(size);
    return text.isEmpty() ? textTr("scalar") : text;
}

QString durationText(double seconds)
{
    if (!std::isfinite(seconds) || seconds < 0)
        return {};
    const auto whole = static_cast<long long>(std::llround(seconds));
    if (whole < 60)
        return textTr("%1 s").arg(whole);
    if (whole < 3600)
        return textTr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
    return textTr("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
}

QString bytesText(std::int64_t bytes)
{
    if (bytes < 1000)
        return textTr("%1 bytes").arg(bytes);
    if (bytes < 1'000'000)
        return textTr("%1 kB").arg(std::llround(static_cast<double>(bytes) / 1e3));
    if (bytes < 10'000'000'000)
        return textTr("%1 MB").arg(std::llround(static_cast<double>(bytes) / 1e6));
    return textTr("%1 GB").arg(static_cast<double>(bytes) / 1e9, 0, 'f', 1);
}

std::optional<double> readNumber(const QString& text)
{
    QString plain = text.trimmed();
    if (plain.count(QLatin1Char(',')) == 1 && !plain.contains(QLatin1Char('.')))
        plain.replace(QLatin1Char(','), QLatin1Char('.'));
    return parseNumber(ss(plain));
}

}  // namespace megalith::ui
