// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/error.h"
#include "widgets/document_host.h"

#include <QApplication>
#include <QMouseEvent>
#include <QWidget>

#include <vector>

// A document with a history and nothing else.
class TestHost : public megalith::ui::DocumentHost
{
public:
    TestHost() { m_analysis = megalith::graph::analyze(m_document, nullptr); }

    const megalith::graph::Document& document() const override { return m_document; }
    const megalith::graph::Analysis& analysis() const override { return m_analysis; }
    QString lockReason() const override { return m_lock; }

    QString change(const MakeEdit& make) override
    {
        try {
            const megalith::graph::Edit edit = make(m_document);
            if (megalith::graph::isEmpty(edit))
                return {};
            const megalith::graph::Document before = m_document;
            megalith::graph::Edit inverse = megalith::graph::apply(m_document, edit);
            if (m_document.sameContent(before))
                return {};
            m_undo.push_back(std::move(inverse));
            m_redo.clear();
            follow(edit);
            return {};
        } catch (const megalith::Error& error) {
            const QString reason = QString::fromUtf8(error.what());
            emit refused(reason);
            return reason;
        }
    }

    void undo() { step(m_undo, m_redo); }
    void redo() { step(m_redo, m_undo); }
    std::size_t entries() const { return m_undo.size(); }
    void lock(const QString& reason)
    {
        m_lock = reason;
        emit lockChanged();
    }

    // Returns its id.
    megalith::graph::Id add(const char* type, double x, double y)
    {
        megalith::graph::Id id = 0;
        change([&](const megalith::graph::Document& d) {
            megalith::graph::Added added = megalith::graph::addNode(d, "", type, {x, y});
            id = added.id;
            return added.edit;
        });
        return id;
    }
    void join(megalith::graph::Id from, megalith::graph::Id to)
    {
        change([&](const megalith::graph::Document& d) {
            return megalith::graph::connect(d, "", {from, "output"}, {to, "input"});
        });
    }
    void set(megalith::graph::Id node, const char* attr, megalith::Value value)
    {
        change([&](const megalith::graph::Document& d) { return megalith::graph::setAttr(d, node, attr, value); });
    }
    const megalith::graph::Node* node(megalith::graph::Id id) const { return m_document.node(id); }

private:
    void step(std::vector<megalith::graph::Edit>& from, std::vector<megalith::graph::Edit>& to)
    {
        if (from.empty())
            return;
        const megalith::graph::Edit edit = std::move(from.back());
        from.pop_back();
        to.push_back(megalith::graph::apply(m_document, edit));
        follow(edit);
    }
    void follow(const megalith::graph::Edit& edit)
    {
        m_analysis = megalith::graph::analyze(m_document, nullptr);
        emit changed(megalith::graph::touched(edit));
    }

    megalith::graph::Document m_document;
    megalith::graph::Analysis m_analysis;
    std::vector<megalith::graph::Edit> m_undo, m_redo;
    QString m_lock;
};

// A mouse with its buttons held between calls.
class Mouse
{
public:
    explicit Mouse(QWidget* target) : m_target(target) {}

    void press(QPoint at, Qt::MouseButton button = Qt::LeftButton, Qt::KeyboardModifiers keys = {})
    {
        m_held |= button;
        send(QEvent::MouseButtonPress, at, button, keys);
    }
    void move(QPoint at, Qt::KeyboardModifiers keys = {}) { send(QEvent::MouseMove, at, Qt::NoButton, keys); }
    void release(QPoint at, Qt::MouseButton button = Qt::LeftButton, Qt::KeyboardModifiers keys = {})
    {
        m_held &= ~Qt::MouseButtons(button);
        send(QEvent::MouseButtonRelease, at, button, keys);
    }
    void click(QPoint at, Qt::MouseButton button = Qt::LeftButton, Qt::KeyboardModifiers keys = {})
    {
        press(at, button, keys);
        release(at, button, keys);
    }
    void drag(QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton, Qt::KeyboardModifiers keys = {})
    {
        press(from, button, keys);
        for (int i = 1; i <= 8; ++i)
            move(from + (to - from) * i / 8, keys);
        release(to, button, keys);
    }
    void doubleClick(QPoint at)
    {
        click(at);
        send(QEvent::MouseButtonDblClick, at, Qt::LeftButton, {});
        send(QEvent::MouseButtonRelease, at, Qt::LeftButton, {});
    }

private:
    void send(QEvent::Type type, QPoint at, Qt::MouseButton button, Qt::KeyboardModifiers keys)
    {
        QMouseEvent event(type, at, m_target->mapToGlobal(at), button, m_held, keys);
        QApplication::sendEvent(m_target, &event);
    }

    QWidget* m_target;
    Qt::MouseButtons m_held;
};
