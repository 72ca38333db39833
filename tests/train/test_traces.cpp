// SPDX-License-Identifier: GPL-3.0-or-later
// 50 training steps from the same weights on the same batches, beside PyTorch's.
#include "engine/autograd/autograd.h"
#include "engine/io/mega_reader.h"
#include "engine/nn/loss.h"
#include "engine/nn/module.h"
#include "engine/ops/functions.h"
#include "engine/optim/optimizer.h"
#include "tests/engine/engine_test.h"
#include "tests/paths.h"

using namespace megalith;

class TestTraces : public QObject
{
    Q_OBJECT

    StateDict m_goldens;

    static nn::ModulePtr build(const QString& name)
    {
        if (name == "mlp")
            return nn::Sequential({nn::Linear(12, 20), nn::Tanh(), nn::Linear(20, 16), nn::ReLU(), nn::Linear(16, 4)});
        if (name == "cnn")
            return nn::Sequential({nn::Conv2d(1, 6, 3), nn::ReLU(), nn::MaxPool2d(2), nn::Conv2d(6, 8, 3, 1, 1),
                                   nn::ReLU(), nn::AvgPool2d(2), nn::Flatten(), nn::Linear(32, 4)});
        return nn::Sequential({nn::Conv2d(1, 6, 3), nn::BatchNorm2d(6), nn::ReLU(), nn::MaxPool2d(2),
                               nn::Conv2d(6, 8, 3, 1, 1),
                               nn::make("BatchNorm2d", {{"num_features", std::int64_t{8}}, {"momentum", AttrValue{}}}),
                               nn::ReLU(), nn::AdaptiveAvgPool2d(2), nn::Flatten(), nn::Linear(32, 4)});
    }

    static optim::Optimizer optimizer(const QString& name, const nn::Module& model)
    {
        if (name == "mlp")
            return optim::makeOptimizer("SGD", model.parameters(),
                                        {{"lr", 0.1}, {"momentum", 0.9}, {"nesterov", true}, {"weight_decay", 1e-3}});
        if (name == "cnn")
            return optim::makeOptimizer("SGD", model.parameters(), {{"lr", 0.05}, {"momentum", 0.9}});
        return optim::makeOptimizer("Adam", model.parameters(), {{"lr", 0.01}});
    }

    StateDict part(const std::string& prefix) const
    {
        StateDict out;
        for (const auto& [key, entry] : m_goldens)
            if (key.starts_with(prefix))
                out.add(key.substr(prefix.size()), entry);
        return out;
    }

    Tensor golden(const QString& key) const { return ops::fromEntry(*m_goldens.find(key.toStdString())); }

    std::vector<double> losses(const QString& name, DType dtype, const nn::ModulePtr& model) const
    {
        model->load_state_dict(part(name.toStdString() + "/init/"));
        model->to(dtype);
        optim::Optimizer opt = optimizer(name, *model);
        nn::Loss loss = nn::makeLoss("CrossEntropyLoss");
        const Tensor x = ops::to(golden(name + "/x"), dtype);
        const Tensor t = golden(name + "/t");
        std::vector<double> out;
        for (std::int64_t i = 0; i < x.size(0); ++i) {
            opt.zero_grad();
            const Tensor value = loss((*model)(ops::select(x, 0, i)), ops::select(t, 0, i));
            backward(value);
            opt.step();
            out.push_back(value.item());
        }
        return out;
    }

    static double distance(const std::vector<double>& a, const std::vector<double>& b, std::size_t steps)
    {
        return relativeDifference({a.begin(), a.begin() + static_cast<std::ptrdiff_t>(steps)},
                                  {b.begin(), b.begin() + static_cast<std::ptrdiff_t>(steps)});
    }

private slots:
    void initTestCase()
    {
        m_goldens = io::readMega(std::string(test::sourceFolder) + "/tests/train/goldens/traces.mega").tensors;
    }

    void doublesFollowPyTorch_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"mlp", "cnn", "cnn_bn"})
            QTest::newRow(name) << name;
    }
    void doublesFollowPyTorch()
    {
        QFETCH(QString, name);
        Session session;
        const SessionScope scope(session);
        const nn::ModulePtr model = build(name);
        QCOMPARE_LE(distance(losses(name, DType::F64, model), golden(name + "/losses64").toDoubles(), 50), 1e-8);
        for (const auto& [key, entry] : part(name.toStdString() + "/after/"))
            QCOMPARE_LE(relativeDifference(ops::fromEntry(*model->state_dict().find(key)).toDoubles(),
                                           ops::fromEntry(entry).toDoubles()),
                        1e-8);
    }

    void floatsFollowPyTorch_data() { doublesFollowPyTorch_data(); }
    void floatsFollowPyTorch()
    {
        QFETCH(QString, name);
        Session session;
        const SessionScope scope(session);
        const std::vector<double> ours = losses(name, DType::F32, build(name));
        const std::vector<double> theirs = golden(name + "/losses32").toDoubles();
        const std::vector<double> exact = golden(name + "/losses64").toDoubles();
        const double spread = distance(theirs, exact, 50);
        qInfo("%s: ours %.2e from PyTorch in f64, PyTorch's own f32 %.2e", qPrintable(name), distance(ours, exact, 50),
              spread);
        if (name == "mlp")
            QCOMPARE_LE(distance(ours, theirs, 50), 1e-5);
        if (name == "cnn")
            QCOMPARE_LE(distance(ours, theirs, 10), 1e-4);
        if (name != "mlp")
            QCOMPARE_LE(distance(ours, exact, 50), 3.0 * spread + 1e-6);
    }
};

QTEST_GUILESS_MAIN(TestTraces)
#include "test_traces.moc"
