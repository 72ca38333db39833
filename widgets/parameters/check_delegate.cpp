// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/parameters/check_delegate.h"

#include "widgets/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

namespace megalith::ui {

// As the check boxes of forms look; a style sheet draws its indicators twice in views whose items have padding.
void CheckDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QVariant state = index.data(Qt::CheckStateRole);
    if (state.isNull()) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    const Colors& c = colors(option.palette);
    const bool on = state.toInt() == Qt::Checked;
    const bool free = index.flags() & Qt::ItemIsUserCheckable;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, c.selection);
    constexpr double side = 14;
    const QRectF box(option.rect.left() + size::gap2, option.rect.center().y() - side / 2 + 1, side, side);
    painter->setPen(QPen(on && free ? c.accent : c.line, 1));
    painter->setBrush(!on ? c.node : free ? c.accent : c.muted);
    painter->drawRoundedRect(box, 3, 3);
    if (on) {
        painter->setPen(QPen(c.onAccent, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const auto at = [&](double x, double y) { return box.topLeft() + QPointF(x, y); };
        painter->drawPolyline(QPolygonF{at(3.5, 7.5), at(6, 10), at(10.5, 4.5)});
    }
    painter->restore();
}

bool CheckDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                                const QModelIndex& index)
{
    const QVariant state = index.data(Qt::CheckStateRole);
    if (state.isNull() || !(index.flags() & Qt::ItemIsUserCheckable))
        return QStyledItemDelegate::editorEvent(event, model, option, index);
    bool toggles = false;
    if (event->type() == QEvent::KeyPress) {
        toggles = static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
    } else if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        toggles = mouse->button() == Qt::LeftButton && option.rect.contains(mouse->position().toPoint());
    }
    return toggles
           && model->setData(index, state.toInt() == Qt::Checked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

}  // namespace megalith::ui
