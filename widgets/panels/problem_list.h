// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document_host.h"

#include <QWidget>

class QLabel;
class QTreeView;

namespace megalith::ui {

class ProblemModel;

// Everything that is wrong, errors first. Enter or a double click goes there; the context menu offers fixes.
class ProblemList : public QWidget
{
    Q_OBJECT
public:
    explicit ProblemList(DocumentHost& host, QWidget* parent = nullptr);
    ProblemModel* model() const { return m_model; }
    QTreeView* view() const { return m_view; }

signals:
    void nodeWanted(graph::Id node);
    void settingWanted(const QString& path);  // "training.optimizer.lr"
    void countChanged(int errors, int warnings);

private:
    void activate(const QModelIndex& index);
    void showMenu(QPoint at);
    void follow();

    DocumentHost& m_host;
    ProblemModel* m_model;
    QTreeView* m_view;
    QLabel* m_empty;
};

}  // namespace megalith::ui
