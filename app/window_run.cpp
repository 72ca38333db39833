// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window_run.h"

#include "app/main_window.h"

#include <QApplication>
#include <QIcon>

namespace megalith::app {

int runWindow(int argc, char** argv)
{
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("Megalith"));
    QApplication::setOrganizationName(QStringLiteral("Megalith"));
    QApplication::setApplicationVersion(QStringLiteral(MEGALITH_VERSION));
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/megalith.svg")));
    MainWindow window;
    window.show();
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.size() > 1)
        window.openProject(arguments[1]);
    return QApplication::exec();
}

}  // namespace megalith::app
