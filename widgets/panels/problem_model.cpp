// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/problem_model.h"

#include "widgets/text.h"

#include <algorithm>

namespace megalith::ui {

ProblemModel::ProblemModel(DocumentHost& host, QObject* parent) : QAbstractTableModel(parent), m_host(host)
{
    connect(&host, &DocumentHost::changed, this, [this] { refill(); });
    connect(&host, &DocumentHost::reset, this, [this] { refill(); });
    refill();
}

void ProblemModel::refill()
{
    beginResetModel();
    m_rows = m_host.analysis().diagnostics;
    std::stable_sort(m_rows.begin(), m_rows.end(),
                     [](const auto& a, const auto& b) { return a.severity < b.severity; });
    endResetModel();
}

int ProblemModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ProblemModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ProblemModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const graph::Diagnostic& problem = at(index.row());
    const QString where = qs(problem.path) + (problem.port.empty() ? QString() : QLatin1Char('.') + qs(problem.port));
    switch (role) {
    case Qt::DisplayRole: return index.column() == Where ? where : qs(problem.message);
    case Qt::ToolTipRole: return qs(graph::text(problem));
    case Qt::AccessibleTextRole:
        return qs(graph::severityName(problem.severity)) + QLatin1Char(' ') + where + QLatin1Char(' ')
               + qs(problem.message);
    default: return {};
    }
}

QVariant ProblemModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal)
        return {};
    return section == Where ? tr("Where") : tr("What");
}

}  // namespace megalith::ui
