// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/cpu_dnn.h"

#include "engine/backend/cpu/dnn_primitives.h"

#include <algorithm>
#include <new>

namespace megalith {

namespace {

constexpr std::align_val_t cacheLine{64};

}  // namespace

void CpuContext::Dnn::Free::operator()(void* memory) const noexcept
{
    ::operator delete(memory, cacheLine);
}

void* CpuContext::Dnn::bytes(Scratch which, std::size_t count)
{
    Block& block = m_blocks[static_cast<std::size_t>(which)];
    if (block.size < count || !block.memory) {
        block.memory.reset();
        block.size = 0;
        const std::size_t size = std::max<std::size_t>(count + count / 4, 4096);
        block.memory.reset(::operator new(size, cacheLine));
        block.size = size;
    }
    return block.memory.get();
}

#ifdef MEGALITH_HAVE_ONEDNN

CpuContext::Dnn::Dnn() : primitives(std::make_unique<Primitives>()) {}

std::vector<std::string> CpuContext::Dnn::implementations() const
{
    std::vector<std::string> names;
    for (const auto& [key, convolution] : primitives->convolutions)
        names.push_back(convolution->implementation);
    return names;
}

#else

CpuContext::Dnn::Dnn() = default;

std::vector<std::string> CpuContext::Dnn::implementations() const
{
    return {};
}

#endif

CpuContext::Dnn::~Dnn() = default;

}  // namespace megalith
