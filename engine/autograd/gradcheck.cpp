// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/autograd/autograd.h"
#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/core/philox.h"
#include "engine/ops/functions.h"

#include <cmath>

namespace megalith {

namespace {

// The sum of all outputs, each weighted by a fixed random cotangent.
class Probe
{
public:
    Probe(const std::function<Tensors(const Tensors&)>& f, const Tensors& inputs) : m_f(f), m_inputs(inputs) {}

    Tensor operator()()
    {
        const Tensors outputs = m_f(m_inputs);
        Tensor total;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (!isFloating(outputs[i].dtype()))
                continue;
            if (m_cotangents.size() <= i)
                m_cotangents.resize(i + 1);
            if (!m_cotangents[i]) {
                m_cotangents[i] = ops::empty(outputs[i].shape(), DType::F64);
                ops::uniform_(m_cotangents[i], 0.5, 1.5, mixKey(20, i));
            }
            const Tensor part = ops::sum(outputs[i] * m_cotangents[i]);
            total = total ? total + part : part;
        }
        return total;
    }

private:
    const std::function<Tensors(const Tensors&)>& m_f;
    const Tensors& m_inputs;
    Tensors m_cotangents;
};

}  // namespace

std::string gradcheck(const std::function<Tensors(const Tensors&)>& f, const Tensors& inputs, double eps,
                      double tolerance)
{
    for (const Tensor& x : inputs)
        if (x && x.requires_grad() && (x.dtype() != DType::F64 || !x.isContiguous()))
            throw Error("gradcheck: inputs that require grad must be dense float64");
    Probe probe(f, inputs);
    for (const Tensor& x : inputs)
        if (x)
            x.setGrad({});
    backward(probe());
    const NoGrad off;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const Tensor& x = inputs[k];
        if (!x || !x.requires_grad())
            continue;
        const std::vector<double> values = x.toDoubles();
        const std::vector<double> got = x.grad() ? x.grad().toDoubles() : std::vector<double>(values.size(), 0.0);
        std::vector<double> wanted(values.size());
        std::vector<double> moved = values;
        const auto at = [&](std::size_t i, double value) {
            moved[i] = value;
            x.copyFrom(moved.data(), moved.size() * sizeof(double));
            moved[i] = values[i];
            return probe().item();
        };
        for (std::size_t i = 0; i < values.size(); ++i)
            wanted[i] = (at(i, values[i] + eps) - at(i, values[i] - eps)) / (2.0 * eps);
        x.copyFrom(values.data(), values.size() * sizeof(double));
        double scale = 1e-6;
        for (const double w : wanted)
            scale = std::max(scale, std::abs(w));
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (!(std::abs(got[i] - wanted[i]) <= tolerance * scale))
                return "input " + std::to_string(k) + ", element " + std::to_string(i) + ": the gradient is "
                       + shortestText(got[i]) + ", central differences give " + shortestText(wanted[i]);
    }
    return {};
}

}  // namespace megalith
