// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/backend/cpu/conv.h"
#include "engine/backend/cpu_dnn.h"

#ifdef MEGALITH_HAVE_ONEDNN

#include <oneapi/dnnl/dnnl.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

namespace megalith {

// One array of a primitive: as the caller has it, as the primitive wants it, and the way between.
struct DnnOperand
{
    dnnl::memory plain;
    dnnl::memory inner;       // the same object as plain when no reordering is needed
    dnnl::primitive reorder;  // empty then
};

struct DnnConvolution
{
    dnnl::primitive primitive;
    std::string implementation;  // empty: nothing but the reference code would do it
    DnnOperand input;
    DnnOperand weights;
    DnnOperand output;
    dnnl::memory bias;
    dnnl::memory scratchpad;
    std::uint64_t lastUsed = 0;
};

enum class DnnPass : std::uint8_t { Forward, ForwardBias, BackwardInput, BackwardWeight };

struct DnnConvolutionKey
{
    cpu::Conv2dShape shape;
    DnnPass pass;
    int threads;
    bool operator==(const DnnConvolutionKey&) const = default;
};

struct DnnConvolutionHash
{
    std::size_t operator()(const DnnConvolutionKey& key) const;
};

struct CpuContext::Dnn::Primitives
{
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    std::unordered_map<DnnConvolutionKey, std::unique_ptr<DnnConvolution>, DnnConvolutionHash> convolutions;
    std::uint64_t uses = 0;
};

}  // namespace megalith

#else

namespace megalith {

struct CpuContext::Dnn::Primitives
{};

}  // namespace megalith

#endif
