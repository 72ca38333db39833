// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace megalith::app {

// What the window asks and tells in dialogs. Tests answer in its place.
class Questions
{
public:
    enum class Save { Save, Discard, Cancel };

    virtual ~Questions() = default;
    virtual Save saveChanges(QWidget* parent, const QString& name);
    virtual bool stopTraining(QWidget* parent);
    virtual void tell(QWidget* parent, const QString& problem);
    // Empty: cancelled.
    virtual QString fileToOpen(QWidget* parent, const QString& folder, const QString& filter);
    virtual QString fileToSave(QWidget* parent, const QString& suggested, const QString& filter);
};

}  // namespace megalith::app
