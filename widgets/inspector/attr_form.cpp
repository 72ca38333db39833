// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/attr_form.h"

#include "widgets/field.h"
#include "widgets/inspector/attr_editor.h"
#include "widgets/inspector/attr_text.h"
#include "widgets/text.h"
#include "widgets/theme.h"

#include <QGridLayout>
#include <QLabel>

namespace megalith::ui {

AttrForm::AttrForm(QWidget* parent) : QWidget(parent), m_layout(new QGridLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setHorizontalSpacing(size::gap2);
    m_layout->setVerticalSpacing(size::gap1);
    m_layout->setColumnStretch(1, 1);
    m_layout->setColumnMinimumWidth(0, size::labelWidth);
}

void AttrForm::setSpecs(std::span<const nn::AttrSpec> specs)
{
    if (specs.data() == m_first && specs.size() == m_count)
        return;
    m_first = specs.data();
    m_count = specs.size();
    while (QLayoutItem* item = m_layout->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    m_editors.clear();
    for (const nn::AttrSpec& spec : specs) {
        auto* editor = new AttrEditor(
            spec,
            [this, name = spec.name](std::optional<Value> value) {
                return commit ? commit(name, std::move(value)) : QString();
            },
            this);
        auto* label = new QLabel(qs(spec.name), this);
        label->setToolTip(attrTip(spec));
        label->setBuddy(editor);
        const int row = static_cast<int>(m_editors.size());
        m_layout->addWidget(label, row, 0);
        m_layout->addWidget(editor, row, 1);
        m_editors.push_back(editor);
    }
}

void AttrForm::setValues(const Value& given, const Attrs* workedOut)
{
    for (AttrEditor* editor : m_editors) {
        const std::string_view name = editor->spec().name;
        editor->setValue(given.find(name), workedOut ? workedOut->find(name) : nullptr);
    }
}

void AttrForm::setLocked(bool locked, const QString& reason)
{
    setEnabled(!locked);
    setToolTip(reason);
}

QWidget* AttrForm::firstEditor() const
{
    return m_editors.empty() ? nullptr : m_editors.front();
}

AttrEditor* AttrForm::editor(std::string_view name) const
{
    for (AttrEditor* editor : m_editors)
        if (editor->spec().name == name)
            return editor;
    return nullptr;
}

}  // namespace megalith::ui
