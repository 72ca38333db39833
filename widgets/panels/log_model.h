// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/document.h"

#include <QAbstractTableModel>
#include <QTime>

#include <deque>

namespace megalith::ui {

enum class LogLevel { Note, Warning, Error };

// Every message: when, how bad, what, and of which node. Keeps the last 10,000.
class LogModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { When, Level, What, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void add(LogLevel level, const QString& text, graph::Id node = 0);
    graph::Id node(int row) const { return m_rows[static_cast<std::size_t>(row)].node; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row
    {
        QTime when;
        LogLevel level;
        QString text;
        graph::Id node;
    };
    std::deque<Row> m_rows;
};

}  // namespace megalith::ui
