// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/op_table.h"

#include "engine/ops/functions.h"

#include <array>

using namespace megalith;
using namespace megalith::ops;

namespace {

using In = const Tensors&;

Pool2dArgs pool(std::int64_t kernel, std::int64_t stride, std::int64_t pad = 0, std::int64_t dilation = 1,
                bool ceil = false)
{
    return {kernel, kernel, stride, stride, pad, pad, dilation, dilation, ceil};
}

// Statistics of the batch alone: nothing is kept.
Tensor normalized(const Tensor& x, const Tensor& weight, const Tensor& bias)
{
    return batch_norm_train(x, weight, bias, {}, {}, {}, 1e-5);
}

#define FOUR_SIZES(op, call)                                                          \
    {op "/one", [](In in) { return call; }}, {op "/odd", [](In in) { return call; }}, \
        {op "/empty", [](In in) { return call; }},                                    \
    {                                                                                 \
        op "/matrix", [](In in) { return call; }                                      \
    }
#define BROADCASTS(op, call)                                                             \
    {op "/row", [](In in) { return call; }}, {op "/column", [](In in) { return call; }}, \
    {                                                                                    \
        op "/scalar", [](In in) { return call; }                                         \
    }

const auto rows = std::to_array<OpRow>({
        FOUR_SIZES("relu", relu(in[0])),
        FOUR_SIZES("tanh", tanh(in[0])),
        FOUR_SIZES("sigmoid", sigmoid(in[0])),
        FOUR_SIZES("exp", exp(in[0])),
        FOUR_SIZES("square", square(in[0])),
        FOUR_SIZES("neg", neg(in[0])),
        FOUR_SIZES("abs", abs(in[0])),
        FOUR_SIZES("log", log(in[0])),
        FOUR_SIZES("sqrt", sqrt(in[0])),
        FOUR_SIZES("add", in[0] + in[1]),
        FOUR_SIZES("sub", in[0] - in[1]),
        FOUR_SIZES("mul", in[0] * in[1]),
        FOUR_SIZES("div", in[0] / in[1]),
        BROADCASTS("add", in[0] + in[1]),
        BROADCASTS("sub", in[0] - in[1]),
        BROADCASTS("mul", in[0] * in[1]),
        {"sum/all", [](In in) { return sum(in[0]); }, 1e-4},
        {"sum/0", [](In in) { return sum(in[0], {0}); }},
        {"sum/1", [](In in) { return sum(in[0], {1}); }},
        {"sum/02", [](In in) { return sum(in[0], {0, 2}); }},
        {"sum/023", [](In in) { return sum(in[0], {0, 2, 3}, true); }},
        {"mean/1", [](In in) { return mean(in[0], {1}); }},
        {"amax/1", [](In in) { return amax(in[0], {1}); }},
        {"matmul/square", [](In in) { return matmul(in[0], in[1]); }},
        {"matmul/odd", [](In in) { return matmul(in[0], in[1]); }},
        {"matmul/batch", [](In in) { return matmul(in[0], in[1]); }},
        {"matmul/broadcast", [](In in) { return matmul(in[0], in[1]); }},
        {"matmul/rows", [](In in) { return matmul(in[0], in[1]); }},
        {"matmul/vectors", [](In in) { return matmul(in[0], in[1]); }},
        {"matmul/vector", [](In in) { return matmul(in[0], in[1]); }},
        {"linear/2d", [](In in) { return linear(in[0], in[1], in[2]); }},
        {"linear/3d", [](In in) { return linear(in[0], in[1], in[2]); }},
        {"linear/one", [](In in) { return linear(in[0], in[1], in[2]); }},
        {"conv2d/plain", [](In in) { return conv2d(in[0], in[1], in[2], {}); }},
        {"conv2d/stride", [](In in) { return conv2d(in[0], in[1], in[2], {2, 1, 1, 2, 1, 2}); }},
        {"conv2d/dilation", [](In in) { return conv2d(in[0], in[1], in[2], {1, 1, 1, 1, 1, 1, 2, 2}); }},
        {"conv2d/groups", [](In in) { return conv2d(in[0], in[1], in[2], {1, 1, 0, 0, 0, 0, 1, 1, 2}); }},
        {"conv2d/depthwise", [](In in) { return conv2d(in[0], in[1], in[2], {1, 1, 1, 1, 1, 1, 1, 1, 4}); }},
        {"max_pool2d/2", [](In in) { return max_pool2d(in[0], pool(2, 2)); }},
        {"max_pool2d/3", [](In in) { return max_pool2d(in[0], pool(3, 2, 1, 1, true)); }},
        {"max_pool2d/dilation", [](In in) { return max_pool2d(in[0], pool(2, 1, 0, 2)); }},
        {"avg_pool2d/2", [](In in) { return avg_pool2d(in[0], pool(2, 2)); }},
        {"avg_pool2d/3", [](In in) { return avg_pool2d(in[0], pool(3, 2, 1, 1, true), false); }},
        {"avg_pool2d/divisor", [](In in) { return avg_pool2d(in[0], pool(3, 2, 1), true, 5); }},
        {"adaptive_avg_pool2d/3", [](In in) { return adaptive_avg_pool2d(in[0], 3, 2); }},
        {"adaptive_avg_pool2d/up", [](In in) { return adaptive_avg_pool2d(in[0], 7, 5); }},
        {"softmax/1", [](In in) { return softmax(in[0], 1); }},
        {"softmax/0", [](In in) { return softmax(in[0], 0); }},
        {"log_softmax/1", [](In in) { return log_softmax(in[0], 1); }},
        {"log_softmax/2", [](In in) { return log_softmax(in[0], 2); }},
        {"batch_norm/2d", [](In in) { return normalized(in[0], in[1], in[2]); }},
        {"batch_norm/4d", [](In in) { return normalized(in[0], in[1], in[2]); }},
        {"batch_norm/plain", [](In in) { return normalized(in[0], {}, {}); }},
        {"batch_norm/eval", [](In in) { return batch_norm_eval(in[0], in[1], in[2], in[3].detach(), in[4].detach(), 1e-5); }},
        {"cat/1", [](In in) { return cat(in, 1); }},
        {"permute", [](In in) { return reshape(permute(in[0], {2, 0, 1}), {4, 6}); }},
        {"slice", [](In in) { return slice(in[0], 1, 1, 8, 3); }},
        {"expand", [](In in) { return expand(in[0], {5, 4, 3}) * 2.0; }},
        {"cross_entropy/mean", [](In in) { return cross_entropy(in[0], in[1], {}, -100, Reduction::Mean, 0.0); }},
        {"cross_entropy/sum", [](In in) { return cross_entropy(in[0], in[1], {}, -100, Reduction::Sum, 0.0); }},
        {"cross_entropy/none", [](In in) { return cross_entropy(in[0], in[1], {}, -100, Reduction::None, 0.0); }},
        {"cross_entropy/weight", [](In in) { return cross_entropy(in[0], in[1], in[2].detach(), 1, Reduction::Mean, 0.2); }},
        {"cross_entropy/probabilities", [](In in) { return cross_entropy(in[0], in[1].detach(), {}, -100, Reduction::Mean, 0.1); }},
        {"mse_loss/mean", [](In in) { return mse_loss(in[0], in[1], Reduction::Mean); }},
        {"bce/mean", [](In in) { return binary_cross_entropy_with_logits(in[0], in[1].detach(), {}, {}, Reduction::Mean); }},
        {"bce/weights",
         [](In in) { return binary_cross_entropy_with_logits(in[0], in[1].detach(), in[2].detach(), in[3].detach(), Reduction::Sum); }},
});

}  // namespace

std::span<const OpRow> opTable()
{
    return rows;
}
