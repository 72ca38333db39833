// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_files.h"

#include "engine/core/number_text.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

namespace megalith::app {

namespace {

QDir runsOf(const QString& projectPath)
{
    const QFileInfo file(projectPath);
    return QDir(file.absolutePath() + QLatin1Char('/') + file.completeBaseName() + QStringLiteral(".runs"));
}

std::vector<int> numbersIn(const QDir& runs)
{
    std::vector<int> numbers;
    for (const QString& name : runs.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        bool number = false;
        const int n = name.toInt(&number);
        if (number && n > 0)
            numbers.push_back(n);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

}  // namespace

QString lastRunFolder(const QString& projectPath)
{
    if (projectPath.isEmpty())
        return {};
    const QDir runs = runsOf(projectPath);
    const std::vector<int> numbers = numbersIn(runs);
    for (auto it = numbers.rbegin(); it != numbers.rend(); ++it) {
        const QString folder = runs.filePath(QString::number(*it));
        if (QFileInfo::exists(folder + QStringLiteral("/metrics.csv")))
            return folder;
    }
    return {};
}

std::optional<RunCurves> readCurves(const QString& runFolder)
{
    QFile file(runFolder + QStringLiteral("/metrics.csv"));
    if (runFolder.isEmpty() || !file.open(QIODevice::ReadOnly | QIODevice::Text))
        return std::nullopt;
    const QList<QByteArray> names = file.readLine().trimmed().split(',');
    const auto step = names.indexOf("step"), loss = names.indexOf("loss"), validation = names.indexOf("val_loss");
    if (step < 0)
        return std::nullopt;
    RunCurves curves;
    while (!file.atEnd()) {
        const QList<QByteArray> fields = file.readLine().trimmed().split(',');
        const auto number = [&](qsizetype column) {
            return column >= 0 && column < fields.size() ? parseNumber(fields[column].toStdString()) : std::nullopt;
        };
        const std::optional<double> at = number(step);
        if (!at)
            continue;
        if (const std::optional<double> value = number(loss))
            curves.steps.push_back({static_cast<std::int64_t>(*at), *value});
        if (const std::optional<double> value = number(validation))
            curves.validation.push_back({static_cast<std::int64_t>(*at), *value});
    }
    return curves;
}

}  // namespace megalith::app
