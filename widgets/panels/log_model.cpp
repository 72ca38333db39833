// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/log_model.h"

namespace megalith::ui {

namespace {

constexpr int kept = 2'000;

}  // namespace

void LogModel::add(LogLevel level, const QString& text, graph::Id node)
{
    if (rowCount() >= kept) {
        beginRemoveRows({}, 0, 0);
        m_rows.pop_front();
        endRemoveRows();
    }
    beginInsertRows({}, rowCount(), rowCount());
    m_rows.push_back({QTime::currentTime(), level, text, node});
    endInsertRows();
}

int LogModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int LogModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LogModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    if (role == Qt::ToolTipRole)
        return row.text;
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case When: return row.when.toString(QStringLiteral("HH:mm:ss"));
    case Level:
        return row.level == LogLevel::Error ? tr("error") : row.level == LogLevel::Warning ? tr("warning") : tr("note");
    default: return row.text;
    }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal)
        return {};
    return section == When ? tr("Time") : section == Level ? tr("Level") : tr("Message");
}

}  // namespace megalith::ui
