// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/data/dataset.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace megalith::data {

// 0 .. count-1 in an order that depends on the key alone (Fisher-Yates over Philox).
std::vector<std::int64_t> permutation(std::int64_t count, std::uint64_t key);

// Which rows each step of an epoch takes. The order of an epoch is a pure function of (seed, epoch), so that a run that was
// interrupted continues with the very same batches.
class BatchOrder
{
public:
    // DataError when batchSize is not positive, there is no sample, or dropLast leaves no batch.
    BatchOrder(std::int64_t count, std::int64_t batchSize, bool shuffle, bool dropLast, std::uint64_t seed);

    std::int64_t stepsPerEpoch() const { return m_steps; }
    // Rows of a step of the current epoch, 0 .. stepsPerEpoch()-1; the last batch may be smaller. Valid until setEpoch.
    std::span<const std::int64_t> rows(std::int64_t step) const;
    std::int64_t epoch() const { return m_epoch; }
    void setEpoch(std::int64_t epoch);

private:
    std::int64_t m_batchSize;
    bool m_shuffle;
    std::uint64_t m_seed;
    std::int64_t m_steps = 0;
    std::int64_t m_epoch = 0;
    std::vector<std::int64_t> m_rows;
};

// Copies rows one after the other; `out` has rows.size() * samples.rowBytes() bytes.
void gather(const Samples& samples, std::span<const std::int64_t> rows, std::span<std::byte> out);

}  // namespace megalith::data
