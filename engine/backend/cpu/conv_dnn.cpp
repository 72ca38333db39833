// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/cpu/conv_paths.h"
#include "engine/backend/cpu/dnn_primitives.h"

#ifdef MEGALITH_HAVE_ONEDNN

#include "engine/backend/cpu/omp_threads.h"
#include "engine/core/error.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace megalith {

std::size_t DnnConvolutionHash::operator()(const DnnConvolutionKey& key) const
{
    static_assert(sizeof(cpu::Conv2dShape) == 18 * sizeof(std::int64_t), "padding would be hashed");
    const std::hash<std::string_view> hash;
    const auto shape = hash({reinterpret_cast<const char*>(&key.shape), sizeof key.shape});
    return shape * 31 + static_cast<std::size_t>(key.pass) * 7 + static_cast<std::size_t>(key.threads);
}

namespace cpu {

namespace {

using dnnl::memory;
using Primitives = CpuContext::Dnn::Primitives;
using Scratch = CpuContext::Dnn::Scratch;
using Tag = memory::format_tag;

constexpr std::size_t maximumPrepared = 128;

// The three arrays in the caller's layout, and in whichever oneDNN likes best.
struct Descriptions
{
    explicit Descriptions(const Conv2dShape& s)
        : strides{s.strideH, s.strideW}
        , dilation{s.dilationH - 1, s.dilationW - 1}
        , padBefore{s.padTop, s.padLeft}
        , padAfter{s.padBottom, s.padRight}
        , input({s.n, s.c, s.h, s.w}, memory::data_type::f32, Tag::nchw)
        , weights(weightDims(s), memory::data_type::f32, s.groups > 1 ? Tag::goihw : Tag::oihw)
        , output({s.n, s.o, s.oh, s.ow}, memory::data_type::f32, Tag::nchw)
        , bias({s.o}, memory::data_type::f32, Tag::x)
    {}

    static memory::dims weightDims(const Conv2dShape& s)
    {
        if (s.groups > 1)
            return {s.groups, s.o / s.groups, s.c / s.groups, s.kh, s.kw};
        return {s.o, s.c, s.kh, s.kw};
    }

    static memory::desc any(const memory::desc& plain) { return {plain.dims(), memory::data_type::f32, Tag::any}; }

    memory::dims strides, dilation, padBefore, padAfter;
    memory::desc input, weights, output, bias;
};

dnnl::convolution_forward::primitive_desc forwardDescription(const Descriptions& d, bool bias, Primitives& dnn,
                                                             const dnnl::primitive_attr& attributes)
{
    using Convolution = dnnl::convolution_forward;
    constexpr auto kind = dnnl::prop_kind::forward_training;
    constexpr auto algorithm = dnnl::algorithm::convolution_direct;
    const auto x = d.any(d.input), w = d.any(d.weights), y = d.any(d.output);
    const auto description =
        bias ? Convolution::desc(kind, algorithm, x, w, d.bias, y, d.strides, d.dilation, d.padBefore, d.padAfter)
             : Convolution::desc(kind, algorithm, x, w, y, d.strides, d.dilation, d.padBefore, d.padAfter);
    return {description, attributes, dnn.engine};
}

// reads: the primitive reads the array; else it writes it.
DnnOperand operandOf(const memory::desc& plain, const memory::desc& inner, bool reads, Primitives& dnn)
{
    DnnOperand operand;
    operand.plain = memory(plain, dnn.engine, nullptr);
    operand.inner = operand.plain;
    if (plain == inner)
        return operand;
    operand.inner = memory(inner, dnn.engine, nullptr);
    const auto& from = reads ? operand.plain : operand.inner;
    const auto& to = reads ? operand.inner : operand.plain;
    operand.reorder = dnnl::reorder(dnnl::reorder::primitive_desc(from, to));
    return operand;
}

template<typename Primitive, typename Description>
void take(DnnConvolution& into, const Description& description, Primitives& dnn)
{
    into.implementation = description.impl_info_str();
    if (into.implementation.starts_with("ref"))
        into.implementation.clear();
    if (into.implementation.empty())
        return;
    into.primitive = Primitive(description);
    into.scratchpad = memory(description.scratchpad_desc(), dnn.engine, nullptr);
}

std::unique_ptr<DnnConvolution> make(const DnnConvolutionKey& key, Primitives& dnn)
{
    const Descriptions d(key.shape);
    auto made = std::make_unique<DnnConvolution>();
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const bool withBias = key.pass == DnnPass::ForwardBias;
    const auto forward = forwardDescription(d, withBias, dnn, attributes);
    constexpr auto algorithm = dnnl::algorithm::convolution_direct;
    if (key.pass == DnnPass::BackwardInput) {
        using Convolution = dnnl::convolution_backward_data;
        const Convolution::desc description(algorithm, d.any(d.input), d.any(d.weights), d.any(d.output), d.strides,
                                            d.dilation, d.padBefore, d.padAfter);
        const Convolution::primitive_desc pd(description, attributes, dnn.engine, forward);
        take<Convolution>(*made, pd, dnn);
        made->input = operandOf(d.input, pd.diff_src_desc(), false, dnn);
        made->weights = operandOf(d.weights, pd.weights_desc(), true, dnn);
        made->output = operandOf(d.output, pd.diff_dst_desc(), true, dnn);
    } else if (key.pass == DnnPass::BackwardWeight) {
        using Convolution = dnnl::convolution_backward_weights;
        const Convolution::desc description(algorithm, d.any(d.input), d.any(d.weights), d.any(d.output), d.strides,
                                            d.dilation, d.padBefore, d.padAfter);
        const Convolution::primitive_desc pd(description, attributes, dnn.engine, forward);
        take<Convolution>(*made, pd, dnn);
        made->input = operandOf(d.input, pd.src_desc(), true, dnn);
        made->weights = operandOf(d.weights, pd.diff_weights_desc(), false, dnn);
        made->output = operandOf(d.output, pd.diff_dst_desc(), true, dnn);
    } else {
        take<dnnl::convolution_forward>(*made, forward, dnn);
        made->input = operandOf(d.input, forward.src_desc(), true, dnn);
        made->weights = operandOf(d.weights, forward.weights_desc(), true, dnn);
        made->output = operandOf(d.output, forward.dst_desc(), false, dnn);
        if (withBias)
            made->bias = memory(d.bias, dnn.engine, nullptr);
    }
    return made;
}

void forgetOldest(Primitives& dnn)
{
    const auto oldest = std::min_element(dnn.convolutions.begin(), dnn.convolutions.end(),
                                         [](auto& a, auto& b) { return a.second->lastUsed < b.second->lastUsed; });
    dnn.convolutions.erase(oldest);
}

DnnConvolution& prepared(const DnnConvolutionKey& key, Primitives& dnn)
{
    auto& all = dnn.convolutions;
    auto found = all.find(key);
    if (found == all.end()) {
        std::unique_ptr<DnnConvolution> made;
        try {
            made = make(key, dnn);
        } catch (const dnnl::error&) {
            made = std::make_unique<DnnConvolution>();  // oneDNN has no way to do this shape
        }
        if (all.size() >= maximumPrepared)
            forgetOldest(dnn);
        found = all.emplace(key, std::move(made)).first;
    }
    found->second->lastUsed = ++dnn.uses;
    return *found->second;
}

void place(CpuContext::Dnn& memoryOwner, DnnOperand& operand, const void* data, Scratch scratch)
{
    // oneDNN takes pointers to non-const and keeps its promise about what it reads.
    operand.plain.set_data_handle(const_cast<void*>(data));
    if (!operand.reorder)
        return;
    const auto bytes = static_cast<std::int64_t>(operand.inner.get_desc().get_size());
    void* inner = memoryOwner.scratch<std::byte>(scratch, bytes);
    if (operand.inner.get_data_handle() != inner)
        operand.inner.set_data_handle(inner);
}

void reorder(const DnnOperand& operand, bool reads, Primitives& dnn)
{
    if (!operand.reorder)
        return;
    operand.reorder.execute(dnn.stream, {{DNNL_ARG_FROM, reads ? operand.plain : operand.inner},
                                         {DNNL_ARG_TO, reads ? operand.inner : operand.plain}});
}

bool run(CpuContext& context, DnnPass pass, const Conv2dShape& s, const float* input, const float* weights,
         const float* bias, const float* output)
{
    const int threads = context.threadsFor(s.n * s.o * s.oh * s.ow * (s.c / s.groups) * s.kh * s.kw / 16);
    const OmpThreads scope(threads);
    auto& owner = context.dnn();
    Primitives& dnn = *owner.primitives;
    DnnConvolution& convolution = prepared({s, pass, threads}, dnn);
    if (convolution.implementation.empty())
        return false;

    place(owner, convolution.input, input, Scratch::Input);
    place(owner, convolution.weights, weights, Scratch::Weights);
    place(owner, convolution.output, output, Scratch::Output);
    const auto padBytes = static_cast<std::int64_t>(convolution.scratchpad.get_desc().get_size());
    convolution.scratchpad.set_data_handle(owner.scratch<std::byte>(Scratch::Library, padBytes));

    const bool inputBack = pass == DnnPass::BackwardInput;
    const bool weightsBack = pass == DnnPass::BackwardWeight;
    const bool forward = !inputBack && !weightsBack;
    if (!inputBack)
        reorder(convolution.input, true, dnn);
    if (!weightsBack)
        reorder(convolution.weights, true, dnn);
    if (!forward)
        reorder(convolution.output, true, dnn);
    std::unordered_map<int, memory> arguments{
        {inputBack ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, convolution.input.inner},
        {weightsBack ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, convolution.weights.inner},
        {forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, convolution.output.inner},
        {DNNL_ARG_SCRATCHPAD, convolution.scratchpad}};
    if (bias) {
        convolution.bias.set_data_handle(const_cast<float*>(bias));
        arguments.emplace(DNNL_ARG_BIAS, convolution.bias);
    }
    convolution.primitive.execute(dnn.stream, arguments);
    if (inputBack)
        reorder(convolution.input, false, dnn);
    if (weightsBack)
        reorder(convolution.weights, false, dnn);
    if (forward)
        reorder(convolution.output, false, dnn);
    dnn.stream.wait();
    return true;
}

}  // namespace

bool dnnForward(CpuContext& context, const Conv2dShape& s, const float* x, const float* weight, const float* bias,
                float* y)
{
    return run(context, bias ? DnnPass::ForwardBias : DnnPass::Forward, s, x, weight, bias, y);
}

bool dnnBackwardInput(CpuContext& context, const Conv2dShape& s, const float* dy, const float* weight, float* dx)
{
    return run(context, DnnPass::BackwardInput, s, dx, weight, nullptr, dy);
}

bool dnnBackwardWeight(CpuContext& context, const Conv2dShape& s, const float* x, const float* dy, float* dweight)
{
    return run(context, DnnPass::BackwardWeight, s, x, dweight, nullptr, dy);
}

}  // namespace cpu
}  // namespace megalith

#else

namespace megalith::cpu {

bool dnnForward(CpuContext&, const Conv2dShape&, const float*, const float*, const float*, float*)
{
    return false;
}

bool dnnBackwardInput(CpuContext&, const Conv2dShape&, const float*, const float*, float*)
{
    return false;
}

bool dnnBackwardWeight(CpuContext&, const Conv2dShape&, const float*, const float*, float*)
{
    return false;
}

}  // namespace megalith::cpu

#endif
