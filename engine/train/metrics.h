// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/tensor.h"
#include "engine/train/events.h"

#include <string_view>
#include <vector>

namespace megalith::train {

// Sums a metric over batches: accuracy for classes (the largest output; for BCEWithLogitsLoss the sign), else the mean absolute
// error.
class MetricSum
{
public:
    explicit MetricSum(std::string_view lossType) : m_binary(lossType == "BCEWithLogitsLoss") {}

    // output [N, C, ...] and class numbers [N, ...], or two tensors that broadcast. Class numbers equal to ignoreIndex do not count.
    void add(const Tensor& output, const Tensor& target, std::int64_t ignoreIndex);
    std::vector<Metric> result() const;

private:
    bool m_binary;
    bool m_classes = false;
    double m_sum = 0.0;
    std::int64_t m_count = 0;
};

}  // namespace megalith::train
