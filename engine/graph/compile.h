// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/graph/check.h"
#include "engine/graph/document.h"
#include "engine/graph/parameter_store.h"
#include "engine/nn/module.h"

#include <cstdint>
#include <string>
#include <vector>

namespace megalith::graph {

// One key of the state_dict (or a buffer that has none) and where its value is kept. Tied and shared tensors have several.
struct StateBinding
{
    std::string key;
    StoreKey store;
    bool buffer = false;
    bool persistent = true;
};

struct CompiledModel
{
    // forward takes one tensor for each of `inputs`, batch in front, and gives one for each of `outputs`. Children and state_dict
    // keys carry the nodes' names.
    nn::ModulePtr root;
    std::vector<std::string> inputs;     // Input nodes, by id
    std::vector<TensorMeta> inputMetas;  // one sample of each, without the batch
    std::vector<std::string> outputs;    // Output nodes, by id
    std::vector<StateBinding> state;
    // Values that did not fit any more and gave way to fresh ones: what an undo entry keeps, to put() them back.
    std::vector<StoredTensor> replaced;
};

// The document as a module whose parameters and buffers are those of the store: what fits is taken, what is missing is made (from a
// stream keyed by seed and key) and put there. dtype stands for float32 (F64 for exact comparisons); a value of another floating
// dtype is converted. Error with the first diagnostic when the graph has an error; data and training take no part.
CompiledModel compile(const Document& document, ParameterStore& store, std::uint64_t seed, DType dtype = DType::F32);
// The same with the analysis at hand (made without settings).
CompiledModel compile(const Document& document, const Analysis& analysis, ParameterStore& store, std::uint64_t seed,
                      DType dtype = DType::F32);

}  // namespace megalith::graph
