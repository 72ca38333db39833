// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document_host.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QListWidget;

namespace megalith::ui {

// All modules by category, or what a search finds. Enter or a double click adds.
class ModulePalette : public QWidget
{
    Q_OBJECT
public:
    explicit ModulePalette(DocumentHost& host, QWidget* parent = nullptr);
    QLineEdit* search() const { return m_search; }
    QListWidget* list() const { return m_list; }

signals:
    void chosen(const QString& type);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill();

    DocumentHost& m_host;
    QLineEdit* m_search;
    QListWidget* m_list;
    QLabel* m_empty;
};

}  // namespace megalith::ui
