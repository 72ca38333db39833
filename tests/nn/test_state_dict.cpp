// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/nn/nn_test.h"

using namespace megalith;
using namespace megalith::test;

namespace {

StateEntry entryOf(const Shape& shape, const std::vector<double>& values, const char* tag = "F64")
{
    return makeEntry(tag, shape, std::as_bytes(std::span(values)));
}

}  // namespace

class TestStateDict : public QObject
{
    Q_OBJECT

private slots:
    void comesBackWithTheSameBits();
    void isASnapshot();
    void loadingKeepsTheTensors();
    void convertsDtypes();
    void strictNamesEverythingAndChangesNothing();
    void notStrictLoadsWhatFits();
    void aDtypeWeDoNotComputeWithIsRefused();
    void anOldScalarMayHaveOneDimension();
    void nonPersistentBuffersAreNotExpected();
};

void TestStateDict::comesBackWithTheSameBits()
{
    const Engine engine;
    const nn::ModulePtr a = nn::Sequential({nn::Linear(3, 4), nn::BatchNorm1d(4)});
    const nn::ModulePtr b = nn::Sequential({nn::Linear(3, 4), nn::BatchNorm1d(4)});
    COMPARE_TEXT(namesOf(a->state_dict()),
                 "0.weight 0.bias 1.weight 1.bias 1.running_mean 1.running_var 1.num_batches_tracked");
    QVERIFY((*a->child("0"))["weight"].toDoubles() != (*b->child("0"))["weight"].toDoubles());
    (*a)(ops::fromDoubles({5, 3}, wave({5, 3}, 0.7, 0.1, 1.0)));
    QVERIFY(b->load_state_dict(a->state_dict()).ok());
    for (const auto& [key, entry] : a->state_dict()) {
        const StateDict other = b->state_dict();
        QVERIFY(std::ranges::equal(entry.bytes(), other.find(key)->bytes()));
    }
    QCOMPARE((*b->child("1"))["num_batches_tracked"].item(), 1.0);
}

void TestStateDict::isASnapshot()
{
    const Engine engine;
    const nn::ModulePtr linear = nn::Linear(2, 2);
    const StateDict state = linear->state_dict();
    const std::vector<double> before = (*linear)["weight"].toDoubles();
    nn::fill((*linear)["weight"], nn::constant(7.0), 0);
    linear->load_state_dict(state);
    QCOMPARE((*linear)["weight"].toDoubles(), before);
}

void TestStateDict::loadingKeepsTheTensors()
{
    const Engine engine;
    const nn::ModulePtr linear = nn::Linear(2, 2);
    const Tensor weight = (*linear)["weight"];
    linear->load_state_dict(nn::Linear(2, 2)->state_dict());
    QVERIFY((*linear)["weight"].is(weight));
    QVERIFY(weight.requires_grad());
}

void TestStateDict::convertsDtypes()
{
    const Engine engine;
    const nn::ModulePtr linear = nn::Linear(2, 1);
    StateDict state;
    state.add("weight", entryOf({1, 2}, {0.5, 0.1}));
    state.add("bias", entryOf({1}, {2.0}));
    linear->load_state_dict(state);
    QCOMPARE((*linear)["weight"].dtype(), DType::F32);
    QCOMPARE((*linear)["weight"].toDoubles(), (std::vector<double>{0.5, static_cast<double>(0.1f)}));
}

void TestStateDict::strictNamesEverythingAndChangesNothing()
{
    const Engine engine;
    const nn::ModulePtr model = nn::Sequential({nn::Linear(2, 2), nn::Linear(2, 3)});
    const StateDict before = model->state_dict();
    StateDict state;
    state.add("0.weight", entryOf({2, 2}, {1, 2, 3, 4}));
    state.add("1.weight", entryOf({3, 1}, {1, 2, 3}));
    state.add("1.bias", entryOf({3}, {1, 2, 3}));
    state.add("head.weight", entryOf({1}, {1}));
    COMPARE_TEXT(
        errorOf([&] { model->load_state_dict(state); }),
        "the weights do not fit the model: missing 0.bias; unexpected head.weight; wrong size 1.weight: shape [3, 1] in "
        "the file, [3, 2] in the model");
    for (const auto& [key, entry] : model->state_dict())
        QVERIFY(std::ranges::equal(entry.bytes(), before.find(key)->bytes()));
}

void TestStateDict::notStrictLoadsWhatFits()
{
    const Engine engine;
    const nn::ModulePtr linear = nn::Linear(2, 2);
    const std::vector<double> before = (*linear)["bias"].toDoubles();
    StateDict state;
    state.add("weight", entryOf({2, 2}, {1, 2, 3, 4}));
    state.add("bias", entryOf({3}, {1, 2, 3}));
    state.add("other", entryOf({1}, {1}));
    const nn::LoadReport report = linear->load_state_dict(state, false);
    QVERIFY(!report.ok());
    QVERIFY(report.missing.empty());
    COMPARE_TEXT(joined(report.unexpected), "other");
    COMPARE_TEXT(joined(report.wrongSizes), "bias: shape [3] in the file, [2] in the model");
    QCOMPARE((*linear)["weight"].toDoubles(), (std::vector<double>{1, 2, 3, 4}));
    QCOMPARE((*linear)["bias"].toDoubles(), before);
    COMPARE_TEXT(nn::Linear(1, 1)->load_state_dict({}, false).text(), "missing weight, bias");
    COMPARE_TEXT(nn::ReLU()->load_state_dict({}).text(), "everything fits");
}

void TestStateDict::aDtypeWeDoNotComputeWithIsRefused()
{
    const Engine engine;
    const nn::ModulePtr linear = nn::Linear(1, 1, false);
    StateDict state;
    const std::byte one{0x38};
    state.add("weight", makeEntry("F8_E4M3", {1, 1}, {&one, 1}));
    QVERIFY(errorOf([&] {
                linear->load_state_dict(state);
            }).find("dtype F8_E4M3 in the file, which Megalith does not compute with")
            != std::string::npos);
}

void TestStateDict::anOldScalarMayHaveOneDimension()
{
    const Engine engine;
    const nn::ModulePtr norm = nn::make("BatchNorm1d", {{"num_features", std::int64_t{1}}, {"affine", false}});
    StateDict state;
    state.add("running_mean", entryOf({1}, {3.0}));
    state.add("running_var", entryOf({1}, {4.0}));
    state.add("num_batches_tracked", entryOf({1}, {5.0}));
    QVERIFY(norm->load_state_dict(state).ok());
    QCOMPARE((*norm)["num_batches_tracked"].item(), 5.0);
    QCOMPARE((*norm)["num_batches_tracked"].dtype(), DType::I64);
}

void TestStateDict::nonPersistentBuffersAreNotExpected()
{
    const Engine engine;
    nn::Module module("Net");
    module.register_buffer("scratch", ops::zeros({2}), false);
    QVERIFY(module.load_state_dict({}).ok());
    StateDict state;
    state.add("scratch", entryOf({2}, {1, 2}));
    COMPARE_TEXT(joined(module.load_state_dict(state, false).unexpected), "scratch");
}

QTEST_APPLESS_MAIN(TestStateDict)
#include "test_state_dict.moc"
