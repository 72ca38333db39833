// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/curve.h"

#include "engine/core/number_text.h"
#include "widgets/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace megalith::ui {

namespace {

bool drawable(double y, bool logarithm)
{
    return std::isfinite(y) && (!logarithm || y > 0.0);
}

int columnOf(double x, Range range, int columns)
{
    const double share = (x - range.low) / std::max(range.high - range.low, 1e-300);
    return std::clamp(static_cast<int>(share * columns), 0, columns - 1);
}

QString tickText(double value)
{
    if (value == 0.0)
        return QStringLiteral("0");
    if (std::abs(value) >= 1000 && value == std::floor(value) && std::abs(value) < 1e9)
        return countText(static_cast<std::int64_t>(value));
    // 0.30000000000000004 is written as 0.3.
    return QString::number(value, 'g', 6);
}

std::vector<std::pair<double, QString>> logTicks(Range range, int about)
{
    std::vector<std::pair<double, QString>> found;
    const double decades = range.high - range.low;
    const std::vector<double> steps = decades < about / 2.0 ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
    const int every = std::max(1, static_cast<int>(std::ceil(decades / about)));
    for (int power = static_cast<int>(std::floor(range.low)); power <= range.high; ++power) {
        if (((power % every) + every) % every != 0)
            continue;
        for (const double step : steps) {
            const double place = power + std::log10(step);
            if (place >= range.low - 1e-9 && place <= range.high + 1e-9)
                found.emplace_back(place, tickText(step * std::pow(10.0, power)));
        }
    }
    return found;
}

}  // namespace

void Curve::add(double at, double value)
{
    x.push_back(at);
    y.push_back(value);
}

void Curve::clear()
{
    x.clear();
    y.clear();
}

QList<QPointF> decimated(const Curve& curve, Range range, int columns, bool logarithm)
{
    QList<QPointF> points;
    const auto add = [&](std::size_t i) {
        const QPointF point(curve.x[i], logarithm ? std::log10(curve.y[i]) : curve.y[i]);
        if (points.isEmpty() || points.back() != point)
            points.push_back(point);
    };
    std::array<std::size_t, 4> kept{};  // first, smallest, largest, last
    int column = -1;
    const auto flush = [&] {
        if (column < 0)
            return;
        std::array<std::size_t, 4> order = kept;
        std::sort(order.begin(), order.end());
        for (const std::size_t i : order)
            add(i);
    };
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
        const double y = curve.y[i];
        if (curve.x[i] < range.low || curve.x[i] > range.high || !drawable(y, logarithm))
            continue;
        const int here = columnOf(curve.x[i], range, std::max(columns, 1));
        if (here != column) {
            flush();
            column = here;
            kept.fill(i);
            continue;
        }
        if (y < curve.y[kept[1]])
            kept[1] = i;
        if (y > curve.y[kept[2]])
            kept[2] = i;
        kept[3] = i;
    }
    flush();
    return points;
}

std::vector<double> undrawable(const Curve& curve, Range range, int columns, bool logarithm)
{
    std::vector<double> places;
    int column = -1;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
        if (curve.x[i] < range.low || curve.x[i] > range.high || drawable(curve.y[i], logarithm))
            continue;
        const int here = columnOf(curve.x[i], range, std::max(columns, 1));
        if (here != column)
            places.push_back(curve.x[i]);
        column = here;
    }
    return places;
}

bool extent(const Curve& curve, bool logarithm, Range& range)
{
    bool found = false;
    for (const double y : curve.y) {
        if (!drawable(y, logarithm))
            continue;
        range.low = found ? std::min(range.low, y) : y;
        range.high = found ? std::max(range.high, y) : y;
        found = true;
    }
    return found;
}

double Smoother::next(double value)
{
    if (std::isfinite(value)) {
        m_sum = m_beta * m_sum + (1.0 - m_beta) * value;
        m_weight = m_beta * m_weight + (1.0 - m_beta);
    }
    return m_weight > 0.0 ? m_sum / m_weight : value;
}

std::vector<std::pair<double, QString>> ticks(Range range, int about, bool logarithm)
{
    if (logarithm)
        if (auto found = logTicks(range, about); found.size() >= 2)
            return found;
    const double low = logarithm ? std::pow(10.0, range.low) : range.low;
    const double high = logarithm ? std::pow(10.0, range.high) : range.high;
    const double rough = (high - low) / std::max(about, 1);
    if (!(rough > 0.0) || !std::isfinite(rough))
        return {{range.low, tickText(low)}};
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    const double step = power * (rough / power <= 1.0 ? 1 : rough / power <= 2.0 ? 2 : rough / power <= 5.0 ? 5 : 10);
    std::vector<std::pair<double, QString>> found;
    for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) {
        const double value = i * step;
        if (!logarithm || value > 0.0)
            found.emplace_back(logarithm ? std::log10(value) : value, tickText(value));
    }
    return found;
}

}  // namespace megalith::ui
