// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/system_scheme.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>

namespace megalith::app {

namespace {

const QString service = QStringLiteral("org.freedesktop.portal.Desktop");
const QString path = QStringLiteral("/org/freedesktop/portal/desktop");
const QString interface = QStringLiteral("org.freedesktop.portal.Settings");
const QString space = QStringLiteral("org.freedesktop.appearance");
const QString key = QStringLiteral("color-scheme");

}  // namespace

SystemScheme::SystemScheme(QObject* parent) : QObject(parent), m_scheme(ui::schemeOf(QApplication::palette()))
{
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    bus.connect(service, path, interface, QStringLiteral("SettingChanged"), this,
                SLOT(settingChanged(QString, QString, QDBusVariant)));
    QDBusMessage ask = QDBusMessage::createMethodCall(service, path, interface, QStringLiteral("Read"));
    ask << space << key;
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(ask, 2000), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        if (reply.isValid())
            take(reply.value().variant());
        watcher->deleteLater();
    });
}

void SystemScheme::settingChanged(const QString& changedSpace, const QString& changedKey, const QDBusVariant& value)
{
    if (changedSpace == space && changedKey == key)
        take(value.variant());
}

void SystemScheme::take(const QVariant& value)
{
    // Read() wraps the value in a variant once more than SettingChanged does.
    const QVariant inner = value.canConvert<QDBusVariant>() ? value.value<QDBusVariant>().variant() : value;
    const ui::Scheme wanted = inner.toUInt() == 1 ? ui::Scheme::Dark : ui::Scheme::Light;
    if (inner.toUInt() == 0 || wanted == m_scheme)
        return;
    m_scheme = wanted;
    emit changed();
}

}  // namespace megalith::app
