// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/autograd/autograd.h"
#include "engine/io/mega_reader.h"
#include "engine/ops/all_ops.h"
#include "engine/ops/functions.h"
#include "tests/engine/engine_test.h"
#include "tests/engine/op_table.h"
#include "tests/paths.h"

#include <set>

using namespace megalith;

class TestOps : public QObject
{
    Q_OBJECT

    Session m_session;
    SessionScope m_scope{m_session};
    StateDict m_goldens;

    // dtype replaces float64; everyOther gives each input as a view with holes.
    Tensors inputsOf(std::string_view name, DType dtype, bool everyOther) const
    {
        Tensors out;
        for (std::size_t i = 0;; ++i) {
            const StateEntry* entry = m_goldens.find(std::string(name) + "#in" + std::to_string(i));
            if (entry == nullptr)
                return out;
            Tensor t = ops::fromEntry(*entry);
            if (isFloating(t.dtype()))
                t = ops::to(t, dtype);
            if (everyOther && t.rank() > 0)
                t = spread(t);
            out.push_back(t);
        }
    }

    static Tensor spread(const Tensor& t)
    {
        Shape wide = t.shape();
        wide.back() *= 2;
        Tensor memory = ops::full(wide, 77.0, t.dtype());
        const Tensor view = ops::slice(memory, -1, 0, wide.back(), 2);
        ops::copy_(view, t);
        return view;
    }

    std::vector<double> golden(std::string_view name, const std::string& what) const
    {
        return ops::fromEntry(*m_goldens.find(std::string(name) + what)).toDoubles();
    }

    static void rows()
    {
        QTest::addColumn<int>("row");
        for (std::size_t i = 0; i < opTable().size(); ++i)
            QTest::newRow(std::string(opTable()[i].name).c_str()) << static_cast<int>(i);
    }

    void compare(DType dtype, bool everyOther, double tolerance)
    {
        QFETCH(int, row);
        const OpRow& op = opTable()[static_cast<std::size_t>(row)];
        Tensors in = inputsOf(op.name, dtype, everyOther);
        QVERIFY(!in.empty());
        for (Tensor& t : in)
            if (isFloating(t.dtype()))
                t.requires_grad_();
        const Tensor out = op.run(in);
        QCOMPARE(out.dtype(), dtype);
        QCOMPARE_LE(relativeDifference(out.toDoubles(), golden(op.name, "#out")), tolerance);
        if (out.numel() == 0)
            return;
        std::vector<double> cotangent(static_cast<std::size_t>(out.numel()));
        for (std::size_t i = 0; i < cotangent.size(); ++i)
            cotangent[i] = std::cos(static_cast<double>(i));
        backward(out, ops::fromDoubles(out.shape(), cotangent, dtype));
        for (std::size_t i = 0; i < in.size(); ++i) {
            const std::string key = "#grad" + std::to_string(i);
            if (m_goldens.contains(std::string(op.name) + key))
                QCOMPARE_LE(relativeDifference(in[i].grad().toDoubles(), golden(op.name, key)), tolerance);
        }
    }

private slots:
    void initTestCase()
    {
        m_goldens = io::readMega(std::string(test::sourceFolder) + "/tests/engine/goldens/ops.mega").tensors;
    }

    void everyGoldenHasARowAndTheReverse()
    {
        std::set<std::string> golden;
        for (const auto& [key, entry] : m_goldens)
            golden.insert(key.substr(0, key.find('#')));
        std::set<std::string> table;
        for (const OpRow& row : opTable())
            table.insert(std::string(row.name));
        QCOMPARE(table, golden);
    }

    void doublesEqualPyTorch_data() { rows(); }
    void doublesEqualPyTorch() { compare(DType::F64, false, 1e-10); }

    void floatsEqualPyTorch_data() { rows(); }
    void floatsEqualPyTorch()
    {
        QFETCH(int, row);
        compare(DType::F32, false, opTable()[static_cast<std::size_t>(row)].tolerance32);
    }

    void viewsGiveWhatDenseTensorsGive_data() { rows(); }
    void viewsGiveWhatDenseTensorsGive() { compare(DType::F64, true, 1e-10); }

    void gradientsEqualCentralDifferences_data() { rows(); }
    void gradientsEqualCentralDifferences()
    {
        QFETCH(int, row);
        const OpRow& op = opTable()[static_cast<std::size_t>(row)];
        Tensors in = inputsOf(op.name, DType::F64, false);
        std::int64_t elements = 0;
        for (std::size_t i = 0; i < in.size(); ++i) {
            elements += in[i].numel();
            if (m_goldens.contains(std::string(op.name) + "#grad" + std::to_string(i)))
                in[i].requires_grad_();
        }
        if (elements == 0 || elements > 700)
            return;  // the small sizes of the same operation are differentiated
        const std::string wrong = gradcheck([&](const Tensors& x) { return Tensors{op.run(x)}; }, in, 1e-6, 1e-5);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
};

QTEST_GUILESS_MAIN(TestOps)
#include "test_ops.moc"
