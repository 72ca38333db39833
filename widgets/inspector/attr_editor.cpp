// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/attr_editor.h"

#include "engine/core/number_text.h"
#include "widgets/field.h"
#include "widgets/inspector/attr_text.h"
#include "widgets/text.h"
#include "widgets/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>

namespace megalith::ui {

AttrEditor::AttrEditor(const nn::AttrSpec& spec, Commit commit, QWidget* parent)
    : QWidget(parent)
    , m_spec(spec)
    , m_commit(std::move(commit))
    , m_restore(new QToolButton(this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(size::gap1);
    if (spec.kind == nn::AttrKind::Boolean)
        makeCheck();
    else if (spec.kind == nn::AttrKind::Choice)
        makeChoice();
    else
        makeField();
    QWidget* editor = m_check ? static_cast<QWidget*>(m_check) : m_choice ? static_cast<QWidget*>(m_choice) : m_field;
    editor->setAccessibleName(qs(spec.name));
    editor->setToolTip(attrTip(spec));
    setFocusProxy(editor);
    layout->addWidget(editor, 1);
    m_restore->setText(QStringLiteral("\u21BA"));
    m_restore->setProperty("quiet", true);
    m_restore->setAccessibleName(tr("Restore the default of %1").arg(qs(spec.name)));
    m_restore->setToolTip(spec.fromWire ? tr("Work it out from the wires")
                                        : tr("Restore the default: %1").arg(attrText(spec, spec.defaultValue)));
    QSizePolicy keeps = m_restore->sizePolicy();
    keeps.setRetainSizeWhenHidden(true);
    m_restore->setSizePolicy(keeps);
    layout->addWidget(m_restore);
    connect(m_restore, &QToolButton::clicked, this, [this] { send(std::nullopt); });
}

void AttrEditor::makeField()
{
    m_field = new QLineEdit(this);
    m_field->setFont(monoFont());
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::returnPressed, this, [this] { commitText(); });
    connect(m_field, &QLineEdit::editingFinished, this, [this] {
        if (!m_field->hasFocus())
            commitText();
    });
    connect(m_field, &QLineEdit::textEdited, this, [this] {
        markWrong(*m_field, {});
        setStyleFlag(*m_field, "byDefault", false);
    });
}

void AttrEditor::makeChoice()
{
    m_choice = new QComboBox(this);
    for (const std::string_view choice : m_spec.choices)
        m_choice->addItem(qs(choice));
    if (m_spec.noneAllowed)
        m_choice->addItem(QStringLiteral("None"));
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    leaveWheelToParent(*m_choice);
    connect(m_choice, &QComboBox::activated, this, [this] {
        const QString text = m_choice->currentText();
        send(text == QLatin1String("None") ? Value() : Value(ss(text)));
    });
}

void AttrEditor::makeCheck()
{
    m_check = new QCheckBox(this);
    connect(m_check, &QCheckBox::clicked, this, [this](bool on) { send(Value(on)); });
}

void AttrEditor::setValue(const Value* given, const AttrValue* workedOut)
{
    // What someone is typing, or left wrong, stays until it is put right or given up.
    if (m_field && m_field->isModified() && m_field->text() != m_text)
        return;
    display(given, workedOut);
}

void AttrEditor::display(const Value* given, const AttrValue* workedOut)
{
    const bool fromWires = m_spec.fromWire && (!given || given->isNull());
    m_given = given && !fromWires;
    const AttrValue& value = workedOut ? *workedOut : m_spec.defaultValue;
    const QString text = fromWires ? QString() : m_given ? attrText(m_spec, *given) : attrText(m_spec, value);
    // Nothing to restore where the default is what was written.
    m_restore->setVisible(m_given && !m_spec.required
                          && (m_spec.fromWire || text != attrText(m_spec, m_spec.defaultValue)));
    if (m_check)
        m_check->setChecked(text == QLatin1String("True"));
    if (m_choice) {
        m_choice->setCurrentText(text);
        setStyleFlag(*m_choice, "byDefault", !m_given);
    }
    m_text = text;
    if (!m_field)
        return;
    m_field->setPlaceholderText(fromWires ? autoText(m_spec, workedOut) : QString());
    m_field->setText(text);
    m_field->setModified(false);
    markWrong(*m_field, {});
    setStyleFlag(*m_field, "byDefault", !m_given);
}

void AttrEditor::commitText()
{
    if (m_field->text() == m_text) {
        markWrong(*m_field, {});
        m_field->setModified(false);
        return;
    }
    const ParsedAttr parsed = parseAttr(m_spec, m_field->text());
    if (!parsed.error.isEmpty()) {
        markWrong(*m_field, parsed.error);
        return;
    }
    // From here on the document's answer is what is shown.
    const QString typed = m_field->text();
    m_field->setModified(false);
    const QString before = std::exchange(m_text, typed);
    const QString refused = m_commit(parsed.value);
    if (refused.isEmpty())
        return;
    m_text = before;
    m_field->setText(typed);
    m_field->setModified(true);
    markWrong(*m_field, refused);
}

void AttrEditor::send(std::optional<Value> value)
{
    const bool checked = m_check && m_check->isChecked();
    if (!m_commit(std::move(value)).isEmpty()) {
        // Refused: the old state again.
        if (m_check)
            m_check->setChecked(!checked);
        if (m_choice)
            m_choice->setCurrentText(m_text);
    }
}

void AttrEditor::step(int by)
{
    const std::optional<std::int64_t> number = parseInteger(ss(m_field->text()));
    if (!number || (m_spec.kind != nn::AttrKind::Size && m_spec.kind != nn::AttrKind::Integer))
        return;
    m_field->setText(QString::number(*number + by));
    m_field->setModified(true);
}

bool AttrEditor::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool dirty = m_field->text() != m_text;
    if (key == Qt::Key_Escape && dirty) {
        if (event->type() == QEvent::ShortcutOverride) {
            event->accept();
            return true;
        }
        m_field->setText(m_text);
        m_field->setModified(false);
        markWrong(*m_field, {});
        setStyleFlag(*m_field, "byDefault", !m_given);
        return true;
    }
    if (event->type() == QEvent::KeyPress && (key == Qt::Key_Up || key == Qt::Key_Down)) {
        step(key == Qt::Key_Up ? 1 : -1);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace megalith::ui
