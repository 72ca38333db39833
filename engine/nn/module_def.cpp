// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/nn/module_def.h"

#include "engine/core/error.h"

#include <algorithm>

namespace megalith::nn {

std::string_view categoryName(Category category)
{
    switch (category) {
    case Category::InputOutput: return "Input and output";
    case Category::Linear: return "Linear";
    case Category::Convolution: return "Convolution";
    case Category::Pooling: return "Pooling";
    case Category::Normalization: return "Normalization";
    case Category::Activation: return "Activation";
    case Category::Shape: return "Shape";
    case Category::Dropout: return "Dropout";
    case Category::Function: return "Function";
    case Category::Tensor: return "Tensor";
    case Category::Container: return "Container";
    }
    return {};
}

const ModuleDef* findModule(std::string_view type)
{
    const auto all = allModules();
    const auto it = std::find_if(all.begin(), all.end(), [type](const ModuleDef* def) { return def->type == type; });
    return it == all.end() ? nullptr : *it;
}

const AttrSpec* findAttr(const ModuleDef& def, std::string_view name)
{
    return findAttr(def.attrs, name);
}

Attrs complete(const ModuleDef& def, const Attrs& given)
{
    if (def.anyAttrs)
        return given;
    Attrs all = complete(def.type, def.attrs, given);
    if (def.checkAttrs != nullptr)
        def.checkAttrs(all);
    return all;
}

std::string unknownSizes(const ModuleDef& def, const Attrs& attrs)
{
    std::string names;
    for (const AttrSpec& spec : def.attrs)
        if (spec.fromWire && attrs.isNull(spec.name))
            names += (names.empty() ? "" : ", ") + std::string(spec.name);
    return names.empty() ? names : names + " must be given: there is no wire that it could follow from";
}

}  // namespace megalith::nn
