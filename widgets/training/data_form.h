// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document_host.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace megalith::ui {

class AttrForm;

// Where the samples come from, how many are kept for validation, how they are scaled.
class DataForm : public QWidget
{
    Q_OBJECT
public:
    DataForm(DocumentHost& host, std::vector<std::string> sources, QWidget* parent = nullptr);
    void refresh();
    QComboBox* source() const { return m_source; }
    AttrForm* form() const { return m_form; }

signals:
    void fileWanted();  // the user wants to choose the file; answered by setPath()

public slots:
    void setPath(const QString& path);

private:
    QString set(std::string_view key, std::optional<Value> value);

    DocumentHost& m_host;
    QComboBox* m_source;
    QLabel* m_pathLabel;
    QLineEdit* m_path;
    QToolButton* m_browse;
    AttrForm* m_form;
};

}  // namespace megalith::ui
