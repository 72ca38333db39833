// SPDX-License-Identifier: GPL-3.0-or-later
// Moving elements: copies into another layout or dtype, filling, joining.
#include "engine/backend/session.h"
#include "engine/core/error.h"
#include "engine/ops/all_ops.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/functions.h"

#include <cstring>

namespace megalith::ops {

namespace {

template<typename T>
void copyElements(const BufferView& from, const BufferView& to)
{
    const T* a = from.data<T>();
    T* o = to.data<T>();
    RowWalk walk(to.shape, {&from, &to});
    if (walk.dense()) {
        if (walk.elements() > 0)
            std::memcpy(o, a, static_cast<std::size_t>(walk.elements()) * sizeof(T));
        return;
    }
    for (; walk.valid(); walk.next()) {
        if (walk.step(0) == 1 && walk.step(1) == 1)
            std::memcpy(o + walk.at(1), a + walk.at(0), static_cast<std::size_t>(walk.count()) * sizeof(T));
        else
            for (std::int64_t i = 0; i < walk.count(); ++i)
                o[walk.at(1) + i * walk.step(1)] = a[walk.at(0) + i * walk.step(0)];
    }
}

void copyView(const BufferView& from, const BufferView& to)
{
    switch (itemSize(to.dtype)) {
    case 1: return copyElements<std::uint8_t>(from, to);
    case 2: return copyElements<std::uint16_t>(from, to);
    case 4: return copyElements<std::uint32_t>(from, to);
    default: return copyElements<std::uint64_t>(from, to);
    }
}

// Through blocks of f64, or of i64 between whole numbers: one loop for each dtype on either side, not for each pair.
constexpr std::int64_t block = 256;

template<typename Wide>
void loadBlock(DType dtype, const BufferView& view, std::int64_t at, std::int64_t step, std::int64_t n, Wide* out)
{
    const auto loop = [&](auto* p, auto convert) {
        p += at;
        for (std::int64_t i = 0; i < n; ++i)
            out[i] = static_cast<Wide>(convert(p[i * step]));
    };
    const auto same = [](auto x) { return x; };
    switch (dtype) {
    case DType::F32: return loop(view.data<float>(), same);
    case DType::F64: return loop(view.data<double>(), same);
    case DType::F16: return loop(view.data<std::uint16_t>(), halfToFloat);
    case DType::BF16: return loop(view.data<std::uint16_t>(), bfloat16ToFloat);
    case DType::I64: return loop(view.data<std::int64_t>(), same);
    case DType::I32: return loop(view.data<std::int32_t>(), same);
    case DType::I16: return loop(view.data<std::int16_t>(), same);
    case DType::I8: return loop(view.data<std::int8_t>(), same);
    case DType::U8: return loop(view.data<std::uint8_t>(), same);
    case DType::Bool: return loop(view.data<std::uint8_t>(), [](std::uint8_t x) { return x != 0 ? 1 : 0; });
    }
}

// A floating value outside a whole number's range has no defined result, as in PyTorch; here it is the nearest of i64.
std::int64_t wholeOf(double x)
{
    if (!(x > -9.2e18))
        return INT64_MIN;
    return x < 9.2e18 ? static_cast<std::int64_t>(x) : INT64_MAX;
}

std::int64_t wholeOf(std::int64_t x)
{
    return x;
}

template<typename Wide>
void storeBlock(DType dtype, const BufferView& view, std::int64_t at, std::int64_t step, std::int64_t n, const Wide* in)
{
    const auto loop = [&](auto* p, auto convert) {
        p += at;
        for (std::int64_t i = 0; i < n; ++i)
            p[i * step] = static_cast<std::remove_reference_t<decltype(*p)>>(convert(in[i]));
    };
    const auto same = [](auto x) { return x; };
    const auto whole = [](auto x) { return wholeOf(x); };
    switch (dtype) {
    case DType::F32: return loop(view.data<float>(), same);
    case DType::F64: return loop(view.data<double>(), same);
    case DType::F16: return loop(view.data<std::uint16_t>(), [](auto x) { return floatToHalf(static_cast<float>(x)); });
    case DType::BF16:
        return loop(view.data<std::uint16_t>(), [](auto x) { return floatToBfloat16(static_cast<float>(x)); });
    case DType::I64: return loop(view.data<std::int64_t>(), whole);
    case DType::I32: return loop(view.data<std::int32_t>(), whole);
    case DType::I16: return loop(view.data<std::int16_t>(), whole);
    case DType::I8: return loop(view.data<std::int8_t>(), whole);
    case DType::U8: return loop(view.data<std::uint8_t>(), whole);
    case DType::Bool: return loop(view.data<std::uint8_t>(), [](auto x) { return x != 0 ? 1 : 0; });
    }
}

template<typename Wide>
void convertView(const BufferView& from, const BufferView& to)
{
    Wide wide[block];
    for (RowWalk walk(to.shape, {&from, &to}); walk.valid(); walk.next())
        for (std::int64_t i = 0; i < walk.count(); i += block) {
            const std::int64_t n = std::min(block, walk.count() - i);
            loadBlock(from.dtype, from, walk.at(0) + i * walk.step(0), walk.step(0), n, wide);
            storeBlock(to.dtype, to, walk.at(1) + i * walk.step(1), walk.step(1), n, wide);
        }
}

void convert(const KernelCall& call, CpuContext&)
{
    const BufferView& from = call.inputs[0];
    const BufferView& to = call.outputs[0];
    if (from.dtype == to.dtype)
        copyView(from, to);
    else if (isFloating(from.dtype))
        convertView<double>(from, to);
    else
        convertView<std::int64_t>(from, to);
}

void fillKernel(const KernelCall& call, CpuContext&)
{
    const double value = call.attrs.real("value");
    const BufferView& to = call.outputs[0];
    double wide[block];
    std::fill(wide, wide + block, value);
    for (RowWalk walk(to.shape, {&to}); walk.valid(); walk.next())
        for (std::int64_t i = 0; i < walk.count(); i += block)
            storeBlock(to.dtype, to, walk.at(0) + i * walk.step(0), walk.step(0), std::min(block, walk.count() - i),
                       wide);
}

BufferView part(const BufferView& whole, std::size_t dim, std::int64_t start, std::int64_t size, std::int64_t step)
{
    BufferView out = whole;
    out.offset += start * whole.strides[dim];
    out.shape[dim] = size;
    out.strides[dim] *= step;
    return out;
}

Metas inferCat(std::span<const TensorMeta> in, const Attrs& attrs)
{
    const std::size_t dim = wrapDim(attrs.integer("dim"), in[0].shape.size(), "cat");
    TensorMeta out = in[0];
    for (std::size_t i = 1; i < in.size(); ++i) {
        bool fits = in[i].shape.size() == out.shape.size();
        for (std::size_t d = 0; fits && d < out.shape.size(); ++d)
            fits = d == dim || in[i].shape[d] == out.shape[d];
        if (!fits)
            throw ShapeError("cat: input 0 has shape " + text(in[0].shape) + ", input " + std::to_string(i) + " "
                             + text(in[i].shape) + "; all sizes but that of dim " + std::to_string(dim)
                             + " must be equal");
        out.shape[dim] += in[i].shape[dim];
    }
    return {out};
}

}  // namespace

// The same elements, dense and row-major.
const OpDef copyOp{
    .name = "copy",
    .infer = sameAsInput,
    .cpu = convert,
    .vjp = [](const Vjp& v) { return Grads{v.grad()}; },
    .save = Save::Nothing,
    .strided = true,
};

const OpDef castOp{
    .name = "cast",
    .infer =
        [](std::span<const TensorMeta> in, const Attrs& attrs) {
            return Metas{{static_cast<DType>(attrs.integer("dtype")), in[0].shape}};
        },
    .cpu = convert,
    .vjp =
        [](const Vjp& v) {
            return Grads{isFloating(v.inputMeta(0).dtype) ? to(v.grad(), v.inputMeta(0).dtype) : Tensor()};
        },
    .save = Save::Nothing,
    .strided = true,
};

const OpDef fillOp{.name = "fill", .cpu = fillKernel, .strided = true};

// Zeros of `shape` with the input put where slice(dim, start, step) takes it from.
const OpDef scatterSliceOp{
    .name = "scatter_slice",
    .infer =
        [](std::span<const TensorMeta> in, const Attrs& attrs) {
            return Metas{{in[0].dtype, attrs.integers("shape")}};
        },
    .cpu =
        [](const KernelCall& call, CpuContext&) {
            const BufferView& out = call.outputs[0];
            if (out.numel() > 0)
                std::memset(out.data<std::byte>() - out.offset
                                + out.offset * static_cast<std::int64_t>(itemSize(out.dtype)),
                            0, static_cast<std::size_t>(out.numel()) * itemSize(out.dtype));
            const auto dim = static_cast<std::size_t>(call.attrs.integer("dim"));
            copyView(call.inputs[0], part(out, dim, call.attrs.integer("start"), call.inputs[0].shape[dim],
                                          call.attrs.integer("step")));
        },
    .strided = true,
};

const OpDef catOp{
    .name = "cat",
    .infer = inferCat,
    .cpu =
        [](const KernelCall& call, CpuContext&) {
            const BufferView& out = call.outputs[0];
            const std::size_t dim = wrapDim(call.attrs.integer("dim"), out.shape.size(), "cat");
            std::int64_t start = 0;
            for (const BufferView& in : call.inputs) {
                copyView(in, part(out, dim, start, in.shape[dim], 1));
                start += in.shape[dim];
            }
        },
    .vjp =
        [](const Vjp& v) {
            const auto dim = static_cast<std::int64_t>(wrapDim(v.attrs().integer("dim"), v.grad().rank(), "cat"));
            Grads grads;
            std::int64_t start = 0;
            for (std::size_t i = 0; i < v.inputCount(); ++i) {
                const std::int64_t size = v.inputMeta(i).shape[static_cast<std::size_t>(dim)];
                grads.push_back(v.needs(i) ? slice(v.grad(), dim, start, start + size) : Tensor());
                start += size;
            }
            return grads;
        },
    .save = Save::Nothing,
    .strided = true,
};

Tensor contiguous(const Tensor& x)
{
    return x.isContiguous() ? x : apply1(copyOp, {x});
}

Tensor clone(const Tensor& x)
{
    return apply1(copyOp, {x});
}

Tensor to(const Tensor& x, DType dtype)
{
    return x.dtype() == dtype ? x : apply1(castOp, {x}, {{"dtype", static_cast<std::int64_t>(dtype)}});
}

Tensor cat(const Tensors& xs, std::int64_t dim)
{
    if (xs.empty())
        throw ShapeError("cat: at least one tensor is needed");
    Tensors same;
    DType dtype = xs[0].dtype();
    for (const Tensor& x : xs)
        dtype = promote(dtype, x.dtype());
    for (const Tensor& x : xs) {
        const bool legacyEmpty =
            x.rank() == 1 && x.numel() == 0 && xs.size() > 1;  // PyTorch leaves these out, whatever the others' rank
        if (!legacyEmpty)
            same.push_back(to(x, dtype));
    }
    if (same.empty())
        same.push_back(to(xs[0], dtype));
    if (same[0].rank() == 0)
        throw ShapeError("cat: tensors without dimensions cannot be joined");
    return apply1(catOp, same, {{"dim", dim}});
}

Tensor empty(const Shape& shape, DType dtype)
{
    return allocate({dtype, shape}, Session::current().device());
}

Tensor full(const Shape& shape, double value, DType dtype)
{
    Tensor out = empty(shape, dtype);
    launch(fillOp, {}, {out}, {{"value", value}});
    return out;
}

Tensor zeros(const Shape& shape, DType dtype)
{
    return full(shape, 0.0, dtype);
}

Tensor ones(const Shape& shape, DType dtype)
{
    return full(shape, 1.0, dtype);
}

Tensor arange(std::int64_t end, DType dtype)
{
    std::vector<double> values(static_cast<std::size_t>(std::max<std::int64_t>(end, 0)));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(i);
    return fromDoubles({static_cast<std::int64_t>(values.size())}, values, dtype);
}

Tensor fromDoubles(const Shape& shape, const std::vector<double>& values, DType dtype)
{
    if (numel(shape) != static_cast<std::int64_t>(values.size()))
        throw ShapeError("a tensor of shape " + text(shape) + " from " + std::to_string(values.size()) + " values");
    Tensor out = empty(shape, dtype);
    out.copyFrom(makeEntry("F64", shape, std::as_bytes(std::span(values))));
    return out;
}

Tensor fromEntry(const StateEntry& entry)
{
    const std::optional<DType> dtype = dtypeFromTag(entry.dtype);
    if (!dtype)
        throw Error("Megalith does not compute with dtype " + entry.dtype);
    Tensor out = empty(entry.shape, *dtype);
    out.copyFrom(entry);
    return out;
}

void copy_(const Tensor& target, const Tensor& from)
{
    applyInPlace(castOp, {expand(from.detach(), target.shape())}, {target},
                 {{"dtype", static_cast<std::int64_t>(target.dtype())}});
}

void fill_(const Tensor& x, double value)
{
    applyInPlace(fillOp, {}, {x}, {{"value", value}});
}

}  // namespace megalith::ops
