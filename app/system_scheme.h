// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QDBusVariant>
#include <QObject>

namespace megalith::app {

// Light or dark, as the desktop wants it: asked of the settings portal over D-Bus; without one the palette's lightness at the
// start decides.
class SystemScheme : public QObject
{
    Q_OBJECT
public:
    explicit SystemScheme(QObject* parent = nullptr);
    ui::Scheme scheme() const { return m_scheme; }

signals:
    void changed();

private slots:
    void settingChanged(const QString& space, const QString& key, const QDBusVariant& value);

private:
    void take(const QVariant& value);

    ui::Scheme m_scheme;
};

}  // namespace megalith::app
