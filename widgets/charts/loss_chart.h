// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/charts/curve.h"

#include <QWidget>

#include <QtCharts/QCategoryAxis>
#include <QtCharts/QChart>
#include <QtCharts/QChartView>
#include <QtCharts/QLineSeries>
#include <QtCharts/QScatterSeries>

#include <array>

class QCheckBox;
class QLabel;
class QTimer;

namespace megalith::ui {

// Loss of every step, smoothed, and of validation after every epoch. Points come as often as they like; the picture is
// made anew at most 20 times a second.
class LossChart : public QWidget
{
    Q_OBJECT
public:
    explicit LossChart(QWidget* parent = nullptr);

    void clear();
    void addStep(std::int64_t step, double loss);
    void addValidation(std::int64_t step, double loss);
    // The x axis reaches this far from the beginning, so that the picture does not shrink all the time.
    void setTotalSteps(std::int64_t steps);
    void setLogarithmic(bool on);
    bool isLogarithmic() const;
    // Draws what is there now.
    void refresh();

    const Curve& training() const { return m_training; }
    const Curve& validation() const { return m_validation; }
    QCheckBox* logBox() const { return m_log; }
    const QLineSeries* trainingSeries() const { return m_raw; }
    const QLineSeries* validationSeries() const { return m_valid; }
    const QScatterSeries* marks() const { return m_marks; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void soon();
    void retint();
    void fillSeries(Range x, bool logarithm);
    Range yRange(bool logarithm) const;

    Curve m_training, m_smooth, m_validation;
    Smoother m_smoother{0.9};
    std::int64_t m_total = 0;
    QChart* m_chart;
    QChartView* m_view;
    QLineSeries *m_raw, *m_mean, *m_valid;
    QScatterSeries *m_points, *m_marks;
    QCategoryAxis *m_x, *m_y;
    QLabel *m_title, *m_empty;
    QCheckBox* m_log;
    QTimer* m_timer;
};

}  // namespace megalith::ui
