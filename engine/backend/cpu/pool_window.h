// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/backend/cpu/multiversion.h"
#include "engine/backend/cpu/pool.h"

#include <cstdint>

namespace megalith::cpu {

struct Span
{
    std::int64_t from;
    std::int64_t to;
};

// The output columns for which column * strideW + shift lies inside the plane.
MEGALITH_INLINE Span insideColumns(const Pool2dShape& s, std::int64_t shift)
{
    std::int64_t from = shift >= 0 ? 0 : (-shift + s.strideW - 1) / s.strideW;
    if (from > s.ow)
        from = s.ow;
    std::int64_t to = s.w <= shift ? 0 : (s.w - shift + s.strideW - 1) / s.strideW;
    if (to > s.ow)
        to = s.ow;
    return {from, to < from ? from : to};
}

}  // namespace megalith::cpu
