// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/nn/infer.h"
#include "engine/nn/module.h"
#include "engine/nn/specs.h"
#include "engine/ops/functions.h"

namespace megalith::nn::specs {

namespace {

void resolveFeatures(Attrs& attrs, std::span<const TensorMeta> in)
{
    if (attrs.isNull("num_features") && in[0].shape.size() >= 2)
        attrs.set("num_features", in[0].shape[1]);
}

std::vector<ParameterSpec> batchNormParameters(const Attrs& attrs)
{
    if (!attrs.flag("affine"))
        return {};
    const Shape shape{attrs.integer("num_features")};
    return {{"weight", shape, nn::constant(1.0)}, {"bias", shape, nn::constant(0.0)}};
}

std::vector<BufferSpec> batchNormBuffers(const Attrs& attrs)
{
    if (!attrs.flag("track_running_stats"))
        return {};
    const Shape shape{attrs.integer("num_features")};
    return {{"running_mean", shape, 0.0}, {"running_var", shape, 1.0}, {"num_batches_tracked", {}, 0.0, DType::I64}};
}

Metas inferBatchNorm1d(const Attrs& attrs, std::span<const TensorMeta> in)
{
    expectFloating(in[0]);
    expectRank(in[0], {2, 3}, "[N, C] or [N, C, L]");
    expectChannels(in[0], 1, attrs.integer("num_features"), "num_features");
    return {in[0]};
}

Metas inferBatchNorm2d(const Attrs& attrs, std::span<const TensorMeta> in)
{
    expectFloating(in[0]);
    expectRank(in[0], {4}, "[N, C, H, W]");
    expectChannels(in[0], 1, attrs.integer("num_features"), "num_features");
    return {in[0]};
}

void checkBatchNormTraining(const Attrs& /*attrs*/, std::span<const TensorMeta> in)
{
    const Shape& shape = in[0].shape;
    if (shape.size() >= 2 && numel(shape) == shape[1] && shape[1] > 0)
        throw ShapeError(
            "a batch of " + megalith::text(shape)
            + " has one value per channel: training needs more than one to have a variance, so use a larger batch");
}

// The factor by which a new batch changes the averages: momentum, or 1 / batches so far (a plain mean) where it is None.
Tensor averagingFactor(const Module& module, const Tensor& batches, DType dtype)
{
    if (!module.attrs().isNull("momentum"))
        return ops::full({1}, module.attrs().real("momentum"), dtype);
    const Tensor factor = ops::empty({1}, dtype);
    ops::reciprocal_(factor, batches);
    return factor;
}

// Ioffe and Szegedy 2015, with the state and the rules of torch.nn.BatchNorm.
Tensors batchNorm(const Module& module, const Tensors& in)
{
    const Attrs& attrs = module.attrs();
    const double eps = attrs.real("eps");
    const Tensor weight = module.find("weight");
    const Tensor bias = module.find("bias");
    const Tensor mean = module.find("running_mean");
    const Tensor variance = module.find("running_var");
    const bool ofBatch = module.training() || !mean;
    inferCall(module, in, ofBatch);
    if (!ofBatch)
        return {ops::batch_norm_eval(in[0], weight, bias, mean, variance, eps)};
    if (!mean)
        return {ops::batch_norm_train(in[0], weight, bias, {}, {}, {}, eps)};
    const Tensor batches = module["num_batches_tracked"];
    ops::addScalar_(batches, 1.0);
    return {ops::batch_norm_train(in[0], weight, bias, mean, variance, averagingFactor(module, batches, mean.dtype()),
                                  eps)};
}

std::string batchNormRepr(const Attrs& attrs)
{
    return pythonText(*attrs.find("num_features")) + ", "
           + named(attrs, {"eps", "momentum", "affine", "track_running_stats"});
}

std::vector<AttrSpec> batchNormAttrs()
{
    return {sizeFromWire("num_features", "channels of the input"),
            real("eps", 1e-5, "added to the variance, so that nothing is divided by zero", 0.0),
            realOrNone("momentum", 0.1,
                       "share of the new batch in the running averages; null: the plain mean over all batches"),
            boolean("affine", true, "learns a factor and a shift for every channel"),
            boolean("track_running_stats", true,
                    "keeps averages for evaluation; without them every batch is normalised by its own")};
}

}  // namespace

// [N, C] or [N, C, L], normalised over all but C.
const ModuleDef batchNorm1d{
    .type = "BatchNorm1d",
    .category = Category::Normalization,
    .doc = "Shifts and scales every feature to mean 0 and deviation 1 over the batch, then by learned numbers.",
    .aliases = {"batch normalization", "bn"},
    .attrs = batchNormAttrs(),
    .trainingDiffers = true,
    .resolve = resolveFeatures,
    .parameters = batchNormParameters,
    .buffers = batchNormBuffers,
    .infer = inferBatchNorm1d,
    .checkTraining = checkBatchNormTraining,
    .forward = batchNorm,
    .repr = batchNormRepr,
};

// [N, C, H, W], normalised over all but C.
const ModuleDef batchNorm2d{
    .type = "BatchNorm2d",
    .category = Category::Normalization,
    .doc = "Shifts and scales every channel to mean 0 and deviation 1 over the batch, then by learned numbers.",
    .aliases = {"batch normalization", "bn"},
    .attrs = batchNormAttrs(),
    .trainingDiffers = true,
    .resolve = resolveFeatures,
    .parameters = batchNormParameters,
    .buffers = batchNormBuffers,
    .infer = inferBatchNorm2d,
    .checkTraining = checkBatchNormTraining,
    .forward = batchNorm,
    .repr = batchNormRepr,
};

}  // namespace megalith::nn::specs
