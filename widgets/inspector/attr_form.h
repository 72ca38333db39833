// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"
#include "engine/core/value.h"
#include "engine/nn/module_def.h"

#include <QWidget>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

class QGridLayout;

namespace megalith::ui {

class AttrEditor;

// Editors for a list of arguments, made from their specs. Shows values, asks for changes, keeps nothing.
class AttrForm : public QWidget
{
    Q_OBJECT
public:
    explicit AttrForm(QWidget* parent = nullptr);

    // Rows for these specs; the same specs keep their widgets (and the focus). Specs have to live as long as the form shows them.
    void setSpecs(std::span<const nn::AttrSpec> specs);
    // given: what the file has. workedOut: with defaults and sizes from the wires.
    void setValues(const Value& given, const Attrs* workedOut);
    void setLocked(bool locked, const QString& reason);
    AttrEditor* editor(std::string_view name) const;
    QWidget* firstEditor() const;

    // Nothing: the default shall hold. Returns why it was refused.
    std::function<QString(std::string_view name, std::optional<Value> value)> commit;

private:
    QGridLayout* m_layout;
    std::vector<AttrEditor*> m_editors;
    const nn::AttrSpec* m_first = nullptr;
    std::size_t m_count = 0;
};

}  // namespace megalith::ui
