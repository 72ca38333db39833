// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/train/events.h"
#include "widgets/document_host.h"

#include <QAbstractTableModel>

#include <optional>
#include <unordered_map>
#include <vector>

namespace megalith::ui {

// Every parameter and buffer of the model under its state_dict key; statistics come from snapshots.
class ParameterModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Key, Sizes, Trainable, Norm, Mean, Deviation, Minimum, Maximum, ColumnCount };

    explicit ParameterModel(DocumentHost& host, QObject* parent = nullptr);

    void setSnapshots(const std::vector<train::TensorSnapshot>& snapshots);
    void clearSnapshots();
    const train::TensorSnapshot* snapshot(int row) const;
    std::string key(int row) const;
    graph::Id node(int row) const;  // of the root graph
    int rowOf(const std::string& key) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row
    {
        std::string key, parameter;  // parameter: as `frozen` of the root node names it
        graph::Id node = 0;
        Shape shape;
        bool buffer = false, trainable = true;
        bool operator==(const Row&) const = default;
    };
    void follow();
    QString shown(const Row& row, int column) const;

    DocumentHost& m_host;
    std::vector<Row> m_rows;
    std::unordered_map<std::string, train::TensorSnapshot> m_snapshots;
};

}  // namespace megalith::ui
