// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document_host.h"

#include <QWidget>

#include <vector>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;

namespace megalith::ui {

// The parameters and buffers of one node: shape, whether it is trained, and how it is filled at first.
class TensorRows : public QWidget
{
    Q_OBJECT
public:
    explicit TensorRows(DocumentHost& host, QWidget* parent = nullptr);

    void showNode(graph::Id node);
    bool isEmpty() const { return m_rows.empty(); }
    QCheckBox* trainable(std::string_view name) const;
    QComboBox* init(std::string_view name) const;

private:
    struct Row
    {
        std::string name;
        QLabel* shape = nullptr;
        QCheckBox* trainable = nullptr;  // nullptr for a buffer
        QComboBox* init = nullptr;
    };
    void rebuild(const graph::NodeInfo& info);
    void addRow(const graph::TensorInfo& tensor, int at);
    void clear();
    void setInit(const std::string& name, const QString& type);

    DocumentHost& m_host;
    QGridLayout* m_layout;
    graph::Id m_node = 0;
    std::vector<Row> m_rows;
};

}  // namespace megalith::ui
