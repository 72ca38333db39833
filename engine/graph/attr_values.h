// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"
#include "engine/core/value.h"

#include <string>
#include <string_view>

namespace megalith::nn {
struct AttrSpec;
}

namespace megalith::graph {

// A value of the project file as an argument. Error "values: rows differ in length" when it can be none. `spec` may be nullptr.
AttrValue attrValue(const Value& value, const nn::AttrSpec* spec);

}  // namespace megalith::graph
