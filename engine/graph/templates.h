// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/shape.h"
#include "engine/graph/document.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace megalith::graph {

// What a network is to be drawn for.
struct TemplateData
{
    std::string source;        // what "data.source" says
    std::string path;          // of sources that have one
    Shape sample;              // of one Input, without the batch
    bool image = false;        // [C, H, W]
    std::int64_t classes = 0;  // 0: numbers are to be predicted
    Shape target;              // of one sample of these
    bool testPart = false;     // the source has a test part of its own
};

// Of a source that needs no path; nothing for any other. Throws what data::sourceFacts throws (Fashion-MNIST is not installed).
std::optional<TemplateData> builtInData(std::string_view source);

struct TemplateDef
{
    std::string_view name;  // "mlp"
    std::string_view doc;
    std::string_view source;  // of a project that names none
};
std::span<const TemplateDef> allTemplates();

// A project that trains as it is. `data`: what it is for; nothing: the template's own source, or with sizes a small built-in source
// that they fit, else no data. `sizes` are the layer sizes of mlp, input first (Linear(10, 4), ReLU, Linear(4, 3) of 10, 4, 3, in a
// sequential graph). Error for an unknown template, and where data and sizes or template do not fit each other.
Document newFromTemplate(std::string_view name, std::string_view projectName,
                         const std::optional<TemplateData>& data = std::nullopt,
                         const std::vector<std::int64_t>& sizes = {});

}  // namespace megalith::graph
