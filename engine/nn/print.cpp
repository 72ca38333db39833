// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/nn/module.h"

namespace megalith::nn {

namespace {

// Name=value for every argument, where a module does not say it otherwise.
std::string argumentsText(const Module& module)
{
    if (module.def() == nullptr)
        return {};
    if (module.def()->repr != nullptr)
        return module.def()->repr(module.attrs());
    std::string out;
    for (const auto& [name, value] : module.attrs())
        out += (out.empty() ? "" : ", ") + name + "=" + pythonText(value);
    return out;
}

std::string shapesText(const Module& module)
{
    std::string out;
    for (const auto& [name, tensor] : module.named_parameters({}, false))
        out += (out.empty() ? "  " : ", ") + name + " " + megalith::text(tensor.shape());
    return out;
}

// torch.nn.Module.__repr__: arguments on the same line unless there are children.
std::string lines(const Module& module, bool withShapes, const std::string& indent)
{
    const std::string arguments = argumentsText(module);
    const std::string shapes = withShapes ? shapesText(module) : std::string();
    std::string inner;
    for (const std::string& name : module.childNames())
        inner += "\n" + indent + "  (" + name + "): " + lines(*module.child(name), withShapes, indent + "  ");
    if (inner.empty())
        return module.typeName() + "(" + arguments + ")" + shapes;
    const std::string own = arguments.empty() ? "" : "\n" + indent + "  " + arguments;
    return module.typeName() + "(" + shapes + own + inner + "\n" + indent + ")";
}

}  // namespace

std::string text(const Module& module, bool withShapes)
{
    return lines(module, withShapes, {});
}

}  // namespace megalith::nn
