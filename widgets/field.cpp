// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/field.h"

#include <QEvent>
#include <QLineEdit>
#include <QStyle>
#include <QVariant>
#include <QWidget>

namespace megalith::ui {

namespace {

class WheelGuard : public QObject
{
public:
    explicit WheelGuard(QWidget& widget) : QObject(&widget) {}

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus())
            return false;
        event->ignore();
        return true;
    }
};

constexpr auto usualTip = "megalith_usual_tip";

}  // namespace

void setStyleFlag(QWidget& widget, const char* name, bool on)
{
    if (widget.property(name).toBool() == on)
        return;
    widget.setProperty(name, on);
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
}

void markWrong(QLineEdit& field, const QString& reason)
{
    const bool wrong = field.property("wrong").toBool();
    if (!wrong && reason.isEmpty())
        return;
    if (!wrong)
        field.setProperty(usualTip, field.toolTip());
    field.setToolTip(reason.isEmpty() ? field.property(usualTip).toString() : reason);
    field.setAccessibleDescription(reason);
    setStyleFlag(field, "wrong", !reason.isEmpty());
}

void leaveWheelToParent(QWidget& widget)
{
    widget.setFocusPolicy(Qt::StrongFocus);
    widget.installEventFilter(new WheelGuard(widget));
}

}  // namespace megalith::ui
