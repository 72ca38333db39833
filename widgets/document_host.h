// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/check.h"
#include "engine/graph/document.h"
#include "engine/graph/edit.h"

#include <QObject>
#include <QString>

#include <functional>

namespace megalith::ui {

// What a part of the window sees of a project: the document, what is known of it, and the one way to change it.
// Parts keep ids, never pointers into the document.
class DocumentHost : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    virtual const graph::Document& document() const = 0;
    virtual const graph::Analysis& analysis() const = 0;
    // Why nothing may be changed now; empty when it may.
    virtual QString lockReason() const = 0;

    // Makes an edit from the document as it is and applies it as one entry of the history. Returns why it was refused, one
    // sentence; empty when it was done, or when there was nothing to do. A refusal is also announced by refused().
    using MakeEdit = std::function<graph::Edit(const graph::Document&)>;
    virtual QString change(const MakeEdit& make) = 0;

    bool isLocked() const { return !lockReason().isEmpty(); }

signals:
    // After an edit, an undo or a redo: document and analysis are up to date.
    void changed(const graph::Touched& touched);
    // Another document, or one of which nothing is to be assumed.
    void reset();
    void lockChanged();
    void refused(const QString& reason);
};

}  // namespace megalith::ui
