// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/table.h"

#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/data/elements.h"
#include "engine/data/files.h"
#include "engine/data/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace megalith::data {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t rowsBetweenQuestions = 4096;
// A cell of two characters becomes a number of eight bytes, twice while a vector grows.
constexpr std::uint64_t memoryPerByte = 9;

std::vector<std::size_t> columnsOf(const CsvReader& reader, const Value& names, std::string_view key)
{
    std::vector<std::size_t> columns;
    if (names.isString())
        return {reader.columnIndex(names.string())};
    if (!names.isList())
        throw DataError(fmt::format("data.{} must be a list of column names, but it is {}", key, kindName(names)));
    for (const Value& name : names.list()) {
        if (!name.isString())
            throw DataError(fmt::format("data.{} must be a list of column names, but it has {}", key, kindName(name)));
        columns.push_back(reader.columnIndex(name.string()));
    }
    return columns;
}

TableColumns chooseColumns(const CsvReader& reader, const Value& data)
{
    TableColumns chosen;
    if (const Value* targets = data.find("targets"); targets != nullptr && !targets->isNull())
        chosen.targets = columnsOf(reader, *targets, "targets");
    else
        chosen.targets = {reader.columns().size() - 1};

    const Value* inputs = data.find("inputs");
    if (inputs != nullptr && inputs->isObject()) {
        for (const auto& [name, columns] : inputs->object())
            chosen.inputs.emplace_back(name, columnsOf(reader, columns, "inputs." + name));
    } else if (inputs != nullptr && !inputs->isNull()) {
        chosen.inputs.emplace_back("", columnsOf(reader, *inputs, "inputs"));
    } else {
        std::vector<std::size_t> others;
        for (std::size_t i = 0; i < reader.columns().size(); ++i)
            if (std::find(chosen.targets.begin(), chosen.targets.end(), i) == chosen.targets.end())
                others.push_back(i);
        chosen.inputs.emplace_back("", std::move(others));
    }
    for (const auto& [name, columns] : chosen.inputs)
        if (columns.empty())
            throw DataError(fmt::format("{}: there is no column left for the inputs; there {}", reader.shown(),
                                        reader.columns().size() == 1 ? "is one column, the target"
                                                                     : fmt::format("are {}", reader.columns().size())));
    return chosen;
}

// The rows of a table as they are read.
class Rows
{
public:
    Rows(CsvReader& reader, TableColumns columns, const LoadContext& context)
        : m_reader(reader)
        , m_columns(std::move(columns))
        , m_context(context)
        , m_inputs(m_columns.inputs.size())
    {}

    // False when the target has turned out to be text: it begins anew then, with texts = true.
    bool read(TargetCells cells, bool texts)
    {
        const bool mayBeText = cells == TargetCells::NumbersOrTexts && m_columns.targets.size() == 1;
        while (m_reader.next()) {
            if (m_count++ % rowsBetweenQuestions == 0)
                report();
            for (std::size_t i = 0; i < m_inputs.size(); ++i)
                for (const std::size_t column : m_columns.inputs[i].second)
                    m_inputs[i].push_back(m_reader.number(column));
            if (cells == TargetCells::Unread)
                continue;
            if (texts) {
                m_labels.push_back(m_names.try_emplace(std::string(m_reader.label(m_columns.targets[0])), 0).first);
                continue;
            }
            if (mayBeText && !isNumber(m_reader.label(m_columns.targets[0])))
                return false;
            for (const std::size_t column : m_columns.targets)
                m_targets.push_back(m_reader.number(column));
        }
        if (m_count == 0)
            throw DataError(fmt::format("{}: there are names of columns, but no rows", m_reader.shown()));
        return true;
    }

    RawPart take(std::vector<std::string>& labelNames)
    {
        RawPart part;
        for (std::size_t i = 0; i < m_inputs.size(); ++i)
            part.inputs.push_back(takeNumbers("F64",
                                              {m_count, static_cast<std::int64_t>(m_columns.inputs[i].second.size())},
                                              std::move(m_inputs[i])));
        if (!m_labels.empty())
            part.targets = takeNumbers("I64", {m_count, 1}, numberLabels(labelNames));
        else if (!m_targets.empty())
            part.targets = takeNumbers("F64", {m_count, static_cast<std::int64_t>(m_columns.targets.size())},
                                       std::move(m_targets));
        return part;
    }

    const TableColumns& columns() const { return m_columns; }
    std::int64_t count() const { return m_count; }

private:
    using Names = std::map<std::string, std::int64_t, std::less<>>;

    static bool isNumber(std::string_view cell)
    {
        const auto value = parseNumber(cell);
        return value && std::isfinite(*value);
    }

    void report() const
    {
        if (m_context.cancelled && m_context.cancelled())
            throw Cancelled("loading the data was cancelled");
        if (m_context.progress)
            m_context.progress(0.8 * m_reader.progress());
    }

    std::vector<std::int64_t> numberLabels(std::vector<std::string>& labelNames)
    {
        for (auto& [name, number] : m_names) {
            number = static_cast<std::int64_t>(labelNames.size());
            labelNames.push_back(name);
        }
        std::vector<std::int64_t> numbers;
        numbers.reserve(m_labels.size());
        for (const Names::iterator label : m_labels)
            numbers.push_back(label->second);
        return numbers;
    }

    CsvReader& m_reader;
    TableColumns m_columns;
    const LoadContext& m_context;
    std::int64_t m_count = 0;
    std::vector<std::vector<double>> m_inputs;
    std::vector<double> m_targets;
    Names m_names;  // sorted by bytes
    std::vector<Names::iterator> m_labels;
};

SourceFacts factsOf(const CsvReader& reader, const Rows& rows)
{
    SourceFacts facts;
    facts.count = rows.count();
    for (const auto& [name, columns] : rows.columns().inputs) {
        facts.inputs.push_back({name, {static_cast<std::int64_t>(columns.size())}, DType::F32, false, reader.shown()});
        for (const std::size_t column : columns)
            facts.inputColumns.push_back(reader.columns()[column]);
    }
    for (const std::size_t column : rows.columns().targets)
        facts.targetColumns.push_back(reader.columns()[column]);
    facts.hasTargets = !facts.targetColumns.empty();
    return facts;
}

RawData loadCsv(const Value& data, TargetCells cells, const LoadContext& context)
{
    const DataFile file = fileOf(data, "path", context.projectFolder);
    const std::string text = readFile(file, memoryPerByte);
    return readTable(text, file.shown, data, cells, context);
}

SourceFacts csvFacts(const Value& data, const fs::path& projectFolder, std::int64_t ignoreIndex)
{
    LoadContext context;
    context.projectFolder = projectFolder;
    context.ignoreIndex = ignoreIndex;
    return loadCsv(data, TargetCells::NumbersOrTexts, context).facts;
}

RawData csvLoad(const SourceRequest& request)
{
    const LoadContext& context = request.context;
    const TargetCells cells = !context.hasTargets         ? TargetCells::Unread
                              : context.targetsAreClasses ? TargetCells::NumbersOrTexts
                                                          : TargetCells::Numbers;
    return loadCsv(request.data, cells, context);
}

}  // namespace

RawData readTable(std::string_view text, const std::string& shown, const Value& data, TargetCells cells,
                  const LoadContext& context)
{
    RawData raw;
    for (const bool texts : {false, true}) {
        CsvReader reader(text, shown);
        Rows rows(reader, chooseColumns(reader, data), context);
        if (!rows.read(cells, texts))
            continue;
        raw.facts = factsOf(reader, rows);
        raw.train = rows.take(raw.labelNames);
        break;
    }
    raw.targetsShown = shown;
    if (raw.facts.targetColumns.size() == 1)
        raw.targetsShown += fmt::format(": column \"{}\"", shortened(raw.facts.targetColumns.front()));
    if (raw.train.targets)
        describeTargets(*raw.train.targets, raw.labelNames, raw.targetsShown, raw.table, context.ignoreIndex,
                        raw.facts);
    return raw;
}

std::vector<Samples> readCsvInputs(const fs::path& path, const std::vector<InputSpec>& inputs,
                                   const Normalization& normalization)
{
    const DataFile file{path, path.filename().string()};
    const std::string content = readFile(file, memoryPerByte);
    CsvReader reader(content, file.shown);
    TableColumns chosen;
    std::size_t next = 0;
    for (const InputSpec& input : inputs) {
        std::vector<std::size_t> columns;
        const InputNormalization* kept = normalization.find(input.name);
        if (kept != nullptr && !kept->columns.empty()) {
            for (const std::string& column : kept->columns)
                columns.push_back(reader.columnIndex(column));
        } else {
            const auto size = static_cast<std::size_t>(numel(input.shape));
            if (size > reader.columns().size() - next)
                throw ShapeError(fmt::format("{}: has {} columns, but Input \"{}\" takes {}", file.shown,
                                             reader.columns().size(), input.name, text(input.shape)));
            for (std::size_t i = 0; i < size; ++i)
                columns.push_back(next++);
        }
        chosen.inputs.emplace_back(input.name, std::move(columns));
    }
    const LoadContext context;
    Rows rows(reader, std::move(chosen), context);
    rows.read(TargetCells::Unread, false);
    std::vector<std::string> none;
    RawPart part = rows.take(none);
    std::vector<Samples> samples;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        StateEntry& array = part.inputs[i];
        if (array.shape.back() == numel(inputs[i].shape)) {
            array.shape.pop_back();
            array.shape.insert(array.shape.end(), inputs[i].shape.begin(), inputs[i].shape.end());
        }
        samples.push_back(toSamples(array, inputs[i], normalization, file.shown));
    }
    return samples;
}

const Source csv{"csv", csvFacts, csvLoad};

}  // namespace megalith::data
