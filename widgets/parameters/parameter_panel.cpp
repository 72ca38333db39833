// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/parameters/parameter_panel.h"

#include "widgets/field.h"
#include "widgets/parameters/check_delegate.h"
#include "widgets/parameters/histogram.h"
#include "widgets/parameters/parameter_model.h"
#include "widgets/text.h"
#include "widgets/theme.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace megalith::ui {

ParameterPanel::ParameterPanel(DocumentHost& host, QWidget* parent)
    : QWidget(parent)
    , m_model(new ParameterModel(host, this))
    , m_view(new QTreeView(this))
    , m_empty(new QLabel(this))
    , m_title(new QLabel(this))
{
    m_details = makeDetails();
    m_view->setModel(m_model);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setItemDelegateForColumn(ParameterModel::Trainable, new CheckDelegate(m_view));
    m_view->setAccessibleName(tr("Parameters and buffers"));
    m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    // A number that grows moves nothing: every column has the width of its longest value.
    const QFontMetrics mono(smallMonoFont());
    const int number = mono.horizontalAdvance(QStringLiteral("-1.23e-12")) + 14;
    m_view->setTextElideMode(Qt::ElideMiddle);
    m_view->header()->setMinimumSectionSize(32);
    m_view->header()->setStretchLastSection(false);
    m_view->header()->resizeSection(ParameterModel::Key, 96);
    m_view->header()->resizeSection(ParameterModel::Sizes, 72);
    m_view->header()->resizeSection(ParameterModel::Trainable, 52);
    for (int column = ParameterModel::Norm; column < ParameterModel::ColumnCount; ++column)
        m_view->header()->resizeSection(column, number);
    m_empty->setText(tr("No parameters yet. Add a module that has some, Linear for example."));
    m_empty->setWordWrap(true);
    m_empty->setMargin(size::gap3);
    setStyleFlag(*m_empty, "muted", true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_empty);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_details);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] { showSelected(); });
    connect(m_view, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
        if (index.column() != ParameterModel::Trainable)
            emit nodeWanted(m_model->node(index.row()));
    });
    // Names and shapes whole, as long as the rest stays in sight; a column never grows narrower by itself.
    const auto widen = [this](int column, int most) {
        const int now = m_view->header()->sectionSize(column);
        m_view->resizeColumnToContents(column);
        m_view->header()->resizeSection(column, std::max(now, std::min(m_view->header()->sectionSize(column), most)));
    };
    const auto follow = [this, widen] {
        m_empty->setVisible(m_model->rowCount() == 0);
        m_view->setVisible(m_model->rowCount() > 0);
        widen(ParameterModel::Key, 136);
        widen(ParameterModel::Sizes, 112);
        showSelected();
    };
    connect(m_model, &QAbstractItemModel::modelReset, this, follow);
    connect(m_model, &QAbstractItemModel::dataChanged, this, [this] { showSelected(); });
    follow();
}

QWidget* ParameterPanel::makeDetails()
{
    auto* details = new QWidget(this);
    auto* layout = new QVBoxLayout(details);
    layout->setContentsMargins(size::gap3, size::gap3, size::gap3, size::gap4);
    setStyleFlag(*m_title, "title", true);
    layout->addWidget(m_title);
    m_histogram = new Histogram(details);
    m_histogram->setMinimumHeight(100);
    layout->addWidget(m_histogram);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(size::gap3);
    grid->setVerticalSpacing(size::gap1);
    const std::array<QString, 6> names = {tr("minimum"),   tr("maximum"), tr("mean"),
                                          tr("deviation"), tr("zeros"),   tr("NaN, Inf")};
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto* name = new QLabel(names[i], details);
        setStyleFlag(*name, "muted", true);
        m_numbers[i] = new QLabel(details);
        m_numbers[i]->setFont(smallMonoFont());
        m_numbers[i]->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        const int row = static_cast<int>(i) / 2, column = static_cast<int>(i) % 2 * 2;
        grid->addWidget(name, row, column);
        grid->addWidget(m_numbers[i], row, column + 1);
        grid->setColumnStretch(column + 1, 1);
    }
    layout->addLayout(grid);
    return details;
}

void ParameterPanel::setSnapshots(const std::vector<train::TensorSnapshot>& snapshots)
{
    m_model->setSnapshots(snapshots);
}

void ParameterPanel::showNode(graph::Id node)
{
    for (int row = 0; row < m_model->rowCount(); ++row) {
        if (m_model->node(row) == node) {
            m_view->setCurrentIndex(m_model->index(row, ParameterModel::Key));
            return;
        }
    }
}

void ParameterPanel::showSelected()
{
    const QModelIndex current = m_view->selectionModel() ? m_view->currentIndex() : QModelIndex();
    const train::TensorSnapshot* known = current.isValid() ? m_model->snapshot(current.row()) : nullptr;
    m_details->setVisible(m_model->rowCount() > 0);
    if (current.isValid())
        m_title->setText(known ? tr("%1 at step %2").arg(qs(m_model->key(current.row())), countText(known->step))
                               : qs(m_model->key(current.row())));
    else
        m_title->setText(tr("Values"));
    m_histogram->setSnapshot(known ? std::optional(*known) : std::nullopt);
    const QString none = QStringLiteral("\u2013");
    m_numbers[0]->setText(known ? numberText(known->minimum) : none);
    m_numbers[1]->setText(known ? numberText(known->maximum) : none);
    m_numbers[2]->setText(known ? numberText(known->mean) : none);
    m_numbers[3]->setText(known ? numberText(known->deviation) : none);
    m_numbers[4]->setText(known ? countText(known->zeros) : none);
    m_numbers[5]->setText(known ? countText(known->nans + known->infs) : none);
}

}  // namespace megalith::ui
