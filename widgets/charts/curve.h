// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPointF>
#include <QString>

#include <utility>
#include <vector>

// What a chart does with numbers before it draws them.
namespace megalith::ui {

struct Curve
{
    std::vector<double> x;  // rising
    std::vector<double> y;  // anything: NaN, Inf and, for log axes, what is not positive become marks

    void add(double at, double value);
    void clear();
    bool empty() const { return x.empty(); }
};

struct Range
{
    double low = 0.0, high = 1.0;
};

// Points to draw in `columns` pixels: of each column the first, the smallest, the largest and the last, in their order, so
// that no spike is lost. Finite points alone; with logarithm, of positive ones the log10.
QList<QPointF> decimated(const Curve& curve, Range x, int columns, bool logarithm);
// The x of what cannot be drawn: NaN, Inf, with logarithm also what is not positive; one for each pixel column.
std::vector<double> undrawable(const Curve& curve, Range x, int columns, bool logarithm);
// Smallest and largest y that can be drawn; false when there is none.
bool extent(const Curve& curve, bool logarithm, Range& range);

// An exponential mean over the past alone, without its pull towards zero at the beginning (Kingma and Ba 2015, section 3).
// What is not finite is left out.
class Smoother
{
public:
    explicit Smoother(double beta) : m_beta(beta) {}
    double next(double value);
    void reset() { m_sum = 0.0, m_weight = 0.0; }

private:
    double m_beta, m_sum = 0.0, m_weight = 0.0;
};

// Places for labels: 1, 2 or 5 times a power of ten; with logarithm `range` is of log10 and so are the places.
std::vector<std::pair<double, QString>> ticks(Range range, int about, bool logarithm);

}  // namespace megalith::ui
