// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/predict_files.h"
#include "engine/core/number_text.h"
#include "engine/io/atomic_file.h"
#include "engine/io/npy.h"
#include "engine/io/state_dict_view.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

namespace megalith::cli {

namespace {

std::string elementText(const StateEntry& entry, std::int64_t index)
{
    if (entry.dtype == "I64") {
        std::int64_t number = 0;
        std::memcpy(&number, entry.data.get() + static_cast<std::size_t>(index) * sizeof number, sizeof number);
        return std::to_string(number);
    }
    const double value = io::elementAsDouble(entry, index);
    return entry.dtype == "F64" ? shortestText(value) : shortestText(static_cast<float>(value));
}

std::int64_t rowsOf(const StateEntry& entry)
{
    return entry.shape.empty() ? 1 : entry.shape.front();
}

std::int64_t columnsIn(const StateEntry& entry)
{
    return entry.shape.empty() ? 1 : numel(Shape(entry.shape.begin() + 1, entry.shape.end()));
}

std::string headingOf(const std::string& name, std::int64_t columns)
{
    if (columns == 1)
        return name;
    std::string text;
    for (std::int64_t i = 0; i < columns; ++i)
        text += (i == 0 ? "" : ",") + name + "_" + std::to_string(i);
    return text;
}

bool isCsv(const std::filesystem::path& file)
{
    return file.extension() == ".csv";
}

void writeOne(const std::filesystem::path& file, const NamedEntries& outputs)
{
    if (isCsv(file))
        io::writeFileAtomically(file, csvText(outputs));
    else
        io::writeNpy(file, outputs.front().second);
}

}  // namespace

void requireOutputFormat(const std::string& file)
{
    const std::filesystem::path path(file);
    if (path.extension() != ".npy" && path.extension() != ".csv")
        throw WrongCall("predict: " + file + ": an output is an .npy or .csv file");
}

std::string csvText(const NamedEntries& outputs)
{
    std::string text;
    for (const auto& [name, entry] : outputs)
        text += (text.empty() ? "" : ",") + headingOf(name, columnsIn(entry));
    text += '\n';
    const std::int64_t rows = outputs.empty() ? 0 : rowsOf(outputs.front().second);
    for (std::int64_t row = 0; row < rows; ++row) {
        std::string line;
        for (const auto& [name, entry] : outputs) {
            const std::int64_t columns = columnsIn(entry);
            for (std::int64_t i = 0; i < columns && row < rowsOf(entry); ++i)
                line += (line.empty() ? "" : ",") + elementText(entry, row * columns + i);
        }
        text += line + '\n';
    }
    return text;
}

std::vector<std::string> writeOutputs(const std::string& file, const NamedEntries& outputs)
{
    if (outputs.size() == 1) {
        writeOne(file, outputs);
        return {file};
    }
    std::vector<std::string> written;
    for (const auto& output : outputs) {
        std::filesystem::path path(file);
        path.replace_filename(path.stem().string() + "-" + output.first + path.extension().string());
        writeOne(path, {output});
        written.push_back(path.string());
    }
    return written;
}

}  // namespace megalith::cli
