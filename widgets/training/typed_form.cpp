// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/typed_form.h"

#include "widgets/field.h"
#include "widgets/inspector/attr_form.h"
#include "widgets/text.h"
#include "widgets/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace megalith::ui {

TypedForm::TypedForm(DocumentHost& host, std::string key, const QString& title, std::vector<TypeChoice> choices,
                     bool optional, QWidget* parent)
    : QWidget(parent)
    , m_host(host)
    , m_key(std::move(key))
    , m_choices(std::move(choices))
    , m_optional(optional)
    , m_title(new QLabel(title, this))
    , m_type(new QComboBox(this))
    , m_form(new AttrForm(this))
{
    setStyleFlag(*m_title, "title", true);
    m_title->setBuddy(m_type);
    m_title->setMinimumWidth(size::labelWidth);
    m_type->setAccessibleName(title);
    m_type->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    leaveWheelToParent(*m_type);
    if (optional)
        m_type->addItem(tr("None"));
    for (const TypeChoice& choice : m_choices) {
        m_type->addItem(qs(choice.type));
        m_type->setItemData(m_type->count() - 1, qs(choice.doc), Qt::ToolTipRole);
    }
    auto* head = new QHBoxLayout;
    head->setSpacing(size::gap2);
    head->addWidget(m_title);
    head->addWidget(m_type, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(size::gap1);
    layout->addLayout(head);
    layout->addWidget(m_form);
    connect(m_type, &QComboBox::activated, this, &TypedForm::choose);
    m_form->commit = [this](std::string_view name, std::optional<Value> value) {
        return m_host.change([&](const graph::Document& document) {
            // Taking an argument away means writing the object without it.
            const Value* now = document.training.find(m_key);
            Value changed = now && now->isObject() ? *now : Value(Value::Object{});
            if (value)
                changed.set(name, *value);
            else
                changed.erase(name);
            const std::vector<std::string> path = {m_key};
            const graph::Edit edit = graph::setSetting(document, "training", path, std::move(changed));
            return graph::Edit{graph::Composite{ss(tr("Set %1 of the %2").arg(qs(name), qs(m_key))), {edit}}};
        });
    };
}

const Value* TypedForm::given() const
{
    const Value* value = m_host.document().training.find(m_key);
    return value && value->isObject() ? value : nullptr;
}

void TypedForm::refresh()
{
    const Value* value = given();
    const Value* type = value ? value->find("type") : nullptr;
    const QString name = type && type->isString() ? qs(type->string()) : QString();
    const int index = name.isEmpty() ? (m_optional ? 0 : -1) : m_type->findText(name);
    m_type->setCurrentIndex(index);
    m_type->setPlaceholderText(name.isEmpty() ? tr("Choose one") : name);
    std::span<const nn::AttrSpec> specs;
    for (const TypeChoice& choice : m_choices)
        if (qs(choice.type) == name) {
            specs = choice.attrs;
            m_type->setToolTip(qs(choice.doc));
        }
    m_form->setVisible(!specs.empty());
    m_form->setSpecs(specs);
    m_form->setValues(value ? *value : Value(Value::Object{}), nullptr);
}

void TypedForm::choose(int index)
{
    const int offset = m_optional ? 1 : 0;
    const std::vector<std::string> path = {m_key};
    if (index < offset) {
        m_host.change(
            [&](const graph::Document& document) { return graph::setSetting(document, "training", path, Value()); });
    } else {
        const TypeChoice& choice = m_choices[static_cast<std::size_t>(index - offset)];
        // Arguments that both know stay: the learning rate above all.
        Value chosen = Value::Object{{"type", Value(choice.type)}};
        if (const Value* before = given())
            for (const nn::AttrSpec& spec : choice.attrs)
                if (const Value* kept = before->find(spec.name))
                    chosen.set(spec.name, *kept);
        m_host.change(
            [&](const graph::Document& document) { return graph::setSetting(document, "training", path, chosen); });
    }
    refresh();
}

}  // namespace megalith::ui
