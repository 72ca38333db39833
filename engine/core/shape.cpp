// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/shape.h"

#include "engine/core/error.h"

#include <algorithm>

namespace megalith {

std::int64_t numel(const Shape& shape)
{
    std::int64_t product = 1;
    bool empty = false;
    bool overflow = false;
    for (const std::int64_t size : shape) {
        if (size < 0)
            throw ShapeError("a tensor of shape " + text(shape) + " has a negative size");
        empty = empty || size == 0;
        overflow = overflow || (size != 0 && __builtin_mul_overflow(product, size, &product));
    }
    if (empty)
        return 0;
    if (overflow)
        throw ShapeError("a tensor of shape " + text(shape) + " has more elements than can be counted");
    return product;
}

Strides contiguousStrides(const Shape& shape)
{
    Strides strides(shape.size());
    std::int64_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        strides[i] = step;
        step *= std::max<std::int64_t>(shape[i], 1);
    }
    return strides;
}

bool isContiguous(const Shape& shape, const Strides& strides)
{
    std::int64_t expected = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (shape[i] == 0)
            return true;
        if (shape[i] != 1 && strides[i] != expected)
            return false;
        expected *= shape[i];
    }
    return true;
}

Shape broadcastShapes(const Shape& a, const Shape& b, std::string_view operation)
{
    const std::size_t rank = std::max(a.size(), b.size());
    Shape out(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1)
            throw ShapeError(std::string(operation) + ": shapes " + text(a) + " and " + text(b)
                             + " do not broadcast: " + std::to_string(x) + " meets " + std::to_string(y)
                             + " in dimension " + std::to_string(rank - 1 - i));
        out[rank - 1 - i] = x == 1 ? y : x;
    }
    return out;
}

std::string text(const Shape& shape)
{
    std::string out = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        out += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return out + "]";
}

std::size_t wrapDim(std::int64_t dim, std::size_t rank, std::string_view operation)
{
    const auto n = static_cast<std::int64_t>(std::max<std::size_t>(rank, 1));
    if (dim < -n || dim >= n)
        throw ShapeError(std::string(operation) + ": dim " + std::to_string(dim) + " is outside " + std::to_string(-n)
                         + " to " + std::to_string(n - 1) + " of a tensor with " + std::to_string(rank)
                         + " dimensions");
    return static_cast<std::size_t>(dim < 0 ? dim + n : dim);
}

}  // namespace megalith
