// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace megalith::ui {

// A row of the palette or of the add list: the category's bar, the name, and on the right a muted word.
class EntryDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    enum Role { CategoryRole = Qt::UserRole + 1, DetailRole, HeadingRole };

    explicit EntryDelegate(bool showDetail, QObject* parent = nullptr)
        : QStyledItemDelegate(parent)
        , m_showDetail(showDetail)
    {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    bool m_showDetail;
};

}  // namespace megalith::ui
