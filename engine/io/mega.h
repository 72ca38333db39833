// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/state_dict.h"
#include "engine/core/value.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace megalith::io {

// Named values of a weights file, in the file's order. Keys are unique.
using Metadata = std::vector<std::pair<std::string, Value>>;

// nullptr when absent.
const Value* findMetadata(const Metadata& metadata, std::string_view key);

// What a .mega file says that it holds (tensorplay.container).
enum class Container { Dict, List, Tuple, Tensor, Tree };

std::string_view containerName(Container container);

// A weights file as it is: tensors by the names that the file gives them.
struct WeightsFile
{
    StateDict tensors;
    Metadata metadata;
    Container container = Container::Dict;
    std::string layout;  // of a Tree: JSON in which {"__tensor__": name} stands for a tensor
};

}  // namespace megalith::io
