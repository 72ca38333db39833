// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/screenshot.h"

#include "app/main_window.h"
#include "widgets/canvas/canvas_view.h"
#include "widgets/parameters/parameter_model.h"
#include "widgets/parameters/parameter_panel.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QLoggingCategory>
#include <QStringList>
#include <QTreeView>

#include <cstdio>

namespace megalith::app {

namespace {

constexpr int patienceMs = 20'000;

class Quiet : public Questions
{
public:
    void tell(QWidget*, const QString& problem) override
    {
        std::fprintf(stderr, "megalith: error: %s\n", qUtf8Printable(problem));
    }
};

int wrongCall(const QString& what)
{
    std::fprintf(
        stderr,
        "megalith: error: %s\nusage: megalith --screenshot FILE.png --project PROJECT [--size WxH] [--theme light|dark] [--dock NAME]\n",
        qUtf8Printable(what));
    return 2;
}

// Empty when it was understood.
QString parse(const QStringList& arguments, ScreenshotOptions& options)
{
    for (qsizetype i = 1; i < arguments.size(); i += 2) {
        const QString& name = arguments[i];
        if (i + 1 >= arguments.size())
            return QStringLiteral("%1 needs a value").arg(name);
        const QString& value = arguments[i + 1];
        if (name == QLatin1String("--screenshot")) {
            options.file = value;
        } else if (name == QLatin1String("--project")) {
            options.project = value;
        } else if (name == QLatin1String("--dock")) {
            options.dock = value;
        } else if (name == QLatin1String("--size")) {
            const QStringList parts = value.split(QLatin1Char('x'));
            if (parts.size() == 2)
                options.size = {parts[0].toInt(), parts[1].toInt()};
            if (parts.size() != 2 || options.size.width() < 320 || options.size.height() < 200
                || options.size.width() > 16384 || options.size.height() > 16384)
                return QStringLiteral("--size takes WxH from 320x200 to 16384x16384, not %1").arg(value);
        } else if (name == QLatin1String("--theme")) {
            if (value != QLatin1String("light") && value != QLatin1String("dark"))
                return QStringLiteral("--theme is light or dark, not %1").arg(value);
            options.scheme = value == QLatin1String("dark") ? ui::Scheme::Dark : ui::Scheme::Light;
        } else {
            return QStringLiteral("unknown option %1").arg(name);
        }
    }
    if (options.file.isEmpty() || options.project.isEmpty())
        return QStringLiteral("--screenshot and --project are needed");
    return {};
}

template<typename Ready>
void waitFor(Ready ready)
{
    QElapsedTimer clock;
    clock.start();
    while (!ready() && clock.elapsed() < patienceMs)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
}

void settle(int ms)
{
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < ms)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
}

// Something to look at: the first node that has parameters.
void selectFirst(MainWindow& window)
{
    for (const graph::NodeInfo& node : window.document().analysis().nodes) {
        if (node.path.size() == 1 && !node.tensors.empty()) {
            window.canvas().goTo(node.id());
            return;
        }
    }
}

int draw(const ScreenshotOptions& options)
{
    MainWindow window({false, std::make_unique<Quiet>()});
    window.setTheme(options.scheme == ui::Scheme::Dark ? ThemeChoice::Dark : ThemeChoice::Light);
    window.resize(options.size);
    window.show();
    if (!window.openProject(options.project).isEmpty())
        return 1;
    if (!options.dock.isEmpty() && !window.showDock(options.dock))
        return wrongCall(QStringLiteral("there is no dock %1").arg(options.dock));
    waitFor([&] { return !window.waitsForValues(); });
    if (window.document().analysis().ok() && window.parameters().model()->rowCount() > 0) {
        waitFor([&] { return window.parameters().model()->snapshot(0) != nullptr; });
        window.parameters().view()->setCurrentIndex(window.parameters().model()->index(0, 0));
    }
    if (options.dock == QLatin1String("attributes"))
        selectFirst(window);
    settle(300);
    window.canvas().fit();
    settle(100);
    QImage picture = window.grab().toImage();
    if (!picture.save(options.file)) {
        std::fprintf(stderr, "megalith: error: %s: the picture cannot be written\n", qUtf8Printable(options.file));
        return 1;
    }
    return 0;
}

}  // namespace

int runScreenshot(int argc, char** argv)
{
    // No display is needed; one that is asked for by name is used.
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    // What the platform cannot do is no news here.
    QLoggingCategory::setFilterRules(QStringLiteral("default.warning=false"));
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("Megalith"));
    QApplication::setCursorFlashTime(0);
    ScreenshotOptions options;
    if (const QString problem = parse(QCoreApplication::arguments(), options); !problem.isEmpty())
        return wrongCall(problem);
    return draw(options);
}

}  // namespace megalith::app
