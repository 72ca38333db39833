// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/document.h"
#include "engine/nn/module_def.h"

#include <QString>

#include <vector>

namespace megalith::ui {

// Something that can be put on the canvas.
struct ModuleEntry
{
    QString type;
    QString doc;
    nn::Category category = nn::Category::Container;
    bool composed = false;            // one of the document's own modules
    std::vector<QString> words = {};  // aliases
};

// All library modules in palette order, then the document's own.
std::vector<ModuleEntry> moduleEntries(const graph::Document& document);
// How well a query fits, 0: not at all. The name counts most, then aliases, then letters in order ("bn2" finds BatchNorm2d),
// then the description.
int matchScore(const ModuleEntry& entry, const QString& query);
// What fits, best first; everything, in its order, for an empty query.
std::vector<ModuleEntry> searchModules(std::vector<ModuleEntry> entries, const QString& query);

}  // namespace megalith::ui
