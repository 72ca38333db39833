// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/nn/loss.h"

#include "engine/core/error.h"
#include "engine/nn/infer.h"
#include "engine/ops/functions.h"

#include <algorithm>

namespace megalith::nn {

namespace {

AttrSpec reductionSpec()
{
    return choice("reduction", "mean", {"none", "mean", "sum"}, "how the losses of all elements become one number");
}

ops::Reduction reductionOf(const Attrs& attrs)
{
    const std::string& name = attrs.string("reduction");
    return name == "none" ? ops::Reduction::None : name == "sum" ? ops::Reduction::Sum : ops::Reduction::Mean;
}

void checkFloating(const Attrs& /*attrs*/, std::span<const TensorMeta> outputs)
{
    expectFloating(outputs[0]);
}

TensorMeta sameAsOutput(std::span<const TensorMeta> outputs)
{
    return outputs[0];
}

// [N, C, ...]: class numbers have the shape without C.
TensorMeta classNumbers(std::span<const TensorMeta> outputs)
{
    Shape shape = outputs[0].shape;
    if (shape.size() >= 2)
        shape.erase(shape.begin() + 1);
    return {DType::I64, std::move(shape)};
}

void checkCrossEntropy(const Attrs& attrs, std::span<const TensorMeta> outputs)
{
    expectFloating(outputs[0]);
    const Shape& shape = outputs[0].shape;
    if (shape.size() < 2)
        throw ShapeError("expected scores [N, C, ...] with the classes in dimension 1, found " + megalith::text(shape));
    if (attrs.isNull("weight"))
        return;
    const Shape weight = numbersOf(*attrs.find("weight")).shape;
    if (weight != Shape{shape[1]})
        throw ShapeError("weight has shape " + megalith::text(weight) + " but there are " + std::to_string(shape[1])
                         + " classes: one number for each is needed");
}

void checkBinaryCrossEntropy(const Attrs& attrs, std::span<const TensorMeta> outputs)
{
    expectFloating(outputs[0]);
    for (const char* name : {"weight", "pos_weight"})
        if (!attrs.isNull(name)
            && broadcastShapes(outputs[0].shape, numbersOf(*attrs.find(name)).shape, name) != outputs[0].shape)
            throw ShapeError(std::string(name) + " does not broadcast to the output "
                             + megalith::text(outputs[0].shape));
}

const LossDef crossEntropy{
    .type = "CrossEntropyLoss",
    .doc = "For choosing one of several classes. Takes raw scores: it does softmax and logarithm itself.",
    .attrs = {numbersOrNone("weight", "how much each class counts"),
              integer("ignore_index", -100, "targets of this number are left out"), reductionSpec(),
              real("label_smoothing", 0.0, "share of the target that is spread over all classes", 0.0, 1.0)},
    .classes = true,
    .check = checkCrossEntropy,
    .target = classNumbers,
    .compute =
        [](Loss& loss, const Tensors& outputs, const Tensor& target) {
            const Attrs& attrs = loss.attrs();
            return ops::cross_entropy(outputs[0], target, loss.weights("weight", outputs[0].dtype()),
                                      attrs.integer("ignore_index"), reductionOf(attrs), attrs.real("label_smoothing"));
        },
};

const LossDef meanSquaredError{
    .type = "MSELoss",
    .doc = "For numbers: the mean of the squared differences.",
    .attrs = {reductionSpec()},
    .check = checkFloating,
    .target = sameAsOutput,
    .compute = [](Loss& loss, const Tensors& outputs,
                  const Tensor& target) { return ops::mse_loss(outputs[0], target, reductionOf(loss.attrs())); },
};

const LossDef binaryCrossEntropyWithLogits{
    .type = "BCEWithLogitsLoss",
    .doc = "For yes or no, each output on its own. Takes raw scores: it does the sigmoid itself.",
    .attrs = {numbersOrNone("weight", "how much each element counts"), reductionSpec(),
              numbersOrNone("pos_weight", "how much a yes counts beside a no, for each output")},
    .check = checkBinaryCrossEntropy,
    .target = sameAsOutput,
    .compute =
        [](Loss& loss, const Tensors& outputs, const Tensor& target) {
            const DType dtype = outputs[0].dtype();
            return ops::binary_cross_entropy_with_logits(outputs[0], target, loss.weights("weight", dtype),
                                                         loss.weights("pos_weight", dtype), reductionOf(loss.attrs()));
        },
};

// Runs f and puts the loss's name before what it throws.
template<typename F>
auto named(const LossDef& def, F&& f)
{
    try {
        return f();
    } catch (const ShapeError& error) {
        throw ShapeError(withOwner(def.type, error.what()));
    } catch (const Error& error) {
        throw Error(withOwner(def.type, error.what()));
    }
}

void checkCount(const LossDef& def, std::size_t outputs)
{
    if (outputs != def.arguments.size())
        throw ShapeError("takes " + std::to_string(def.arguments.size()) + " outputs, not " + std::to_string(outputs));
}

// [N] where [N, 1] is wanted: one number for each sample.
bool lacksLastOne(const Shape& target, const Shape& wanted)
{
    return wanted.size() == target.size() + 1 && wanted.back() == 1
           && std::equal(target.begin(), target.end(), wanted.begin());
}

bool isProbabilities(const LossDef& def, std::span<const TensorMeta> outputs, const TensorMeta& target)
{
    return def.classes && isFloating(target.dtype) && target.shape == outputs[0].shape;
}

void expectTarget(const LossDef& def, std::span<const TensorMeta> outputs, const TensorMeta& target)
{
    if (isProbabilities(def, outputs, target))
        return;
    const TensorMeta wanted = def.target(outputs);
    const std::string of = " for an output " + megalith::text(outputs[0].shape);
    if (target.shape != wanted.shape && !(lacksLastOne(target.shape, wanted.shape) && !def.classes))
        throw ShapeError("the target is " + megalith::text(target.shape) + ", expected " + megalith::text(wanted.shape)
                         + of);
    if (def.classes && isFloating(target.dtype))
        throw ShapeError("the target is " + std::string(dtypeName(target.dtype)) + ", expected class numbers (int64)"
                         + of);
}

}  // namespace

std::span<const LossDef> allLosses()
{
    static const std::vector<LossDef> all{crossEntropy, meanSquaredError, binaryCrossEntropyWithLogits};
    return all;
}

const LossDef* findLoss(std::string_view type)
{
    const auto all = allLosses();
    const auto it = std::find_if(all.begin(), all.end(), [type](const LossDef& def) { return def.type == type; });
    return it == all.end() ? nullptr : &*it;
}

Attrs checkLoss(const LossDef& def, const Attrs& attrs, std::span<const TensorMeta> outputs)
{
    return named(def, [&] {
        Attrs all = complete(def.type, def.attrs, attrs);
        checkCount(def, outputs.size());
        def.check(all, outputs);
        if (const AttrValue* reduction = all.find("reduction");
            reduction != nullptr && all.string("reduction") == "none")
            throw Error("reduction 'none' gives one loss for each element; training needs 'mean' or 'sum'");
        return all;
    });
}

void checkTarget(const LossDef& def, std::span<const TensorMeta> outputs, const TensorMeta& target)
{
    named(def, [&] {
        checkCount(def, outputs.size());
        expectTarget(def, outputs, target);
    });
}

std::int64_t classCount(const LossDef& def, std::span<const TensorMeta> outputs)
{
    return def.classes && !outputs.empty() && outputs[0].shape.size() >= 2 ? outputs[0].shape[1] : 0;
}

void checkClasses(const Tensor& target, std::int64_t classes, std::int64_t ignore_index)
{
    const std::vector<std::int64_t> numbers = target.toIntegers();
    const auto wrong = std::find_if(numbers.begin(), numbers.end(), [classes, ignore_index](std::int64_t number) {
        return (number < 0 || number >= classes) && number != ignore_index;
    });
    if (wrong != numbers.end())
        throw DataError("target " + std::to_string(*wrong) + " of element " + std::to_string(wrong - numbers.begin())
                        + " is no class: the output tells " + std::to_string(classes) + " apart, numbered 0 to "
                        + std::to_string(classes - 1));
}

Loss::Loss(const LossDef& def, const Attrs& attrs)
    : m_def(&def)
    , m_attrs(named(def, [&] { return complete(def.type, def.attrs, attrs); }))
{}

Tensor Loss::weights(std::string_view name, DType dtype)
{
    if (m_attrs.isNull(name))
        return {};
    auto it = std::find_if(m_weights.begin(), m_weights.end(), [name](const auto& each) { return each.first == name; });
    if (it == m_weights.end())
        it = m_weights.insert(it, {findAttr(m_def->attrs, name)->name, Tensor()});
    if (!it->second || it->second.dtype() != dtype) {
        const NumberArray numbers = numbersOf(*m_attrs.find(name));
        it->second = ops::fromDoubles(numbers.shape, numbers.values, dtype);
    }
    return it->second;
}

Tensor Loss::operator()(const Tensors& outputs, const Tensor& target)
{
    std::vector<TensorMeta> metas;
    for (const Tensor& output : outputs)
        metas.push_back(output.meta());
    named(*m_def, [&] {
        checkCount(*m_def, outputs.size());
        m_def->check(m_attrs, metas);
        expectTarget(*m_def, metas, target.meta());
    });
    if (isProbabilities(*m_def, metas, target.meta()))
        return m_def->compute(*this, outputs, ops::to(target, outputs[0].dtype()));
    const TensorMeta wanted = m_def->target(metas);
    Tensor fitting = target.dtype() == wanted.dtype ? target : ops::to(target, wanted.dtype);
    if (fitting.shape() != wanted.shape)
        fitting = ops::reshape(fitting, wanted.shape);
    return m_def->compute(*this, outputs, fitting);
}

Loss makeLoss(std::string_view type, const Attrs& attrs)
{
    const LossDef* def = findLoss(type);
    if (def == nullptr) {
        std::string names;
        for (const LossDef& each : allLosses())
            names += (names.empty() ? "" : ", ") + std::string(each.type);
        throw Error("there is no loss called " + std::string(type) + "; there are " + names);
    }
    return {*def, attrs};
}

}  // namespace megalith::nn
