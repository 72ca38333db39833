// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/data/dataset.h"
#include "engine/graph/check.h"
#include "engine/train/settings.h"

#include <filesystem>
#include <optional>

namespace megalith::train {

// What the check of a project knows of its data: from the source's headers, without loading it. Nothing where the source cannot be
// read; then `problem` says why in one sentence.
std::optional<graph::DataFacts> factsOf(const graph::Document& document, const std::filesystem::path& projectFolder,
                                        std::string& problem);

// Everything that is wrong with a project: the drawing, its settings, and how both fit the data. What `megalith check` prints.
graph::Analysis checkProject(const graph::Document& document, const std::filesystem::path& projectFolder);

// The same for data that are loaded already.
graph::Analysis trainingProblems(const graph::Document& document, const data::LoadedData& data);

// The shape of one sample of the output that the loss takes first; nothing when it is unknown.
std::optional<Shape> scoredOutput(const graph::Document& document, const Settings& settings);

}  // namespace megalith::train
