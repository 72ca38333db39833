// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document_host.h"

#include <QAbstractTableModel>

namespace megalith::ui {

// The diagnostics of a document: where, what.
class ProblemModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Where, What, ColumnCount };

    explicit ProblemModel(DocumentHost& host, QObject* parent = nullptr);

    const graph::Diagnostic& at(int row) const { return m_rows[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void refill();

    DocumentHost& m_host;
    std::vector<graph::Diagnostic> m_rows;
};

}  // namespace megalith::ui
