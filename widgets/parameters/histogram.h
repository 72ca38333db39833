// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/train/events.h"

#include <QWidget>

#include <optional>

namespace megalith::ui {

// Bars for equal bins between the smallest and the largest value.
class Histogram : public QWidget
{
    Q_OBJECT
public:
    explicit Histogram(QWidget* parent = nullptr);
    void setSnapshot(std::optional<train::TensorSnapshot> snapshot);
    QSize sizeHint() const override { return {240, 120}; }
    QSize minimumSizeHint() const override { return {120, 72}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::optional<train::TensorSnapshot> m_snapshot;
};

}  // namespace megalith::ui
