// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/problem_list.h"

#include "widgets/field.h"
#include "widgets/panels/problem_model.h"
#include "widgets/text.h"
#include "widgets/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>

namespace megalith::ui {

namespace {

// A mark with a sign in it: nothing is said by colour alone.
class ProblemDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyleOptionViewItem moved = option;
        if (index.column() == ProblemModel::Where)
            moved.rect.setLeft(moved.rect.left() + 24);
        QStyledItemDelegate::paint(painter, moved, index);
        if (index.column() != ProblemModel::Where)
            return;
        const auto* model = static_cast<const ProblemModel*>(index.model());
        const graph::Severity severity = model->at(index.row()).severity;
        const Colors& c = colors(option.palette);
        const bool error = severity == graph::Severity::Error, warning = severity == graph::Severity::Warning;
        const QRectF mark(option.rect.left() + 6, option.rect.center().y() - 7, 14, 14);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(error ? c.error : warning ? c.warning : c.muted);
        if (error)
            painter->drawEllipse(mark);
        else
            painter->drawRoundedRect(mark, 3, 3);
        QFont font = smallFont();
        font.setWeight(QFont::Bold);
        painter->setFont(font);
        painter->setPen(c.node);
        painter->drawText(mark, Qt::AlignCenter,
                          error     ? QStringLiteral("\u00D7")
                          : warning ? QStringLiteral("!")
                                    : QStringLiteral("i"));
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QSize hint = QStyledItemDelegate::sizeHint(option, index);
        hint.setHeight(std::max(hint.height(), size::rowHeight));
        if (index.column() == ProblemModel::Where)
            hint.rwidth() += 24;
        return hint;
    }
};

}  // namespace

ProblemList::ProblemList(DocumentHost& host, QWidget* parent)
    : QWidget(parent)
    , m_host(host)
    , m_model(new ProblemModel(host, this))
    , m_view(new QTreeView(this))
    , m_empty(new QLabel(this))
{
    m_view->setModel(m_model);
    m_view->setItemDelegate(new ProblemDelegate(m_view));
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setAccessibleName(tr("Problems"));
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->header()->resizeSection(ProblemModel::Where, 200);
    m_view->header()->setStretchLastSection(true);
    m_empty->setText(tr("No problems. What check finds wrong is listed here."));
    m_empty->setMargin(size::gap4);
    setStyleFlag(*m_empty, "muted", true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(size::gap2, 0, size::gap2, 0);
    layout->setSpacing(0);
    layout->addWidget(m_empty, 0, Qt::AlignTop);
    layout->addWidget(m_view, 1);
    connect(m_view, &QTreeView::activated, this, &ProblemList::activate);
    connect(m_view, &QTreeView::customContextMenuRequested, this, &ProblemList::showMenu);
    connect(m_model, &QAbstractItemModel::modelReset, this, &ProblemList::follow);
    follow();
}

void ProblemList::follow()
{
    m_empty->setVisible(m_model->rowCount() == 0);
    m_view->setVisible(m_model->rowCount() > 0);
    emit countChanged(static_cast<int>(m_host.analysis().errors), static_cast<int>(m_host.analysis().warnings));
}

void ProblemList::activate(const QModelIndex& index)
{
    if (!index.isValid())
        return;
    const graph::Diagnostic& problem = m_model->at(index.row());
    if (problem.node != 0)
        emit nodeWanted(problem.node);
    else
        emit settingWanted(qs(problem.path));
}

void ProblemList::showMenu(QPoint at)
{
    const QModelIndex index = m_view->indexAt(at);
    if (!index.isValid())
        return;
    const graph::Diagnostic problem = m_model->at(index.row());
    QMenu menu(this);
    menu.addAction(tr("Go there"), this, [this, index] { activate(index); });
    for (const graph::Fix& fix : problem.fixes) {
        menu.addAction(qs(fix.text), this,
                       [this, fix] {
                           m_host.change([&](const graph::Document&) {
                               return graph::Edit{graph::Composite{fix.text, {fix.edit}}};
                           });
                       })
            ->setEnabled(!m_host.isLocked());
    }
    menu.exec(m_view->viewport()->mapToGlobal(at));
}

}  // namespace megalith::ui
