// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/error.h"
#include "engine/core/state_dict.h"
#include "engine/io/atomic_file.h"
#include "tests/paths.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

// What the tests of files share.

namespace megalith::test {

inline std::filesystem::path sample(const std::string& name)
{
    return std::filesystem::path(dataFolder) / "mega" / name;
}

// The sentence of the Error that the call throws; "" when it throws none. Any other exception fails the test.
template<typename Call>
std::string errorOf(const Call& call)
{
    try {
        call();
    } catch (const Error& e) {
        return e.what();
    }
    return {};
}

inline bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

template<typename T>
StateEntry entryOf(std::string_view dtype, Shape shape, const std::vector<T>& values)
{
    return makeEntry(dtype, std::move(shape), std::as_bytes(std::span(values)));
}

inline bool sameBytes(const StateEntry& a, const StateEntry& b)
{
    return a.dtype == b.dtype && a.shape == b.shape && std::ranges::equal(a.bytes(), b.bytes());
}

inline bool sameItems(const StateDict& a, const StateDict& b)
{
    return std::ranges::equal(
        a, b, [](const auto& x, const auto& y) { return x.first == y.first && sameBytes(x.second, y.second); });
}

// Names of everything in a folder: no temporary file may stay behind.
inline std::vector<std::string> filesIn(const std::filesystem::path& folder)
{
    std::vector<std::string> names;
    for (const auto& item : std::filesystem::directory_iterator(folder))
        names.push_back(item.path().filename().string());
    std::ranges::sort(names);
    return names;
}

// A folder of its own for each test, removed afterwards.
class Folder
{
public:
    std::filesystem::path operator/(const std::string& name) const { return path() / name; }
    std::filesystem::path path() const { return m_folder.path().toStdString(); }

private:
    QTemporaryDir m_folder;
};

}  // namespace megalith::test

// The call throws an Error whose sentence has the text.
#define VERIFY_REFUSED(call, text)                                          \
    do {                                                                    \
        const std::string refusal = megalith::test::errorOf([&] { call; }); \
        QVERIFY2(!refusal.empty(), "nothing was refused");                  \
        QVERIFY2(megalith::test::contains(refusal, text), refusal.c_str()); \
    } while (false)
