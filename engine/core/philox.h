// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace megalith {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Four random words that
// are a pure function of counter and key: any element of any stream can be drawn alone, in any order, on any device.
constexpr PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key)
{
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
        const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    return counter;
}

// Low word first.
constexpr PhiloxKey philoxKey(std::uint64_t key)
{
    return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
}

constexpr PhiloxCounter philoxCounter(std::uint64_t low, std::uint64_t high = 0)
{
    return {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32), static_cast<std::uint32_t>(high),
            static_cast<std::uint32_t>(high >> 32)};
}

// [0, 1), a multiple of 2^-24.
constexpr float uniformFloat(std::uint32_t bits)
{
    return static_cast<float>(bits >> 8) * 0x1p-24f;
}

// [0, 1), a multiple of 2^-53.
constexpr double uniformDouble(std::uint64_t bits)
{
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

constexpr double uniformDouble(std::uint32_t low, std::uint32_t high)
{
    return uniformDouble(std::uint64_t{high} << 32 | low);
}

// A key made of a seed and what it is for: the same on every machine and in every version. Chains:
// mixKey(mixKey(seed, "dropout"), step).
constexpr std::uint64_t mixKey(std::uint64_t seed, std::uint64_t what)
{
    // The finaliser of SplitMix64 (Steele, Lea, Flood 2014) over both.
    std::uint64_t z = seed + 0x9E3779B97F4A7C15u;
    for (int pass = 0; pass < 2; ++pass) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        z ^= z >> 31;
        if (pass == 0)
            z += what + 0x9E3779B97F4A7C15u;
    }
    return z;
}

constexpr std::uint64_t mixKey(std::uint64_t seed, std::string_view what)
{
    std::uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
    for (const char c : what)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    return mixKey(seed, hash);
}

constexpr std::uint64_t mixKey(std::uint64_t seed, const char* what)
{
    return mixKey(seed, std::string_view(what));
}

// The words of one key in order, for what is drawn one after the other. position() is all its state.
class PhiloxStream
{
public:
    explicit PhiloxStream(std::uint64_t key, std::uint64_t position = 0) : m_key(philoxKey(key)), m_position(position)
    {}

    std::uint32_t next32();
    std::uint64_t next64();  // two words, low first
    double uniform() { return uniformDouble(next64()); }
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    // Mean 0, deviation 1: Box and Muller 1958; takes four words and keeps nothing back.
    double normal();
    // 0 .. n-1, each equally likely (Lemire 2019). n must not be 0.
    std::uint64_t below(std::uint64_t n);

    // Words drawn so far.
    std::uint64_t position() const { return m_position; }

private:
    PhiloxKey m_key;
    std::uint64_t m_position;
    std::uint64_t m_block = ~std::uint64_t{0};  // whose words m_words are
    PhiloxCounter m_words{};
};

}  // namespace megalith
