// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/backend/cpu/conv.h"
#include "engine/backend/cpu/gemm.h"
#include "engine/backend/cpu/pool.h"
#include "engine/backend/cpu_context.h"
#include "engine/backend/cpu_dnn.h"
#include "tests/engine/kernels/reference.h"

#include <QTest>

#include <cstring>

using namespace megalith;
using namespace megalith::cpu;
using reference::at;
using reference::difference;
using reference::Numbers;
using reference::randomNumbers;

namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

// Rounding grows with the number of additions; these sums have at most a few thousand terms of size 1.
template<typename T>
constexpr double tolerance = sizeof(T) == 4 ? 3e-6 : 1e-14;

template<typename T>
QByteArray bits(const std::vector<T>& values)
{
    return {reinterpret_cast<const char*>(values.data()), static_cast<qsizetype>(values.size() * sizeof(T))};
}

// The same numbers at an address that is off a cache line by so many elements.
template<typename T>
class Shifted
{
public:
    Shifted(const std::vector<T>& values, std::size_t by)
        : m_memory(values.size() + by + 64)
        , m_by(by)
        , m_size(values.size())
    {
        std::copy(values.begin(), values.end(), data());
    }
    T* data()
    {
        const auto address = reinterpret_cast<std::uintptr_t>(m_memory.data());
        return m_memory.data() + (64 - address % 64) % 64 / sizeof(T) + m_by;
    }
    std::vector<T> values() { return {data(), data() + m_size}; }

private:
    std::vector<T> m_memory;
    std::size_t m_by;
    std::size_t m_size;
};

Conv2dShape convolution(std::vector<std::int64_t> nchw, std::int64_t o, std::vector<std::int64_t> kernel,
                        std::vector<std::int64_t> stride = {1, 1}, std::vector<std::int64_t> pad = {0, 0, 0, 0},
                        std::vector<std::int64_t> dilation = {1, 1}, std::int64_t groups = 1)
{
    Conv2dShape s{.n = nchw[0], .c = nchw[1], .h = nchw[2], .w = nchw[3], .o = o, .kh = kernel[0], .kw = kernel[1]};
    s.strideH = stride[0], s.strideW = stride[1];
    s.padTop = pad[0], s.padLeft = pad[1], s.padBottom = pad[2], s.padRight = pad[3];
    s.dilationH = dilation[0], s.dilationW = dilation[1];
    s.groups = groups;
    s.oh = (s.h + s.padTop + s.padBottom - s.dilationH * (s.kh - 1) - 1) / s.strideH + 1;
    s.ow = (s.w + s.padLeft + s.padRight - s.dilationW * (s.kw - 1) - 1) / s.strideW + 1;
    return s;
}

template<typename T>
struct ConvolutionData
{
    explicit ConvolutionData(const Conv2dShape& s)
        : x(randomNumbers<T>(s.n * s.c * s.h * s.w, 1))
        , weight(randomNumbers<T>(s.o * (s.c / s.groups) * s.kh * s.kw, 2))
        , bias(randomNumbers<T>(s.o, 3))
        , dy(randomNumbers<T>(s.n * s.o * s.oh * s.ow, 4))
    {}
    std::vector<T> x, weight, bias, dy;
};

}  // namespace

class TestCpuKernels : public QObject
{
    Q_OBJECT

private slots:
    void productsAgreeWithTheirDefinition_data();
    void productsAgreeWithTheirDefinition();
    void productOfNothingIsWhatIsAddedToIt();
    void productWithBetaZeroDoesNotReadTheResult();
    void productReadsStridedAndRepeatedViews();
    void productRepeatsItsBitsAtAnyAddress_data();
    void productRepeatsItsBitsAtAnyAddress();

    void convolutionsAgreeWithTheirDefinition_data();
    void convolutionsAgreeWithTheirDefinition();
    void convolutionOfNothingIsTheBias();
    void convolutionRepeatsItsBitsAtAnyAddress_data();
    void convolutionRepeatsItsBitsAtAnyAddress();
    void noPreparedPrimitiveIsReferenceCode();
    void preparedPrimitivesAreForgottenWhenThereAreMany();

    void maxPoolAgreesWithItsDefinition_data();
    void maxPoolAgreesWithItsDefinition();
    void maxPoolTakesTheFirstMaximumAndNaN();
    void averagePoolAgreesWithItsDefinition_data();
    void averagePoolAgreesWithItsDefinition();
    void adaptivePoolAgreesWithItsDefinition_data();
    void adaptivePoolAgreesWithItsDefinition();
    void poolOfNothingIsNothing();

private:
    template<typename T>
    void checkProduct(const GemmShape& s, bool transposeA, bool transposeB, T alpha, T beta, bool bias,
                      std::int64_t padding);
    template<typename T>
    void checkConvolution(const Conv2dShape& s);
    template<typename T>
    void checkConvolutionBits(const Conv2dShape& s);
    template<typename T>
    void checkMaxPool(const Pool2dShape& s);
    template<typename T>
    void checkAveragePool(const Pool2dShape& s, bool countIncludePad, std::int64_t divisorOverride);
    template<typename T>
    void checkAdaptivePool(std::int64_t h, std::int64_t w, std::int64_t oh, std::int64_t ow);

    CpuContext m_context{2};
};

// ---- products

void TestCpuKernels::productsAgreeWithTheirDefinition_data()
{
    QTest::addColumn<std::vector<std::int64_t>>("sizes");
    const std::vector<std::vector<std::int64_t>> all{
        {1, 1, 1, 1},     {1, 3, 5, 7},      {1, 1, 33, 17},   {1, 33, 1, 17},   {1, 17, 31, 1},    {1, 64, 2, 64},
        {1, 64, 64, 2},   {1, 64, 64, 64},   {1, 10, 128, 64}, {1, 64, 10, 128}, {1, 64, 128, 784}, {1, 128, 784, 64},
        {1, 65, 33, 129}, {1, 250, 131, 67}, {3, 5, 7, 9},     {40, 16, 24, 33}, {9, 70, 65, 66},   {1, 1, 300, 513},
        {1, 8, 47, 16},   {1, 9, 49, 3},     {2, 300, 1, 401}};
    for (const auto& sizes : all)
        QTest::addRow("%d of %d x %d x %d", int(sizes[0]), int(sizes[1]), int(sizes[3]), int(sizes[2])) << sizes;
}

void TestCpuKernels::productsAgreeWithTheirDefinition()
{
    QFETCH(std::vector<std::int64_t>, sizes);
    const GemmShape shape{sizes[0], sizes[1], sizes[2], sizes[3]};
    for (const bool transposeA : {false, true}) {
        for (const bool transposeB : {false, true}) {
            checkProduct<float>(shape, transposeA, transposeB, 1, 0, false, 0);
            checkProduct<float>(shape, transposeA, transposeB, 1, 0, true, 0);
            checkProduct<float>(shape, transposeA, transposeB, -0.5F, 1, false, 3);
            checkProduct<float>(shape, transposeA, transposeB, 2, 0.25F, true, 16);
            checkProduct<double>(shape, transposeA, transposeB, 1, 0, true, 0);
            checkProduct<double>(shape, transposeA, transposeB, -0.5, 0.25, false, 5);
        }
    }
}

// padding lengthens the rows of all three matrices.
template<typename T>
void TestCpuKernels::checkProduct(const GemmShape& s, bool transposeA, bool transposeB, T alpha, T beta, bool bias,
                                  std::int64_t padding)
{
    const std::int64_t aLine = (transposeA ? s.m : s.k) + padding, bLine = (transposeB ? s.k : s.n) + padding;
    const std::int64_t aSize = (transposeA ? s.k : s.m) * aLine, bSize = (transposeB ? s.n : s.k) * bLine;
    const std::int64_t cLine = s.n + padding;
    const auto a = randomNumbers<T>(s.batch * aSize, 1), b = randomNumbers<T>(s.batch * bSize, 2);
    const auto given = randomNumbers<T>(s.batch * s.m * cLine, 3), added = randomNumbers<T>(s.n, 4);
    auto c = given;
    GemmArgs<T> args{.a = a.data(), .b = b.data(), .c = c.data(), .bias = bias ? added.data() : nullptr};
    args.aRow = transposeA ? 1 : aLine, args.aCol = transposeA ? aLine : 1, args.aBatch = aSize;
    args.bRow = transposeB ? 1 : bLine, args.bCol = transposeB ? bLine : 1, args.bBatch = bSize;
    args.cRow = cLine, args.cBatch = s.m * cLine;
    args.alpha = alpha, args.beta = beta;
    const Numbers expected = reference::product(s, args, given);
    gemm(m_context, s, args);
    QVERIFY2(difference(c, expected) < tolerance<T>, qPrintable(QString::number(difference(c, expected))));
}

void TestCpuKernels::productOfNothingIsWhatIsAddedToIt()
{
    std::vector<float> c{1, 2, 3, 4, 5, 6};
    const std::vector<float> bias{10, 20, 30};
    GemmArgs<float> args{.c = c.data(), .bias = bias.data(), .cRow = 3, .beta = 2};
    gemm(m_context, {.m = 2, .n = 3, .k = 0}, args);
    QCOMPARE(c, (std::vector<float>{12, 24, 36, 18, 30, 42}));
    gemm(m_context, {.m = 0, .n = 3, .k = 4}, args);
    gemm(m_context, {.m = 2, .n = 0, .k = 4}, args);
    gemm(m_context, {.batch = 0, .m = 2, .n = 3, .k = 4}, args);
    QCOMPARE(c, (std::vector<float>{12, 24, 36, 18, 30, 42}));
}

void TestCpuKernels::productWithBetaZeroDoesNotReadTheResult()
{
    for (const std::int64_t size : {3, 64}) {
        const auto a = randomNumbers<float>(size * size, 1), b = randomNumbers<float>(size * size, 2);
        std::vector<float> c(at(size * size), static_cast<float>(notANumber));
        const GemmArgs<float> args{
            .a = a.data(), .b = b.data(), .c = c.data(), .aRow = size, .bRow = size, .cRow = size};
        const GemmShape shape{.m = size, .n = size, .k = size};
        gemm(m_context, shape, args);
        QVERIFY(difference(c, reference::product(shape, args, c)) < tolerance<float>);
        std::vector<double> big(9, notANumber);
        const std::vector<double> ones(9, 1.0);
        gemm<double>(m_context, {.m = 3, .n = 3, .k = 3},
                     {.a = ones.data(), .b = ones.data(), .c = big.data(), .aRow = 3, .bRow = 3, .cRow = 3});
        QCOMPARE(big, std::vector<double>(9, 3.0));
    }
}

void TestCpuKernels::productReadsStridedAndRepeatedViews()
{
    const GemmShape shape{.batch = 2, .m = 5, .n = 6, .k = 7};
    const auto a = randomNumbers<float>(1000, 1), b = randomNumbers<float>(1000, 2);
    std::vector<float> c(at(2 * 5 * 6));
    // Every second element of every third row; one row for all; one column for all; a Hankel view; one B for all.
    const std::vector<std::vector<std::int64_t>> strides{
        {45, 2, 300, 20, 3, 200}, {0, 1, 7, 6, 1, 42}, {1, 0, 5, 0, 1, 6}, {1, 1, 20, 1, 1, 0}, {7, 1, 0, 1, 7, 0}};
    for (const auto& st : strides) {
        GemmArgs<float> args{.a = a.data(), .b = b.data(), .c = c.data(), .cRow = 6, .cBatch = 30};
        args.aRow = st[0], args.aCol = st[1], args.aBatch = st[2];
        args.bRow = st[3], args.bCol = st[4], args.bBatch = st[5];
        gemm(m_context, shape, args);
        QVERIFY(difference(c, reference::product(shape, args, c)) < tolerance<float>);
    }
}

void TestCpuKernels::productRepeatsItsBitsAtAnyAddress_data()
{
    productsAgreeWithTheirDefinition_data();
}

void TestCpuKernels::productRepeatsItsBitsAtAnyAddress()
{
    QFETCH(std::vector<std::int64_t>, sizes);
    const GemmShape s{sizes[0], sizes[1], sizes[2], sizes[3]};
    const auto check = [&]<typename T>(T) {
        const auto a = randomNumbers<T>(s.batch * s.m * s.k, 1), b = randomNumbers<T>(s.batch * s.k * s.n, 2);
        const std::vector<T> nothing(at(s.batch * s.m * s.n));
        QByteArray first;
        for (const std::size_t by : {0, 0, 1, 3, 5}) {
            Shifted<T> shiftedA(a, by), shiftedB(b, by * 3 % 16), c(nothing, by * 5 % 16);
            gemm<T>(m_context, s,
                    {.a = shiftedA.data(),
                     .b = shiftedB.data(),
                     .c = c.data(),
                     .aRow = s.k,
                     .aBatch = s.m * s.k,
                     .bRow = 1,
                     .bCol = s.k,
                     .bBatch = s.n * s.k,
                     .cRow = s.n,
                     .cBatch = s.m * s.n});
            if (first.isEmpty())
                first = bits(c.values());
            QVERIFY(bits(c.values()) == first);
        }
    };
    check(float());
    check(double());
}

// ---- convolutions

void TestCpuKernels::convolutionsAgreeWithTheirDefinition_data()
{
    QTest::addColumn<Conv2dShape>("shape");
    QTest::newRow("first layer") << convolution({4, 1, 28, 28}, 8, {5, 5});
    QTest::newRow("second layer") << convolution({4, 8, 12, 12}, 16, {5, 5});
    QTest::newRow("many images") << convolution({67, 3, 9, 7}, 5, {3, 3});
    QTest::newRow("small kernel") << convolution({2, 16, 26, 26}, 32, {3, 3});
    QTest::newRow("padded") << convolution({3, 16, 14, 14}, 16, {3, 3}, {1, 1}, {1, 1, 1, 1});
    QTest::newRow("padded, many") << convolution({33, 4, 6, 6}, 6, {3, 3}, {1, 1}, {1, 1, 1, 1});
    QTest::newRow("point") << convolution({3, 7, 5, 6}, 9, {1, 1});
    QTest::newRow("odd sizes") << convolution({3, 5, 17, 11}, 7, {3, 2});
    QTest::newRow("stride") << convolution({2, 3, 17, 20}, 6, {3, 3}, {2, 3});
    QTest::newRow("stride past the end") << convolution({2, 3, 18, 18}, 4, {2, 3}, {3, 4}, {1, 0, 0, 1});
    QTest::newRow("point with stride") << convolution({20, 8, 9, 9}, 16, {1, 1}, {2, 2});
    QTest::newRow("dilation") << convolution({2, 4, 19, 16}, 5, {3, 3}, {1, 1}, {2, 2, 2, 2}, {2, 2});
    QTest::newRow("dilation and stride") << convolution({2, 4, 19, 16}, 5, {3, 2}, {2, 3}, {3, 1, 3, 1}, {3, 2});
    QTest::newRow("asymmetric padding") << convolution({2, 3, 8, 9}, 4, {4, 4}, {1, 1}, {1, 2, 2, 1});
    QTest::newRow("padding on one side") << convolution({2, 3, 8, 9}, 4, {2, 2}, {1, 1}, {0, 0, 1, 1});
    QTest::newRow("groups") << convolution({3, 6, 9, 10}, 9, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 3);
    QTest::newRow("each channel by itself") << convolution({3, 8, 10, 10}, 8, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 8);
    QTest::newRow("twice as many, by channel")
        << convolution({2, 8, 10, 10}, 16, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}, 8);
    QTest::newRow("kernel as large as the image") << convolution({5, 3, 4, 6}, 10, {4, 6});
    QTest::newRow("padding wider than the kernel") << convolution({2, 2, 5, 5}, 3, {3, 3}, {1, 1}, {4, 5, 3, 4});
    QTest::newRow("a line") << convolution({4, 6, 1, 50}, 12, {1, 7}, {1, 1}, {0, 3, 0, 3});
    QTest::newRow("one image, large") << convolution({1, 3, 64, 80}, 16, {3, 3}, {1, 1}, {1, 1, 1, 1});
    QTest::newRow("stride of the kernel") << convolution({2, 3, 32, 32}, 24, {8, 8}, {8, 8});
    QTest::newRow("many channels") << convolution({1, 70, 6, 6}, 66, {3, 3}, {1, 1}, {1, 1, 1, 1});
}

void TestCpuKernels::convolutionsAgreeWithTheirDefinition()
{
    QFETCH(Conv2dShape, shape);
    checkConvolution<float>(shape);
    checkConvolution<double>(shape);
}

template<typename T>
void TestCpuKernels::checkConvolution(const Conv2dShape& s)
{
    const ConvolutionData<T> data(s);
    Numbers plain(data.dy.size()), dx(data.x.size()), dweight(data.weight.size());
    reference::eachTap(s, [&](std::size_t x, std::size_t w, std::size_t y) {
        plain[y] += static_cast<double>(data.x[x]) * static_cast<double>(data.weight[w]);
        dx[x] += static_cast<double>(data.dy[y]) * static_cast<double>(data.weight[w]);
        dweight[w] += static_cast<double>(data.x[x]) * static_cast<double>(data.dy[y]);
    });
    Numbers withBias = plain;
    for (std::size_t i = 0; i < plain.size(); ++i)
        withBias[i] += static_cast<double>(data.bias[i / at(s.oh * s.ow) % at(s.o)]);

    const auto nan = static_cast<T>(notANumber);
    std::vector<T> y(plain.size(), nan), gotDx(dx.size(), nan), gotDweight(dweight.size(), nan);
    conv2dForward<T>(m_context, s, data.x.data(), data.weight.data(), nullptr, y.data());
    QVERIFY2(difference(y, plain) < tolerance<T>, qPrintable(QString::number(difference(y, plain))));
    conv2dForward(m_context, s, data.x.data(), data.weight.data(), data.bias.data(), y.data());
    QVERIFY2(difference(y, withBias) < tolerance<T>, qPrintable(QString::number(difference(y, withBias))));
    conv2dBackwardInput(m_context, s, data.dy.data(), data.weight.data(), gotDx.data());
    QVERIFY2(difference(gotDx, dx) < tolerance<T>, qPrintable(QString::number(difference(gotDx, dx))));
    conv2dBackwardWeight(m_context, s, data.x.data(), data.dy.data(), gotDweight.data());
    QVERIFY2(difference(gotDweight, dweight) < tolerance<T>,
             qPrintable(QString::number(difference(gotDweight, dweight))));
}

void TestCpuKernels::convolutionOfNothingIsTheBias()
{
    const std::vector<float> bias{1, 2}, nothing;
    std::vector<float> y(2 * 2 * 9, 7);
    Conv2dShape s = convolution({2, 0, 3, 3}, 2, {1, 1});
    conv2dForward(m_context, s, nothing.data(), nothing.data(), bias.data(), y.data());
    QCOMPARE(y, (std::vector<float>{1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                                    1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2}));
    // No images: no gradient, which is zero.
    s = convolution({0, 1, 3, 3}, 2, {2, 2});
    std::vector<float> dweight(8, 7);
    conv2dForward(m_context, s, nothing.data(), dweight.data(), bias.data(), y.data());
    conv2dBackwardInput<float>(m_context, s, nothing.data(), dweight.data(), nullptr);
    conv2dBackwardWeight(m_context, s, nothing.data(), nothing.data(), dweight.data());
    QCOMPARE(dweight, std::vector<float>(8, 0));
    // No output channels.
    s = convolution({1, 1, 3, 3}, 0, {2, 2});
    std::vector<double> dx(9, 7);
    conv2dBackwardInput<double>(m_context, s, nullptr, nullptr, dx.data());
    QCOMPARE(dx, std::vector<double>(9, 0));
}

void TestCpuKernels::convolutionRepeatsItsBitsAtAnyAddress_data()
{
    convolutionsAgreeWithTheirDefinition_data();
}

void TestCpuKernels::convolutionRepeatsItsBitsAtAnyAddress()
{
    QFETCH(Conv2dShape, shape);
    checkConvolutionBits<float>(shape);
    checkConvolutionBits<double>(shape);
}

template<typename T>
void TestCpuKernels::checkConvolutionBits(const Conv2dShape& s)
{
    const ConvolutionData<T> data(s);
    QByteArray first;
    for (const std::size_t by : {0, 0, 1, 7, 9}) {
        Shifted<T> x(data.x, by), weight(data.weight, by * 3 % 16), bias(data.bias, by), dy(data.dy, by * 5 % 16);
        Shifted<T> y(data.dy, by), dx(data.x, by * 3 % 16), dweight(data.weight, by * 5 % 16);
        conv2dForward(m_context, s, x.data(), weight.data(), bias.data(), y.data());
        conv2dBackwardInput(m_context, s, dy.data(), weight.data(), dx.data());
        conv2dBackwardWeight(m_context, s, x.data(), dy.data(), dweight.data());
        const QByteArray now = bits(y.values()) + bits(dx.values()) + bits(dweight.values());
        if (first.isEmpty())
            first = now;
        QVERIFY(now == first);
    }
}

void TestCpuKernels::noPreparedPrimitiveIsReferenceCode()
{
    CpuContext context(2);
    for (const Conv2dShape& s :
         {convolution({64, 1, 28, 28}, 8, {5, 5}), convolution({64, 8, 12, 12}, 16, {5, 5}),
          convolution({64, 16, 26, 26}, 32, {3, 3}), convolution({16, 64, 32, 32}, 64, {3, 3}, {1, 1}, {1, 1, 1, 1}),
          convolution({8, 64, 16, 16}, 128, {1, 1}), convolution({8, 32, 16, 16}, 32, {3, 3}, {2, 2}, {1, 1, 1, 1}),
          convolution({8, 32, 16, 16}, 32, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 32)})
    {
        const ConvolutionData<float> data(s);
        std::vector<float> y(data.dy.size()), dx(data.x.size()), dweight(data.weight.size());
        conv2dForward(context, s, data.x.data(), data.weight.data(), data.bias.data(), y.data());
        conv2dBackwardInput(context, s, data.dy.data(), data.weight.data(), dx.data());
        conv2dBackwardWeight(context, s, data.x.data(), data.dy.data(), dweight.data());
    }
    for (const std::string& name : context.dnn().implementations())
        QVERIFY2(!name.starts_with("ref"), name.c_str());
}

void TestCpuKernels::preparedPrimitivesAreForgottenWhenThereAreMany()
{
    CpuContext context(1);
    for (std::int64_t n = 1; n < 200; ++n) {
        const Conv2dShape s = convolution({n, 1, 2, 2}, 16, {1, 1});
        const ConvolutionData<float> data(s);
        std::vector<float> y(data.dy.size());
        conv2dForward<float>(context, s, data.x.data(), data.weight.data(), nullptr, y.data());
    }
    QVERIFY(context.dnn().implementations().size() <= 128);
}

// ---- pooling

void TestCpuKernels::maxPoolAgreesWithItsDefinition_data()
{
    QTest::addColumn<Pool2dShape>("shape");
    const auto row = [](const char* name, std::vector<std::int64_t> v) {
        Pool2dShape s{.planes = v[0], .h = v[1], .w = v[2], .oh = v[3], .ow = v[4], .kh = v[5], .kw = v[6]};
        s.strideH = v[7], s.strideW = v[8], s.padH = v[9], s.padW = v[10], s.dilationH = v[11], s.dilationW = v[12];
        QTest::newRow(name) << s;
    };
    row("halved", {64, 24, 24, 12, 12, 2, 2, 2, 2, 0, 0, 1, 1});
    row("halved, odd", {3, 9, 35, 4, 17, 2, 2, 2, 2, 0, 0, 1, 1});
    row("halved, rounded up", {3, 9, 7, 5, 4, 2, 2, 2, 2, 0, 0, 1, 1});
    row("overlapping", {5, 13, 40, 6, 19, 3, 3, 2, 2, 0, 0, 1, 1});
    row("padded", {4, 14, 11, 7, 6, 3, 3, 2, 2, 1, 1, 1, 1});
    row("stride 1", {4, 14, 39, 14, 39, 3, 5, 1, 1, 1, 2, 1, 1});
    row("dilated", {2, 17, 16, 13, 10, 3, 4, 1, 1, 1, 1, 3, 2});
    row("dilated, padding reached", {2, 6, 6, 4, 4, 2, 2, 2, 2, 1, 1, 3, 3});
    row("whole", {6, 5, 3, 1, 1, 5, 3, 1, 1, 0, 0, 1, 1});
    row("two", {1, 2, 2, 1, 1, 2, 2, 2, 2, 0, 0, 1, 1});
}

void TestCpuKernels::maxPoolAgreesWithItsDefinition()
{
    QFETCH(Pool2dShape, shape);
    checkMaxPool<float>(shape);
    checkMaxPool<double>(shape);
}

template<typename T>
void TestCpuKernels::checkMaxPool(const Pool2dShape& s)
{
    auto x = randomNumbers<T>(s.planes * s.h * s.w, 1);
    for (T& value : x)
        value = std::round(value * 4);  // many equal ones
    const auto expected = reference::maxPool(s, x);
    std::vector<T> y(expected.values.size());
    std::vector<std::int64_t> indices(y.size());
    maxPool2dForward(m_context, s, x.data(), y.data(), indices.data());
    QVERIFY(difference(y, expected.values) == 0);
    QCOMPARE(indices, expected.indices);
    std::fill(y.begin(), y.end(), T(-9));
    maxPool2dForward<T>(m_context, s, x.data(), y.data(), nullptr);
    QVERIFY(difference(y, expected.values) == 0);

    const auto dy = randomNumbers<T>(s.planes * s.oh * s.ow, 2);
    Numbers dx(x.size());
    for (std::size_t i = 0; i < dy.size(); ++i)
        dx[i / at(s.oh * s.ow) * at(s.h * s.w) + at(indices[i])] += static_cast<double>(dy[i]);
    std::vector<T> gotDx(x.size(), static_cast<T>(notANumber));
    maxPool2dBackward(m_context, s, dy.data(), indices.data(), gotDx.data());
    QVERIFY(difference(gotDx, dx) < tolerance<T>);
}

void TestCpuKernels::maxPoolTakesTheFirstMaximumAndNaN()
{
    const auto nan = static_cast<float>(notANumber);
    const float low = -std::numeric_limits<float>::infinity();
    const std::vector<float> x{1, 1, 1, 1, nan, 2, 3, nan, low, low, low, low, 5, nan, nan, 6};
    const Pool2dShape s{.planes = 4, .h = 2, .w = 2, .oh = 1, .ow = 1, .kh = 2, .kw = 2, .strideH = 2, .strideW = 2};
    std::vector<float> y(4);
    std::vector<std::int64_t> indices(4);
    // The general loop and the one for touching pairs.
    for (const std::int64_t stride : {1, 2}) {
        Pool2dShape strided = s;
        strided.strideH = strided.strideW = stride;
        maxPool2dForward(m_context, strided, x.data(), y.data(), indices.data());
        QCOMPARE(indices, (std::vector<std::int64_t>{0, 3, 0, 2}));
        QCOMPARE(y[0], 1.0F);
        QVERIFY(std::isnan(y[1]));
        QCOMPARE(y[2], low);
        QVERIFY(std::isnan(y[3]));
    }
}

void TestCpuKernels::averagePoolAgreesWithItsDefinition_data()
{
    QTest::addColumn<Pool2dShape>("shape");
    const auto row = [](const char* name, std::vector<std::int64_t> v) {
        Pool2dShape s{.planes = v[0], .h = v[1], .w = v[2], .oh = v[3], .ow = v[4], .kh = v[5], .kw = v[6]};
        s.strideH = v[7], s.strideW = v[8], s.padH = v[9], s.padW = v[10];
        QTest::newRow(name) << s;
    };
    row("halved", {64, 24, 24, 12, 12, 2, 2, 2, 2, 0, 0});
    row("overlapping", {5, 13, 40, 6, 19, 3, 3, 2, 2, 0, 0});
    row("padded", {4, 14, 11, 7, 6, 3, 3, 2, 2, 1, 1});
    row("padded, rounded up", {4, 8, 9, 5, 5, 3, 4, 2, 2, 1, 1});
    row("rounded up", {3, 9, 7, 5, 4, 2, 2, 2, 2, 0, 0});
    row("stride 1", {4, 14, 39, 14, 39, 3, 5, 1, 1, 1, 2});
    row("whole", {6, 5, 3, 1, 1, 5, 3, 1, 1, 0, 0});
}

void TestCpuKernels::averagePoolAgreesWithItsDefinition()
{
    QFETCH(Pool2dShape, shape);
    for (const bool countIncludePad : {false, true}) {
        for (const std::int64_t divisorOverride : {0, 3}) {
            checkAveragePool<float>(shape, countIncludePad, divisorOverride);
            checkAveragePool<double>(shape, countIncludePad, divisorOverride);
        }
    }
}

template<typename T>
void TestCpuKernels::checkAveragePool(const Pool2dShape& s, bool countIncludePad, std::int64_t divisorOverride)
{
    const auto x = randomNumbers<T>(s.planes * s.h * s.w, 1), dy = randomNumbers<T>(s.planes * s.oh * s.ow, 2);
    Numbers y(dy.size()), dx(x.size());
    reference::eachAverage(s, countIncludePad, divisorOverride, [&](std::size_t xi, std::size_t yi, double divisor) {
        y[yi] += static_cast<double>(x[xi]) / divisor;
        dx[xi] += static_cast<double>(dy[yi]) / divisor;
    });
    std::vector<T> gotY(y.size(), static_cast<T>(notANumber)), gotDx(x.size(), static_cast<T>(notANumber));
    avgPool2dForward(m_context, s, countIncludePad, divisorOverride, x.data(), gotY.data());
    QVERIFY(difference(gotY, y) < tolerance<T>);
    avgPool2dBackward(m_context, s, countIncludePad, divisorOverride, dy.data(), gotDx.data());
    QVERIFY(difference(gotDx, dx) < tolerance<T>);
}

void TestCpuKernels::adaptivePoolAgreesWithItsDefinition_data()
{
    QTest::addColumn<std::vector<std::int64_t>>("sizes");
    const std::vector<std::vector<std::int64_t>> all{{12, 12, 3, 4}, {7, 7, 1, 1},  {10, 7, 3, 5},
                                                     {3, 4, 5, 7},   {9, 50, 4, 1}, {1, 1, 2, 2}};
    for (const auto& s : all)
        QTest::addRow("%dx%d to %dx%d", int(s[0]), int(s[1]), int(s[2]), int(s[3])) << s;
}

void TestCpuKernels::adaptivePoolAgreesWithItsDefinition()
{
    QFETCH(std::vector<std::int64_t>, sizes);
    checkAdaptivePool<float>(sizes[0], sizes[1], sizes[2], sizes[3]);
    checkAdaptivePool<double>(sizes[0], sizes[1], sizes[2], sizes[3]);
}

template<typename T>
void TestCpuKernels::checkAdaptivePool(std::int64_t h, std::int64_t w, std::int64_t oh, std::int64_t ow)
{
    const std::int64_t planes = 3;
    const auto x = randomNumbers<T>(planes * h * w, 1), dy = randomNumbers<T>(planes * oh * ow, 2);
    Numbers y(dy.size()), dx(x.size());
    for (std::int64_t i = 0; i < planes * oh * ow; ++i) {
        const std::int64_t p = i / (oh * ow), row = i / ow % oh, col = i % ow;
        const auto from = [](std::int64_t k, std::int64_t size, std::int64_t n) { return k * size / n; };
        const auto to = [](std::int64_t k, std::int64_t size, std::int64_t n) { return ((k + 1) * size + n - 1) / n; };
        const auto area =
            static_cast<double>((to(row, h, oh) - from(row, h, oh)) * (to(col, w, ow) - from(col, w, ow)));
        for (std::int64_t r = from(row, h, oh); r < to(row, h, oh); ++r) {
            for (std::int64_t c = from(col, w, ow); c < to(col, w, ow); ++c) {
                y[at(i)] += static_cast<double>(x[at((p * h + r) * w + c)]) / area;
                dx[at((p * h + r) * w + c)] += static_cast<double>(dy[at(i)]) / area;
            }
        }
    }
    std::vector<T> gotY(y.size(), static_cast<T>(notANumber)), gotDx(x.size(), static_cast<T>(notANumber));
    adaptiveAvgPool2dForward(m_context, planes, h, w, oh, ow, x.data(), gotY.data());
    QVERIFY(difference(gotY, y) < tolerance<T>);
    adaptiveAvgPool2dBackward(m_context, planes, h, w, oh, ow, dy.data(), gotDx.data());
    QVERIFY(difference(gotDx, dx) < tolerance<T>);
}

void TestCpuKernels::poolOfNothingIsNothing()
{
    const Pool2dShape s{.planes = 0, .h = 4, .w = 4, .oh = 2, .ow = 2, .kh = 2, .kw = 2, .strideH = 2, .strideW = 2};
    maxPool2dForward<float>(m_context, s, nullptr, nullptr, nullptr);
    maxPool2dBackward<float>(m_context, s, nullptr, nullptr, nullptr);
    avgPool2dForward<double>(m_context, s, true, 0, nullptr, nullptr);
    avgPool2dBackward<double>(m_context, s, true, 0, nullptr, nullptr);
    adaptiveAvgPool2dForward<float>(m_context, 0, 4, 4, 2, 2, nullptr, nullptr);
    std::vector<float> dx(4, 7);
    adaptiveAvgPool2dBackward<float>(m_context, 1, 2, 2, 0, 0, nullptr, dx.data());
    QCOMPARE(dx, std::vector<float>(4, 0));
}

QTEST_GUILESS_MAIN(TestCpuKernels)
#include "test_cpu_kernels.moc"
