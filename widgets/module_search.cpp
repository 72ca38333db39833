// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/module_search.h"

#include "widgets/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace megalith::ui {

namespace {

bool lettersInOrder(const QString& text, const QString& query)
{
    qsizetype at = 0;
    for (const QChar letter : query) {
        at = text.indexOf(letter, at, Qt::CaseInsensitive);
        if (at < 0)
            return false;
        ++at;
    }
    return true;
}

// exact 4, beginning 3, somewhere 2
int wordScore(const QString& word, const QString& query)
{
    if (word.compare(query, Qt::CaseInsensitive) == 0)
        return 4;
    if (word.startsWith(query, Qt::CaseInsensitive))
        return 3;
    return word.contains(query, Qt::CaseInsensitive) ? 2 : 0;
}

}  // namespace

std::vector<ModuleEntry> moduleEntries(const graph::Document& document)
{
    std::vector<ModuleEntry> entries;
    for (const nn::ModuleDef* def : nn::allModules()) {
        ModuleEntry entry{qs(def->type), qs(def->doc), def->category, false};
        for (const std::string_view alias : def->aliases)
            entry.words.push_back(qs(alias));
        entries.push_back(std::move(entry));
    }
    for (const auto& [name, body] : document.modules) {
        const QString doc =
            QCoreApplication::translate("ModuleSearch", "One of your own modules, nodes: %1").arg(body.nodes.size());
        entries.push_back({qs(name), doc, nn::Category::Container, true});
    }
    return entries;
}

int matchScore(const ModuleEntry& entry, const QString& query)
{
    const QString wanted = query.trimmed();
    if (wanted.isEmpty())
        return 1;
    if (const int score = wordScore(entry.type, wanted))
        return 100 * score;
    int best = 0;
    for (const QString& word : entry.words)
        best = std::max(best, 50 * wordScore(word, wanted));
    if (best > 0)
        return best;
    if (lettersInOrder(entry.type, wanted))
        return 40;
    return entry.doc.contains(wanted, Qt::CaseInsensitive) ? 20 : 0;
}

std::vector<ModuleEntry> searchModules(std::vector<ModuleEntry> entries, const QString& query)
{
    std::vector<std::pair<int, ModuleEntry>> found;
    for (ModuleEntry& entry : entries)
        if (const int score = matchScore(entry, query))
            found.emplace_back(score, std::move(entry));
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<ModuleEntry> result;
    for (auto& [score, entry] : found)
        result.push_back(std::move(entry));
    return result;
}

}  // namespace megalith::ui
