// SPDX-License-Identifier: GPL-3.0-or-later
// Modules of the library by name, as a C++ program makes them.
#include "engine/core/error.h"
#include "engine/nn/module.h"

namespace megalith::nn {

namespace {

class Mlp : public Module
{
public:
    explicit Mlp(const std::vector<std::int64_t>& sizes) : Module("MLP")
    {
        std::vector<ModulePtr> layers;
        for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
            if (i > 0)
                layers.push_back(ReLU());
            layers.push_back(Linear(sizes[i], sizes[i + 1]));
        }
        m_net = register_module("net", Sequential(std::move(layers)));
    }
    Tensors forward(const Tensors& inputs) override { return (*m_net)(inputs); }

private:
    ModulePtr m_net;
};

}  // namespace

ModulePtr make(std::string_view type, Attrs attrs)
{
    const ModuleDef* def = findModule(type);
    if (def == nullptr)
        throw Error("there is no module called " + std::string(type));
    return std::make_shared<Module>(*def, std::move(attrs));
}

ModulePtr Sequential(std::vector<ModulePtr> modules)
{
    ModulePtr chain = make("Sequential");
    for (std::size_t i = 0; i < modules.size(); ++i)
        chain->register_module(std::to_string(i), std::move(modules[i]));
    return chain;
}

ModulePtr Linear(std::int64_t in_features, std::int64_t out_features, bool bias)
{
    return make("Linear", {{"in_features", in_features}, {"out_features", out_features}, {"bias", bias}});
}

ModulePtr Conv2d(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel_size, std::int64_t stride,
                 std::int64_t padding)
{
    return make("Conv2d", {{"in_channels", in_channels},
                           {"out_channels", out_channels},
                           {"kernel_size", kernel_size},
                           {"stride", stride},
                           {"padding", padding}});
}

ModulePtr BatchNorm1d(std::int64_t num_features)
{
    return make("BatchNorm1d", {{"num_features", num_features}});
}

ModulePtr BatchNorm2d(std::int64_t num_features)
{
    return make("BatchNorm2d", {{"num_features", num_features}});
}

ModulePtr MaxPool2d(std::int64_t kernel_size)
{
    return make("MaxPool2d", {{"kernel_size", kernel_size}});
}

ModulePtr AvgPool2d(std::int64_t kernel_size)
{
    return make("AvgPool2d", {{"kernel_size", kernel_size}});
}

ModulePtr AdaptiveAvgPool2d(std::int64_t output_size)
{
    return make("AdaptiveAvgPool2d", {{"output_size", output_size}});
}

ModulePtr Flatten()
{
    return make("Flatten");
}

ModulePtr Dropout(double p)
{
    return make("Dropout", {{"p", p}});
}

ModulePtr ReLU()
{
    return make("ReLU");
}

ModulePtr Tanh()
{
    return make("Tanh");
}

ModulePtr Sigmoid()
{
    return make("Sigmoid");
}

ModulePtr Softmax(std::int64_t dim)
{
    return make("Softmax", {{"dim", dim}});
}

ModulePtr LogSoftmax(std::int64_t dim)
{
    return make("LogSoftmax", {{"dim", dim}});
}

ModulePtr Identity()
{
    return make("Identity");
}

ModulePtr mlp(const std::vector<std::int64_t>& sizes)
{
    if (sizes.size() < 2)
        throw Error("mlp: at least two sizes are needed, the input's and the output's");
    return std::make_shared<Mlp>(sizes);
}

std::int64_t countParameters(const Module& module, bool trainableOnly)
{
    std::int64_t count = 0;
    for (const Tensor& parameter : module.parameters())
        if (!trainableOnly || parameter.requires_grad())
            count += parameter.numel();
    return count;
}

void freeze(Module& module)
{
    module.requires_grad_(false);
}

}  // namespace megalith::nn
