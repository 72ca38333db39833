// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/nn/nn_test.h"

#include <set>

using namespace megalith;
using namespace megalith::test;

namespace {

struct WindowGolden
{
    std::int64_t kernel, stride, padding, dilation;
    bool ceil;
    const char* widths;
};
#include "tests/nn/window_goldens.h"

AttrValue whole(std::int64_t value)
{
    return value;
}

AttrValue list(std::vector<std::int64_t> values)
{
    return values;
}

Attrs completed(const char* type, const Attrs& given)
{
    return nn::complete(*nn::findModule(type), given);
}

// The shapes that come out, as text, or the error.
std::string inferred(const char* type, const Attrs& given, const std::vector<TensorMeta>& inputs)
{
    std::string out;
    const std::string error = errorOf([&] {
        const nn::ModuleDef& def = *nn::findModule(type);
        Attrs attrs = nn::complete(def, given);
        if (def.resolve != nullptr)
            def.resolve(attrs, inputs);
        for (const TensorMeta& meta : def.infer(attrs, inputs))
            out += text(meta.shape) + (meta.dtype == DType::F32 ? "" : " " + std::string(dtypeName(meta.dtype)));
    });
    return error == "no error" ? out : error;
}

}  // namespace

class TestModuleSpecs : public QObject
{
    Q_OBJECT

private slots:
    void everyDefinitionIsWhole();
    void argumentsAreCompletedInOrder();
    void wrongArgumentsAreNamed_data();
    void wrongArgumentsAreNamed();
    void sizesFollowFromTheWires();
    void shapes_data();
    void shapes();
    void windowsAreThoseOfPyTorch();
    void convolutionSizesAreThoseOfTheFormula();
    void trainingNeedsMoreThanOneValue();
    void tensorNodesSayTheirShape();
    void inferAgreesWithForward_data();
    void inferAgreesWithForward();
};

void TestModuleSpecs::everyDefinitionIsWhole()
{
    std::set<std::string_view> types;
    for (const nn::ModuleDef* def : nn::allModules()) {
        const std::string type(def->type);
        QVERIFY2(types.insert(def->type).second, type.c_str());
        QVERIFY2(def->doc.size() > 10 && def->doc.ends_with("."), type.c_str());
        QVERIFY2(def->infer != nullptr, type.c_str());
        QVERIFY2(def->type == "Input" || def->forward != nullptr, type.c_str());
        QVERIFY2(!nn::categoryName(def->category).empty(), type.c_str());
        QVERIFY2(def->variadic || def->requiredInputs <= def->inputs.size(), type.c_str());
        QCOMPARE(nn::findModule(def->type), def);
        for (const nn::AttrSpec& spec : def->attrs) {
            const std::string name = type + "." + std::string(spec.name);
            QVERIFY2(!spec.doc.empty(), name.c_str());
            QVERIFY2(!nn::expectedText(spec).empty(), name.c_str());
            if (!spec.required)
                COMPARE_TEXT(errorOf([&] { nn::checkValue(spec, spec.defaultValue); }), "no error");
        }
    }
    QCOMPARE(nn::findModule("Conv9d"), nullptr);
}

void TestModuleSpecs::argumentsAreCompletedInOrder()
{
    const Attrs attrs = completed("Conv2d", {{"kernel_size", whole(3)}, {"out_channels", whole(8)}});
    std::string names;
    for (const auto& [name, value] : attrs)
        names += name + "=" + pythonText(value) + " ";
    COMPARE_TEXT(names,
                 "in_channels=None out_channels=8 kernel_size=3 stride=1 padding=0 dilation=1 groups=1 bias=True "
                 "padding_mode=zeros ");
    QVERIFY(completed("Conv2d", attrs) == attrs);
    QVERIFY(completed("Identity", {{"anything", 0.5}}) == (Attrs{{"anything", 0.5}}));
}

void TestModuleSpecs::wrongArgumentsAreNamed_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("row");
    QTest::addColumn<QString>("message");
    const std::vector<std::tuple<const char*, const char*>> rows{
        {"Linear", "Linear has no argument out_feature; it takes in_features, out_features, bias"},
        {"Linear", "out_features is missing: it must be a whole number >= 1"},
        {"Linear", "out_features must be a whole number >= 1, not 2.5"},
        {"Linear", "bias must be true or false, not 1"},
        {"ReLU", "ReLU has no argument slope; it takes inplace"},
        {"Tanh", "Tanh has no argument inplace; it takes none"},
        {"Dropout", "p must be a number from 0 to 1, not 1.5"},
        {"Dropout", "p must be a number from 0 to 1, not nan"},
        {"Conv2d", "kernel_size must be a whole number >= 1 or 2 of them, not (3, 3, 3)"},
        {"Conv2d", "padding must be a whole number >= 0, 2 of them, or one of 'same', 'valid', not 'full'"},
        {"Conv2d", "padding_mode must be one of 'zeros', not 'reflect'"},
        {"Conv2d", "in_channels (3) must be divisible by groups (2)"},
        {"Conv2d", "padding 'same' needs stride 1, not 2"},
        {"MaxPool2d", "padding 2 must be at most half of kernel_size 3"},
        {"MaxPool2d", "return_indices must be false: this node has one output, the largest values"},
        {"AvgPool2d", "divisor_override must not be 0"},
        {"AdaptiveAvgPool2d", "output_size must be a whole number >= 1 or 2 of them, or null, not (0, 1)"},
        {"Reshape", "shape may hold only one -1, not (-1, -1)"},
        {"BatchNorm1d", "eps must be a number >= 0, not -1.0"},
        {"Parameter", "values have shape [2] but shape is [3]"},
        {"Parameter", "dtype must be one of 'float32', 'float64', 'float16', 'bfloat16', not 'int64'"},
        {"Constant", "requires_grad needs a floating dtype, not int64"},
    };
    for (std::size_t i = 0; i < rows.size(); ++i)
        QTest::addRow("%zu %s", i, std::get<0>(rows[i]))
            << std::get<0>(rows[i]) << static_cast<int>(i) << std::get<1>(rows[i]);
}

void TestModuleSpecs::wrongArgumentsAreNamed()
{
    const AttrValue three = whole(3);
    const std::vector<Attrs> given{
        {{"out_feature", three}},
        {},
        {{"out_features", 2.5}},
        {{"out_features", three}, {"bias", whole(1)}},
        {{"slope", 0.1}},
        {{"inplace", true}},
        {{"p", 1.5}},
        {{"p", std::nan("")}},
        {{"out_channels", three}, {"kernel_size", list({3, 3, 3})}},
        {{"out_channels", three}, {"kernel_size", three}, {"padding", std::string("full")}},
        {{"out_channels", three}, {"kernel_size", three}, {"padding_mode", std::string("reflect")}},
        {{"in_channels", three}, {"out_channels", whole(4)}, {"kernel_size", three}, {"groups", whole(2)}},
        {{"out_channels", three}, {"kernel_size", three}, {"padding", std::string("same")}, {"stride", whole(2)}},
        {{"kernel_size", three}, {"padding", whole(2)}},
        {{"kernel_size", three}, {"return_indices", true}},
        {{"kernel_size", three}, {"divisor_override", whole(0)}},
        {{"output_size", list({0, 1})}},
        {{"shape", list({-1, -1})}},
        {{"eps", -1.0}},
        {{"shape", list({3})}, {"values", list({1, 2})}},
        {{"shape", list({3})}, {"dtype", std::string("int64")}},
        {{"shape", list({3})}, {"dtype", std::string("int64")}, {"requires_grad", true}},
    };
    QFETCH(QString, type);
    QFETCH(int, row);
    QFETCH(QString, message);
    const QByteArray name = type.toUtf8();
    COMPARE_TEXT(errorOf([&] { completed(name.constData(), given[static_cast<std::size_t>(row)]); }),
                 message.toStdString());
}

void TestModuleSpecs::sizesFollowFromTheWires()
{
    const auto resolved = [](const char* type, Attrs given, const Shape& shape, const char* name) {
        const nn::ModuleDef& def = *nn::findModule(type);
        Attrs attrs = nn::complete(def, given);
        const TensorMeta meta{DType::F32, shape};
        def.resolve(attrs, {&meta, 1});
        return attrs.integer(name);
    };
    QCOMPARE(resolved("Linear", {{"out_features", whole(3)}}, {7, 784}, "in_features"), 784);
    QCOMPARE(resolved("Conv2d", {{"out_channels", whole(3)}, {"kernel_size", whole(3)}}, {7, 5, 9, 9}, "in_channels"),
             5);
    QCOMPARE(resolved("BatchNorm2d", {}, {7, 5, 9, 9}, "num_features"), 5);
    QCOMPARE(resolved("Linear", {{"in_features", whole(2)}, {"out_features", whole(3)}}, {7, 784}, "in_features"), 2);
}

void TestModuleSpecs::shapes_data()
{
    QTest::addColumn<QString>("found");
    QTest::addColumn<QString>("expected");
    const auto add = [](const char* type, const Attrs& attrs, const std::vector<TensorMeta>& inputs,
                        const char* expected) {
        QTest::addRow("%s: %s", type, expected) << QString::fromStdString(inferred(type, attrs, inputs)) << expected;
    };
    const TensorMeta row{DType::F32, {4, 128}};
    const TensorMeta image{DType::F32, {2, 3, 8, 6}};
    const TensorMeta tokens{DType::I64, {2, 5}};
    const Attrs conv{{"out_channels", whole(4)}, {"kernel_size", whole(3)}};
    add("Linear", {{"out_features", whole(10)}}, {row}, "[4, 10]");
    add("Linear", {{"in_features", whole(784)}, {"out_features", whole(10)}}, {row},
        "input ends in 128 but in_features is 784");
    add("Linear", {{"out_features", whole(10)}}, {tokens}, "input is int64, expected floating numbers (float32)");
    add("Linear", {{"out_features", whole(10)}}, {{DType::F64, {2, 3, 5}}}, "[2, 3, 10] float64");
    add("Conv2d", conv, {image}, "[2, 4, 6, 4]");
    add("Conv2d", {{"in_channels", whole(16)}, {"out_channels", whole(4)}, {"kernel_size", whole(3)}}, {image},
        "input has 3 channels but in_channels is 16");
    add("Conv2d", conv, {row}, "expected [N, C, H, W], found [4, 128]");
    add("Conv2d", {{"out_channels", whole(4)}, {"kernel_size", whole(7)}}, {image},
        "a window of width 7 does not fit into 6");
    add("Conv2d", {{"out_channels", whole(4)}, {"kernel_size", list({4, 3})}, {"padding", std::string("same")}},
        {image}, "[2, 4, 8, 6]");
    add("MaxPool2d", {{"kernel_size", whole(2)}}, {image}, "[2, 3, 4, 3]");
    add("AvgPool2d", {{"kernel_size", whole(9)}, {"padding", whole(1)}}, {image},
        "a window of width 9 does not fit into 8 (padding included)");
    add("AdaptiveAvgPool2d", {{"output_size", list({nn::noneEntry, 1})}}, {image}, "[2, 3, 8, 1]");
    add("BatchNorm1d", {}, {image}, "expected [N, C] or [N, C, L], found [2, 3, 8, 6]");
    add("BatchNorm2d", {{"num_features", whole(5)}}, {image}, "input has 3 channels but num_features is 5");
    add("Flatten", {}, {image}, "[2, 144]");
    add("Flatten", {{"start_dim", whole(2)}}, {image}, "[2, 3, 48]");
    add("Flatten", {}, {tokens}, "[2, 5] int64");
    add("Flatten", {{"start_dim", whole(3)}, {"end_dim", whole(1)}}, {image},
        "start_dim (3) comes after end_dim (1) in [2, 3, 8, 6]");
    add("Softmax", {{"dim", whole(2)}}, {row}, "dim is 2 but the input [4, 128] has dimensions -2 to 1");
    add("Reshape", {{"shape", list({2, -1})}}, {row}, "[4, 2, 64]");
    add("Reshape", {{"shape", list({3, -1})}}, {row},
        "a sample of 128 elements does not divide by the 3 of shape (3, -1)");
    add("Reshape", {{"shape", list({100})}}, {row}, "a sample has 128 elements [128] but shape [100] has 100");
    add("Add", {}, {row, {DType::F32, {128}}}, "[4, 128]");
    add("Add", {}, {row}, "other is neither wired nor given as a number");
    add("Mul", {{"other", whole(2)}}, {tokens}, "[2, 5] int64");
    add("Mul", {{"other", 0.5}}, {tokens}, "[2, 5]");
    add("MatMul", {}, {row, {DType::F32, {128, 3}}}, "[4, 3]");
    add("MatMul", {}, {{DType::F32, {2, 5, 4, 3}}, {DType::F32, {3}}}, "[2, 5, 4]");
    add("MatMul", {}, {{DType::F32, {3}}, {DType::F32, {5, 3, 2}}}, "[5, 2]");
    add("MatMul", {}, {row, row}, "input [4, 128] ends in 128 but other [4, 128] has 4 rows");
    add("Cat", {{"dim", whole(1)}}, {row, {DType::F32, {4, 2}}}, "[4, 130]");
    add("Cat", {{"dim", whole(1)}}, {row, {DType::F32, {3, 2}}},
        "input 1 is [3, 2] and input 0 is [4, 128]: they may differ only in dimension 1");
    add("Cat", {}, {}, "nothing is wired to it");
}

void TestModuleSpecs::shapes()
{
    QFETCH(QString, found);
    QFETCH(QString, expected);
    QCOMPARE(found, expected);
}

void TestModuleSpecs::windowsAreThoseOfPyTorch()
{
    for (const WindowGolden& golden : windowGoldens) {
        std::string widths;
        for (std::int64_t width = 1; width <= 12; ++width) {
            const std::string shape = inferred("MaxPool2d",
                                               {{"kernel_size", whole(golden.kernel)},
                                                {"stride", whole(golden.stride)},
                                                {"padding", whole(golden.padding)},
                                                {"dilation", whole(golden.dilation)},
                                                {"ceil_mode", golden.ceil}},
                                               {{DType::F32, {1, 1, width, width}}});
            const auto number = shape.find_last_of(' ');
            widths += shape.front() != '[' ? '-' : "0123456789abcdef"[std::stoi(shape.substr(number))];
        }
        const std::string what = std::to_string(golden.kernel) + " " + std::to_string(golden.stride) + " "
                                 + std::to_string(golden.padding) + " " + std::to_string(golden.dilation) + " "
                                 + (golden.ceil ? "ceil" : "floor") + ": ";
        COMPARE_TEXT(what + widths, what + golden.widths);
    }
}

void TestModuleSpecs::convolutionSizesAreThoseOfTheFormula()
{
    const auto width = [](std::int64_t in, std::int64_t k, std::int64_t s, std::int64_t p, std::int64_t d) {
        return inferred("Conv2d",
                        {{"out_channels", whole(1)},
                         {"kernel_size", whole(k)},
                         {"stride", whole(s)},
                         {"padding", whole(p)},
                         {"dilation", whole(d)}},
                        {{DType::F32, {1, 1, in, in}}});
    };
    COMPARE_TEXT(width(28, 5, 1, 0, 1), "[1, 1, 24, 24]");
    COMPARE_TEXT(width(224, 7, 2, 3, 1), "[1, 1, 112, 112]");
    COMPARE_TEXT(width(10, 3, 2, 0, 2), "[1, 1, 3, 3]");
    COMPARE_TEXT(width(1, 1, 3, 4, 1), "[1, 1, 3, 3]");
}

void TestModuleSpecs::trainingNeedsMoreThanOneValue()
{
    const nn::ModuleDef& norm = *nn::findModule("BatchNorm2d");
    const auto check = [&norm](const Shape& shape) {
        const TensorMeta meta{DType::F32, shape};
        return errorOf([&] { norm.checkTraining({}, {&meta, 1}); });
    };
    QVERIFY(check({1, 3, 1, 1}).starts_with("a batch of [1, 3, 1, 1] has one value per channel"));
    COMPARE_TEXT(check({1, 3, 2, 1}), "no error");
    COMPARE_TEXT(check({2, 3, 1, 1}), "no error");
    COMPARE_TEXT(check({1, 1, 1, 1}).substr(0, 24), "a batch of [1, 1, 1, 1] ");
}

void TestModuleSpecs::tensorNodesSayTheirShape()
{
    COMPARE_TEXT(inferred("Parameter", {{"shape", list({2, 3})}}, {}), "[2, 3]");
    COMPARE_TEXT(inferred("Constant", {{"shape", list({})}, {"values", whole(5)}, {"dtype", std::string("int64")}}, {}),
                 "[] int64");
    const Attrs attrs = completed(
        "Buffer", {{"shape", list({2, 2})}, {"values", NumberArray{{2, 2}, {1, 2, 3, 4}}}, {"persistent", false}});
    const auto buffers = nn::findModule("Buffer")->buffers(attrs);
    QVERIFY(!buffers[0].persistent);
    const Engine engine;
    QCOMPARE(nn::makeBuffer(buffers[0]).toDoubles(), (std::vector<double>{1, 2, 3, 4}));
    const auto parameters =
        nn::findModule("Parameter")->parameters(completed("Parameter", {{"shape", list({2})}, {"fill", 0.5}}));
    const Tensor parameter = nn::makeParameter(parameters[0], 1);
    QVERIFY(parameter.requires_grad());
    QCOMPARE(parameter.toDoubles(), (std::vector<double>{0.5, 0.5}));
    const nn::ModulePtr constant = nn::make("Constant", {{"shape", list({2})}, {"fill", 1.0}, {"requires_grad", true}});
    const Tensor value = (*constant)(Tensors{}).front();
    QVERIFY(value.requires_grad());
    QVERIFY(constant->parameters().empty() && constant->state_dict().empty());
}

void TestModuleSpecs::inferAgreesWithForward_data()
{
    QTest::addColumn<QString>("type");
    for (const nn::ModuleDef* def : nn::allModules())
        if (def->type != "Input" && def->category != nn::Category::Tensor)
            QTest::newRow(std::string(def->type).c_str())
                << QString::fromLatin1(def->type.data(), static_cast<int>(def->type.size()));
}

// What infer says without data is what forward gives, for three batch sizes.
void TestModuleSpecs::inferAgreesWithForward()
{
    QFETCH(QString, type);
    const Engine engine;
    const nn::ModuleDef& def = *nn::findModule(type.toStdString());
    Attrs given;
    for (const nn::AttrSpec& spec : def.attrs)
        if (spec.required)
            given.set(spec.name, type == "Reshape" ? list({-1, 2}) : whole(2));
    for (const std::int64_t batch : {2, 3, 5}) {
        const Shape shape =
            type.startsWith("BatchNorm1d") || type == "MatMul" ? Shape{batch, batch} : Shape{batch, 3, 4, 6};
        const std::vector<TensorMeta> metas(std::max<std::size_t>(def.inputs.size(), 1), {DType::F32, shape});
        Attrs attrs = nn::complete(def, given);
        if (def.resolve != nullptr)
            def.resolve(attrs, metas);
        nn::Module module(def, attrs);
        Tensors inputs;
        for (std::size_t i = 0; i < metas.size(); ++i)
            inputs.push_back(ops::fromDoubles(shape, wave(shape, 0.7, 0.3, 1.0)));
        const nn::Metas expected = def.infer(attrs, metas);
        const Tensors outputs = module(inputs);
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY2(outputs[i].meta() == expected[i],
                     (text(outputs[i].shape()) + " is not " + text(expected[i].shape)).c_str());
    }
}

QTEST_APPLESS_MAIN(TestModuleSpecs)
#include "test_module_specs.moc"
