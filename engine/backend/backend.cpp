// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/backend.h"

#include "engine/core/error.h"

namespace megalith {

Storage::~Storage()
{
    m_backend->release(m_data, m_bytes);
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
