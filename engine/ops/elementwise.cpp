// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/elementwise.h"

namespace megalith::ops {

DType computeDType(DType dtype)
{
    if (dtype == DType::F32 || dtype == DType::F64)
        return dtype;
    return isFloating(dtype) ? DType::F32 : DType::I64;
}

RowWalk::RowWalk(const Shape& shape, std::initializer_list<const BufferView*> views)
    : m_views(views.size())
    , m_elements(numel(shape))
{
    std::array<Strides, maxViews> strides;
    std::size_t v = 0;
    for (const BufferView* view : views) {
        strides[v].assign(shape.size(), 0);
        const std::size_t lead = shape.size() - view->shape.size();
        for (std::size_t d = 0; d < view->shape.size(); ++d)
            strides[v][lead + d] = view->shape[d] == 1 ? 0 : view->strides[d];
        ++v;
    }
    // Two neighbours become one where, in every view, stepping over the inner one ends where the outer one steps to.
    Shape merged;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 1)
            continue;
        bool joins = !merged.empty();
        for (std::size_t i = 0; joins && i < m_views; ++i)
            joins = m_strides[i].back() == strides[i][d] * shape[d];
        if (joins)
            merged.back() *= shape[d];
        else
            merged.push_back(shape[d]);
        for (std::size_t i = 0; i < m_views; ++i) {
            if (joins)
                m_strides[i].back() = strides[i][d];
            else
                m_strides[i].push_back(strides[i][d]);
        }
    }
    m_count = merged.empty() ? 1 : merged.back();
    m_dense = merged.size() <= 1;
    for (std::size_t i = 0; i < m_views; ++i) {
        m_step[i] = merged.empty() ? 1 : m_strides[i].back();
        m_dense = m_dense && (m_step[i] == 1 || m_count <= 1);
    }
    if (!merged.empty())
        merged.pop_back();
    m_outer = std::move(merged);
    m_index.assign(m_outer.size(), 0);
    m_rows = m_elements == 0 ? 0 : 1;
    for (const std::int64_t size : m_outer)
        m_rows *= size;
}

void RowWalk::next()
{
    ++m_row;
    for (std::size_t d = m_outer.size(); d-- > 0;) {
        for (std::size_t v = 0; v < m_views; ++v)
            m_at[v] += m_strides[v][d];
        if (++m_index[d] < m_outer[d])
            return;
        for (std::size_t v = 0; v < m_views; ++v)
            m_at[v] -= m_strides[v][d] * m_outer[d];
        m_index[d] = 0;
    }
}

Metas sameAsInput(std::span<const TensorMeta> inputs, const Attrs&)
{
    return {inputs[0]};
}

Metas broadcastBinary(std::string_view operation, std::span<const TensorMeta> inputs)
{
    if (inputs[0].dtype != inputs[1].dtype)
        throw ShapeError(std::string(operation) + ": " + std::string(dtypeName(inputs[0].dtype)) + " meets "
                         + std::string(dtypeName(inputs[1].dtype)));
    return {{inputs[0].dtype, broadcastShapes(inputs[0].shape, inputs[1].shape, operation)}};
}

void requireFloating(std::string_view operation, const TensorMeta& input)
{
    if (!isFloating(input.dtype))
        throw ShapeError(std::string(operation) + ": works on floating dtypes, not on "
                         + std::string(dtypeName(input.dtype)));
}

}  // namespace megalith::ops
