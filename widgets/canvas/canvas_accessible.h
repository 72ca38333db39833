// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/document.h"

#include <QAccessibleWidget>

#include <map>
#include <vector>

namespace megalith::ui {

class CanvasView;

// What a screen reader finds on the canvas: one child for each node, in the order of their ids.
class CanvasAccessible : public QAccessibleWidget
{
public:
    explicit CanvasAccessible(CanvasView* view);
    ~CanvasAccessible() override;

    int childCount() const override;
    QAccessibleInterface* child(int index) const override;
    QAccessibleInterface* childAt(int x, int y) const override;
    int indexOfChild(const QAccessibleInterface* child) const override;
    QAccessibleInterface* focusChild() const override;

    // For QAccessible::installFactory.
    static QAccessibleInterface* make(const QString& className, QObject* object);

private:
    CanvasView& view() const;
    QAccessibleInterface* interfaceOf(graph::Id node) const;
    std::vector<graph::Id> nodes() const;

    mutable std::map<graph::Id, QAccessible::Id> m_children;
};

}  // namespace megalith::ui
