// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/panels/log_model.h"

#include <QWidget>

class QLabel;
class QTreeView;

namespace megalith::ui {

class LogPanel : public QWidget
{
    Q_OBJECT
public:
    explicit LogPanel(QWidget* parent = nullptr);
    LogModel* model() const { return m_model; }

signals:
    void nodeWanted(graph::Id node);

private:
    LogModel* m_model;
    QTreeView* m_view;
    QLabel* m_empty;
};

}  // namespace megalith::ui
