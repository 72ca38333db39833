// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/backend/cpu_context.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace megalith {

// What kernels keep from call to call: working memory, and oneDNN's primitives where oneDNN was found.
struct CpuContext::Dnn
{
    // Kernels that call one another use different ones.
    enum class Scratch : std::size_t { Input, Weights, Output, Columns, Library, Operand, Panels, Count };

    Dnn();
    ~Dnn();
    Dnn(const Dnn&) = delete;
    Dnn& operator=(const Dnn&) = delete;

    // 64-byte aligned and at least this long; what was in it is lost when it grows. Valid until asked for again.
    template<typename T>
    T* scratch(Scratch which, std::int64_t count)
    {
        return static_cast<T*>(bytes(which, static_cast<std::size_t>(count) * sizeof(T)));
    }

    // What oneDNN calls the code of each prepared primitive ("brgemm:avx512_core"); empty without oneDNN.
    std::vector<std::string> implementations() const;

    struct Primitives;                       // engine/backend/cpu/dnn_primitives.h
    std::unique_ptr<Primitives> primitives;  // null without oneDNN

private:
    struct Free
    {
        void operator()(void* memory) const noexcept;
    };
    struct Block
    {
        std::unique_ptr<void, Free> memory;
        std::size_t size = 0;
    };
    void* bytes(Scratch which, std::size_t count);

    std::array<Block, static_cast<std::size_t>(Scratch::Count)> m_blocks;
};

}  // namespace megalith
