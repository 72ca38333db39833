// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/train_bar.h"

#include "widgets/field.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include <cmath>

namespace megalith::app {

TrainBar::TrainBar(QWidget* parent)
    : QWidget(parent)
    , m_train(new QPushButton(tr("\u25B6 Train"), this))
    , m_stop(new QPushButton(tr("Stop"), this))
    , m_epoch(new QLabel(this))
    , m_speed(new QLabel(this))
    , m_bar(new QProgressBar(this))
{
    m_train->setProperty("primary", true);
    m_train->setAccessibleName(tr("Train"));
    m_train->setMinimumWidth(92);
    m_stop->setMinimumWidth(60);
    m_train->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    m_stop->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    m_stop->setToolTip(tr("Stop after this step (Shift+F5)"));
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress of the training"));
    m_bar->setMinimumWidth(80);
    m_bar->setMaximumWidth(220);
    m_epoch->setMinimumWidth(m_epoch->fontMetrics().horizontalAdvance(tr("Epoch %1 of %2").arg(1000).arg(1000)));
    m_speed->setMinimumWidth(
        m_speed->fontMetrics().horizontalAdvance(QStringLiteral("100,000 samples/s \u00B7 59 min 59 s left")));
    ui::setStyleFlag(*m_speed, "muted", true);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(ui::size::gap1, 0, 0, 0);
    layout->setSpacing(ui::size::gap2);
    layout->addWidget(m_train);
    layout->addWidget(m_stop);
    layout->addSpacing(ui::size::gap2);
    layout->addWidget(m_epoch);
    layout->addWidget(m_bar, 2);
    layout->addSpacing(ui::size::gap1);
    layout->addWidget(m_speed);
    layout->addStretch(1);
    connect(m_train, &QPushButton::clicked, this, &TrainBar::trainWanted);
    connect(m_stop, &QPushButton::clicked, this, &TrainBar::stopWanted);
    setProgress({}, 0, {});
    follow();
}

void TrainBar::setRunning(bool running)
{
    m_running = running;
    follow();
}

void TrainBar::setBlocked(const QString& reason)
{
    m_blocked = reason;
    follow();
}

void TrainBar::follow()
{
    m_train->setEnabled(!m_running && m_blocked.isEmpty());
    m_stop->setEnabled(m_running);
    m_train->setToolTip(m_running             ? tr("A training is running")
                        : m_blocked.isEmpty() ? tr("Train from fresh weights (F5)")
                                              : tr("It cannot be trained yet: %1").arg(m_blocked));
    m_train->setAccessibleDescription(m_train->toolTip());
}

void TrainBar::setProgress(const QString& epoch, double share, const QString& speed)
{
    m_epoch->setText(epoch);
    m_speed->setText(speed);
    m_bar->setValue(static_cast<int>(std::lround(share * 1000)));
    m_bar->setVisible(!epoch.isEmpty());
    m_epoch->setVisible(!epoch.isEmpty());
    m_speed->setVisible(!epoch.isEmpty());
}

}  // namespace megalith::app
