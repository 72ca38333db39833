// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/parameters/parameter_model.h"

#include "widgets/text.h"
#include "widgets/theme.h"

#include <algorithm>

namespace megalith::ui {

ParameterModel::ParameterModel(DocumentHost& host, QObject* parent) : QAbstractTableModel(parent), m_host(host)
{
    connect(&host, &DocumentHost::changed, this, [this] { follow(); });
    connect(&host, &DocumentHost::reset, this, [this] {
        m_snapshots.clear();
        follow();
    });
    follow();
}

void ParameterModel::follow()
{
    std::vector<Row> rows;
    const graph::Analysis& analysis = m_host.analysis();
    for (const graph::NodeInfo& info : analysis.nodes) {
        for (const graph::TensorInfo& tensor : info.tensors) {
            if (!tensor.persistent)
                continue;
            Row row{tensor.key, tensor.name, info.path.front(), tensor.shape, tensor.buffer, tensor.trainable};
            if (info.path.size() > 1) {
                const graph::NodeInfo* root = analysis.first(info.path.front());
                row.parameter = tensor.key.substr(root->name.size() + 1);
            }
            rows.push_back(std::move(row));
        }
    }
    if (rows == m_rows)
        return;
    const bool sameKeys = rows.size() == m_rows.size()
                          && std::equal(rows.begin(), rows.end(), m_rows.begin(),
                                        [](const Row& a, const Row& b) { return a.key == b.key; });
    if (sameKeys) {
        m_rows = std::move(rows);
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

void ParameterModel::setSnapshots(const std::vector<train::TensorSnapshot>& snapshots)
{
    for (const train::TensorSnapshot& snapshot : snapshots)
        m_snapshots[snapshot.key] = snapshot;
    if (!m_rows.empty())
        emit dataChanged(index(0, Norm), index(rowCount() - 1, Maximum), {Qt::DisplayRole});
}

void ParameterModel::clearSnapshots()
{
    m_snapshots.clear();
    if (!m_rows.empty())
        emit dataChanged(index(0, Norm), index(rowCount() - 1, Maximum), {Qt::DisplayRole});
}

const train::TensorSnapshot* ParameterModel::snapshot(int row) const
{
    const auto it = m_snapshots.find(key(row));
    // Of a tensor that was resized since, nothing is known.
    return it == m_snapshots.end() || it->second.shape != m_rows[static_cast<std::size_t>(row)].shape ? nullptr
                                                                                                      : &it->second;
}

std::string ParameterModel::key(int row) const
{
    return m_rows[static_cast<std::size_t>(row)].key;
}

graph::Id ParameterModel::node(int row) const
{
    return m_rows[static_cast<std::size_t>(row)].node;
}

int ParameterModel::rowOf(const std::string& wanted) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (key(row) == wanted)
            return row;
    return -1;
}

int ParameterModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ParameterModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString ParameterModel::shown(const Row& row, int column) const
{
    if (column == Key)
        return qs(row.key);
    if (column == Sizes)
        return shapeText(row.shape);
    if (column == Trainable)
        return row.buffer ? tr("buffer") : QString();
    const train::TensorSnapshot* known = snapshot(static_cast<int>(&row - m_rows.data()));
    if (!known)
        return QStringLiteral("\u2013");
    switch (column) {
    case Norm: return numberText(known->norm);
    case Mean: return numberText(known->mean);
    case Deviation: return numberText(known->deviation);
    case Minimum: return numberText(known->minimum);
    case Maximum: return numberText(known->maximum);
    default: return {};
    }
}

QVariant ParameterModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole: return shown(row, column);
    case Qt::CheckStateRole:
        if (column != Trainable || row.buffer)
            return {};
        return QVariant::fromValue(row.trainable ? Qt::Checked : Qt::Unchecked);
    case Qt::FontRole: return column == Key ? monoFont() : smallMonoFont();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (column >= Norm ? Qt::AlignRight : Qt::AlignLeft)));
    case Qt::ToolTipRole:
        return row.buffer      ? tr("%1: a buffer, saved but not trained").arg(qs(row.key))
               : row.trainable ? qs(row.key)
                               : tr("%1: frozen, the optimizer leaves it alone").arg(qs(row.key));
    case Qt::AccessibleTextRole:
        if (column == Trainable && !row.buffer)
            return row.trainable ? tr("trained") : tr("frozen");
        return shown(row, column);
    default: return {};
    }
}

bool ParameterModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::CheckStateRole || index.column() != Trainable)
        return false;
    const Row row = m_rows[static_cast<std::size_t>(index.row())];
    const bool on = static_cast<Qt::CheckState>(value.toInt()) == Qt::Checked;
    if (row.buffer || on == row.trainable)
        return false;
    return m_host
        .change(
            [&](const graph::Document& document) { return graph::setFrozen(document, row.node, row.parameter, !on); })
        .isEmpty();
}

Qt::ItemFlags ParameterModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    if (index.column() == Trainable && !m_rows[static_cast<std::size_t>(index.row())].buffer && !m_host.isLocked())
        flags |= Qt::ItemIsUserCheckable;
    return flags;
}

QVariant ParameterModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (section >= Norm ? Qt::AlignRight : Qt::AlignLeft)));
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Key: return tr("name");
    case Sizes: return tr("shape");
    case Trainable: return tr("train");
    case Norm: return tr("norm");
    case Mean: return tr("mean");
    case Deviation: return tr("deviation");
    case Minimum: return tr("minimum");
    case Maximum: return tr("maximum");
    default: return {};
    }
}

}  // namespace megalith::ui
