// SPDX-License-Identifier: GPL-3.0-or-later
// The part of Tensor that moves values between a device and the host.
#include "engine/backend/backend.h"
#include "engine/core/error.h"
#include "engine/core/tensor_impl.h"

#include <cstring>

namespace megalith {

namespace {

template<typename T>
T load(const std::byte* from)
{
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template<typename To>
To element(DType dtype, const std::byte* at)
{
    switch (dtype) {
    case DType::F32: return static_cast<To>(load<float>(at));
    case DType::F64: return static_cast<To>(load<double>(at));
    case DType::F16: return static_cast<To>(halfToFloat(load<std::uint16_t>(at)));
    case DType::BF16: return static_cast<To>(bfloat16ToFloat(load<std::uint16_t>(at)));
    case DType::I64: return static_cast<To>(load<std::int64_t>(at));
    case DType::I32: return static_cast<To>(load<std::int32_t>(at));
    case DType::I16: return static_cast<To>(load<std::int16_t>(at));
    case DType::I8: return static_cast<To>(load<std::int8_t>(at));
    case DType::U8: return static_cast<To>(load<std::uint8_t>(at));
    case DType::Bool: return static_cast<To>(load<std::uint8_t>(at) != 0);
    }
    return To{};
}

template<typename T>
void store(std::byte* at, T value)
{
    std::memcpy(at, &value, sizeof value);
}

// From one dtype to another, through f64 or i64, whichever holds the source exactly.
void convertElement(DType to, std::byte* at, DType from, const std::byte* source)
{
    const bool whole = !isFloating(from);
    const std::int64_t i = whole ? element<std::int64_t>(from, source) : 0;
    const double d = whole ? static_cast<double>(i) : element<double>(from, source);
    switch (to) {
    case DType::F32: return store(at, whole ? static_cast<float>(i) : static_cast<float>(d));
    case DType::F64: return store(at, d);
    case DType::F16: return store(at, floatToHalf(static_cast<float>(d)));
    case DType::BF16: return store(at, floatToBfloat16(static_cast<float>(d)));
    case DType::I64: return store(at, whole ? i : static_cast<std::int64_t>(d));
    case DType::I32: return store(at, static_cast<std::int32_t>(whole ? i : static_cast<std::int64_t>(d)));
    case DType::I16: return store(at, static_cast<std::int16_t>(whole ? i : static_cast<std::int64_t>(d)));
    case DType::I8: return store(at, static_cast<std::int8_t>(whole ? i : static_cast<std::int64_t>(d)));
    case DType::U8: return store(at, static_cast<std::uint8_t>(whole ? i : static_cast<std::int64_t>(d)));
    case DType::Bool: return store(at, static_cast<std::uint8_t>(whole ? i != 0 : d != 0.0));
    }
}

// The bytes that the view spans, and where element 0 is in them.
struct HostCopy
{
    std::vector<std::byte> bytes;
    std::int64_t first = 0;  // element
};

HostCopy spanOf(const Tensor& t)
{
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (std::size_t i = 0; i < t.rank(); ++i) {
        const std::int64_t reach = (t.shape()[i] - 1) * t.strides()[i];
        (reach < 0 ? low : high) += reach;
    }
    const std::size_t item = itemSize(t.dtype());
    HostCopy copy{std::vector<std::byte>(static_cast<std::size_t>(high - low + 1) * item), -low};
    t.backend().synchronize();
    t.backend().download(*t.storage(), static_cast<std::size_t>(t.offset() + low) * item, copy.bytes.data(),
                         copy.bytes.size());
    return copy;
}

// Calls f with the position of every element, row-major.
template<typename F>
void forEachElement(const Shape& shape, const Strides& strides, std::int64_t first, F&& f)
{
    const std::int64_t n = numel(shape);
    std::vector<std::int64_t> index(shape.size(), 0);
    std::int64_t at = first;
    for (std::int64_t i = 0; i < n; ++i) {
        f(at);
        for (std::size_t d = shape.size(); d-- > 0;) {
            at += strides[d];
            if (++index[d] < shape[d])
                break;
            at -= strides[d] * shape[d];
            index[d] = 0;
        }
    }
}

template<typename To>
std::vector<To> values(const Tensor& t)
{
    std::vector<To> out;
    if (t.numel() == 0)
        return out;
    out.reserve(static_cast<std::size_t>(t.numel()));
    const HostCopy host = spanOf(t);
    const std::size_t item = itemSize(t.dtype());
    forEachElement(t.shape(), t.strides(), host.first, [&](std::int64_t at) {
        out.push_back(element<To>(t.dtype(), host.bytes.data() + static_cast<std::size_t>(at) * item));
    });
    return out;
}

}  // namespace

double Tensor::item() const
{
    if (numel() != 1)
        throw ShapeError("item: a tensor of shape " + megalith::text(shape()) + " has " + std::to_string(numel())
                         + " elements, not one");
    return values<double>(*this).front();
}

std::vector<double> Tensor::toDoubles() const
{
    return values<double>(*this);
}

std::vector<std::int64_t> Tensor::toIntegers() const
{
    return values<std::int64_t>(*this);
}

StateEntry Tensor::toEntry() const
{
    const std::size_t item = itemSize(dtype());
    const std::size_t bytes = static_cast<std::size_t>(numel()) * item;
    auto data = std::shared_ptr<std::byte>(new std::byte[bytes == 0 ? 1 : bytes], std::default_delete<std::byte[]>());
    if (isContiguous()) {
        backend().synchronize();
        backend().download(*storage(), static_cast<std::size_t>(offset()) * item, data.get(), bytes);
    } else {
        const HostCopy host = spanOf(*this);
        std::byte* to = data.get();
        forEachElement(shape(), strides(), host.first, [&](std::int64_t at) {
            std::memcpy(to, host.bytes.data() + static_cast<std::size_t>(at) * item, item);
            to += item;
        });
    }
    return {std::string(dtypeTag(dtype())), shape(), std::move(data), bytes};
}

void Tensor::copyFrom(const void* rowMajor, std::size_t bytes) const
{
    const std::size_t item = itemSize(dtype());
    if (bytes != static_cast<std::size_t>(numel()) * item)
        throw ShapeError("copyFrom: " + std::to_string(bytes) + " bytes for a tensor of shape "
                         + megalith::text(shape()));
    storage()->bumpVersion();
    if (isContiguous())
        return backend().upload(*storage(), static_cast<std::size_t>(offset()) * item, rowMajor, bytes);
    const auto* from = static_cast<const std::byte*>(rowMajor);
    forEachElement(shape(), strides(), offset(), [&](std::int64_t at) {
        backend().upload(*storage(), static_cast<std::size_t>(at) * item, from, item);
        from += item;
    });
}

void Tensor::copyFrom(const StateEntry& entry) const
{
    if (entry.shape != shape())
        throw ShapeError("copyFrom: shape " + megalith::text(entry.shape) + " into a tensor of shape "
                         + megalith::text(shape()));
    const std::optional<DType> from = dtypeFromTag(entry.dtype);
    if (!from)
        throw Error("copyFrom: Megalith does not compute with dtype " + entry.dtype);
    if (*from == dtype())
        return copyFrom(entry.data.get(), entry.size);
    const std::size_t fromSize = itemSize(*from);
    const std::size_t toSize = itemSize(dtype());
    std::vector<std::byte> converted(static_cast<std::size_t>(numel()) * toSize);
    for (std::size_t i = 0; i < static_cast<std::size_t>(numel()); ++i)
        convertElement(dtype(), converted.data() + i * toSize, *from, entry.data.get() + i * fromSize);
    copyFrom(converted.data(), converted.size());
}

}  // namespace megalith
