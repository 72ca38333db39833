// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/graph/check.h"

namespace megalith::graph {

std::string text(const Dim& dim)
{
    if (!dim.known)
        return "?";
    if (dim.factor == 0)
        return std::to_string(dim.constant);
    std::string out = dim.factor == 1 ? "N" : std::to_string(dim.factor) + "N";
    if (dim.constant > 0)
        out += " + " + std::to_string(dim.constant);
    if (dim.constant < 0)
        out += " - " + std::to_string(-dim.constant);
    return out;
}

std::string text(const PortShape& shape)
{
    if (!shape.known)
        return "?";
    std::string out = "[";
    for (std::size_t i = 0; i < shape.dims.size(); ++i)
        out += (i == 0 ? "" : ", ") + text(shape.dims[i]);
    return out + "]";
}

TensorMeta at(const PortShape& shape, std::int64_t batch)
{
    TensorMeta meta{shape.dtype, {}};
    for (const Dim& dim : shape.dims)
        meta.shape.push_back(std::max<std::int64_t>(0, dim.constant + dim.factor * batch));
    return meta;
}

std::int64_t elements(const PortShape& shape, std::int64_t batch)
{
    if (!shape.known)
        return -1;
    for (const Dim& dim : shape.dims)
        if (!dim.known)
            return -1;
    try {
        return numel(at(shape, batch).shape);
    } catch (const ShapeError&) {
        return -1;
    }
}

std::string_view severityName(Severity severity)
{
    switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
    }
    return {};
}

std::string text(const Diagnostic& diagnostic)
{
    return diagnostic.path.empty() ? diagnostic.message : diagnostic.path + ": " + diagnostic.message;
}

const NodeInfo* Analysis::find(const std::vector<Id>& path) const
{
    const auto it = byPath.find(path);
    return it == byPath.end() ? nullptr : &nodes[it->second];
}

const NodeInfo* Analysis::first(Id node) const
{
    const auto it = byId.find(node);
    return it == byId.end() ? nullptr : &nodes[it->second];
}

std::vector<const Diagnostic*> Analysis::of(Id node) const
{
    std::vector<const Diagnostic*> found;
    for (const Diagnostic& diagnostic : diagnostics)
        if (diagnostic.node == node)
            found.push_back(&diagnostic);
    return found;
}

}  // namespace megalith::graph
