// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/canvas/canvas_scene.h"

#include <QGraphicsView>

#include <memory>
#include <optional>

class QLabel;
class QMenu;

namespace megalith::ui {

class AddList;
class Gesture;
class NameEditor;

// The node editor. Turns mouse and keys into edits for the host; keeps zoom, selection and place to itself.
class CanvasView : public QGraphicsView
{
    Q_OBJECT
public:
    explicit CanvasView(DocumentHost& host, QWidget* parent = nullptr);
    ~CanvasView() override;

    CanvasScene& canvas() const { return *m_scene; }
    AddList& addList() const { return *m_addList; }
    NameEditor& nameEditor() const { return *m_nameEditor; }
    double zoom() const { return transform().m11(); }

    void zoomTo(double zoom, QPoint anchor);
    void zoomBy(double factor);
    void fit();
    void goTo(graph::Id node);  // selects it and brings it into view
    void openAddList(QPoint at, graph::Id behind = 0);
    // Adds in the middle of what is seen, behind the one selected node when there is one.
    void addModuleHere(const QString& type);
    void renameSelected();
    void deleteSelected(bool bridge = false);
    void duplicateSelected();
    void freezeSelected();
    void selectAll();

signals:
    void selectionChanged(const std::vector<graph::Id>& ids);
    void zoomChanged(double zoom);
    void nodeActivated(graph::Id node);  // Enter or a double click

protected:
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;

private:
    void addModuleAt(const QString& type, QPointF at, graph::Id behind);
    void pressLeft(QMouseEvent* event);
    void pressNode(NodeItem& node, QPointF at, Qt::KeyboardModifiers modifiers);
    void beginGesture(std::unique_ptr<Gesture> gesture);
    void endGesture(bool finish, QPointF at);
    void hover(QPoint at);
    void showHint(const QString& text, bool refuses, QPoint at);
    bool refuseWhenLocked();
    bool nudge(int key, bool far);
    void endNudge();
    void nodeMenu(QMenu& menu, graph::Id node);
    void connectMenu(QMenu& menu, graph::Id node);
    void retint();
    void updateOverlays();
    void placeOverlays();

    DocumentHost& m_host;
    CanvasScene* m_scene;
    AddList* m_addList;
    NameEditor* m_nameEditor;
    QLabel *m_where, *m_totals, *m_notice, *m_empty, *m_hint;

    std::unique_ptr<Gesture> m_gesture;
    std::optional<QPoint> m_pressed;  // a node under the pointer, not yet moved
    graph::Id m_pressedNode = 0;
    bool m_selectOnRelease = false;
    std::optional<QPoint> m_panFrom;
    bool m_space = false;
    QPointF m_nudge;
    std::vector<graph::Id> m_nudged;
    QPointF m_addAt;
    graph::Id m_addBehind = 0;
    bool m_neverShown = true;
};

}  // namespace megalith::ui
