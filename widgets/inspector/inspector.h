// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document_host.h"

#include <QScrollArea>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QVBoxLayout;

namespace megalith::ui {

class AttrForm;
class TensorRows;

// What is selected on the canvas: its name, arguments, parameters and note.
class Inspector : public QScrollArea
{
    Q_OBJECT
public:
    explicit Inspector(DocumentHost& host, QWidget* parent = nullptr);

    // One node is shown; of none or several it says so.
    void showNodes(const std::vector<graph::Id>& ids);
    // Puts the keyboard into the first field.
    void focusFirst();
    graph::Id node() const { return m_node; }
    QLineEdit* nameField() const { return m_name; }
    AttrForm* form() const { return m_form; }
    TensorRows* tensors() const { return m_tensors; }
    QPlainTextEdit* note() const { return m_note; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build(QWidget* page, QVBoxLayout* layout);
    void refresh();
    void commitName();
    void commitNote();

    DocumentHost& m_host;
    graph::Id m_node = 0;
    std::size_t m_selected = 0;
    QWidget* m_details;
    QLabel *m_empty, *m_type, *m_doc, *m_flow, *m_tensorsTitle;
    QLineEdit* m_name;
    AttrForm* m_form;
    TensorRows* m_tensors;
    QPlainTextEdit* m_note;
};

}  // namespace megalith::ui
