// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/predict_files.h"
#include "engine/core/error.h"
#include "engine/graph/document.h"
#include "engine/io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace megalith::cli {

namespace {

struct Given
{
    const data::InputSpec* input = nullptr;  // nullptr: the table is for all Inputs
    std::string file;
};

std::string endingOf(const std::string& file)
{
    std::string ending = std::filesystem::path(file).extension().string();
    for (char& c : ending)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return ending;
}

std::string namesOf(const std::vector<data::InputSpec>& inputs)
{
    std::string names;
    for (const data::InputSpec& input : inputs)
        names += (names.empty() ? "" : ", ") + input.name;
    return names;
}

Given parseGiven(const std::string& text, const std::vector<data::InputSpec>& inputs)
{
    const std::size_t sign = text.find('=');
    if (sign != std::string::npos) {
        const std::string name = text.substr(0, sign);
        const auto found = std::ranges::find(inputs, name, &data::InputSpec::name);
        if (found != inputs.end())
            return {&*found, text.substr(sign + 1)};
        std::error_code ignored;
        if (graph::isValidName(name) && !std::filesystem::exists(text, ignored))
            throw WrongCall("predict: there is no Input " + name + "; the network has " + namesOf(inputs));
    }
    if (inputs.size() == 1)
        return {&inputs.front(), text};
    if (endingOf(text) == ".csv")
        return {nullptr, text};
    throw WrongCall("predict: the network has several Inputs (" + namesOf(inputs)
                    + "): say for which one the file is, as NAME=FILE");
}

StateEntry entryOf(const data::Samples& samples)
{
    Shape shape = samples.sample;
    shape.insert(shape.begin(), samples.count);
    return makeEntry(dtypeTag(samples.dtype), std::move(shape), samples.bytes);
}

void add(NamedEntries& entries, const data::Samples& samples)
{
    if (std::ranges::find(entries, samples.name, &NamedEntries::value_type::first) != entries.end())
        throw WrongCall("predict: the Input " + samples.name + " is given twice");
    entries.emplace_back(samples.name, entryOf(samples));
}

void readGiven(const Given& given, const std::vector<data::InputSpec>& inputs, const data::Normalization& normalization,
               NamedEntries& entries)
{
    const std::string ending = endingOf(given.file);
    if (ending == ".csv") {
        const auto wanted = given.input == nullptr ? inputs : std::vector<data::InputSpec>{*given.input};
        for (const data::Samples& samples : data::readCsvInputs(given.file, wanted, normalization))
            add(entries, samples);
    } else if (ending == ".npy") {
        add(entries, data::toSamples(io::readNpy(given.file), *given.input, {}, given.file));
    } else if (ending == ".png") {
        add(entries, data::toSamples(readPicture(*given.input, given.file), *given.input, normalization, given.file));
    } else {
        throw WrongCall("predict: " + given.file + ": an input is an .npy, .csv or .png file");
    }
}

}  // namespace

NamedEntries readInputs(const std::vector<std::string>& given, const std::vector<data::InputSpec>& inputs,
                        const data::Normalization& normalization)
{
    if (inputs.empty())
        throw Error("the network has no Input node, so there is nothing to predict from");
    NamedEntries entries;
    for (const std::string& text : given)
        readGiven(parseGiven(text, inputs), inputs, normalization, entries);
    for (const data::InputSpec& input : inputs)
        if (std::ranges::find(entries, input.name, &NamedEntries::value_type::first) == entries.end())
            throw WrongCall("predict: nothing is given for the Input " + input.name + ": --input " + input.name
                            + "=FILE");
    const auto& [first, entry] = entries.front();
    for (const auto& [name, other] : entries)
        if (other.shape.front() != entry.shape.front())
            throw Error(fmt::format("the Input {} has {} samples but {} has {}", first, entry.shape.front(), name,
                                    other.shape.front()));
    return entries;
}

}  // namespace megalith::cli
