// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/backend/session.h"
#include "engine/core/tensor.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <vector>

// max|a - b| / max(max|b|, 1e-6)
inline double relativeDifference(const std::vector<double>& got, const std::vector<double>& wanted)
{
    if (got.size() != wanted.size())
        return INFINITY;
    double difference = 0.0;
    double scale = 1e-6;
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (std::isnan(got[i]) != std::isnan(wanted[i]))
            return INFINITY;
        difference = std::max(difference, std::abs(got[i] - wanted[i]));
        scale = std::max(scale, std::abs(wanted[i]));
    }
    return difference / scale;
}

// Calls the code and compares what() of the Error that it must throw.
#define COMPARE_ERROR(code, part)                                                                           \
    do {                                                                                                    \
        std::string said;                                                                                   \
        try {                                                                                               \
            code;                                                                                           \
        } catch (const megalith::Error& e) {                                                                \
            said = e.what();                                                                                \
        }                                                                                                   \
        QVERIFY2(said.find(part) != std::string::npos, said.empty() ? "nothing was thrown" : said.c_str()); \
    } while (false)
