// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"
#include "engine/core/tensor.h"

#include <memory>
#include <string_view>
#include <vector>

namespace megalith {

class CpuContext;
struct KernelCall;

using CpuKernel = void (*)(const KernelCall& call, CpuContext& context);

// Where a kernel finds one tensor's elements. Holds the storage alive, so a recorded call can run again.
struct BufferView
{
    std::shared_ptr<Storage> storage;  // empty: an optional argument that is not there
    DType dtype = DType::F32;
    Shape shape;
    Strides strides;
    std::int64_t offset = 0;

    explicit operator bool() const { return storage != nullptr; }
    std::int64_t numel() const { return megalith::numel(shape); }
    bool isContiguous() const { return megalith::isContiguous(shape, strides); }
    template<typename T>
    T* data() const
    {
        return reinterpret_cast<T*>(storage->data()) + offset;
    }
};

BufferView viewOf(const Tensor& tensor);

// One launch as a plain value: it can be stored, listed and run again. Everything that changes from step to step is read
// from a one-element input, never from attrs.
struct KernelCall
{
    std::string_view name;  // the operation's; lives as long as the program
    CpuKernel cpu = nullptr;
    std::vector<BufferView> inputs;
    std::vector<BufferView> outputs;  // written; an in-place operation lists its target here
    Attrs attrs;
};

}  // namespace megalith
