// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document_host.h"

#include <QUndoStack>

#include <optional>

namespace megalith::app {

// The document of one window with its history and its file. Every failure of a file comes back as one sentence.
class DocumentController : public ui::DocumentHost
{
    Q_OBJECT
public:
    explicit DocumentController(QObject* parent = nullptr);

    const graph::Document& document() const override { return m_document; }
    const graph::Analysis& analysis() const override { return m_analysis; }
    QString lockReason() const override;
    QString change(const MakeEdit& make) override;

    QUndoStack& history() { return m_history; }
    // Empty: never saved.
    const QString& path() const { return m_path; }
    QString folder() const;
    // "digits-mlp", "untitled"
    QString title() const;
    bool isDirty() const;
    // Values that no file has yet.
    void setValuesDirty(bool dirty);

    void setDocument(graph::Document document, const QString& path);
    // Each returns what went wrong, empty when done. A document that cannot be opened leaves the present one.
    QString open(const QString& path);
    QString save(const QString& path);
    // Written beside the project; takes no part in the history, since it says where a file is and not what the network is.
    void setWeightsFile(const QString& relative);

    void setTrainingLock(const QString& reason);
    // What is known of the data; the document is checked against it.
    void setFacts(std::optional<graph::DataFacts> facts);
    // The first error, or empty: why it cannot be trained.
    const graph::Diagnostic* firstError() const;

signals:
    void dirtyChanged();
    void fileChanged();  // another path or title

private:
    friend class EditCommand;
    void applied(const graph::Edit& edit);
    void analyze();

    graph::Document m_document;
    graph::Analysis m_analysis;
    std::optional<graph::DataFacts> m_facts;
    QUndoStack m_history;
    QString m_path;
    QString m_lock;
    bool m_valuesDirty = false;
};

}  // namespace megalith::app
