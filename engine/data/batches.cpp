// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/batches.h"

#include "engine/core/error.h"
#include "engine/core/philox.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace megalith::data {

std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t key)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    PhiloxStream stream(key);
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(stream.below(i))]);
    return order;
}

BatchOrder::BatchOrder(std::int64_t count, std::int64_t batchSize, bool shuffle, bool dropLast, std::uint64_t seed)
    : m_batchSize(batchSize)
    , m_shuffle(shuffle)
    , m_seed(seed)
{
    if (batchSize < 1)
        throw DataError(fmt::format("training.batch_size is {}, but it must be at least 1", batchSize));
    if (count < 1)
        throw DataError("there are no samples to train on");
    m_steps = count / batchSize + (!dropLast && count % batchSize != 0 ? 1 : 0);
    if (m_steps == 0)
        throw DataError(fmt::format("training.drop_last leaves no batch: there are {} samples, but batch_size is {}",
                                    count, batchSize));
    m_rows.resize(static_cast<std::size_t>(count));
    setEpoch(0);
}

void BatchOrder::setEpoch(std::int64_t epoch)
{
    m_epoch = epoch;
    if (m_shuffle)
        m_rows = permutation(static_cast<std::int64_t>(m_rows.size()),
                             mixKey(mixKey(m_seed, "batch order"), static_cast<std::uint64_t>(epoch)));
    else
        std::iota(m_rows.begin(), m_rows.end(), std::int64_t{0});
}

std::span<const std::int64_t> BatchOrder::rows(std::int64_t step) const
{
    if (step < 0 || step >= m_steps)
        throw DataError(fmt::format("batches: step {} of an epoch that has {}", step, m_steps));
    const auto first = static_cast<std::size_t>(step * m_batchSize);
    const std::size_t size = std::min(static_cast<std::size_t>(m_batchSize), m_rows.size() - first);
    return std::span(m_rows).subspan(first, size);
}

void gather(const Samples& samples, std::span<const std::int64_t> rows, std::span<std::byte> out)
{
    const std::size_t size = samples.rowBytes();
    if (out.size() != rows.size() * size)
        throw DataError(fmt::format("gather: {} rows of {} bytes do not fill {} bytes", rows.size(), size, out.size()));
    if (size == 0)
        return;
    for (std::size_t i = 0; i < rows.size();) {
        const std::int64_t first = rows[i];
        std::size_t run = 1;  // rows that follow each other are one copy
        while (i + run < rows.size() && rows[i + run] == first + static_cast<std::int64_t>(run))
            ++run;
        if (first < 0 || first + static_cast<std::int64_t>(run) > samples.count)
            throw DataError(
                fmt::format("gather: row {} of {}", first + static_cast<std::int64_t>(run) - 1, samples.count));
        std::memcpy(out.data() + i * size, samples.bytes.data() + static_cast<std::size_t>(first) * size, run * size);
        i += run;
    }
}

}  // namespace megalith::data
