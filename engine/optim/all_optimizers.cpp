// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/optim/optimizer.h"
#include "engine/optim/optimizers.h"

#include <algorithm>

namespace megalith::optim {

std::span<const OptimizerDef> allOptimizers()
{
    static const std::vector<OptimizerDef> all{sgd(), adam(), adamW()};
    return all;
}

const OptimizerDef* findOptimizer(std::string_view type)
{
    const auto all = allOptimizers();
    const auto it = std::find_if(all.begin(), all.end(), [type](const OptimizerDef& def) { return def.type == type; });
    return it == all.end() ? nullptr : &*it;
}

}  // namespace megalith::optim
