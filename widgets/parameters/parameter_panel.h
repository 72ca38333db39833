// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/train/events.h"
#include "widgets/document_host.h"

#include <QWidget>

#include <array>

class QLabel;
class QTreeView;

namespace megalith::ui {

class Histogram;
class ParameterModel;

// The table of parameters and, below it, the histogram and the statistics of the selected one.
class ParameterPanel : public QWidget
{
    Q_OBJECT
public:
    explicit ParameterPanel(DocumentHost& host, QWidget* parent = nullptr);
    ParameterModel* model() const { return m_model; }
    QTreeView* view() const { return m_view; }
    void setSnapshots(const std::vector<train::TensorSnapshot>& snapshots);
    // Selects the first parameter of a node.
    void showNode(graph::Id node);

signals:
    void nodeWanted(graph::Id node);

private:
    QWidget* makeDetails();
    void showSelected();

    ParameterModel* m_model;
    QTreeView* m_view;
    QLabel *m_empty, *m_title;
    QWidget* m_details = nullptr;
    Histogram* m_histogram = nullptr;
    std::array<QLabel*, 6> m_numbers{};
};

}  // namespace megalith::ui
