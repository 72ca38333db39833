// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/autograd/autograd.h"
#include "engine/backend/backend.h"
#include "engine/core/error.h"
#include "engine/ops/functions.h"
#include "tests/engine/engine_test.h"

using namespace megalith;

class TestAutograd : public QObject
{
    Q_OBJECT

    Session m_session;
    SessionScope m_scope{m_session};

    static Tensor leaf(std::vector<double> values)
    {
        Tensor t = ops::fromDoubles({static_cast<std::int64_t>(values.size())}, values, DType::F64);
        return t.requires_grad_();
    }

private slots:
    void gradientsAddUp()
    {
        const Tensor x = leaf({1.0, 2.0});
        backward(ops::sum(x * x));
        QCOMPARE(x.grad().toDoubles(), (std::vector<double>{2.0, 4.0}));
        backward(ops::sum(x * 3.0));
        QCOMPARE(x.grad().toDoubles(), (std::vector<double>{5.0, 7.0}));
    }

    void twoLeavesNeverShareOneGradient()
    {
        const Tensor a = leaf({1.0});
        const Tensor b = leaf({1.0});
        backward(ops::sum(a + b));
        ops::fill_(a.grad(), 9.0);
        QCOMPARE(b.grad().item(), 1.0);
    }

    void aTensorUsedTwiceGetsBothParts()
    {
        const Tensor x = leaf({3.0});
        const Tensor y = ops::exp(x);
        backward(ops::sum(y * y + y));
        QVERIFY(std::abs(x.grad().item() - (2.0 * std::exp(6.0) + std::exp(3.0))) < 1e-9);
    }

    void errorsAreTheReferencesInOurWords()
    {
        const Tensor x = leaf({1.0, 2.0});
        COMPARE_ERROR(backward(ops::sum(x.detach())), "nothing here requires grad");
        COMPARE_ERROR(backward(x * 2.0), "shape [2], so give the gradient");
        COMPARE_ERROR(backward(x * 2.0, ops::ones({3}, DType::F64)), "the gradient has shape [3], the tensor [2]");
        const Tensor loss = ops::sum(ops::exp(x));
        backward(loss, {}, true);
        backward(loss);
        COMPARE_ERROR(backward(loss), "exp: backward went through this graph before");
        COMPARE_ERROR(ops::ones({1}, DType::I64).requires_grad_(), "only floating dtypes");
        COMPARE_ERROR((x * 2.0).requires_grad_(false), "use detach()");
    }

    void aChangedSavedTensorIsAnErrorThatNamesTheOperation()
    {
        const Tensor x = leaf({1.0, 2.0});
        const Tensor y = ops::exp(x);
        const Tensor loss = ops::sum(y);
        {
            const NoGrad off;
            ops::addScalar_(y, 1.0);
        }
        COMPARE_ERROR(
            backward(loss),
            "exp: a tensor of shape [2] that the gradient needs was changed in place: it is at version 1, expected 0");
    }

    void inPlaceChangesOfResultsAreRecorded()
    {
        const Tensor x = leaf({1.0, 2.0});
        const Tensor y = x * 3.0;
        ops::add_(y, x);
        ops::mul_(y, ops::full({1}, 2.0, DType::F64));
        backward(ops::sum(y));
        QCOMPARE(y.toDoubles(), (std::vector<double>{8.0, 16.0}));
        QCOMPARE(x.grad().toDoubles(), (std::vector<double>{8.0, 8.0}));
        COMPARE_ERROR(ops::add_(x, x.detach()), "a leaf that requires grad is changed in place");
        COMPARE_ERROR(ops::fill_(x, 0.0), "wrap the change in NoGrad");
    }

    void noGradRecordsNothing()
    {
        const Tensor x = leaf({1.0});
        {
            const NoGrad off;
            QVERIFY(!(x * 2.0).requires_grad());
            QVERIFY(!gradEnabled());
        }
        QVERIFY((x * 2.0).requires_grad());
        QVERIFY(!(x.detach() * 2.0).requires_grad());
    }

    void hooksSeeGradientsOfLeavesAndResults()
    {
        const Tensor x = leaf({2.0});
        const Tensor y = x * 3.0;
        std::vector<double> seen;
        y.registerHook([&](const Tensor& g) { seen.push_back(g.item()); });
        x.registerHook([&](const Tensor& g) { seen.push_back(g.item()); });
        backward(ops::sum(y * y));
        QCOMPARE(seen, (std::vector<double>{12.0, 36.0}));
    }

    void frozenTensorsCostNoLaunch()
    {
        const auto launches = [&](bool frozen) {
            Tensor w = ops::ones({4, 3});
            w.requires_grad_(!frozen);
            Tensor head = ops::ones({2, 4});
            head.requires_grad_();
            const Tensor loss = ops::sum(ops::linear(ops::linear(ops::ones({5, 3}), w, {}), head, {}));
            const std::int64_t before = m_session.cpu().launches();
            backward(loss);
            return m_session.cpu().launches() - before;
        };
        // Training w too takes the product for its gradient and the one for its output's.
        QCOMPARE(launches(false) - launches(true), 2);
    }

    void gradcheckFindsAWrongGradient()
    {
        Tensor x = leaf({0.3, 0.7});
        QCOMPARE(gradcheck([](const Tensors& in) { return Tensors{ops::tanh(in[0]) * ops::exp(in[0])}; }, {x}),
                 std::string());
        // A detached factor hides half of the derivative.
        const std::string wrong = gradcheck([](const Tensors& in) { return Tensors{in[0] * in[0].detach()}; }, {x});
        QVERIFY(wrong.starts_with("input 0, element 0: the gradient is"));
    }

    void longChainsAreTakenApartWithoutRecursion()
    {
        const Tensor x = leaf({1.0});
        Tensor y = x;
        for (int i = 0; i < 50000; ++i)
            y = y + 0.0;
        backward(ops::sum(y));
        QCOMPARE(x.grad().item(), 1.0);
    }
};

QTEST_GUILESS_MAIN(TestAutograd)
#include "test_autograd.moc"
