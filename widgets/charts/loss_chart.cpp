// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/loss_chart.h"

#include "widgets/field.h"
#include "widgets/theme.h"

#include <QtCharts/QLegend>
#include <QtCharts/QLegendMarker>

#include <QCheckBox>
#include <QEvent>
#include <QGraphicsLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <limits>

namespace megalith::ui {

namespace {

void setTicks(QCategoryAxis& axis, Range range, const std::vector<std::pair<double, QString>>& places)
{
    for (const QString& label : axis.categoriesLabels())
        axis.remove(label);
    axis.setRange(range.low, range.high);
    axis.setStartValue(range.low);
    double last = -std::numeric_limits<double>::infinity();
    for (const auto& [place, label] : places) {
        // A label at the very beginning is none to a category axis: categories end where they are named.
        const double at = place <= range.low ? range.low + (range.high - range.low) * 1e-9 : place;
        if (at > last)
            axis.append(label, at);
        last = at;
    }
}

}  // namespace

LossChart::LossChart(QWidget* parent)
    : QWidget(parent)
    , m_chart(new QChart)
    , m_view(new QChartView(m_chart, this))
    , m_raw(new QLineSeries)
    , m_mean(new QLineSeries)
    , m_valid(new QLineSeries)
    , m_points(new QScatterSeries)
    , m_marks(new QScatterSeries)
    , m_x(new QCategoryAxis)
    , m_y(new QCategoryAxis)
    , m_title(new QLabel(tr("Loss"), this))
    , m_empty(new QLabel(this))
    , m_log(new QCheckBox(tr("Logarithmic"), this))
    , m_timer(new QTimer(this))
{
    m_raw->setName(tr("each step"));
    m_mean->setName(tr("training"));
    m_valid->setName(tr("validation"));
    m_chart->addAxis(m_x, Qt::AlignBottom);
    m_chart->addAxis(m_y, Qt::AlignLeft);
    for (QXYSeries* series : std::initializer_list<QXYSeries*>{m_raw, m_mean, m_valid, m_points, m_marks}) {
        m_chart->addSeries(series);
        series->attachAxis(m_x);
        series->attachAxis(m_y);
    }
    for (QXYSeries* series : std::initializer_list<QXYSeries*>{m_points, m_marks})
        for (QLegendMarker* marker : m_chart->legend()->markers(series))
            marker->setVisible(false);
    for (QCategoryAxis* axis : {m_x, m_y})
        axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    m_chart->setMargins({0, 0, 0, 0});
    m_chart->layout()->setContentsMargins(0, 0, 0, 0);
    m_chart->setBackgroundRoundness(0);
    m_chart->setAnimationOptions(QChart::NoAnimation);
    m_chart->legend()->setAlignment(Qt::AlignBottom);
    m_chart->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
    m_view->setRenderHint(QPainter::Antialiasing);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setAccessibleName(tr("Loss over the steps"));
    m_view->setFocusPolicy(Qt::NoFocus);
    m_marks->setMarkerShape(QScatterSeries::MarkerShapeTriangle);
    m_marks->setMarkerSize(9);
    m_points->setMarkerSize(6);
    setStyleFlag(*m_title, "title", true);
    m_log->setToolTip(tr("A logarithmic axis for the loss; what is not positive becomes a mark"));
    m_empty->setText(tr("The loss of a run is drawn here while it trains. Press Train (F5) to start one."));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    setStyleFlag(*m_empty, "muted", true);

    auto* head = new QHBoxLayout;
    head->addWidget(m_title);
    head->addStretch(1);
    head->addWidget(m_log);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(size::gap4, size::gap2, size::gap4, size::gap1);
    layout->setSpacing(size::gap1);
    layout->addLayout(head);
    layout->addWidget(m_empty, 1);
    layout->addWidget(m_view, 1);

    m_timer->setSingleShot(true);
    m_timer->setInterval(size::tickMs);
    connect(m_timer, &QTimer::timeout, this, &LossChart::refresh);
    connect(m_log, &QCheckBox::toggled, this, [this] { refresh(); });
    retint();
    refresh();
}

void LossChart::clear()
{
    m_training.clear();
    m_smooth.clear();
    m_validation.clear();
    m_smoother.reset();
    m_total = 0;
    refresh();
}

void LossChart::addStep(std::int64_t step, double loss)
{
    m_training.add(static_cast<double>(step), loss);
    m_smooth.add(static_cast<double>(step), m_smoother.next(loss));
    soon();
}

void LossChart::addValidation(std::int64_t step, double loss)
{
    m_validation.add(static_cast<double>(step), loss);
    soon();
}

void LossChart::setTotalSteps(std::int64_t steps)
{
    m_total = steps;
    soon();
}

void LossChart::setLogarithmic(bool on)
{
    m_log->setChecked(on);
}

bool LossChart::isLogarithmic() const
{
    return m_log->isChecked();
}

void LossChart::soon()
{
    // Not restarted by what comes meanwhile: a tick is a tick.
    if (!m_timer->isActive())
        m_timer->start();
}

Range LossChart::yRange(bool logarithm) const
{
    Range range, other;
    bool found = extent(m_training, logarithm, range);
    if (extent(m_validation, logarithm, other)) {
        range.low = found ? std::min(range.low, other.low) : other.low;
        range.high = found ? std::max(range.high, other.high) : other.high;
        found = true;
    }
    if (!found)
        return {0.0, 1.0};
    if (logarithm) {
        range = {std::log10(range.low), std::log10(range.high)};
    } else if (range.low > 0.0 && range.low < range.high * 0.5) {
        range.low = 0.0;
    }
    const double room = std::max((range.high - range.low) * 0.05, std::abs(range.high) * 1e-6 + 1e-12);
    return {range.low == 0.0 && !logarithm ? 0.0 : range.low - room, range.high + room};
}

void LossChart::fillSeries(Range x, bool logarithm)
{
    const int columns = std::max(static_cast<int>(m_chart->plotArea().width()), 100);
    m_raw->replace(decimated(m_training, x, columns, logarithm));
    m_mean->replace(decimated(m_smooth, x, columns, logarithm));
    const QList<QPointF> validation = decimated(m_validation, x, columns, logarithm);
    m_valid->replace(validation);
    m_points->replace(validation.size() <= 60 ? validation : QList<QPointF>());
    const Range y = yRange(logarithm);
    const double top = y.high - (y.high - y.low) * 0.03;
    QList<QPointF> marks;
    for (const Curve* curve : {&m_training, &m_validation})
        for (const double place : undrawable(*curve, x, columns, logarithm))
            marks.push_back({place, top});
    m_marks->replace(marks);
}

void LossChart::refresh()
{
    const bool any = !m_training.empty() || !m_validation.empty();
    m_empty->setVisible(!any);
    m_view->setVisible(any);
    m_log->setVisible(any);
    if (!any)
        return;
    const double last =
        std::max({m_training.empty() ? 0.0 : m_training.x.back(), m_validation.empty() ? 0.0 : m_validation.x.back(),
                  static_cast<double>(m_total), 1.0});
    const Range x{0.0, last * 1.01};  // the last mark whole
    const bool logarithm = m_log->isChecked();
    const Range y = yRange(logarithm);
    setTicks(*m_x, x, ticks(x, std::clamp(width() / 160, 2, 8), false));
    setTicks(*m_y, y, ticks(y, std::clamp(height() / 50, 2, 6), logarithm));
    fillSeries(x, logarithm);
}

void LossChart::retint()
{
    const Colors& c = colors(palette());
    m_chart->setBackgroundBrush(c.window);
    m_chart->setBackgroundPen(Qt::NoPen);
    m_chart->setPlotAreaBackgroundBrush(c.canvas);
    m_chart->setPlotAreaBackgroundPen(QPen(c.line, 1));
    m_chart->setPlotAreaBackgroundVisible(true);
    m_chart->legend()->setLabelColor(c.text);
    m_chart->legend()->setFont(smallFont());
    m_view->setBackgroundBrush(c.window);
    for (QCategoryAxis* axis : {m_x, m_y}) {
        axis->setLabelsColor(c.muted);
        axis->setLabelsFont(smallFont());
        axis->setGridLinePen(QPen(c.grid, 1));
        axis->setLinePen(QPen(c.line, 1));
    }
    QColor pale = curveColor(0);
    pale.setAlphaF(0.35F);
    m_raw->setPen(QPen(pale, 1));
    m_mean->setPen(curvePen(0));
    QPen dashed = curvePen(1);
    dashed.setDashPattern({3, 2});
    m_valid->setPen(dashed);
    m_points->setColor(curveColor(1));
    m_points->setBorderColor(curveColor(1));
    m_marks->setColor(c.error);
    m_marks->setBorderColor(c.error);
    update();
}

void LossChart::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), colors(palette()).window);
}

void LossChart::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange)
        retint();
}

void LossChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    soon();
}

void LossChart::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    soon();
}

}  // namespace megalith::ui
