// SPDX-License-Identifier: GPL-3.0-or-later
// Times the CPU kernels: bench_kernels [threads] [part of a name]. One line a measurement: name, tab, microseconds.
// bench_kernels.py runs it and puts PyTorch's times beside.
#include "engine/backend/cpu/conv.h"
#include "engine/backend/cpu/gemm.h"
#include "engine/backend/cpu/pool.h"
#include "engine/backend/cpu_context.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <random>
#include <string>
#include <vector>

using namespace megalith;
using namespace megalith::cpu;

namespace {

// As the engine's storage: aligned to a cache line.
class Array
{
public:
    explicit Array(std::int64_t count)
        : m_data(static_cast<float*>(::operator new(static_cast<std::size_t>(count) * sizeof(float), alignment)))
    {
        std::mt19937 generator(1);
        for (std::int64_t i = 0; i < count; ++i)
            m_data[i] = static_cast<float>(generator()) / 4294967296.0F - 0.5F;
    }
    ~Array() { ::operator delete(m_data, alignment); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    operator float*() const { return m_data; }

private:
    static constexpr std::align_val_t alignment{64};
    float* m_data;
};

class Bench
{
public:
    Bench(int threads, std::string only) : m_context(threads), m_only(std::move(only)) {}
    CpuContext& context() { return m_context; }

    // The fastest tenth: on a shared machine the rest tells about the others.
    void time(const std::string& name, const std::function<void()>& work)
    {
        if (name.find(m_only) == std::string::npos)
            return;
        using Clock = std::chrono::steady_clock;
        std::vector<double> times;
        const auto until = Clock::now() + std::chrono::milliseconds(300);
        for (int i = 0; i < 3; ++i)
            work();
        while (Clock::now() < until || times.size() < 20) {
            const auto start = Clock::now();
            work();
            times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
        }
        std::sort(times.begin(), times.end());
        std::printf("%s\t%.2f\n", name.c_str(), times[times.size() / 10]);
        std::fflush(stdout);
    }

private:
    CpuContext m_context;
    std::string m_only;
};

// y = x W^T + b and its gradients.
void benchLinear(Bench& bench, std::int64_t n, std::int64_t in, std::int64_t out)
{
    const Array x(n * in), w(out * in), b(out), y(n * out), dx(n * in), dw(out * in);
    const std::string name = "linear " + std::to_string(n) + "x" + std::to_string(in) + "x" + std::to_string(out);
    bench.time(name + " forward", [&] {
        gemm<float>(bench.context(), {.m = n, .n = out, .k = in},
                    {.a = x, .b = w, .c = y, .bias = b, .aRow = in, .bRow = 1, .bCol = in, .cRow = out});
    });
    bench.time(name + " dx", [&] {
        gemm<float>(bench.context(), {.m = n, .n = in, .k = out},
                    {.a = y, .b = w, .c = dx, .aRow = out, .bRow = in, .cRow = in});
    });
    bench.time(name + " dw", [&] {
        gemm<float>(bench.context(), {.m = out, .n = in, .k = n},
                    {.a = y, .b = x, .c = dw, .aRow = 1, .aCol = out, .bRow = in, .cRow = in});
    });
}

void benchConvolution(Bench& bench, std::int64_t n, std::int64_t c, std::int64_t size, std::int64_t o, std::int64_t k,
                      std::int64_t pad, std::int64_t stride = 1)
{
    Conv2dShape s{.n = n, .c = c, .h = size, .w = size, .o = o, .kh = k, .kw = k};
    s.strideH = s.strideW = stride;
    s.padTop = s.padLeft = s.padBottom = s.padRight = pad;
    s.oh = s.ow = (size + 2 * pad - k) / stride + 1;
    const Array x(n * c * size * size), w(o * c * k * k), b(o), y(n * o * s.oh * s.ow), dx(n * c * size * size),
        dw(o * c * k * k);
    char name[100];
    std::snprintf(name, sizeof name, "conv %dx%dx%dx%d %d %dx%d pad %d stride %d", int(n), int(c), int(size), int(size),
                  int(o), int(k), int(k), int(pad), int(stride));
    bench.time(std::string(name) + " forward", [&] { conv2dForward<float>(bench.context(), s, x, w, b, y); });
    bench.time(std::string(name) + " dx", [&] { conv2dBackwardInput<float>(bench.context(), s, y, w, dx); });
    bench.time(std::string(name) + " dw", [&] { conv2dBackwardWeight<float>(bench.context(), s, x, y, dw); });
}

void benchPool(Bench& bench, std::int64_t n, std::int64_t c, std::int64_t size)
{
    const Pool2dShape s{.planes = n * c,
                        .h = size,
                        .w = size,
                        .oh = size / 2,
                        .ow = size / 2,
                        .kh = 2,
                        .kw = 2,
                        .strideH = 2,
                        .strideW = 2};
    const Array x(s.planes * size * size), y(s.planes * s.oh * s.ow), dx(s.planes * size * size);
    std::vector<std::int64_t> indices(static_cast<std::size_t>(s.planes * s.oh * s.ow));
    char name[100];
    std::snprintf(name, sizeof name, "%dx%dx%dx%d 2x2", int(n), int(c), int(size), int(size));
    auto& context = bench.context();
    bench.time(std::string("maxpool ") + name + " forward",
               [&] { maxPool2dForward<float>(context, s, x, y, indices.data()); });
    bench.time(std::string("maxpool ") + name + " dx",
               [&] { maxPool2dBackward<float>(context, s, y, indices.data(), dx); });
    bench.time(std::string("avgpool ") + name + " forward",
               [&] { avgPool2dForward<float>(context, s, true, 0, x, y); });
    bench.time(std::string("avgpool ") + name + " dx", [&] { avgPool2dBackward<float>(context, s, true, 0, y, dx); });
}

}  // namespace

int main(int argc, char** argv)
{
    Bench bench(argc > 1 ? std::atoi(argv[1]) : 1, argc > 2 ? argv[2] : "");
    benchLinear(bench, 64, 784, 128);
    benchLinear(bench, 64, 128, 10);
    benchLinear(bench, 64, 64, 64);
    benchLinear(bench, 64, 2, 64);
    benchLinear(bench, 128, 512, 512);
    benchLinear(bench, 256, 1024, 1024);
    benchConvolution(bench, 64, 1, 28, 8, 5, 0);
    benchConvolution(bench, 64, 8, 12, 16, 5, 0);
    benchConvolution(bench, 64, 1, 28, 16, 3, 0);
    benchConvolution(bench, 64, 16, 26, 32, 3, 0);
    benchConvolution(bench, 32, 3, 32, 16, 3, 1);
    benchConvolution(bench, 32, 32, 16, 32, 3, 1);
    benchConvolution(bench, 32, 32, 16, 64, 3, 1, 2);
    benchConvolution(bench, 32, 64, 8, 64, 1, 0);
    benchConvolution(bench, 16, 64, 32, 64, 3, 1);
    benchConvolution(bench, 1, 8, 12, 16, 5, 0);
    benchPool(bench, 64, 8, 24);
    benchPool(bench, 64, 16, 8);
    benchPool(bench, 64, 32, 24);
}
