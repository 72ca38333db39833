// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace megalith {

// Sizes, outermost first. A scalar has none. A size may be 0.
using Shape = std::vector<std::int64_t>;
using Strides = std::vector<std::int64_t>;

// Product of the sizes; 1 for a scalar. ShapeError when it does not fit in 63 bits or a size is negative.
std::int64_t numel(const Shape& shape);
// Elements, not bytes; innermost 1.
Strides contiguousStrides(const Shape& shape);
// Row after row without gaps: the strides of a dimension of size 1 do not count.
bool isContiguous(const Shape& shape, const Strides& strides);
// NumPy's rule. ShapeError names the operation.
Shape broadcastShapes(const Shape& a, const Shape& b, std::string_view operation);
// "[2, 3]"
std::string text(const Shape& shape);
// -1 is the last. ShapeError names the operation.
std::size_t wrapDim(std::int64_t dim, std::size_t rank, std::string_view operation);

}  // namespace megalith
