// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QLineEdit;
class QWidget;

namespace megalith::ui {

// Sets a property that the style sheet reads, and has it read again.
void setStyleFlag(QWidget& widget, const char* name, bool on);
// A field whose text is refused: red, with the reason as its tooltip and description. An empty reason takes it back.
void markWrong(QLineEdit& field, const QString& reason);
// The wheel over a combo box or spin box that has no focus scrolls what is around it.
void leaveWheelToParent(QWidget& widget);

}  // namespace megalith::ui
