// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/add_list.h"

#include "widgets/entry_delegate.h"
#include "widgets/theme.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace megalith::ui {

AddList::AddList(QWidget* parent) : QFrame(parent), m_search(new QLineEdit(this)), m_list(new QListWidget(this))
{
    setObjectName(QStringLiteral("addList"));
    setAttribute(Qt::WA_StyledBackground);
    m_search->setPlaceholderText(tr("Add a module"));
    m_search->setAccessibleName(tr("Search a module to add"));
    m_search->setClearButtonEnabled(true);
    m_list->setAccessibleName(tr("Modules found"));
    m_list->setItemDelegate(new EntryDelegate(true, m_list));
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setFocusPolicy(Qt::NoFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(size::gap2, size::gap2, size::gap2, size::gap2);
    layout->setSpacing(size::gap2);
    layout->addWidget(m_search);
    layout->addWidget(m_list);
    m_search->installEventFilter(this);
    connect(m_search, &QLineEdit::textChanged, this, [this] { fill(); });
    connect(m_list, &QListWidget::itemClicked, this, [this] { take(); });
    hide();
}

void AddList::open(QPoint at, std::vector<ModuleEntry> entries)
{
    m_entries = std::move(entries);
    m_roomHeight = std::min(340, parentWidget()->height() - 2 * size::gap2);
    const QSize wanted(280, m_roomHeight);
    const QPoint latest(parentWidget()->width() - wanted.width() - size::gap2,
                        parentWidget()->height() - wanted.height() - size::gap2);
    const QPoint place(std::clamp(at.x(), size::gap2, std::max(latest.x(), size::gap2)),
                       std::clamp(at.y(), size::gap2, std::max(latest.y(), size::gap2)));
    setGeometry(QRect(place, wanted));
    m_search->clear();
    fill();
    show();
    raise();
    m_search->setFocus();
}

void AddList::fill()
{
    m_list->clear();
    for (const ModuleEntry& entry : searchModules(m_entries, m_search->text())) {
        auto* item = new QListWidgetItem(entry.type, m_list);
        item->setToolTip(entry.doc);
        item->setData(EntryDelegate::CategoryRole, static_cast<int>(entry.category));
        item->setData(EntryDelegate::DetailRole, categoryTitle(entry.category));
    }
    m_list->setCurrentRow(0);
    // As high as what was found.
    const int row = std::max(m_list->sizeHintForRow(0), size::rowHeight);
    const int wanted = m_search->sizeHint().height() + std::max(m_list->count(), 1) * row + 3 * size::gap2 + 2;
    resize(width(), std::min(wanted, m_roomHeight));
}

void AddList::take()
{
    const QListWidgetItem* item = m_list->currentItem();
    if (!item)
        return;
    const QString type = item->text();
    hide();
    emit chosen(type);
    emit closed();
}

bool AddList::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusOut && isVisible()) {
        hide();
        return QFrame::eventFilter(watched, event);
    }
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    if (event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    const int step = key->key() == Qt::Key_Down       ? 1
                     : key->key() == Qt::Key_Up       ? -1
                     : key->key() == Qt::Key_PageDown ? 8
                     : key->key() == Qt::Key_PageUp   ? -8
                                                      : 0;
    if (step != 0 && m_list->count() > 0) {
        m_list->setCurrentRow(std::clamp(m_list->currentRow() + step, 0, m_list->count() - 1));
        return true;
    }
    switch (key->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Tab: take(); return true;
    case Qt::Key_Escape:
        hide();
        emit closed();
        return true;
    default: return QFrame::eventFilter(watched, event);
    }
}

}  // namespace megalith::ui
