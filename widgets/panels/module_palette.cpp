// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/module_palette.h"

#include "widgets/entry_delegate.h"
#include "widgets/field.h"
#include "widgets/module_search.h"
#include "widgets/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

namespace megalith::ui {

ModulePalette::ModulePalette(DocumentHost& host, QWidget* parent)
    : QWidget(parent)
    , m_host(host)
    , m_search(new QLineEdit(this))
    , m_list(new QListWidget(this))
    , m_empty(new QLabel(this))
{
    m_search->setPlaceholderText(tr("Search"));
    m_search->setAccessibleName(tr("Search modules"));
    m_search->setToolTip(tr("By name, other names or description. Enter adds the first one."));
    m_search->setClearButtonEnabled(true);
    m_list->setAccessibleName(tr("Modules"));
    m_list->setItemDelegate(new EntryDelegate(false, m_list));
    m_list->setMouseTracking(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_empty->setText(tr("No module fits. Clear the search to see all."));
    m_empty->setWordWrap(true);
    setStyleFlag(*m_empty, "muted", true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(size::gap3, size::gap2, 0, 0);
    layout->setSpacing(size::gap2);
    auto* searchRow = new QHBoxLayout;
    searchRow->setContentsMargins(0, 0, size::gap3, 0);
    searchRow->addWidget(m_search);
    layout->addLayout(searchRow);
    layout->addWidget(m_empty);
    layout->addWidget(m_list, 1);
    m_search->installEventFilter(this);
    connect(m_search, &QLineEdit::textChanged, this, [this] { fill(); });
    connect(m_list, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
        if (!item->data(EntryDelegate::HeadingRole).toBool())
            emit chosen(item->text());
    });
    connect(&host, &DocumentHost::reset, this, [this] { fill(); });
    connect(&host, &DocumentHost::changed, this, [this](const graph::Touched& touched) {
        if (!touched.modules.empty())
            fill();
    });
    fill();
}

void ModulePalette::fill()
{
    m_list->clear();
    const QString query = m_search->text().trimmed();
    std::optional<std::pair<nn::Category, bool>> section;
    for (const ModuleEntry& entry : searchModules(moduleEntries(m_host.document()), query)) {
        const std::pair wanted(entry.category, entry.composed);
        if (query.isEmpty() && section != wanted) {
            section = wanted;
            auto* heading = new QListWidgetItem(entry.composed ? tr("Yours") : categoryTitle(entry.category), m_list);
            heading->setData(EntryDelegate::HeadingRole, true);
            heading->setFlags(Qt::ItemIsEnabled);
        }
        auto* item = new QListWidgetItem(entry.type, m_list);
        item->setToolTip(entry.doc + QStringLiteral("\n") + tr("Double-click or press Enter to add"));
        item->setData(EntryDelegate::CategoryRole, static_cast<int>(entry.category));
    }
    m_empty->setVisible(m_list->count() == 0);
    if (!query.isEmpty())
        m_list->setCurrentRow(0);
}

bool ModulePalette::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_list->currentItem()) {
            emit chosen(m_list->currentItem()->text());
            return true;
        }
        if (key == Qt::Key_Down) {
            m_list->setFocus();
            m_list->setCurrentRow(std::max(m_list->currentRow(), m_search->text().isEmpty() ? 1 : 0));
            return true;
        }
        if (key == Qt::Key_Escape && !m_search->text().isEmpty()) {
            m_search->clear();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace megalith::ui
