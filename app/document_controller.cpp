// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/document_controller.h"

#include "engine/core/error.h"
#include "engine/io/project_io.h"
#include "widgets/text.h"

#include <QFileInfo>
#include <QUndoCommand>

#include <filesystem>

namespace megalith::app {

using ui::qs;
using ui::ss;

// One entry of the history: an edit that was applied already, and the one that takes it back.
class EditCommand : public QUndoCommand
{
public:
    EditCommand(DocumentController& owner, graph::Edit edit, graph::Edit inverse)
        : QUndoCommand(qs(graph::describe(edit)))
        , m_owner(owner)
        , m_edit(std::move(edit))
        , m_inverse(std::move(inverse))
    {}

    void undo() override
    {
        m_edit = graph::apply(m_owner.m_document, m_inverse);
        m_owner.applied(m_inverse);
    }

    void redo() override
    {
        // The first time it is pushed, after it was applied.
        if (std::exchange(m_fresh, false))
            return;
        m_inverse = graph::apply(m_owner.m_document, m_edit);
        m_owner.applied(m_edit);
    }

private:
    DocumentController& m_owner;
    graph::Edit m_edit, m_inverse;
    bool m_fresh = true;
};

DocumentController::DocumentController(QObject* parent) : DocumentHost(parent)
{
    connect(&m_history, &QUndoStack::cleanChanged, this, [this] { emit dirtyChanged(); });
    analyze();
}

QString DocumentController::lockReason() const
{
    if (!m_lock.isEmpty())
        return m_lock;
    if (m_document.readOnly())
        return tr("This project was written by a newer version: it can be looked at, not changed");
    return {};
}

QString DocumentController::change(const MakeEdit& make)
{
    if (const QString reason = lockReason(); !reason.isEmpty()) {
        emit refused(reason);
        return reason;
    }
    try {
        graph::Edit edit = make(m_document);
        if (graph::isEmpty(edit))
            return {};
        const graph::Document before = m_document;
        graph::Edit inverse = graph::apply(m_document, edit);
        // An entry that changes nothing would cost the redo branch.
        if (m_document.sameContent(before))
            return {};
        const graph::Edit done = edit;
        m_history.push(new EditCommand(*this, std::move(edit), std::move(inverse)));
        applied(done);
        return {};
    } catch (const Error& error) {
        const QString reason = qs(error.what());
        emit refused(reason);
        return reason;
    }
}

void DocumentController::applied(const graph::Edit& edit)
{
    analyze();
    const graph::Touched touched = graph::touched(edit);
    emit changed(touched);
    if (touched.project)
        emit fileChanged();
}

void DocumentController::analyze()
{
    graph::CheckOptions options;
    options.facts = m_facts ? &*m_facts : nullptr;
    m_analysis = graph::analyze(m_document, options);
}

QString DocumentController::folder() const
{
    return m_path.isEmpty() ? QString() : QFileInfo(m_path).absolutePath();
}

QString DocumentController::title() const
{
    if (!m_path.isEmpty())
        return QFileInfo(m_path).completeBaseName();
    return m_document.name.empty() ? tr("untitled") : qs(m_document.name);
}

bool DocumentController::isDirty() const
{
    return !m_history.isClean() || m_valuesDirty;
}

void DocumentController::setValuesDirty(bool dirty)
{
    if (m_valuesDirty == dirty)
        return;
    m_valuesDirty = dirty;
    emit dirtyChanged();
}

void DocumentController::setDocument(graph::Document document, const QString& path)
{
    m_document = std::move(document);
    m_path = path;
    m_valuesDirty = false;
    m_facts.reset();
    m_history.clear();
    analyze();
    emit reset();
    emit fileChanged();
    emit dirtyChanged();
}

QString DocumentController::open(const QString& path)
{
    try {
        const QString absolute = QFileInfo(path).absoluteFilePath();
        setDocument(io::readProject(std::filesystem::path(absolute.toStdU16String())), absolute);
        return {};
    } catch (const Error& error) {
        return qs(error.what());
    }
}

QString DocumentController::save(const QString& path)
{
    try {
        const QString absolute = QFileInfo(path).absoluteFilePath();
        io::saveProject(m_document, std::filesystem::path(absolute.toStdU16String()));
        m_path = absolute;
        m_history.setClean();
        emit fileChanged();
        emit dirtyChanged();
        return {};
    } catch (const Error& error) {
        return qs(error.what());
    }
}

void DocumentController::setWeightsFile(const QString& relative)
{
    if (qs(m_document.weights) != relative && !m_document.readOnly())
        graph::apply(m_document, {graph::SetProject{"weights", Value(ss(relative))}});
}

void DocumentController::setTrainingLock(const QString& reason)
{
    if (m_lock == reason)
        return;
    m_lock = reason;
    emit lockChanged();
}

void DocumentController::setFacts(std::optional<graph::DataFacts> facts)
{
    m_facts = std::move(facts);
    analyze();
    emit changed({});
}

const graph::Diagnostic* DocumentController::firstError() const
{
    for (const graph::Diagnostic& diagnostic : m_analysis.diagnostics)
        if (diagnostic.severity == graph::Severity::Error)
            return &diagnostic;
    return nullptr;
}

}  // namespace megalith::app
