// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/core/json.h"
#include "engine/core/number_text.h"
#include "engine/io/bytes.h"
#include "engine/io/tree.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>
#include <unordered_set>

// tensorplay.layout: the JSON text beside the tensors of a tree.

namespace megalith::io {

namespace {

constexpr std::string_view tensorMark = "__tensor__";
constexpr std::string_view tupleMark = "__tuple__";
constexpr std::string_view dictMark = "__dict__";
constexpr std::size_t deepest = 196;  // levels of JSON; the reader takes 200, a tensor mark included

bool isMark(std::string_view key)
{
    return key == tensorMark || key == tupleMark || key == dictMark;
}

// As Python's json.dumps: it writes, and json.loads takes, NaN and Infinity.
std::string numberText(double value)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value < 0 ? "-Infinity" : "Infinity";
    return pythonNumber(value);
}

// Names tensors by their path and writes the layout, in the order and by the rules of tensorplay.save.
class Flattener
{
public:
    explicit Flattener(WeightsFile& file) : m_file(file) {}

    std::string encode(const TreeValue& value, std::size_t depth);

private:
    std::string encodePart(std::string_view part, const TreeValue& value, std::size_t depth);
    std::string encodeItems(const TreeValue::List& items, std::size_t depth);
    std::string encodeDict(const TreeValue::Dict& dict, std::size_t depth);
    std::string nameOf(const StateEntry& entry);

    WeightsFile& m_file;
    std::vector<std::string_view> m_path;
    std::unordered_map<const std::byte*, std::vector<std::string>> m_names;  // by the tensor's address
};

std::string Flattener::encode(const TreeValue& value, std::size_t depth)
{
    if (depth > deepest)
        throw Error("a checkpoint is nested too deeply to be written");
    if (value.isNull())
        return "null";
    if (value.isBool())
        return value.boolean() ? "true" : "false";
    if (value.isInteger())
        return std::to_string(value.integer());
    if (value.isNumber())
        return numberText(value.number());
    if (value.isString())
        return jsonString(value.string());
    if (value.isTensor())
        return "{" + jsonString(tensorMark) + ":" + jsonString(nameOf(value.tensor())) + "}";
    if (value.isDict())
        return encodeDict(value.dict(), depth);
    if (value.isTuple())
        return "{" + jsonString(tupleMark) + ":" + encodeItems(value.items(), depth + 1) + "}";
    return encodeItems(value.items(), depth);
}

std::string Flattener::encodePart(std::string_view part, const TreeValue& value, std::size_t depth)
{
    m_path.push_back(part);
    std::string out = encode(value, depth);
    m_path.pop_back();
    return out;
}

std::string Flattener::encodeItems(const TreeValue::List& items, std::size_t depth)
{
    std::string out = "[";
    for (std::size_t i = 0; i < items.size(); ++i)
        out += (i == 0 ? "" : ",") + encodePart(std::to_string(i), items[i], depth + 1);
    return out + "]";
}

std::string Flattener::encodeDict(const TreeValue::Dict& dict, std::size_t depth)
{
    const bool escaped = dict.size() == 1 && isMark(dict.front().first);
    std::unordered_set<std::string_view> keys;
    std::string out = escaped ? "{" + jsonString(dictMark) + ":[[" : "{";
    for (bool first = true; const auto& [key, value] : dict) {
        if (!keys.insert(key).second)
            throw Error("the key " + shownName(key) + " is there twice in one dict");
        out += (first ? "" : ",") + jsonString(key) + (escaped ? "," : ":")
               + encodePart(key, value, depth + (escaped ? 3 : 1));
        first = false;
    }
    return out + (escaped ? "]]}" : "}");
}

std::string Flattener::nameOf(const StateEntry& entry)
{
    std::vector<std::string>& names = m_names[entry.data.get()];
    for (const std::string& name : names)
        if (m_file.tensors.find(name)->sameTensor(entry))
            return name;
    std::string base;
    for (std::size_t i = 0; i < m_path.size(); ++i)
        base.append(i == 0 ? "" : ".").append(m_path[i]);
    if (base.empty())
        base = "0";
    std::string name = base;
    for (int i = 1; m_file.tensors.contains(name); ++i)
        name = base + "#" + std::to_string(i);
    m_file.tensors.add(name, entry);
    if (entry.data != nullptr)
        names.push_back(name);
    return name;
}

// Python's NaN, Infinity and -Infinity, which JSON does not have, as texts that begin with `marker`.
std::string withMarkedNumbers(std::string_view json, std::string_view marker)
{
    std::string out;
    out.reserve(json.size());
    for (std::size_t i = 0; i < json.size();) {
        const char c = json[i];
        if (c == '"') {
            std::size_t end = i + 1;
            while (end < json.size() && json[end] != '"')
                end += json[end] == '\\' ? 2 : 1;
            end = std::min(end + 1, json.size());
            out += json.substr(i, end - i);
            i = end;
            continue;
        }
        std::string_view number;
        for (const std::string_view word : {"NaN", "Infinity", "-Infinity"})
            if (json.substr(i).starts_with(word))
                number = word;
        if (number.empty()) {
            out += c;
            ++i;
        } else {
            out.append("\"").append(marker).append(number).append("\"");
            i += number.size();
        }
    }
    return out;
}

// A text that the layout does not contain: one sign more than its longest run of that sign.
std::string unusedMarker(std::string_view json)
{
    constexpr char sign = '#';
    std::size_t longest = 0;
    for (std::size_t i = 0, run = 0; i < json.size(); ++i) {
        run = json[i] == sign ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return std::string(longest + 1, sign);
}

class Rebuilder
{
public:
    Rebuilder(const StateDict& tensors, std::string_view marker) : m_tensors(tensors), m_marker(marker) {}

    TreeValue rebuild(const Value& value) const;

private:
    TreeValue rebuildText(const std::string& text) const;
    TreeValue::List rebuildItems(const Value& value) const;
    TreeValue rebuildEscaped(const Value& pairs) const;
    TreeValue tensor(const Value& name) const;

    const StateDict& m_tensors;
    std::string_view m_marker;
};

TreeValue Rebuilder::rebuild(const Value& value) const
{
    if (value.isNull())
        return {};
    if (value.isBool())
        return value.boolean();
    if (value.isInteger())
        return value.integer();
    if (value.isNumber())
        return value.number();
    if (value.isString())
        return rebuildText(value.string());
    if (value.isList())
        return rebuildItems(value);
    const Value::Object& object = value.object();
    if (object.size() == 1 && object.front().first == tensorMark)
        return tensor(object.front().second);
    if (object.size() == 1 && object.front().first == tupleMark)
        return TreeValue::Tuple{rebuildItems(object.front().second)};
    if (object.size() == 1 && object.front().first == dictMark)
        return rebuildEscaped(object.front().second);
    TreeValue::Dict dict;
    dict.reserve(object.size());
    for (const auto& [key, item] : object)
        dict.emplace_back(key, rebuild(item));
    return dict;
}

TreeValue Rebuilder::rebuildText(const std::string& text) const
{
    if (m_marker.empty() || !text.starts_with(m_marker))
        return text;
    const std::string_view number = std::string_view(text).substr(m_marker.size());
    if (number == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    return number == "Infinity" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

TreeValue::List Rebuilder::rebuildItems(const Value& value) const
{
    if (!value.isList())
        throw FormatError("the layout has a " + std::string(tupleMark) + " that is no list");
    TreeValue::List items;
    items.reserve(value.list().size());
    for (const Value& item : value.list())
        items.push_back(rebuild(item));
    return items;
}

TreeValue Rebuilder::rebuildEscaped(const Value& pairs) const
{
    const auto isPair = [](const Value& v) { return v.isList() && v.list().size() == 2 && v.list()[0].isString(); };
    if (!pairs.isList() || !std::ranges::all_of(pairs.list(), isPair))
        throw FormatError("the layout has a " + std::string(dictMark) + " that is no list of keys and values");
    TreeValue::Dict dict;
    std::unordered_set<std::string_view> keys;
    for (const Value& pair : pairs.list()) {
        if (!keys.insert(pair.list()[0].string()).second)
            throw FormatError("the layout has the key " + shownName(pair.list()[0].string()) + " twice in one dict");
        dict.emplace_back(pair.list()[0].string(), rebuild(pair.list()[1]));
    }
    return dict;
}

TreeValue Rebuilder::tensor(const Value& name) const
{
    if (!name.isString())
        throw FormatError("the layout has a " + std::string(tensorMark) + " whose name is "
                          + std::string(kindName(name)));
    const StateEntry* entry = m_tensors.find(name.string());
    if (entry == nullptr)
        throw FormatError("the layout names the tensor " + shownName(name.string()) + ", which the file does not have");
    return *entry;
}

TreeValue treeOfLayout(const WeightsFile& file)
{
    std::string marker;
    std::string text;
    if (file.layout.find("NaN") != std::string::npos || file.layout.find("Infinity") != std::string::npos) {
        marker = unusedMarker(file.layout);
        text = withMarkedNumbers(file.layout, marker);
    }
    Value layout;
    try {
        layout = parseJson(marker.empty() ? file.layout : text);
    } catch (const FormatError& e) {
        throw FormatError(std::string("tensorplay.layout is no JSON: ") + e.what());
    }
    return Rebuilder(file.tensors, marker).rebuild(layout);
}

// A plain container when every place holds a tensor of its own, as tensorplay.save decides it.
bool makePlain(const TreeValue& value, WeightsFile& file)
{
    if (value.isTensor()) {
        file.container = Container::Tensor;
        return true;
    }
    if (value.isDict()) {
        const auto isTensor = [](const auto& item) { return item.second.isTensor(); };
        if (!std::ranges::all_of(value.dict(), isTensor) || value.dict().size() != file.tensors.size())
            return false;
        file.container = Container::Dict;
        file.tensors = stateDictOf(value, "the state_dict");  // named by its keys, an empty one too
        return true;
    }
    if (!value.isList() && !value.isTuple())
        return false;
    file.container = value.isList() ? Container::List : Container::Tuple;
    return std::ranges::all_of(value.items(), &TreeValue::isTensor) && value.items().size() == file.tensors.size();
}

}  // namespace

WeightsFile fileOf(const TreeValue& value)
{
    WeightsFile file;
    std::string layout = Flattener(file).encode(value, 0);
    if (!makePlain(value, file)) {
        file.container = Container::Tree;
        file.layout = std::move(layout);
    }
    return file;
}

TreeValue treeOf(const WeightsFile& file)
{
    if (file.container == Container::Tree)
        return treeOfLayout(file);
    if (file.container == Container::Dict)
        return TreeValue(file.tensors);
    TreeValue::List items;
    for (const auto& [name, entry] : file.tensors)
        items.emplace_back(entry);
    if (file.container == Container::Tuple)
        return TreeValue::Tuple{std::move(items)};
    if (file.container == Container::List)
        return items;
    if (items.size() != 1)
        throw FormatError("it is said to hold one tensor and has " + std::to_string(items.size()));
    return items.front();
}

}  // namespace megalith::io
