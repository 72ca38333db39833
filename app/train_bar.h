// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace megalith::app {

// Train and Stop, how far it is, how fast, how long it still takes. Fields have the width of their longest value.
class TrainBar : public QWidget
{
    Q_OBJECT
public:
    explicit TrainBar(QWidget* parent = nullptr);

    void setRunning(bool running);
    // Why it cannot be trained; empty when it can.
    void setBlocked(const QString& reason);
    void setProgress(const QString& epoch, double share, const QString& speed);
    QPushButton* trainButton() const { return m_train; }
    QPushButton* stopButton() const { return m_stop; }
    QLabel* epochLabel() const { return m_epoch; }
    QLabel* speedLabel() const { return m_speed; }

signals:
    void trainWanted();
    void stopWanted();

private:
    void follow();

    QPushButton *m_train, *m_stop;
    QLabel *m_epoch, *m_speed;
    QProgressBar* m_bar;
    QString m_blocked;
    bool m_running = false;
};

}  // namespace megalith::app
