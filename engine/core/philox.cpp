// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/philox.h"

#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

namespace megalith {

std::uint32_t PhiloxStream::next32()
{
    const std::uint64_t block = m_position / 4;
    if (block != m_block) {
        m_words = philox(philoxCounter(block), m_key);
        m_block = block;
    }
    return m_words[static_cast<std::size_t>(m_position++ % 4)];
}

std::uint64_t PhiloxStream::next64()
{
    const std::uint64_t low = next32();
    return low | std::uint64_t{next32()} << 32;
}

double PhiloxStream::normal()
{
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::uint64_t PhiloxStream::below(std::uint64_t n)
{
    // The high half of bits * n; the few products that would make some results likelier are drawn again.
    const auto product = [n](std::uint64_t bits) {
        const std::uint64_t low = (bits & 0xFFFFFFFFu) * (n & 0xFFFFFFFFu);
        const std::uint64_t mid1 = (bits >> 32) * (n & 0xFFFFFFFFu) + (low >> 32);
        const std::uint64_t mid2 = (bits & 0xFFFFFFFFu) * (n >> 32) + (mid1 & 0xFFFFFFFFu);
        return std::pair{(bits >> 32) * (n >> 32) + (mid1 >> 32) + (mid2 >> 32), bits * n};
    };
    auto [high, low] = product(next64());
    if (low < n) {
        const std::uint64_t threshold = (0 - n) % n;
        while (low < threshold)
            std::tie(high, low) = product(next64());
    }
    return high;
}

}  // namespace megalith
