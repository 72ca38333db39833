// SPDX-License-Identifier: GPL-3.0-or-later
// A training step as a list of launches: recorded once, run again, it must do to the bit what the step itself would have done.
#include "engine/autograd/autograd.h"
#include "engine/backend/backend.h"
#include "engine/nn/loss.h"
#include "engine/nn/module.h"
#include "engine/ops/functions.h"
#include "engine/optim/clip.h"
#include "engine/optim/optimizer.h"
#include "tests/engine/engine_test.h"

using namespace megalith;

namespace {

struct Step
{
    nn::ModulePtr model;
    Tensor input;
    Tensor target;
    optim::Optimizer optimizer;
    nn::Loss loss = nn::makeLoss("CrossEntropyLoss");

    Step(nn::ModulePtr net, const Shape& shape)
        : model(std::move(net))
        , input(ops::empty(shape))
        , target(ops::empty({shape[0]}, DType::I64))
        , optimizer(optim::makeOptimizer("Adam", model->parameters(), {{"lr", 0.01}}))
    {}

    void load(std::int64_t number)
    {
        ops::normal_(input, 0.0, 1.0, static_cast<std::uint64_t>(1000 + number));
        std::vector<std::int64_t> classes(static_cast<std::size_t>(target.numel()));
        for (std::size_t i = 0; i < classes.size(); ++i)
            classes[i] = (static_cast<std::int64_t>(i) * 7 + number) % 4;
        target.copyFrom(classes.data(), classes.size() * sizeof(std::int64_t));
        optimizer.setLearningRate(0, 0.01 / static_cast<double>(1 + number));
    }

    void run()
    {
        optimizer.zero_grad();
        backward(loss((*model)(input), target));
        optim::clip_grad_norm_(model->parameters(), 0.5);
        optimizer.step();
        ops::addScalar_(Session::current().random().step, 1.0);
    }

    std::vector<double> state() const
    {
        std::vector<double> out;
        for (const auto& [key, entry] : model->state_dict())
            for (const double x : ops::fromEntry(entry).toDoubles())
                out.push_back(x);
        return out;
    }
};

nn::ModulePtr mlp()
{
    return nn::Sequential({nn::Linear(12, 20), nn::ReLU(), nn::Dropout(0.3), nn::Linear(20, 4)});
}

nn::ModulePtr cnn()
{
    return nn::Sequential({nn::Conv2d(1, 6, 3),
                           nn::make("BatchNorm2d", {{"num_features", std::int64_t{6}}, {"momentum", AttrValue{}}}),
                           nn::ReLU(), nn::MaxPool2d(2), nn::Dropout(0.2), nn::Conv2d(6, 5, 3), nn::BatchNorm2d(5),
                           nn::ReLU(), nn::Flatten(), nn::Linear(5 * 2 * 2, 4)});
}

}  // namespace

class TestReplay : public QObject
{
    Q_OBJECT

    // 1 step to record and 20 more: eagerly in one session, by the list in another.
    static std::vector<double> trained(nn::ModulePtr (*make)(), const Shape& shape, bool replay)
    {
        Session session(2);
        const SessionScope scope(session);
        session.manual_seed(5);
        Step step(make(), shape);
        std::vector<KernelCall> calls;
        step.load(0);
        session.cpu().record(replay ? &calls : nullptr);
        step.run();
        session.cpu().record(nullptr);
        for (std::int64_t i = 1; i <= 20; ++i) {
            step.load(i);
            if (!replay)
                step.run();
            for (const KernelCall& call : calls)
                session.cpu().launch(call);
        }
        return step.state();
    }

private slots:
    void anMlpReplaysToTheBit() { QCOMPARE(trained(mlp, {9, 12}, true), trained(mlp, {9, 12}, false)); }
    void aCnnReplaysToTheBit() { QCOMPARE(trained(cnn, {7, 1, 10, 10}, true), trained(cnn, {7, 1, 10, 10}, false)); }
    void trainingChangesTheModel()
    {
        Session session(2);
        const SessionScope scope(session);
        session.manual_seed(5);
        const Step untrained(mlp(), {9, 12});
        QVERIFY(untrained.state() != trained(mlp, {9, 12}, false));
    }
};

QTEST_GUILESS_MAIN(TestReplay)
#include "test_replay.moc"
