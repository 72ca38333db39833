// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/backend.h"
#include "engine/backend/session.h"
#include "engine/core/error.h"
#include "engine/core/tensor_impl.h"
#include "engine/ops/functions.h"
#include "engine/ops/op_def.h"
#include "engine/ops/record.h"

namespace megalith::ops {

namespace {

std::vector<TensorMeta> metasOf(const Tensors& tensors)
{
    std::vector<TensorMeta> metas;
    metas.reserve(tensors.size());
    for (const Tensor& t : tensors)
        metas.push_back(t ? t.meta() : TensorMeta{});
    return metas;
}

Backend& backendOf(const Tensors& tensors)
{
    for (const Tensor& t : tensors)
        if (t)
            return t.backend();
    return Session::current().device();
}

}  // namespace

const Tensor& Vjp::checked(std::span<const SavedTensor> saved, std::size_t i) const
{
    const SavedTensor& s = saved[i];
    if (s.tensor && s.tensor.storage()->version() != s.version)
        throw Error(std::string(name) + ": a tensor of shape " + text(s.tensor.shape())
                    + " that the gradient needs was changed in place: it is at version "
                    + std::to_string(s.tensor.storage()->version()) + ", expected " + std::to_string(s.version));
    return s.tensor;
}

Tensor allocate(const TensorMeta& meta, Backend& backend)
{
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(numel(meta.shape), static_cast<std::int64_t>(itemSize(meta.dtype)), &bytes))
        throw ShapeError("a tensor of shape " + text(meta.shape) + " has more bytes than can be counted");
    return Tensor(backend.allocate(static_cast<std::size_t>(bytes)), meta.dtype, meta.shape,
                  contiguousStrides(meta.shape), 0);
}

Attrs withShape(const Attrs& attrs, const Shape& shape)
{
    Attrs out = attrs;
    out.set("shape", shape);
    return out;
}

std::vector<TensorMeta> inferFromShape(std::span<const TensorMeta> inputs, const Attrs& attrs)
{
    return {{inputs[0].dtype, attrs.integers("shape")}};
}

void launch(const OpDef& op, const Tensors& inputs, const Tensors& outputs, Attrs attrs)
{
    KernelCall call{op.name, op.cpu, {}, {}, std::move(attrs)};
    call.inputs.reserve(inputs.size());
    for (const Tensor& t : inputs)
        call.inputs.push_back(viewOf(t && !op.strided && !t.isContiguous() ? contiguous(t.detach()) : t));
    call.outputs.reserve(outputs.size());
    for (const Tensor& t : outputs)
        call.outputs.push_back(viewOf(t));
    backendOf(outputs).launch(call);
}

Tensors apply(const OpDef& op, Tensors inputs, Attrs attrs)
{
    const std::vector<TensorMeta> metas = op.infer(metasOf(inputs), attrs);
    Backend& backend = backendOf(inputs);
    Tensors outputs;
    outputs.reserve(metas.size());
    for (const TensorMeta& meta : metas)
        outputs.push_back(allocate(meta, backend));
    launch(op, inputs, outputs, attrs);
    if (wantsGrad(op, inputs))
        record(op, attrs, inputs, outputs);
    return outputs;
}

Tensor apply1(const OpDef& op, Tensors inputs, Attrs attrs)
{
    return apply(op, std::move(inputs), std::move(attrs)).front();
}

void applyInPlace(const OpDef& op, const Tensors& inputs, const Tensors& targets, Attrs attrs)
{
    for (const Tensor& t : targets) {
        if (!t)
            continue;
        if (gradRecording() && t.requires_grad())
            throw Error(
                std::string(op.name)
                + ": a tensor that requires grad is changed in place; wrap the change in NoGrad, or use the operation that makes a new tensor");
        t.storage()->bumpVersion();
    }
    launch(op, inputs, targets, std::move(attrs));
}

}  // namespace megalith::ops
