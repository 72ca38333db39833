// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/entry_delegate.h"

#include "widgets/theme.h"

#include <QPainter>

namespace megalith::ui {

void EntryDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Colors& c = colors(option.palette);
    const QRect row = option.rect;
    const QString name = index.data(Qt::DisplayRole).toString();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (index.data(HeadingRole).toBool()) {
        QFont font = smallFont();
        font.setWeight(QFont::DemiBold);
        painter->setFont(font);
        painter->setPen(c.muted);
        painter->drawText(row.adjusted(size::gap1, size::gap2, -size::gap1, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
        painter->restore();
        return;
    }
    if (option.state & (QStyle::State_Selected | QStyle::State_MouseOver)) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(option.state & QStyle::State_Selected ? c.selection : c.head);
        painter->drawRoundedRect(row.adjusted(0, 1, 0, -1), 4, 4);
    }
    painter->setPen(Qt::NoPen);
    painter->setBrush(categoryColor(static_cast<nn::Category>(index.data(CategoryRole).toInt())));
    painter->drawRoundedRect(QRect(row.left(), row.top() + 2, 4, row.height() - 4), 2, 2);
    QRect text = row.adjusted(size::gap3, 0, -size::gap2, 0);
    if (m_showDetail) {
        const QString detail = index.data(DetailRole).toString();
        painter->setFont(smallFont());
        painter->setPen(c.muted);
        painter->drawText(text, Qt::AlignRight | Qt::AlignVCenter, detail);
        text.setRight(text.right() - QFontMetrics(smallFont()).horizontalAdvance(detail) - size::gap2);
    }
    painter->setFont(option.font);
    painter->setPen(c.text);
    painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(name, Qt::ElideRight, text.width()));
    painter->restore();
}

QSize EntryDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const int height = index.data(HeadingRole).toBool() ? size::rowHeight + size::gap1 : size::rowHeight;
    return {120, std::max(height, option.fontMetrics.height() + size::gap1)};
}

}  // namespace megalith::ui
