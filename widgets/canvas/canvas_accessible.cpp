// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/canvas_accessible.h"

#include "widgets/canvas/canvas_view.h"

#include <QCoreApplication>
#include <QPointer>

#include <algorithm>

namespace megalith::ui {

namespace {

// One node. Knows its id alone: the node may be gone by the time somebody asks.
class NodeAccessible : public QAccessibleInterface
{
public:
    NodeAccessible(CanvasView* view, graph::Id node) : m_view(view), m_node(node) {}

    graph::Id node() const { return m_node; }
    bool isValid() const override { return m_view && item() != nullptr; }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_view.data()); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    void setText(QAccessible::Text, const QString&) override {}

    QString text(QAccessible::Text wanted) const override
    {
        if (!isValid())
            return {};
        const NodeLook& look = item()->look();
        if (wanted == QAccessible::Name)
            return look.name + QStringLiteral(", ") + look.type;
        if (wanted != QAccessible::Description)
            return {};
        QStringList parts;
        for (const QString& part : {look.attributes, look.shape, look.frozen, look.problem})
            if (!part.isEmpty())
                parts << part;
        if (!look.count.isEmpty())
            parts << QCoreApplication::translate("Canvas", "%1 parameters").arg(look.count);
        return parts.join(QStringLiteral(", "));
    }

    QRect rect() const override
    {
        if (!isValid())
            return {};
        const QRect place = m_view->mapFromScene(item()->bodyRect()).boundingRect();
        return {m_view->viewport()->mapToGlobal(place.topLeft()), place.size()};
    }

    QAccessible::State state() const override
    {
        QAccessible::State state;
        state.selectable = state.focusable = true;
        state.invalid = !isValid();
        state.selected = isValid() && item()->isSelected();
        state.focused = state.selected && m_view->hasFocus();
        return state;
    }

private:
    NodeItem* item() const { return m_view->canvas().node(m_node); }

    QPointer<CanvasView> m_view;
    graph::Id m_node;
};

}  // namespace

CanvasAccessible::CanvasAccessible(CanvasView* view) : QAccessibleWidget(view, QAccessible::List) {}

CanvasAccessible::~CanvasAccessible()
{
    for (const auto& [node, id] : m_children)
        QAccessible::deleteAccessibleInterface(id);
}

QAccessibleInterface* CanvasAccessible::make(const QString& className, QObject* object)
{
    auto* view = className == QLatin1String("megalith::ui::CanvasView") ? qobject_cast<CanvasView*>(object) : nullptr;
    return view ? new CanvasAccessible(view) : nullptr;
}

CanvasView& CanvasAccessible::view() const
{
    return *static_cast<CanvasView*>(widget());
}

std::vector<graph::Id> CanvasAccessible::nodes() const
{
    std::vector<graph::Id> ids;
    for (const auto& [id, node] : view().canvas().body().nodes)
        ids.push_back(id);
    return ids;
}

QAccessibleInterface* CanvasAccessible::interfaceOf(graph::Id node) const
{
    const auto known = m_children.find(node);
    if (known != m_children.end())
        return QAccessible::accessibleInterface(known->second);
    auto* made = new NodeAccessible(&view(), node);
    m_children[node] = QAccessible::registerAccessibleInterface(made);
    return made;
}

int CanvasAccessible::childCount() const
{
    return static_cast<int>(view().canvas().nodeCount());
}

QAccessibleInterface* CanvasAccessible::child(int index) const
{
    const std::vector<graph::Id> ids = nodes();
    if (index < 0 || index >= static_cast<int>(ids.size()))
        return nullptr;
    return interfaceOf(ids[static_cast<std::size_t>(index)]);
}

QAccessibleInterface* CanvasAccessible::childAt(int x, int y) const
{
    const QPoint at = view().viewport()->mapFromGlobal(QPoint(x, y));
    const NodeItem* item = view().canvas().nodeAt(view().mapToScene(at));
    return item ? interfaceOf(item->id()) : nullptr;
}

int CanvasAccessible::indexOfChild(const QAccessibleInterface* child) const
{
    const std::vector<graph::Id> ids = nodes();
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (interfaceOf(ids[i]) == child)
            return static_cast<int>(i);
    return -1;
}

QAccessibleInterface* CanvasAccessible::focusChild() const
{
    const std::vector<graph::Id> selected = view().canvas().selectedNodes();
    return selected.size() == 1 ? interfaceOf(selected.front()) : nullptr;
}

}  // namespace megalith::ui
