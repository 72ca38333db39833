// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/project_io.h"

#include "engine/core/error.h"
#include "engine/graph/project_text.h"
#include "engine/io/atomic_file.h"

namespace megalith::io {

graph::Document readProject(const std::filesystem::path& path)
{
    return graph::parseProject(readWholeText(path), path.string());
}

void saveProject(const graph::Document& document, const std::filesystem::path& path)
{
    if (document.readOnly())
        throw Error(path.string() + ": the project is of version " + std::to_string(document.version)
                    + ", which this program can look at but not save");
    writeFileAtomically(path, graph::projectText(document));
}

}  // namespace megalith::io
