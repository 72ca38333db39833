// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/backend/cpu/multiversion.h"
#include "engine/backend/cpu_context.h"
#include "engine/core/error.h"
#include "engine/ops/op_def.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

// How element by element kernels walk their tensors on the CPU: one dense loop where every view is dense, else rows.
namespace megalith::ops {

template<typename T>
struct TypeTag
{
    using type = T;
};

// Calls f(TypeTag<T>) for the dtypes that element by element kernels are compiled for: f32, f64, i64. Others are computed in the
// nearest of these and converted (computeDType).
template<typename F>
decltype(auto) withNumber(DType dtype, std::string_view operation, F&& f)
{
    if (dtype == DType::F32)
        return f(TypeTag<float>{});
    if (dtype == DType::F64)
        return f(TypeTag<double>{});
    if (dtype == DType::I64)
        return f(TypeTag<std::int64_t>{});
    throw Error(std::string(operation) + ": does not compute in " + std::string(dtypeName(dtype)));
}

// f32 and f64 alone.
template<typename F>
decltype(auto) withReal(DType dtype, std::string_view operation, F&& f)
{
    if (dtype == DType::F32)
        return f(TypeTag<float>{});
    if (dtype == DType::F64)
        return f(TypeTag<double>{});
    throw Error(std::string(operation) + ": computes in float32 and float64, not in " + std::string(dtypeName(dtype)));
}

// What elements of this dtype are computed in.
DType computeDType(DType dtype);

// Several views over one shape, row by row; neighbouring dimensions are merged where every view allows it.
class RowWalk
{
public:
    static constexpr std::size_t maxViews = 5;

    // Views are broadcast to `shape` (a stride of 0 where a size is 1).
    RowWalk(const Shape& shape, std::initializer_list<const BufferView*> views);

    // One dense run of all elements in every view.
    bool dense() const { return m_dense; }
    std::int64_t elements() const { return m_elements; }

    bool valid() const { return m_row < m_rows; }
    void next();
    std::int64_t at(std::size_t view) const { return m_at[view]; }  // first element of the row, from the view's first
    std::int64_t step(std::size_t view) const { return m_step[view]; }
    std::int64_t count() const { return m_count; }

private:
    std::size_t m_views;
    Shape m_outer;
    std::array<Strides, maxViews> m_strides;
    std::vector<std::int64_t> m_index;
    std::array<std::int64_t, maxViews> m_at{};
    std::array<std::int64_t, maxViews> m_step{};
    std::int64_t m_elements = 0;
    std::int64_t m_count = 0;
    std::int64_t m_rows = 0;
    std::int64_t m_row = 0;
    bool m_dense = false;
};

template<typename A, typename O, typename F>
MEGALITH_MULTIVERSION void denseUnary(std::int64_t n, const A* a, O* o, F f)
{
    for (std::int64_t i = 0; i < n; ++i)
        o[i] = static_cast<O>(f(a[i]));
}

template<typename A, typename B, typename O, typename F>
MEGALITH_MULTIVERSION void denseBinary(std::int64_t n, const A* a, const B* b, O* o, F f)
{
    for (std::int64_t i = 0; i < n; ++i)
        o[i] = static_cast<O>(f(a[i], b[i]));
}

template<typename A, typename B, typename O, typename F>
void rowBinary(std::int64_t n, const A* a, std::int64_t sa, const B* b, std::int64_t sb, O* o, std::int64_t so, F f)
{
    if (sa == 1 && sb == 0 && so == 1) {  // one operand stands still: a bias or a scalar
        const B y = *b;
        for (std::int64_t i = 0; i < n; ++i)
            o[i] = static_cast<O>(f(a[i], y));
        return;
    }
    for (std::int64_t i = 0; i < n; ++i)
        o[i * so] = static_cast<O>(f(a[i * sa], b[i * sb]));
}

// Cuts [0, n) into equal parts for the threads.
template<typename F>
void parallelRange(CpuContext& context, std::int64_t n, std::int64_t costPerElement, F&& f)
{
    const int threads = context.threadsFor(n * costPerElement);
    if (threads <= 1)
        return f(std::int64_t{0}, n);
    const std::int64_t part = (n / threads + 63) / 64 * 64;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; ++t) {
        const std::int64_t begin = std::min<std::int64_t>(n, t * part);
        const std::int64_t end = t + 1 == threads ? n : std::min<std::int64_t>(n, begin + part);
        if (begin < end)
            f(begin, end);
    }
}

// out = f(in), element by element. cost: about how many additions one element is worth.
template<typename A, typename O, typename F>
void mapUnary(const KernelCall& call, CpuContext& context, F f, std::int64_t cost = 1)
{
    const A* a = call.inputs[0].data<A>();
    O* o = call.outputs[0].data<O>();
    RowWalk walk(call.outputs[0].shape, {&call.inputs[0], &call.outputs[0]});
    if (walk.dense())
        return parallelRange(context, walk.elements(), cost, [&](std::int64_t begin, std::int64_t end) {
            denseUnary(end - begin, a + begin, o + begin, f);
        });
    for (; walk.valid(); walk.next())
        for (std::int64_t i = 0; i < walk.count(); ++i)
            o[walk.at(1) + i * walk.step(1)] = static_cast<O>(f(a[walk.at(0) + i * walk.step(0)]));
}

// out = f(a, b) with broadcasting.
template<typename A, typename B, typename O, typename F>
void mapBinary(const KernelCall& call, CpuContext& context, F f, std::int64_t cost = 1)
{
    const A* a = call.inputs[0].data<A>();
    const B* b = call.inputs[1].data<B>();
    O* o = call.outputs[0].data<O>();
    RowWalk walk(call.outputs[0].shape, {&call.inputs[0], &call.inputs[1], &call.outputs[0]});
    if (walk.dense())
        return parallelRange(context, walk.elements(), cost, [&](std::int64_t begin, std::int64_t end) {
            denseBinary(end - begin, a + begin, b + begin, o + begin, f);
        });
    for (; walk.valid(); walk.next()) {
        if (walk.step(0) == 1 && walk.step(1) == 1 && walk.step(2) == 1)
            denseBinary(walk.count(), a + walk.at(0), b + walk.at(1), o + walk.at(2), f);
        else
            rowBinary(walk.count(), a + walk.at(0), walk.step(0), b + walk.at(1), walk.step(1), o + walk.at(2),
                      walk.step(2), f);
    }
}

// ---- inference that many share
Metas sameAsInput(std::span<const TensorMeta> inputs, const Attrs& attrs);
// Error unless dtypes agree and shapes broadcast.
Metas broadcastBinary(std::string_view operation, std::span<const TensorMeta> inputs);
void requireFloating(std::string_view operation, const TensorMeta& input);

}  // namespace megalith::ops
