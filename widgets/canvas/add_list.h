// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/module_search.h"

#include <QFrame>

class QLineEdit;
class QListWidget;

namespace megalith::ui {

// Type to find a module, Enter or a click takes it, Esc closes. Lies over the canvas at the place where the module will stand.
class AddList : public QFrame
{
    Q_OBJECT
public:
    explicit AddList(QWidget* parent);
    void open(QPoint at, std::vector<ModuleEntry> entries);

    QLineEdit* search() const { return m_search; }
    QListWidget* list() const { return m_list; }

signals:
    void chosen(const QString& type);
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill();
    void take();

    std::vector<ModuleEntry> m_entries;
    QLineEdit* m_search;
    QListWidget* m_list;
    int m_roomHeight = 340;
};

}  // namespace megalith::ui
