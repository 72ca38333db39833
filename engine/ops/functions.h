// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/tensor.h"

#include <cstdint>
#include <optional>
#include <vector>

// The operations as functions. All are differentiable unless the comment says otherwise; names, arguments and results are those of
// torch and torch.nn.functional. ShapeError names the operation, what was found and what was expected.
namespace megalith::ops {

// ---- making tensors, on the current session's device
Tensor empty(const Shape& shape, DType dtype = DType::F32);  // values are anything
Tensor full(const Shape& shape, double value, DType dtype = DType::F32);
Tensor zeros(const Shape& shape, DType dtype = DType::F32);
Tensor ones(const Shape& shape, DType dtype = DType::F32);
Tensor arange(std::int64_t end, DType dtype = DType::I64);
Tensor fromDoubles(const Shape& shape, const std::vector<double>& values, DType dtype = DType::F32);
Tensor fromEntry(const StateEntry& entry);  // Error for a dtype that we do not compute with

// ---- views: they share storage
Tensor reshape(const Tensor& x, Shape shape);  // one size may be -1; copies when strides do not allow a view
Tensor flatten(const Tensor& x, std::int64_t start_dim = 0, std::int64_t end_dim = -1);
Tensor permute(const Tensor& x, const std::vector<std::int64_t>& dims);
Tensor transpose(const Tensor& x, std::int64_t dim0, std::int64_t dim1);
Tensor slice(const Tensor& x, std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step = 1);
Tensor select(const Tensor& x, std::int64_t dim, std::int64_t index);
Tensor expand(const Tensor& x, const Shape& shape);  // -1 keeps a size
Tensor unsqueeze(const Tensor& x, std::int64_t dim);
Tensor squeeze(const Tensor& x, std::int64_t dim);
Tensor contiguous(const Tensor& x);
Tensor clone(const Tensor& x);
Tensor to(const Tensor& x, DType dtype);

// ---- element by element, with broadcasting and promotion of dtypes
Tensor add(const Tensor& a, const Tensor& b);
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);
Tensor add(const Tensor& a, double b);
Tensor mul(const Tensor& a, double b);
Tensor neg(const Tensor& x);
Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor abs(const Tensor& x);
Tensor square(const Tensor& x);
Tensor relu(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor sigmoid(const Tensor& x);
Tensor gt(const Tensor& a, const Tensor& b);  // bool, not differentiable
Tensor eq(const Tensor& a, const Tensor& b);  // bool, not differentiable
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

// ---- reductions; no dims: all of them
Tensor sum(const Tensor& x, const std::vector<std::int64_t>& dims = {}, bool keepdim = false);
Tensor mean(const Tensor& x, const std::vector<std::int64_t>& dims = {}, bool keepdim = false);
Tensor amax(const Tensor& x, const std::vector<std::int64_t>& dims = {},
            bool keepdim = false);                                       // gradient shared among equal maxima
Tensor argmax(const Tensor& x, std::int64_t dim, bool keepdim = false);  // i64, not differentiable
Tensor sumTo(const Tensor& x, const Shape& shape);                       // the reverse of broadcasting

// ---- products
Tensor matmul(const Tensor& a, const Tensor& b);
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);  // x W^T + b; bias may be empty

// ---- convolution and pooling, [N, C, H, W] or [C, H, W]
struct Conv2dArgs
{
    std::int64_t strideH = 1, strideW = 1, padTop = 0, padLeft = 0, padBottom = 0, padRight = 0, dilationH = 1,
                 dilationW = 1, groups = 1;
};
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv2dArgs& args);
struct Pool2dArgs
{
    std::int64_t kernelH = 1, kernelW = 1, strideH = 1, strideW = 1, padH = 0, padW = 0, dilationH = 1, dilationW = 1;
    bool ceil_mode = false;
};
Tensor max_pool2d(const Tensor& x, const Pool2dArgs& args);
Tensor avg_pool2d(const Tensor& x, const Pool2dArgs& args, bool count_include_pad = true,
                  std::int64_t divisor_override = 0);
// A size of 0 keeps the input's (PyTorch's None).
Tensor adaptive_avg_pool2d(const Tensor& x, std::int64_t outH, std::int64_t outW);

// ---- normalisation, [N, C] or [N, C, ...]
// With statistics of the batch. Also changes running_mean and running_var in place (both may be empty) by the factor in `momentum`,
// a one-element tensor of the statistics' dtype. weight and bias may be empty.
Tensor batch_norm_train(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                        const Tensor& running_var, const Tensor& momentum, double eps);
Tensor batch_norm_eval(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                       const Tensor& running_var, double eps);

Tensor softmax(const Tensor& x, std::int64_t dim);
Tensor log_softmax(const Tensor& x, std::int64_t dim);

// ---- random. Keyed by (seed and step of the session's RandomState, stream, element), never by call order.
Tensor dropout(const Tensor& x, double p, std::uint64_t stream);

// ---- joining
Tensor cat(const Tensors& xs, std::int64_t dim);

// ---- losses. reduction: "none", "mean" or "sum"
enum class Reduction : std::uint8_t { None, Mean, Sum };
// input [N, C, ...]; target: class numbers [N, ...] (i64) or probabilities of the input's shape. weight [C] may be empty.
Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight, std::int64_t ignore_index,
                     Reduction reduction, double label_smoothing);
Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction);
// weight broadcasts to the input, pos_weight too; both may be empty.
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target, const Tensor& weight,
                                        const Tensor& pos_weight, Reduction reduction);

// ---- in place, outside autograd; each grows the version of what it changes
void copy_(const Tensor& to, const Tensor& from);  // broadcasts, converts
void fill_(const Tensor& x, double value);
void add_(const Tensor& x, const Tensor& other);  // same shape
void addScalar_(const Tensor& x, double value);
void mul_(const Tensor& x, const Tensor& factor);                            // factor: one element, or the same shape
void uniform_(const Tensor& x, double low, double high, std::uint64_t key);  // Philox keyed by (key, element)
void normal_(const Tensor& x, double mean, double std, std::uint64_t key);
// y = a / b of one-element tensors, converted to y's dtype (1 / num_batches_tracked)
void reciprocal_(const Tensor& y, const Tensor& b);

// ---- optimizer steps, in place. All scalars that may change are one-element tensors; gradients may be of any stride.
// torch.optim.SGD: buf = momentum * buf + (1 - dampening) * g (buf = g at `first`), g += weight_decay * p before. buf may be empty.
// `step` holds how many steps were done before this one (f32 or f64).
struct SgdArgs
{
    double momentum = 0.0, dampening = 0.0, weight_decay = 0.0;
    bool nesterov = false, maximize = false;
};
void sgdStep_(const Tensor& p, const Tensor& g, const Tensor& buf, const Tensor& lr, const Tensor& step,
              const SgdArgs& args);
// torch.optim.Adam and AdamW (decoupled). `step` counts this step too. max_exp_avg_sq is empty unless amsgrad.
struct AdamArgs
{
    double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0.0;
    bool decoupled = false, maximize = false;
};
void adamStep_(const Tensor& p, const Tensor& g, const Tensor& exp_avg, const Tensor& exp_avg_sq,
               const Tensor& max_exp_avg_sq, const Tensor& lr, const Tensor& step, const AdamArgs& args);
// sqrt of the sum of squares of all elements of all tensors (p = 2), or the largest magnitude (infinity), one element, f32 or f64.
Tensor totalNorm(const Tensors& xs, double normType = 2.0);
// min(1, max_norm / (norm + 1e-6)), one element: the factor of torch.nn.utils.clip_grad_norm_
Tensor clipFactor(const Tensor& norm, double max_norm);

}  // namespace megalith::ops

namespace megalith {

inline Tensor operator+(const Tensor& a, const Tensor& b)
{
    return ops::add(a, b);
}
inline Tensor operator-(const Tensor& a, const Tensor& b)
{
    return ops::sub(a, b);
}
inline Tensor operator*(const Tensor& a, const Tensor& b)
{
    return ops::mul(a, b);
}
inline Tensor operator/(const Tensor& a, const Tensor& b)
{
    return ops::div(a, b);
}
inline Tensor operator+(const Tensor& a, double b)
{
    return ops::add(a, b);
}
inline Tensor operator-(const Tensor& a, double b)
{
    return ops::add(a, -b);
}
inline Tensor operator*(const Tensor& a, double b)
{
    return ops::mul(a, b);
}
inline Tensor operator/(const Tensor& a, double b)
{
    return ops::mul(a, 1.0 / b);
}
inline Tensor operator-(const Tensor& a)
{
    return ops::neg(a);
}

}  // namespace megalith
