// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/tensor.h"

#include "engine/core/error.h"
#include "engine/core/tensor_impl.h"

namespace megalith {

Tensor::Tensor(std::shared_ptr<Storage> storage, DType dtype, Shape shape, Strides strides, std::int64_t offset)
    : m_impl(std::make_shared<Impl>())
{
    m_impl->storage = std::move(storage);
    m_impl->dtype = dtype;
    m_impl->elements = megalith::numel(shape);
    m_impl->contiguous = megalith::isContiguous(shape, strides);
    m_impl->shape = std::move(shape);
    m_impl->strides = std::move(strides);
    m_impl->offset = offset;
}

DType Tensor::dtype() const
{
    return m_impl->dtype;
}

const Shape& Tensor::shape() const
{
    return m_impl->shape;
}

const Strides& Tensor::strides() const
{
    return m_impl->strides;
}

std::int64_t Tensor::offset() const
{
    return m_impl->offset;
}

std::int64_t Tensor::size(std::int64_t dim) const
{
    return m_impl->shape[wrapDim(dim, rank(), "size")];
}

std::int64_t Tensor::numel() const
{
    return m_impl->elements;
}

bool Tensor::isContiguous() const
{
    return m_impl->contiguous;
}

const std::shared_ptr<Storage>& Tensor::storage() const
{
    return m_impl->storage;
}

bool Tensor::requires_grad() const
{
    return m_impl->requiresGrad;
}

Tensor& Tensor::requires_grad_(bool on)
{
    if (on && !isFloating(m_impl->dtype))
        throw Error("requires_grad_: only floating dtypes can require grad, not "
                    + std::string(dtypeName(m_impl->dtype)));
    if (!on && m_impl->gradFn != nullptr)
        throw Error("requires_grad_: this tensor was made by an operation; use detach() to take it out of the graph");
    m_impl->requiresGrad = on;
    return *this;
}

const std::shared_ptr<GradNode>& Tensor::gradFn() const
{
    return m_impl->gradFn;
}

std::uint32_t Tensor::outputIndex() const
{
    return m_impl->outputIndex;
}

Tensor Tensor::grad() const
{
    return m_impl->grad;
}

void Tensor::setGrad(Tensor grad) const
{
    if (grad && grad.shape() != m_impl->shape)
        throw ShapeError("grad: shape " + megalith::text(grad.shape()) + " for a tensor of shape "
                         + megalith::text(m_impl->shape));
    m_impl->grad = std::move(grad);
}

Tensor Tensor::detach() const
{
    return Tensor(m_impl->storage, m_impl->dtype, m_impl->shape, m_impl->strides, m_impl->offset);
}

const std::vector<std::function<void(const Tensor&)>>& Tensor::hooks() const
{
    return m_impl->hooks;
}

void Tensor::setGradFn(std::shared_ptr<GradNode> node, std::uint32_t output) const
{
    m_impl->requiresGrad = true;
    m_impl->gradFn = std::move(node);
    m_impl->outputIndex = output;
}

}  // namespace megalith
