// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/canvas/canvas_edits.h"

#include <QPainter>

#include <memory>
#include <optional>
#include <vector>

namespace megalith::ui {

// What goes on between press and release. The document hears of it once, at the end; Esc leaves it as it was.
class Gesture
{
public:
    virtual ~Gesture() = default;
    virtual void moveTo(QPointF at, Qt::KeyboardModifiers modifiers) = 0;
    virtual void finish(QPointF at) = 0;
    virtual void cancel() = 0;
    virtual void paint(QPainter&) const {}  // over the scene, in its coordinates
    // A line at the pointer, and whether it is a refusal.
    virtual QString hint() const { return {}; }
    virtual bool hintRefuses() const { return false; }
};

// From port to port.
class WireGesture : public Gesture
{
public:
    WireGesture(CanvasScene& scene, const PortHit& start);
    ~WireGesture() override;
    void moveTo(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void finish(QPointF at) override;
    void cancel() override;
    void paint(QPainter& painter) const override;
    QString hint() const override { return m_hint; }
    bool hintRefuses() const override { return m_refuses; }

private:
    void setHot(const std::optional<PortHit>& hit);

    CanvasScene& m_scene;
    std::optional<graph::Endpoint> m_moving;  // the wire whose end is taken elsewhere
    WireOffer m_offer;
    QPointF m_at;
    std::optional<PortHit> m_hot;
    QString m_hint;
    bool m_refuses = false;
};

// Selected nodes follow the pointer, in steps of the grid.
class MoveGesture : public Gesture
{
public:
    MoveGesture(CanvasScene& scene, QPointF start, graph::Id grabbed);
    void moveTo(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void finish(QPointF at) override;
    void cancel() override;

private:
    CanvasScene& m_scene;
    QPointF m_start, m_origin, m_by;
    std::vector<graph::Id> m_ids;
};

// Selects what a rectangle touches, beside what was selected when asked to.
class BandGesture : public Gesture
{
public:
    BandGesture(CanvasScene& scene, QPointF start, bool adds);
    void moveTo(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void finish(QPointF at) override;
    void cancel() override;
    void paint(QPainter& painter) const override;

private:
    CanvasScene& m_scene;
    QPointF m_start;
    QRectF m_rect;
    std::vector<graph::Id> m_before;
};

}  // namespace megalith::ui
