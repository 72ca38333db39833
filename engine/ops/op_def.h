// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/backend/kernel.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace megalith {

namespace ops {

class Vjp;
using Metas = std::vector<TensorMeta>;
// One gradient per input, empty where there is none or none is needed.
using Grads = std::vector<Tensor>;

// Which tensors the vector-Jacobian product reads. What is not named is not kept alive.
enum class Save : std::uint8_t { Nothing = 0, Inputs = 1, Outputs = 2, Both = 3 };

// One operation: what it is called, what comes out of it, how it is computed and how it is differentiated.
struct OpDef
{
    std::string_view name;
    // Shapes and dtypes of the outputs, without data. ShapeError in the user's language.
    Metas (*infer)(std::span<const TensorMeta> inputs, const Attrs& attrs) = nullptr;
    CpuKernel cpu = nullptr;
    // Written with other ops. nullptr: not differentiable, its outputs never require grad.
    Grads (*vjp)(const Vjp& v) = nullptr;
    Save save = Save::Inputs;
    // The kernel reads inputs of any stride; otherwise apply() hands it contiguous copies.
    bool strided = false;
};

// What a vjp sees of the call that it differentiates.
class Vjp
{
public:
    Vjp(const OpDef& op, const Attrs& attrs, std::span<const Tensor> inputs, std::span<const TensorMeta> inputMetas,
        std::span<const Tensor> outputs, std::span<const Tensor> grads, std::span<const char> needed)
        : m_op(op), m_attrs(attrs), m_inputs(inputs), m_inputMetas(inputMetas), m_outputs(outputs), m_grads(grads), m_needed(needed)
    {
    }

    const Attrs& attrs() const { return m_attrs; }
    const Tensor& input(std::size_t i) const { return m_inputs[i]; }  // only when saved
    const Tensor& output(std::size_t i = 0) const { return m_outputs[i]; }
    const TensorMeta& inputMeta(std::size_t i) const { return m_inputMetas[i]; }
    std::size_t inputCount() const { return m_inputMetas.size(); }
    // Gradient of the loss with respect to output i; empty when that output took no part.
    const Tensor& grad(std::size_t i = 0) const { return m_grads[i]; }
    // Whether anybody wants the gradient of input i.
    bool needs(std::size_t i) const { return m_needed[i] != 0; }
    const OpDef& op() const { return m_op; }

private:
    const OpDef& m_op;
    const Attrs& m_attrs;
    std::span<const Tensor> m_inputs;
    std::span<const TensorMeta> m_inputMetas;
    std::span<const Tensor> m_outputs;
    std::span<const Tensor> m_grads;
    std::span<const char> m_needed;
};

// Checks, allocates, launches and records for autograd. Inputs live on one device; an empty Tensor is an optional argument left out.
Tensors apply(const OpDef& op, Tensors inputs, Attrs attrs = {});
Tensor apply1(const OpDef& op, Tensors inputs, Attrs attrs = {});
// Launches with the given targets as outputs, outside autograd, and grows their versions.
void applyInPlace(const OpDef& op, Tensors inputs, Tensors targets, Attrs attrs = {});

}  // namespace ops
}  // namespace megalith
