// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/backend/kernel.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace megalith {

namespace ops {

struct Vjp;
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

// A tensor kept for the gradient, and what its storage's version was then.
struct SavedTensor
{
    Tensor tensor;
    std::uint64_t version = 0;
};

// What a vjp sees of the call that it differentiates.
struct Vjp
{
    const Attrs& attrs() const { return attributes; }
    // Error that names the operation when the tensor was changed in place since.
    const Tensor& input(std::size_t i) const { return checked(savedInputs, i); }
    const Tensor& output(std::size_t i = 0) const { return checked(savedOutputs, i); }
    const TensorMeta& inputMeta(std::size_t i) const { return inputMetas[i]; }
    const TensorMeta& outputMeta(std::size_t i = 0) const { return outputMetas[i]; }
    std::size_t inputCount() const { return inputMetas.size(); }
    // Gradient of the loss with respect to output i; empty when that output took no part.
    const Tensor& grad(std::size_t i = 0) const { return grads[i]; }
    // Whether anybody wants the gradient of input i.
    bool needs(std::size_t i) const { return needed[i] != 0; }

    std::string_view name;
    const Attrs& attributes;
    std::span<const SavedTensor> savedInputs;
    std::span<const SavedTensor> savedOutputs;
    std::span<const TensorMeta> inputMetas;
    std::span<const TensorMeta> outputMetas;
    std::span<const Tensor> grads;
    std::span<const char> needed;

    const Tensor& checked(std::span<const SavedTensor> saved, std::size_t i) const;
};

// Checks, allocates, launches and records for autograd. Inputs live on one device; an empty Tensor is an optional argument left out.
Tensors apply(const OpDef& op, Tensors inputs, Attrs attrs = {});
Tensor apply1(const OpDef& op, Tensors inputs, Attrs attrs = {});
// Launches with the given targets as outputs and grows their versions. Outside autograd: Error when a target requires grad while
// gradients are recorded, unless the operation is one of those that record themselves (add_, mul_).
void applyInPlace(const OpDef& op, const Tensors& inputs, const Tensors& targets, Attrs attrs = {});
// Launches alone: no checks, no recording for autograd.
void launch(const OpDef& op, const Tensors& inputs, const Tensors& outputs, Attrs attrs);
Tensor allocate(const TensorMeta& meta, Backend& backend);

// For gradients that have the shape of an input: attrs with it as "shape", and the infer that takes it from there.
Attrs withShape(const Attrs& attrs, const Shape& shape);
std::vector<TensorMeta> inferFromShape(std::span<const TensorMeta> inputs, const Attrs& attrs);

}  // namespace ops
}  // namespace megalith
