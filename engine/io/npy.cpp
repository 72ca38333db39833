// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/npy.h"

#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/io/atomic_file.h"
#include "engine/io/bytes.h"
#include "engine/io/mapped_file.h"

#include <algorithm>
#include <array>
#include <optional>

namespace megalith::io {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t headerAlignment = 64;
constexpr std::size_t mostNpyDimensions = 64;

struct NpyType
{
    std::string_view descr;  // without the byte order
    std::string_view tag;
};

constexpr std::array<NpyType, 12> npyTypes = {{{"b1", "BOOL"},
                                               {"u1", "U8"},
                                               {"i1", "I8"},
                                               {"u2", "U16"},
                                               {"i2", "I16"},
                                               {"f2", "F16"},
                                               {"u4", "U32"},
                                               {"i4", "I32"},
                                               {"f4", "F32"},
                                               {"u8", "U64"},
                                               {"i8", "I64"},
                                               {"f8", "F64"}}};

struct Header
{
    std::optional<std::string> descr;
    std::optional<bool> fortran;
    std::optional<Shape> shape;
};

// The header is a dict as Python writes it: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }
class HeaderParser
{
public:
    HeaderParser(std::string_view text, std::string_view shown) : m_text(text), m_shown(shown) {}

    Header parse()
    {
        Header header;
        expect('{');
        while (!accept('}')) {
            const std::string key = quoted();
            expect(':');
            if (key == "descr" && !header.descr)
                header.descr = descr();
            else if (key == "fortran_order" && !header.fortran)
                header.fortran = boolean();
            else if (key == "shape" && !header.shape)
                header.shape = shape();
            else
                refuse("the key '" + shownName(key) + "' is unknown or there twice");
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skipSpace();
        if (!m_text.empty())
            refuse("there is text after it");
        if (!header.descr || !header.fortran || !header.shape)
            refuse("'descr', 'fortran_order' or 'shape' is missing");
        return header;
    }

private:
    [[noreturn]] void refuse(const std::string& what) const
    {
        throw FormatError(std::string(m_shown) + ": its header is not NumPy's: " + what);
    }
    void skipSpace()
    {
        while (!m_text.empty() && (m_text.front() == ' ' || m_text.front() == '\n'))
            m_text.remove_prefix(1);
    }
    bool accept(char c)
    {
        skipSpace();
        if (m_text.empty() || m_text.front() != c)
            return false;
        m_text.remove_prefix(1);
        return true;
    }
    void expect(char c)
    {
        if (!accept(c))
            refuse(std::string("a '") + c + "' is missing");
    }
    std::string quoted()
    {
        skipSpace();
        const char quote = m_text.empty() ? ' ' : m_text.front();
        const std::size_t end = quote == '\'' || quote == '"' ? m_text.find(quote, 1) : std::string_view::npos;
        if (end == std::string_view::npos)
            refuse("a text in quotes is missing");
        std::string text(m_text.substr(1, end - 1));
        m_text.remove_prefix(end + 1);
        return text;
    }
    std::string descr()
    {
        skipSpace();
        if (!m_text.empty() && m_text.front() == '[')
            throw FormatError(std::string(m_shown) + ": it holds records with named fields, not one array of numbers");
        return quoted();
    }
    bool boolean()
    {
        skipSpace();
        for (const auto& [word, value] :
             {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}})
            if (m_text.starts_with(word)) {
                m_text.remove_prefix(word.size());
                return value;
            }
        refuse("'fortran_order' is neither True nor False");
    }
    Shape shape()
    {
        Shape shape;
        expect('(');
        while (!accept(')')) {
            skipSpace();
            const std::size_t digits = std::min(m_text.find_first_not_of("0123456789"), m_text.size());
            const auto size = parseInteger(m_text.substr(0, digits));
            if (!size || shape.size() == mostNpyDimensions)
                refuse("'shape' is no tuple of at most 64 sizes");
            m_text.remove_prefix(digits);
            shape.push_back(*size);
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return shape;
    }

    std::string_view m_text;
    std::string_view m_shown;
};

// Turns every element around.
void swapBytes(std::span<std::byte> bytes, std::size_t itemSize)
{
    for (std::size_t i = 0; i + itemSize <= bytes.size(); i += itemSize)
        std::ranges::reverse(bytes.subspan(i, itemSize));
}

// First index fastest in `in`, last index fastest in `out`.
void toRowMajor(std::span<const std::byte> in, std::span<std::byte> out, const Shape& shape, std::size_t itemSize)
{
    std::vector<std::size_t> strides(shape.size());
    std::size_t stride = itemSize;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        strides[d] = stride;
        stride *= static_cast<std::size_t>(shape[d]);
    }
    Shape index(shape.size(), 0);
    std::size_t from = 0;
    for (std::size_t to = 0; to < out.size(); to += itemSize) {
        std::memcpy(out.data() + to, in.data() + from, itemSize);
        for (std::size_t d = shape.size(); d-- > 0;) {
            from += strides[d];
            if (++index[d] < shape[d])
                break;
            from -= strides[d] * static_cast<std::size_t>(shape[d]);
            index[d] = 0;
        }
    }
}

std::string_view tagOf(std::string_view descr, std::string_view shown)
{
    const std::string_view kind = descr.empty() ? descr : descr.substr(1);
    const bool ordered = !descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos;
    const auto found = std::ranges::find(npyTypes, kind, &NpyType::descr);
    if (ordered && found != npyTypes.end())
        return found->tag;
    const std::string_view what = kind.starts_with('O')   ? " (Python objects, which are never read: they can run code)"
                                  : kind.starts_with('c') ? " (complex numbers)"
                                  : kind.starts_with('U') || kind.starts_with('S') ? " (texts)"
                                                                                   : "";
    throw FormatError(std::string(shown) + ": it has the dtype '" + shownName(descr) + "'" + std::string(what)
                      + "; bool, whole numbers, float16, float32 and float64 can be read");
}

std::string_view headerText(ByteReader& reader, std::string_view shown)
{
    if (reader.remaining() < magic.size() || reader.text(magic.size()) != magic)
        throw FormatError(std::string(shown) + " is not a .npy file");
    const auto major = reader.get<std::uint8_t>();
    const auto minor = reader.get<std::uint8_t>();
    if (major < 1 || major > 3 || minor != 0)
        throw FormatError(std::string(shown) + ": it has version " + std::to_string(major) + "." + std::to_string(minor)
                          + " of the .npy format; 1.0, 2.0 and 3.0 can be read");
    return reader.text(major == 1 ? reader.get<std::uint16_t>() : reader.get<std::uint32_t>());
}

std::size_t byteSize(const Shape& shape, std::size_t itemSize, std::string_view shown)
{
    std::size_t elements = 1;
    bool empty = false;
    for (const std::int64_t size : shape) {
        empty = empty || size == 0;
        const auto factor = static_cast<std::size_t>(std::max<std::int64_t>(size, 1));
        if (elements > static_cast<std::size_t>(INT64_MAX) / 8 / factor)
            throw FormatError(std::string(shown) + ": its shape " + text(shape)
                              + " has more bytes than 63 bits can count");
        elements *= factor;
    }
    return empty ? 0 : elements * itemSize;
}

}  // namespace

StateEntry parseNpy(std::span<const std::byte> bytes, std::string_view shown, std::shared_ptr<const void> owner)
{
    ByteReader reader(bytes, shown);
    const Header header = HeaderParser(headerText(reader, shown), shown).parse();
    const std::string_view tag = tagOf(*header.descr, shown);
    const std::size_t itemSize = *itemSizeOfTag(tag);
    const Shape& shape = *header.shape;
    const std::size_t size = byteSize(shape, itemSize, shown);
    if (size != reader.remaining())
        throw FormatError(std::string(shown) + ": its shape " + text(shape) + " needs " + std::to_string(size)
                          + " bytes of data, the file has " + std::to_string(reader.remaining())
                          + (size > reader.remaining() ? ": it ends early" : ""));
    const auto data = reader.take(size);
    const bool swapped = header.descr->front() == '>' && itemSize > 1;
    const bool reordered = *header.fortran && shape.size() > 1 && size > 0;
    if (owner != nullptr && size > 0 && !swapped && !reordered)
        return {std::string(tag), shape, std::shared_ptr<const std::byte>(std::move(owner), data.data()), size};

    const std::shared_ptr<std::byte> copy(new std::byte[std::max<std::size_t>(size, 1)],
                                          std::default_delete<std::byte[]>());
    const std::span<std::byte> out(copy.get(), size);
    if (reordered)
        toRowMajor(data, out, shape, itemSize);
    else
        std::ranges::copy(data, out.begin());
    if (swapped)
        swapBytes(out, itemSize);
    return {std::string(tag), shape, copy, size};
}

StateEntry readNpy(const std::filesystem::path& path)
{
    const auto mapped = MappedFile::open(path);
    const std::string shown = path.string();
    if (mapped->size() == 0)
        throw FormatError(shown + " is an empty file");
    return parseNpy(mapped->bytes(), shown, mapped);
}

std::vector<std::byte> npyBytes(const StateEntry& entry)
{
    const auto kind = std::ranges::find(npyTypes, entry.dtype, &NpyType::tag);
    if (kind == npyTypes.end())
        throw Error("a tensor of dtype " + entry.dtype + " cannot be written as .npy, which does not have it");
    const std::size_t itemSize = *itemSizeOfTag(entry.dtype);
    if (entry.size != byteSize(entry.shape, itemSize, "a tensor"))
        throw Error("a tensor of " + std::to_string(entry.size) + " bytes is not " + text(entry.shape) + " of "
                    + entry.dtype);
    std::string shape;
    for (const std::int64_t size : entry.shape)
        shape += (shape.empty() ? "" : ", ") + std::to_string(size);
    if (entry.shape.size() == 1)
        shape += ',';
    std::string header = "{'descr': '" + std::string(itemSize == 1 ? "|" : "<") + std::string(kind->descr)
                         + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    // The data begin at a multiple of 64; the header ends with a newline.
    const std::size_t used = magic.size() + 4 + header.size() + 1;
    header.append((headerAlignment - used % headerAlignment) % headerAlignment, ' ').push_back('\n');

    std::string head(magic);
    appendBytes(head, std::uint16_t{1});
    appendBytes(head, static_cast<std::uint16_t>(header.size()));
    head += header;
    const auto headBytes = std::as_bytes(std::span(head.data(), head.size()));
    std::vector<std::byte> out(headBytes.begin(), headBytes.end());
    const auto data = entry.bytes();
    out.insert(out.end(), data.begin(), data.end());
    return out;
}

void writeNpy(const std::filesystem::path& path, const StateEntry& entry)
{
    writeFileAtomically(path, npyBytes(entry));
}

}  // namespace megalith::io
