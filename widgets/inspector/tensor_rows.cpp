// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/tensor_rows.h"

#include "engine/nn/init.h"
#include "widgets/field.h"
#include "widgets/text.h"
#include "widgets/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>

namespace megalith::ui {

TensorRows::TensorRows(DocumentHost& host, QWidget* parent)
    : QWidget(parent)
    , m_host(host)
    , m_layout(new QGridLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setHorizontalSpacing(size::gap2);
    m_layout->setVerticalSpacing(size::gap1);
    m_layout->setColumnStretch(1, 1);
}

void TensorRows::showNode(graph::Id node)
{
    const graph::NodeInfo* info = m_host.analysis().first(node);
    if (!info || info->tensors.empty()) {
        clear();
        m_node = node;
        return;
    }
    bool same = node == m_node && m_rows.size() == info->tensors.size();
    for (std::size_t i = 0; same && i < m_rows.size(); ++i)
        same = m_rows[i].name == info->tensors[i].name;
    m_node = node;
    if (!same)
        rebuild(*info);
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const graph::TensorInfo& tensor = info->tensors[i];
        Row& row = m_rows[i];
        row.shape->setText(shapeText(tensor.shape));
        if (!row.trainable)
            continue;
        row.trainable->setChecked(tensor.trainable);
        const graph::Node* found = m_host.document().node(node);
        const Value* given = found ? found->init.find(tensor.name) : nullptr;
        row.init->setItemText(0, tr("default"));
        const Value* type = given ? given->find("type") : nullptr;
        row.init->setCurrentText(type && type->isString() ? qs(type->string()) : tr("default"));
        setStyleFlag(*row.init, "byDefault", given == nullptr);
    }
}

void TensorRows::clear()
{
    while (QLayoutItem* item = m_layout->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    m_rows.clear();
}

void TensorRows::rebuild(const graph::NodeInfo& info)
{
    clear();
    for (const graph::TensorInfo& tensor : info.tensors)
        addRow(tensor, static_cast<int>(m_rows.size()));
}

// Two lines: name, shape and whether it is trained; below, how it begins. In one line a long shape would push the rest out.
void TensorRows::addRow(const graph::TensorInfo& tensor, int at)
{
    const int line = 2 * at;
    Row row;
    row.name = tensor.name;
    auto* name = new QLabel(qs(tensor.name), this);
    name->setFont(monoFont());
    name->setToolTip(tensor.persistent ? tr("Key: %1").arg(qs(tensor.key)) : tr("Not persistent: it has no key"));
    row.shape = new QLabel(this);
    row.shape->setFont(smallMonoFont());
    setStyleFlag(*row.shape, "muted", true);
    m_layout->addWidget(name, line, 0);
    m_layout->addWidget(row.shape, line, 1);
    if (tensor.buffer) {
        auto* word = new QLabel(tr("buffer"), this);
        setStyleFlag(*word, "muted", true);
        m_layout->addWidget(word, line, 2, Qt::AlignRight);
        m_rows.push_back(std::move(row));
        return;
    }
    row.trainable = new QCheckBox(tr("train"), this);
    row.trainable->setToolTip(tr("Off: frozen, no gradient is computed and the optimizer leaves it alone"));
    row.trainable->setAccessibleName(tr("Train %1").arg(qs(tensor.key)));
    row.init = new QComboBox(this);
    row.init->addItem(tr("default"));
    for (const nn::InitDef& def : nn::allInits()) {
        row.init->addItem(qs(def.type));
        row.init->setItemData(row.init->count() - 1, qs(def.doc), Qt::ToolTipRole);
    }
    row.init->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    row.init->setMinimumContentsLength(9);
    row.init->setToolTip(tr("How fresh values are made: by default %1").arg(qs(tensor.init.type)));
    row.init->setAccessibleName(tr("Initialisation of %1").arg(qs(tensor.key)));
    leaveWheelToParent(*row.init);
    connect(row.trainable, &QCheckBox::clicked, this, [this, parameter = tensor.name](bool on) {
        const graph::Id node = m_node;
        const QString refused = m_host.change(
            [&](const graph::Document& document) { return graph::setFrozen(document, node, parameter, !on); });
        if (!refused.isEmpty())
            trainable(parameter)->setChecked(!on);
    });
    connect(row.init, &QComboBox::activated, this, [this, parameter = tensor.name, combo = row.init](int index) {
        setInit(parameter, index == 0 ? QString() : combo->currentText());
    });
    auto* begins = new QLabel(tr("init"), this);
    setStyleFlag(*begins, "muted", true);
    m_layout->addWidget(row.trainable, line, 2, Qt::AlignRight);
    m_layout->addWidget(begins, line + 1, 0);
    m_layout->addWidget(row.init, line + 1, 1, 1, 2);
    m_rows.push_back(std::move(row));
}

void TensorRows::setInit(const std::string& name, const QString& type)
{
    const graph::Id id = m_node;
    m_host.change([&](const graph::Document& document) {
        graph::Node node = *document.node(id);
        if (type.isEmpty())
            node.init.erase(name);
        else
            node.init.set(name, Value(Value::Object{{"type", Value(ss(type))}}));
        if (node.init.isObject() && node.init.object().empty())
            node.init = Value();
        graph::Composite named;
        named.name = ss(tr("Initialise %1 by %2").arg(qs(name), type.isEmpty() ? tr("default") : type));
        named.edits.push_back({graph::SetNode{document.moduleOf(id).value_or(""), id, std::move(node)}});
        return graph::Edit{std::move(named)};
    });
    showNode(id);
}

QCheckBox* TensorRows::trainable(std::string_view name) const
{
    for (const Row& row : m_rows)
        if (row.name == name)
            return row.trainable;
    return nullptr;
}

QComboBox* TensorRows::init(std::string_view name) const
{
    for (const Row& row : m_rows)
        if (row.name == name)
            return row.init;
    return nullptr;
}

}  // namespace megalith::ui
