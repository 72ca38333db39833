// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/metrics.h"

#include "engine/ops/functions.h"

#include <cmath>

namespace megalith::train {

void MetricSum::add(const Tensor& output, const Tensor& target, std::int64_t ignoreIndex)
{
    if (m_binary) {
        m_classes = true;
        const std::vector<double> x = output.toDoubles();
        const std::vector<double> t = target.toDoubles();
        for (std::size_t i = 0; i < x.size() && i < t.size(); ++i)
            m_sum += (x[i] > 0.0) == (t[i] > 0.5) ? 1.0 : 0.0;
        m_count += static_cast<std::int64_t>(x.size());
        return;
    }
    const bool numbers = !isFloating(target.dtype()) && output.rank() == target.rank() + 1;
    if (!numbers) {
        const Tensor error = ops::abs(output - ops::to(target, output.dtype()));
        m_sum += ops::sum(ops::to(error, DType::F64)).item();
        m_count += error.numel();
        return;
    }
    m_classes = true;
    const std::vector<std::int64_t> found = ops::argmax(output, 1).toIntegers();
    const std::vector<std::int64_t> wanted = target.toIntegers();
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (wanted[i] == ignoreIndex)
            continue;
        m_sum += found[i] == wanted[i] ? 1.0 : 0.0;
        ++m_count;
    }
}

std::vector<Metric> MetricSum::result() const
{
    if (m_count == 0)
        return {};
    return {{m_classes ? "accuracy" : "mae", m_sum / static_cast<double>(m_count)}};
}

}  // namespace megalith::train
