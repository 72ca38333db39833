// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document_host.h"

#include <QScrollArea>

namespace megalith::ui {

class AttrForm;
class DataForm;
class TypedForm;

// How the network is trained: data, loss, optimizer, schedule and the rest of the project's "training". Every change is an
// edit of the document.
class TrainingForm : public QScrollArea
{
    Q_OBJECT
public:
    TrainingForm(DocumentHost& host, std::vector<std::string> sources, QWidget* parent = nullptr);
    DataForm* data() const { return m_data; }
    TypedForm* loss() const { return m_loss; }
    TypedForm* optimizer() const { return m_optimizer; }
    TypedForm* scheduler() const { return m_scheduler; }
    AttrForm* form() const { return m_form; }

private:
    void refresh();

    DocumentHost& m_host;
    QWidget* m_page;
    DataForm* m_data;
    TypedForm *m_loss, *m_optimizer, *m_scheduler;
    AttrForm* m_form;
};

}  // namespace megalith::ui
