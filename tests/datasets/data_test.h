// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/data/dataset.h"

#include <QFile>
#include <QString>
#include <QTemporaryDir>

#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace megalith::data::test {

template<typename T>
std::vector<T> values(const Samples& samples)
{
    std::vector<T> result(samples.bytes.size() / sizeof(T));
    if (!result.empty())
        std::memcpy(result.data(), samples.bytes.data(), samples.bytes.size());
    return result;
}

// The sentence of the error that f throws; empty when it throws none.
template<typename F>
QString errorOf(F&& f)
{
    try {
        f();
    } catch (const Error& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

// A folder of files whose name is not plain ASCII.
class Folder
{
public:
    Folder() : m_path(std::filesystem::path(m_folder.path().toStdString()) / "data \xE6\x95\xB0\xE6\x8D\xAE")
    {
        std::filesystem::create_directories(m_path);
    }
    const std::filesystem::path& path() const { return m_path; }
    void write(std::string_view name, std::string_view bytes) const
    {
        QFile file(QString::fromStdString((m_path / name).string()));
        if (!file.open(QIODevice::WriteOnly)
            || file.write(bytes.data(), static_cast<qint64>(bytes.size())) != static_cast<qint64>(bytes.size()))
            throw Error("the test cannot write its file");
    }

private:
    QTemporaryDir m_folder;
    std::filesystem::path m_path;
};

inline LoadContext contextFor(std::vector<InputSpec> inputs, bool classes)
{
    LoadContext context;
    context.inputs = std::move(inputs);
    context.targetsAreClasses = classes;
    return context;
}

}  // namespace megalith::data::test
