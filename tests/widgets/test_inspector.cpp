// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/test_host.h"
#include "widgets/inspector/attr_editor.h"
#include "widgets/inspector/attr_form.h"
#include "widgets/inspector/attr_text.h"
#include "widgets/inspector/inspector.h"
#include "widgets/inspector/tensor_rows.h"
#include "widgets/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <memory>

using namespace megalith;
using namespace megalith::ui;

class TestInspector : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void numbersTakePointAndComma();
    void listsAreParsed();
    void wrongTextsSayWhy();
    void enterCommits();
    void leavingCommits();
    void wrongStaysRedAndEscapeRestores();
    void theWorkedOutSizeIsShown();
    void defaultsAreShownAndRestored();
    void checkBoxIsOneEntry();
    void freezing();
    void initialisation();
    void nameAndNote();
    void aRemovedNodeLeavesNothing();
    void lockedIsReadOnly();
    void nothingIsWiderThanThePanel();

private:
    AttrEditor& editor(const char* name) { return *m_inspector->form()->editor(name); }
    const Value* attr(const char* name) { return m_host->node(m_linear)->attrs.find(name); }

    std::unique_ptr<TestHost> m_host;
    std::unique_ptr<Inspector> m_inspector;
    graph::Id m_linear = 0;
};

void TestInspector::init()
{
    applyTheme(*qApp, Scheme::Light);
    m_host = std::make_unique<TestHost>();
    const graph::Id input = m_host->add("Input", 0, 0);
    m_host->set(input, "shape", Value(Value::List{Value(784)}));
    m_linear = m_host->add("Linear", 240, 0);
    m_host->join(input, m_linear);
    m_inspector = std::make_unique<Inspector>(*m_host);
    m_inspector->resize(360, 700);
    m_inspector->show();
    m_inspector->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_inspector.get()));
    m_inspector->showNodes({m_linear});
}

void TestInspector::cleanup()
{
    m_inspector.reset();
    m_host.reset();
}

void TestInspector::numbersTakePointAndComma()
{
    const nn::AttrSpec p = nn::real("p", 0.5, "probability", 0.0, 1.0);
    QCOMPARE(parseAttr(p, QStringLiteral("0.25")).value->number(), 0.25);
    QCOMPARE(parseAttr(p, QStringLiteral("0,25")).value->number(), 0.25);
    QCOMPARE(parseAttr(p, QStringLiteral("1e-3")).value->number(), 0.001);
    QVERIFY(!parseAttr(p, QStringLiteral("1.5")).error.isEmpty());
    QVERIFY(!parseAttr(p, QStringLiteral("nan")).error.isEmpty());
}

void TestInspector::listsAreParsed()
{
    const nn::AttrSpec kernel = nn::sizes("kernel_size", 2, "size");
    QCOMPARE(parseAttr(kernel, QStringLiteral("3")).value->integer(), std::int64_t{3});
    QCOMPARE(parseAttr(kernel, QStringLiteral("(3, 5)")).value->list().size(), std::size_t{2});
    QCOMPARE(parseAttr(kernel, QStringLiteral("3x5")).value->list()[1].integer(), std::int64_t{5});
    QVERIFY(!parseAttr(kernel, QStringLiteral("3, 4, 5")).error.isEmpty());
    QVERIFY(!parseAttr(kernel, QStringLiteral("0")).error.isEmpty());
    const nn::AttrSpec shape = nn::shape("shape", "sizes");
    QCOMPARE(parseAttr(shape, QStringLiteral("1, 28, 28")).value->list().size(), std::size_t{3});
}

void TestInspector::wrongTextsSayWhy()
{
    const nn::AttrSpec out = nn::size("out_features", "outputs");
    for (const char* text : {"", "abc", "-3", "0", "1.5", "99999999999999999999"}) {
        const ParsedAttr parsed = parseAttr(out, QString::fromLatin1(text));
        QVERIFY2(parsed.error.contains(QStringLiteral("out_features")), text);
    }
}

void TestInspector::enterCommits()
{
    const std::size_t entries = m_host->entries();
    QLineEdit* field = editor("out_features").field();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("128"));
    QCOMPARE(m_host->entries(), entries);
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(attr("out_features")->integer(), std::int64_t{128});
    QCOMPARE(m_host->entries(), entries + 1);
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(m_host->entries(), entries + 1);
}

void TestInspector::leavingCommits()
{
    QLineEdit* field = editor("out_features").field();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("77"));
    m_inspector->nameField()->setFocus();
    QCOMPARE(attr("out_features")->integer(), std::int64_t{77});
}

void TestInspector::wrongStaysRedAndEscapeRestores()
{
    QLineEdit* field = editor("out_features").field();
    const QString before = field->text();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("many"));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(field->property("wrong").toBool());
    QVERIFY(field->toolTip().contains(QStringLiteral("whole number")));
    QCOMPARE(field->text(), QStringLiteral("many"));
    QTest::keyClick(field, Qt::Key_Escape);
    QCOMPARE(field->text(), before);
    QVERIFY(!field->property("wrong").toBool());
}

void TestInspector::theWorkedOutSizeIsShown()
{
    QLineEdit* field = editor("in_features").field();
    QCOMPARE(field->text(), QString());
    QCOMPARE(field->placeholderText(), QStringLiteral("auto (784)"));
    field->setFocus();
    QTest::keyClicks(field, QStringLiteral("784"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(attr("in_features")->integer(), std::int64_t{784});
    QTest::mouseClick(editor("in_features").restoreButton(), Qt::LeftButton);
    QVERIFY(attr("in_features") == nullptr || attr("in_features")->isNull());
    QCOMPARE(field->placeholderText(), QStringLiteral("auto (784)"));
}

void TestInspector::defaultsAreShownAndRestored()
{
    QVERIFY(editor("bias").check()->isChecked());
    QVERIFY(!editor("bias").restoreButton()->isVisible());
    m_host->set(m_linear, "bias", Value(false));
    QVERIFY(!editor("bias").check()->isChecked());
    QTRY_VERIFY(editor("bias").restoreButton()->isVisible());
    QTest::mouseClick(editor("bias").restoreButton(), Qt::LeftButton);
    QVERIFY(attr("bias") == nullptr);
    QVERIFY(editor("bias").check()->isChecked());
}

void TestInspector::checkBoxIsOneEntry()
{
    const std::size_t entries = m_host->entries();
    editor("bias").check()->click();
    QCOMPARE(attr("bias")->boolean(), false);
    QCOMPARE(m_host->entries(), entries + 1);
    QVERIFY(m_inspector->tensors()->trainable("bias") == nullptr);
}

void TestInspector::freezing()
{
    QCheckBox* box = m_inspector->tensors()->trainable("weight");
    QVERIFY(box->isChecked());
    box->click();
    QCOMPARE(m_host->node(m_linear)->frozen, std::vector<std::string>{"weight"});
    m_host->undo();
    QVERIFY(m_inspector->tensors()->trainable("weight")->isChecked());
}

void TestInspector::initialisation()
{
    QComboBox* box = m_inspector->tensors()->init("weight");
    const int zeros = box->findText(QStringLiteral("zeros_"));
    QVERIFY(zeros > 0);
    box->setCurrentIndex(zeros);
    emit box->activated(zeros);
    QCOMPARE(m_host->node(m_linear)->init.find("weight")->find("type")->string(), std::string("zeros_"));
    emit box->activated(0);
    QVERIFY(m_host->node(m_linear)->init.isNull());
}

void TestInspector::nameAndNote()
{
    QLineEdit* name = m_inspector->nameField();
    name->setFocus();
    name->selectAll();
    QTest::keyClicks(name, QStringLiteral("hidden"));
    m_inspector->note()->setFocus();
    QCOMPARE(m_host->node(m_linear)->name, std::string("hidden"));
    QTest::keyClicks(m_inspector->note(), QStringLiteral("why it is here"));
    name->setFocus();
    QCOMPARE(m_host->node(m_linear)->note, std::string("why it is here"));
    name->selectAll();
    QTest::keyClicks(name, QStringLiteral("x"));
    QTest::keyClick(name, Qt::Key_Return);
    QVERIFY(name->property("wrong").toBool());
}

void TestInspector::aRemovedNodeLeavesNothing()
{
    editor("out_features").field()->setFocus();
    const std::vector<graph::Id> ids = {m_linear};
    m_host->change([&](const graph::Document& d) { return graph::removeNodes(d, "", ids); });
    QCOMPARE(m_inspector->node(), graph::Id{0});
    QTest::qWait(1);
}

void TestInspector::lockedIsReadOnly()
{
    m_host->lock(QStringLiteral("locked"));
    QVERIFY(!m_inspector->form()->isEnabled());
    QVERIFY(m_inspector->nameField()->isReadOnly());
}

void TestInspector::nothingIsWiderThanThePanel()
{
    const graph::Id conv = m_host->add("Conv2d", 480, 0);
    m_host->set(conv, "in_channels", Value(512));
    m_host->set(conv, "out_channels", Value(1024));
    m_host->set(conv, "kernel_size", Value(11));
    const graph::Id norm = m_host->add("BatchNorm2d", 720, 0);
    m_host->set(norm, "num_features", Value(1024));
    for (const graph::Id node : {m_linear, conv, norm}) {
        m_inspector->showNodes({node});
        QTRY_VERIFY2(m_inspector->widget()->width() <= m_inspector->viewport()->width(),
                     m_host->node(node)->name.c_str());
    }
}

QTEST_MAIN(TestInspector)
#include "test_inspector.moc"
