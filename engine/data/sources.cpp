// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/source.h"

#include "engine/core/error.h"

#include <array>

namespace megalith::data {

std::span<const Source* const> sources()
{
    static constexpr std::array all = {
        &moons, &circles, &spirals, &blobs, &xorPattern, &regression1d, &digits, &iris, &fashionMnist, &csv, &idx, &npy,
    };
    return all;
}

std::vector<std::string> sourceNames()
{
    std::vector<std::string> names;
    for (const Source* source : sources())
        names.emplace_back(source->name);
    return names;
}

void SourceRequest::checkCancelled() const
{
    if (context.cancelled && context.cancelled())
        throw Cancelled("loading the data was cancelled");
}

bool SourceRequest::wantsTest() const
{
    const Value* validation = data.find("validation");
    return validation != nullptr && validation->isString() && validation->string() == "test";
}

}  // namespace megalith::data
