// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/document.h"

#include <QLineEdit>

namespace megalith::ui {

class DocumentHost;

// Renames a node where it stands. Enter or leaving commits; a refused name stays, red, with the reason; Esc gives up.
class NameEditor : public QLineEdit
{
    Q_OBJECT
public:
    NameEditor(DocumentHost& host, QWidget* parent);
    void open(graph::Id node, const QRect& place);
    graph::Id node() const { return m_node; }

signals:
    void closed();

protected:
    bool event(QEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    bool commit();
    void leave();

    DocumentHost& m_host;
    graph::Id m_node = 0;
};

}  // namespace megalith::ui
