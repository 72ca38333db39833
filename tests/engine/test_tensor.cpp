// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/ops/functions.h"
#include "tests/engine/engine_test.h"

using namespace megalith;

class TestTensor : public QObject
{
    Q_OBJECT

    Session m_session;
    SessionScope m_scope{m_session};

    static Tensor counted(const Shape& shape, DType dtype = DType::F32)
    {
        return ops::reshape(ops::arange(numel(shape), dtype), shape);
    }

private slots:
    void viewsShareStorage()
    {
        const Tensor x = counted({2, 3, 4});
        const Tensor view = ops::select(ops::permute(ops::reshape(x, {4, 6}), {1, 0}), 0, 2);
        QCOMPARE(view.shape(), (Shape{4}));
        ops::fill_(view, -1.0);
        std::vector<double> expected(24);
        for (std::size_t i = 0; i < 24; ++i)
            expected[i] = i % 6 == 2 ? -1.0 : static_cast<double>(i);
        QCOMPARE(x.toDoubles(), expected);
        QVERIFY(!view.isContiguous());
        QVERIFY(ops::contiguous(view).isContiguous());
    }

    void reshapeCopiesOnlyWhereItMust()
    {
        const Tensor x = counted({2, 3, 4});
        QCOMPARE(ops::reshape(ops::permute(x, {1, 2, 0}), {12, 2}).storage(), x.storage());
        const Tensor mixed = ops::reshape(ops::permute(x, {1, 0, 2}), {24});
        QVERIFY(mixed.storage() != x.storage());
        QCOMPARE(mixed.toDoubles()[4], 12.0);
        QCOMPARE(ops::reshape(x, {-1, 8}).shape(), (Shape{3, 8}));
        COMPARE_ERROR(ops::reshape(x, {5, -1}), "reshape: 24 elements");
        COMPARE_ERROR(ops::reshape(x, {-1, -1}), "only one size may be -1");
    }

    void expandRepeatsWithoutMemory()
    {
        const Tensor x = counted({3, 1});
        const Tensor wide = ops::expand(x, {2, 3, 4});
        QCOMPARE(wide.storage(), x.storage());
        QCOMPARE(ops::sum(wide).item(), 24.0);
        COMPARE_ERROR(ops::expand(x, {2, 4}), "size 3 cannot become 2");
    }

    void halfTypesRoundToNearestEven()
    {
        const std::vector<double> values{1.0,  65504.0, 65520.0, 6e-8, 1.00048828125, 3.14159274101257324,
                                         -0.0, INFINITY};
        const std::vector<double> half{1.0, 65504.0, INFINITY, 5.9604644775390625e-08, 1.0, 3.140625, -0.0, INFINITY};
        QCOMPARE(ops::fromDoubles({8}, values, DType::F16).toDoubles(), half);
        QCOMPARE(ops::fromDoubles({1}, {3.14159274101257324}, DType::BF16).item(), 3.140625);
        QVERIFY(std::isnan(ops::fromDoubles({1}, {NAN}, DType::F16).item()));
        for (std::uint32_t bits = 0; bits < 65536; ++bits) {
            const float x = halfToFloat(static_cast<std::uint16_t>(bits));
            if (!std::isnan(x))
                QCOMPARE(floatToHalf(x), static_cast<std::uint16_t>(bits));
        }
    }

    void dtypesPromoteAsInPyTorch()
    {
        const Tensor f = ops::ones({2});
        const Tensor i = ops::ones({2}, DType::I64);
        QCOMPARE((f + i).dtype(), DType::F32);
        QCOMPARE((ops::ones({2}, DType::U8) + ops::ones({2}, DType::I8)).dtype(), DType::I16);
        QCOMPARE((ops::ones({2}, DType::F16) + ops::ones({2}, DType::BF16)).dtype(), DType::F32);
        QCOMPARE((i / i).dtype(), DType::F32);
        QCOMPARE((i * 0.5).dtype(), DType::F32);
        QCOMPARE((i * 2.0).dtype(), DType::I64);
        QCOMPARE((ops::ones({2}, DType::Bool) + ops::ones({2}, DType::Bool)).toDoubles(),
                 (std::vector<double>{1.0, 1.0}));
        QCOMPARE(ops::to(ops::fromDoubles({2}, {300.7, -1.5}, DType::F64), DType::I32).toIntegers(),
                 (std::vector<std::int64_t>{300, -1}));
    }

    void emptyTensorsWork()
    {
        const Tensor none = ops::ones({2, 0, 3});
        QCOMPARE(none.numel(), 0);
        QCOMPARE(ops::sum(none).item(), 0.0);
        QCOMPARE(ops::matmul(ops::ones({3, 0}), ops::ones({0, 2})).toDoubles(), std::vector<double>(6, 0.0));
        QCOMPARE(ops::cat({none, ops::ones({2, 4, 3})}, 1).shape(), (Shape{2, 4, 3}));
        COMPARE_ERROR(none.item(), "0 elements, not one");
    }

    void absurdSizesAreRefusedBeforeMemoryIsAskedFor()
    {
        COMPARE_ERROR(ops::ones({1LL << 40, 1LL << 40}), "more elements than can be counted");
        COMPARE_ERROR(ops::ones({1LL << 45}), "this machine has");
        COMPARE_ERROR(ops::ones({-1}), "negative size");
    }

    void broadcastErrorsSayWhatMeets()
    {
        COMPARE_ERROR(ops::ones({2, 3}) + ops::ones({4}),
                      "add: shapes [2, 3] and [4] do not broadcast: 3 meets 4 in dimension 1");
        COMPARE_ERROR(ops::matmul(ops::ones({2, 3}), ops::ones({4, 5})),
                      "matmul: [2, 3] ends in 3, but [4, 5] has 4 rows");
        COMPARE_ERROR(ops::conv2d(ops::ones({1, 3, 8, 8}), ops::ones({2, 16, 3, 3}), {}, {}),
                      "conv2d: input has 3 channels but weight expects 16");
    }

    // Recorded from PyTorch's print.
    void printsAsPyTorch()
    {
        QCOMPARE(text(ops::fromDoubles({2, 2}, {1.0, 2.5, -3.25, 4.0})),
                 std::string("tensor([[ 1.0000,  2.5000],\n        [-3.2500,  4.0000]])"));
        QCOMPARE(text(counted({3}, DType::I64)), std::string("tensor([0, 1, 2])"));
        QCOMPARE(text(counted({3})), std::string("tensor([0., 1., 2.])"));
        QCOMPARE(text(ops::full({}, 0.5)), std::string("tensor(0.5000)"));
        QCOMPARE(text(ops::fromDoubles({2}, {1e-6, 1.0})), std::string("tensor([1.0000e-06, 1.0000e+00])"));
        QCOMPARE(text(ops::fromDoubles({2}, {NAN, 1.5})), std::string("tensor([   nan, 1.5000])"));
        QCOMPARE(text(ops::ones({2}, DType::Bool)), std::string("tensor([True, True])"));
        QCOMPARE(text(counted({1001}, DType::I64)), std::string("tensor([   0,    1,    2,  ...,  998,  999, 1000])"));
        QCOMPARE(text(ops::ones({2}, DType::F64)), std::string("tensor([1., 1.], dtype=float64)"));
    }

    void randomDrawsDependOnTheKeyAlone()
    {
        const Tensor a = ops::empty({10000}, DType::F64);
        const Tensor b = ops::empty({10000}, DType::F64);
        ops::normal_(a, 2.0, 3.0, 7);
        ops::uniform_(b, 0.0, 1.0, 7);
        const std::vector<double> first = a.toDoubles();
        ops::normal_(a, 2.0, 3.0, 7);
        QCOMPARE(a.toDoubles(), first);
        ops::normal_(a, 2.0, 3.0, 8);
        QVERIFY(a.toDoubles() != first);
        QVERIFY(std::abs(ops::mean(a).item() - 2.0) < 0.1);
        QVERIFY(std::abs(ops::mean(b).item() - 0.5) < 0.02);
    }

    void dropoutKeepsTheMean()
    {
        const Tensor ones = ops::ones({10000});
        const Tensor dropped = ops::dropout(ones, 0.5, 1);
        QVERIFY(std::abs(ops::mean(dropped).item() - 1.0) < 0.05);
        QCOMPARE(ops::dropout(ones, 0.5, 1).toDoubles(), dropped.toDoubles());
        QVERIFY(ops::dropout(ones, 0.5, 2).toDoubles() != dropped.toDoubles());
        ops::addScalar_(m_session.random().step, 1.0);
        QVERIFY(ops::dropout(ones, 0.5, 1).toDoubles() != dropped.toDoubles());
        QCOMPARE(ops::sum(ops::dropout(ones, 1.0, 1)).item(), 0.0);
    }
};

QTEST_GUILESS_MAIN(TestTensor)
#include "test_tensor.moc"
