// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/dtype.h"
#include "engine/core/shape.h"
#include "engine/core/state_dict.h"
#include "engine/core/storage.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace megalith {

struct GradNode;
class Tensor;
using Tensors = std::vector<Tensor>;

// dtype and shape without data: what inference works on.
struct TensorMeta
{
    DType dtype = DType::F32;
    Shape shape;
    bool operator==(const TensorMeta&) const = default;
};

// A strided view of storage, and its place in the graph that autograd recorded. Copies are handles of the same tensor, as in
// PyTorch. An empty handle (Tensor()) stands for "none". Owned by one thread at a time.
class Tensor
{
public:
    Tensor() = default;
    Tensor(std::shared_ptr<Storage> storage, DType dtype, Shape shape, Strides strides, std::int64_t offset);

    explicit operator bool() const { return m_impl != nullptr; }
    bool is(const Tensor& other) const { return m_impl == other.m_impl; }
    const void* id() const { return m_impl.get(); }
    long useCount() const { return m_impl.use_count(); }  // handles of this tensor

    DType dtype() const;
    const Shape& shape() const;
    const Strides& strides() const;  // elements
    std::int64_t offset() const;     // elements
    std::size_t rank() const { return shape().size(); }
    std::int64_t size(std::int64_t dim) const;  // -1 is the last
    std::int64_t numel() const;
    TensorMeta meta() const { return {dtype(), shape()}; }
    bool isContiguous() const;
    const std::shared_ptr<Storage>& storage() const;
    Backend& backend() const { return storage()->backend(); }

    // ---- autograd (engine/autograd/autograd.h has backward, NoGrad and gradcheck)
    bool requires_grad() const;
    // Error on a tensor that an operation made (only leaves can be switched) and on a dtype that is not floating.
    Tensor& requires_grad_(bool on = true);
    bool isLeaf() const { return gradFn() == nullptr; }
    const std::shared_ptr<GradNode>& gradFn() const;
    std::uint32_t outputIndex() const;
    Tensor grad() const;  // empty when there is none
    void setGrad(Tensor grad) const;
    // The same storage, outside the graph.
    Tensor detach() const;
    // Called with the gradient of this tensor when backward has it; what the inspector listens to.
    void registerHook(std::function<void(const Tensor&)> hook) const;
    const std::vector<std::function<void(const Tensor&)>>& hooks() const;
    void setGradFn(std::shared_ptr<GradNode> node, std::uint32_t output) const;  // autograd alone

    // ---- values
    // The one element. Error names the shape when there are several.
    double item() const;
    // All elements in row-major order, converted.
    std::vector<double> toDoubles() const;
    std::vector<std::int64_t> toIntegers() const;
    StateEntry toEntry() const;  // a copy of the bytes, row-major
    // Overwrites the elements; the shape must be the same, the dtype is converted. Grows the version.
    void copyFrom(const StateEntry& entry) const;
    void copyFrom(const void* rowMajor, std::size_t bytes) const;  // of this dtype

private:
    struct Impl;
    std::shared_ptr<Impl> m_impl;
};

// As print(tensor): tensor([[1.0000, 2.0000], ...]), aligned, four decimals, the middle left out beyond 1,000 elements.
std::string text(const Tensor& tensor);

}  // namespace megalith
