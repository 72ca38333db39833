// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/core/attrs.h"
#include "engine/core/value.h"
#include "engine/nn/module_def.h"

#include <QWidget>

#include <functional>
#include <optional>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QToolButton;

namespace megalith::ui {

// The editor of one argument. Commits on Enter and when left; what is wrong stays, red, with the reason; Esc brings back what
// was. A default is shown muted; a button beside a value that was given brings the default back.
class AttrEditor : public QWidget
{
    Q_OBJECT
public:
    using Commit = std::function<QString(std::optional<Value> value)>;

    AttrEditor(const nn::AttrSpec& spec, Commit commit, QWidget* parent = nullptr);

    const nn::AttrSpec& spec() const { return m_spec; }
    // given: nullptr when the file has none.
    void setValue(const Value* given, const AttrValue* workedOut);
    QLineEdit* field() const { return m_field; }
    QComboBox* choice() const { return m_choice; }
    QCheckBox* check() const { return m_check; }
    QToolButton* restoreButton() const { return m_restore; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeField();
    void makeChoice();
    void makeCheck();
    void commitText();
    void send(std::optional<Value> value);
    void step(int by);
    void display(const Value* given, const AttrValue* workedOut);

    const nn::AttrSpec& m_spec;
    Commit m_commit;
    QLineEdit* m_field = nullptr;
    QComboBox* m_choice = nullptr;
    QCheckBox* m_check = nullptr;
    QToolButton* m_restore;
    QString m_text;  // as it was shown last
    bool m_given = false;
};

}  // namespace megalith::ui
