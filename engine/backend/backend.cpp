// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/backend.h"

#include "engine/core/error.h"

namespace megalith {

Storage::~Storage()
{
    m_backend->release(m_data, m_bytes);
}

bool BufferView::isContiguous() const
{
    std::int64_t expected = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (shape[i] == 0)
            return true;
        if (shape[i] != 1 && strides[i] != expected)
            return false;
        expected *= shape[i];
    }
    return true;
}

BufferView viewOf(const Tensor& tensor)
{
    if (!tensor)
        return {};
    return {tensor.storage(), tensor.dtype(), tensor.shape(), tensor.strides(), tensor.offset()};
}

void Backend::launch(const KernelCall& call)
{
    if (m_recording != nullptr)
        m_recording->push_back(call);
    ++m_launches;
    run(call);
}

}  // namespace megalith
