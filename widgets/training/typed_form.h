// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/document_host.h"

#include <QWidget>

#include <span>
#include <string>
#include <vector>

class QComboBox;
class QLabel;

namespace megalith::ui {

class AttrForm;

// One choice of a setting that is {"type": ..., arguments}: a loss, an optimizer, a scheduler.
struct TypeChoice
{
    std::string_view type;
    std::string_view doc;
    std::span<const nn::AttrSpec> attrs;
};

// The type in a combo box, its arguments below.
class TypedForm : public QWidget
{
    Q_OBJECT
public:
    // key: "optimizer" of the section "training". optional: None is a choice too.
    TypedForm(DocumentHost& host, std::string key, const QString& title, std::vector<TypeChoice> choices, bool optional,
              QWidget* parent = nullptr);
    void refresh();
    QComboBox* type() const { return m_type; }
    AttrForm* form() const { return m_form; }

private:
    const Value* given() const;
    void choose(int index);

    DocumentHost& m_host;
    std::string m_key;
    std::vector<TypeChoice> m_choices;
    bool m_optional;
    QLabel* m_title;
    QComboBox* m_type;
    AttrForm* m_form;
};

}  // namespace megalith::ui
