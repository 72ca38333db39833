// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/name_editor.h"

#include "widgets/document_host.h"
#include "widgets/field.h"
#include "widgets/text.h"

#include <QKeyEvent>
#include <QToolTip>

namespace megalith::ui {

NameEditor::NameEditor(DocumentHost& host, QWidget* parent) : QLineEdit(parent), m_host(host)
{
    setAccessibleName(tr("Name of the node"));
    connect(this, &QLineEdit::textEdited, this, [this] { markWrong(*this, {}); });
    hide();
}

void NameEditor::open(graph::Id node, const QRect& place)
{
    const graph::Node* found = m_host.document().node(node);
    if (!found)
        return;
    m_node = node;
    setText(qs(found->name));
    markWrong(*this, {});
    setGeometry(place);
    show();
    raise();
    selectAll();
    setFocus();
}

bool NameEditor::commit()
{
    const graph::Node* found = m_host.document().node(m_node);
    if (!found || qs(found->name) == text())
        return true;
    const std::string name = ss(text());
    const graph::Id node = m_node;
    const QString refused =
        m_host.change([&](const graph::Document& document) { return graph::rename(document, node, name); });
    if (refused.isEmpty())
        return true;
    markWrong(*this, refused);
    QToolTip::showText(mapToGlobal(QPoint(0, height())), refused, this);
    return false;
}

void NameEditor::leave()
{
    m_node = 0;
    hide();
    emit closed();
}

bool NameEditor::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape) {
            leave();
            return true;
        }
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            if (commit())
                leave();
            return true;
        }
    }
    return QLineEdit::event(event);
}

void NameEditor::focusOutEvent(QFocusEvent* event)
{
    QLineEdit::focusOutEvent(event);
    if (m_node == 0 || event->reason() == Qt::PopupFocusReason)
        return;
    // A name that is refused is given up, with the reason in the log: there is no place to stay red in.
    commit();
    leave();
}

}  // namespace megalith::ui
