// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/parameters/histogram.h"

#include "widgets/text.h"
#include "widgets/theme.h"

#include <QPainter>

#include <algorithm>

namespace megalith::ui {

Histogram::Histogram(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Histogram of the values"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void Histogram::setSnapshot(std::optional<train::TensorSnapshot> snapshot)
{
    m_snapshot = std::move(snapshot);
    if (m_snapshot)
        setAccessibleDescription(
            tr("from %1 to %2").arg(numberText(m_snapshot->minimum), numberText(m_snapshot->maximum)));
    update();
}

void Histogram::paintEvent(QPaintEvent*)
{
    const Colors& c = colors(palette());
    QPainter painter(this);
    painter.setFont(smallFont());
    painter.setPen(c.muted);
    if (!m_snapshot || m_snapshot->histogram.empty()) {
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap,
                         tr("Select a parameter. Values appear when the model has some."));
        return;
    }
    const int labels = painter.fontMetrics().height() + size::gap1;
    const QRectF plot(0, 0, width(), height() - labels);
    const std::vector<std::int64_t>& bins = m_snapshot->histogram;
    const auto highest = static_cast<double>(std::max<std::int64_t>(*std::max_element(bins.begin(), bins.end()), 1));
    const double step = plot.width() / static_cast<double>(bins.size());
    painter.setPen(QPen(c.line, 1));
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
    for (std::size_t i = 0; i < bins.size(); ++i) {
        const double tall = static_cast<double>(bins[i]) / highest * (plot.height() - 2);
        const double gap = step > 4 ? 1 : 0;
        painter.fillRect(QRectF(static_cast<double>(i) * step, plot.bottom() - tall, step - gap, tall), curveColor(0));
    }
    painter.setPen(c.muted);
    const QRectF below(0, plot.bottom(), width(), labels);
    painter.drawText(below, Qt::AlignLeft | Qt::AlignBottom, numberText(m_snapshot->minimum));
    painter.drawText(below, Qt::AlignRight | Qt::AlignBottom, numberText(m_snapshot->maximum));
}

}  // namespace megalith::ui
