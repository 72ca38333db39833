// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/json.h"

#include "engine/core/error.h"
#include "engine/core/number_text.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>

namespace megalith {

namespace {

constexpr std::size_t maxDepth = 200;

// Builds a Value from nlohmann's events, so that order and the kind of every number are kept.
class Builder : public nlohmann::json_sax<nlohmann::json>
{
public:
    bool null() override { return put({}); }
    bool boolean(bool b) override { return put(b); }
    bool number_integer(number_integer_t i) override { return put(static_cast<std::int64_t>(i)); }
    bool number_unsigned(number_unsigned_t u) override
    {
        if (u > static_cast<number_unsigned_t>(INT64_MAX))
            return put(static_cast<double>(u));
        return put(static_cast<std::int64_t>(u));
    }
    bool number_float(number_float_t d, const string_t&) override { return put(d); }
    bool string(string_t& s) override { return put(std::move(s)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Value::Object{}); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(Value::List{}); }
    bool end_array() override { return close(); }
    bool key(string_t& k) override
    {
        if (!m_stack.back().keys.insert(k).second)
            return fail("the key " + jsonString(k) + " is there twice in one object");
        m_stack.back().key = std::move(k);
        return true;
    }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override
    {
        m_position = position;
        const std::string what = e.what();
        const std::size_t colon = what.find(": ", what.find("column"));
        return fail(e.id == 406 ? "a number is too large" : colon == std::string::npos ? what : what.substr(colon + 2));
    }

    Value result;
    std::string error;
    std::size_t m_position = 0;

private:
    struct Level
    {
        Value value;
        std::string key;
        std::set<std::string> keys;
    };

    bool fail(std::string text)
    {
        error = std::move(text);
        return false;
    }
    bool open(Value value)
    {
        if (m_stack.size() >= maxDepth)
            return fail("it is nested deeper than " + std::to_string(maxDepth));
        m_stack.push_back({std::move(value), {}, {}});
        return true;
    }
    bool close()
    {
        Value done = std::move(m_stack.back().value);
        m_stack.pop_back();
        return put(std::move(done));
    }
    bool put(Value value)
    {
        if (m_stack.empty())
            result = std::move(value);
        else if (m_stack.back().value.isList())
            m_stack.back().value.list().push_back(std::move(value));
        else
            m_stack.back().value.object().emplace_back(std::move(m_stack.back().key), std::move(value));
        return true;
    }

    std::vector<Level> m_stack;
};

void append(std::string& out, const Value& value)
{
    if (value.isNull()) {
        out += "null";
    } else if (value.isBool()) {
        out += value.boolean() ? "true" : "false";
    } else if (value.isInteger()) {
        out += std::to_string(value.integer());
    } else if (value.isNumber()) {
        out += jsonNumber(value.number());
    } else if (value.isString()) {
        out += jsonString(value.string());
    } else if (value.isList()) {
        out += '[';
        for (bool first = true; const Value& item : value.list()) {
            out += first ? "" : ", ";
            append(out, item);
            first = false;
        }
        out += ']';
    } else {
        out += '{';
        for (bool first = true; const auto& [key, item] : value.object()) {
            out += (first ? "" : ", ") + jsonString(key) + ": ";
            append(out, item);
            first = false;
        }
        out += '}';
    }
}

}  // namespace

Value parseJson(std::string_view text)
{
    Builder builder;
    if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
        throw FormatError("byte " + std::to_string(zero) + " is zero; JSON is text");
    if (nlohmann::json::sax_parse(text, &builder))
        return std::move(builder.result);
    const std::size_t end = std::min(builder.m_position, text.size());
    std::size_t line = 1;
    std::size_t column = 1;
    for (std::size_t i = 0; i + 1 < end; ++i) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n' ? 1 : 0;
    }
    const std::string where =
        builder.m_position == 0 ? "" : "line " + std::to_string(line) + ", column " + std::to_string(column) + ": ";
    throw FormatError(where + builder.error);
}

std::string writeJson(const Value& value)
{
    std::string out;
    append(out, value);
    return out;
}

std::string jsonString(std::string_view text)
{
    return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string jsonNumber(double value)
{
    if (!std::isfinite(value))
        return '"' + shortestText(value) + '"';
    return shortestText(value);
}

}  // namespace megalith
