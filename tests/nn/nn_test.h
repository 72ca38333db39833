// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/backend/session.h"
#include "engine/core/error.h"
#include "engine/nn/module.h"
#include "engine/ops/functions.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace megalith::test {

// Every test function has a session of its own, seeded with 0.
struct Engine
{
    Session session{2};
    SessionScope scope{session};
};

template<typename F>
std::string errorOf(F&& f)
{
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

inline std::string joined(const std::vector<std::string>& names)
{
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i)
        out += (i == 0 ? "" : " ") + names[i];
    return out;
}

template<typename Pairs>
std::string namesOf(const Pairs& pairs)
{
    std::vector<std::string> names;
    for (const auto& pair : pairs)
        names.push_back(pair.first);
    return joined(names);
}

// sin(factor * i + phase) * scale, as the scripts that made the goldens.
inline std::vector<double> wave(const Shape& shape, double factor, double phase, double scale)
{
    std::vector<double> values(static_cast<std::size_t>(numel(shape)));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::sin(factor * static_cast<double>(i) + phase) * scale;
    return values;
}

// max|a-b| / max(max|b|, 1e-6)
inline double difference(const std::vector<double>& a, const std::vector<double>& b)
{
    if (a.size() != b.size())
        return HUGE_VAL;
    double largest = 1e-6;
    double apart = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(b[i]));
        apart = std::isnan(a[i]) ? HUGE_VAL : std::max(apart, std::abs(a[i] - b[i]));
    }
    return apart / largest;
}

}  // namespace megalith::test

// The text of an error, or of anything else, compared so that a failure shows both.
#define COMPARE_TEXT(actual, expected) QCOMPARE(QString::fromStdString(actual), QString::fromStdString(expected))
