// SPDX-License-Identifier: GPL-3.0-or-later
// Printing in the manner of PyTorch's print(tensor): same columns, same choice between fixed and scientific.
#include "engine/core/number_text.h"
#include "engine/core/tensor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace megalith {

namespace {

constexpr std::int64_t edge = 3;          // shown at each end of a dimension that is cut
constexpr std::int64_t threshold = 1000;  // more elements are cut
constexpr std::size_t lineWidth = 80;

std::string digits(double value, std::chars_format format)
{
    std::array<char, 64> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, 4);
    return {buffer.data(), result.ptr};
}

// How every element of one tensor is written, so that they line up.
class ElementText
{
public:
    ElementText(DType dtype, const std::vector<double>& shown) : m_dtype(dtype)
    {
        double smallest = INFINITY;
        double largest = 0.0;
        bool whole = true;
        for (const double x : shown) {
            if (!std::isfinite(x) || x == 0.0)
                continue;
            whole = whole && std::trunc(x) == x;
            smallest = std::min(smallest, std::abs(x));
            largest = std::max(largest, std::abs(x));
        }
        m_whole = whole;
        if (largest > 0.0)
            m_scientific = m_whole ? largest / smallest > 1000.0 && largest > 1e8
                                   : largest / smallest > 1000.0 || largest > 1e8 || smallest < 1e-4;
        if (m_whole && largest > 1e8)
            m_scientific = true;
        for (const double x : shown)
            m_width = std::max(m_width, bare(x).size());
    }

    std::string operator()(double x) const
    {
        const std::string text = bare(x);
        return std::string(m_width - std::min(m_width, text.size()), ' ') + text;
    }
    std::size_t width() const { return m_width; }

private:
    std::string bare(double x) const
    {
        if (m_dtype == DType::Bool)
            return x != 0.0 ? "True" : "False";
        if (!isFloating(m_dtype))
            return std::to_string(static_cast<std::int64_t>(x));
        if (!std::isfinite(x))
            return shortestText(x);
        if (m_scientific)
            return digits(x, std::chars_format::scientific);
        return m_whole ? std::to_string(static_cast<std::int64_t>(x)) + "." : digits(x, std::chars_format::fixed);
    }

    DType m_dtype;
    bool m_whole = true;
    bool m_scientific = false;
    std::size_t m_width = 0;
};

// A view without the middle of every long dimension; -1 in an index list stands for what was cut.
std::vector<std::int64_t> shownIndices(std::int64_t size, bool cut)
{
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < size; ++i) {
        if (cut && size > 2 * edge && i == edge) {
            out.push_back(-1);
            i = size - edge;
        }
        out.push_back(i);
    }
    return out;
}

class Printer
{
public:
    explicit Printer(const Tensor& t) : m_shape(t.shape()), m_cut(t.numel() > threshold)
    {
        for (const std::int64_t size : m_shape)
            m_shown.push_back(shownIndices(size, m_cut));
        collect(t, 0, t.offset());
    }

    std::string text(DType dtype) const
    {
        const ElementText element(dtype, m_values);
        std::size_t next = 0;
        return part(element, 0, 8, next);
    }

private:
    // Reads the shown elements alone, each by itself: a print never copies a large tensor.
    void collect(const Tensor& t, std::size_t dim, std::int64_t offset)
    {
        if (dim == m_shape.size()) {
            m_values.push_back(Tensor(t.storage(), t.dtype(), {}, {}, offset).item());
            return;
        }
        for (const std::int64_t i : m_shown[dim])
            if (i >= 0)
                collect(t, dim + 1, offset + i * t.strides()[dim]);
    }

    std::string part(const ElementText& element, std::size_t dim, std::size_t indent, std::size_t& next) const
    {
        if (dim == m_shape.size())
            return element(m_values[next++]);
        const bool last = dim + 1 == m_shape.size();
        const std::size_t perLine = std::max<std::size_t>(1, (lineWidth - indent) / (element.width() + 2));
        std::string separator =
            last ? ", " : "," + std::string(m_shape.size() - dim - 1, '\n') + std::string(indent, ' ');
        std::string out = "[";
        std::size_t onLine = 0;
        for (bool first = true; const std::int64_t i : m_shown[dim]) {
            if (!first && last && onLine == perLine) {
                out += ",\n" + std::string(indent, ' ');
                onLine = 0;
            } else if (!first) {
                out += separator;
            }
            out += i < 0 ? std::string(" ...").substr(last ? 0 : 1) : part(element, dim + 1, indent + 1, next);
            ++onLine;
            first = false;
        }
        return out + "]";
    }

    const Shape& m_shape;
    bool m_cut;
    std::vector<std::vector<std::int64_t>> m_shown;
    std::vector<double> m_values;
};

}  // namespace

std::string text(const Tensor& tensor)
{
    if (!tensor)
        return "None";
    std::string out = "tensor(" + (tensor.numel() == 0 ? std::string("[]") : Printer(tensor).text(tensor.dtype()));
    if (tensor.numel() == 0 && tensor.rank() != 1)
        out += ", size=" + [&] {
            std::string shape = text(tensor.shape());
            shape.front() = '(';
            shape.back() = ')';
            return shape;
        }();
    const bool silent =
        tensor.numel() > 0
        && (tensor.dtype() == DType::F32 || tensor.dtype() == DType::I64 || tensor.dtype() == DType::Bool);
    if (!silent && !(tensor.numel() == 0 && tensor.dtype() == DType::F32))
        out += ", dtype=" + std::string(dtypeName(tensor.dtype()));
    if (tensor.gradFn())
        out += ", grad_fn=...";
    else if (tensor.requires_grad())
        out += ", requires_grad=True";
    return out + ")";
}

}  // namespace megalith
