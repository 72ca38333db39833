// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/log_panel.h"

#include "widgets/field.h"
#include "widgets/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeView>
#include <QVBoxLayout>

namespace megalith::ui {

LogPanel::LogPanel(QWidget* parent)
    : QWidget(parent)
    , m_model(new LogModel(this))
    , m_view(new QTreeView(this))
    , m_empty(new QLabel(this))
{
    m_view->setModel(m_model);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAccessibleName(tr("Log"));
    m_view->header()->resizeSection(LogModel::When, 84);
    m_view->header()->resizeSection(LogModel::Level, 84);
    m_empty->setText(tr("Nothing has been said yet. Messages and refused actions are kept here."));
    m_empty->setMargin(size::gap4);
    setStyleFlag(*m_empty, "muted", true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(size::gap2, 0, size::gap2, 0);
    layout->addWidget(m_empty, 0, Qt::AlignTop);
    layout->addWidget(m_view, 1);
    m_view->hide();
    connect(m_model, &QAbstractItemModel::rowsInserted, this, [this] {
        m_empty->hide();
        m_view->show();
        m_view->scrollToBottom();
    });
    connect(m_view, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (const graph::Id node = m_model->node(index.row()))
            emit nodeWanted(node);
    });
}

}  // namespace megalith::ui
