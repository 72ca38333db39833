// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/inspector.h"

#include "widgets/field.h"
#include "widgets/inspector/attr_form.h"
#include "widgets/inspector/tensor_rows.h"
#include "widgets/text.h"
#include "widgets/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace megalith::ui {

namespace {

QLabel* muted(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    setStyleFlag(*label, "muted", true);
    return label;
}

QLabel* title(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    setStyleFlag(*label, "title", true);
    return label;
}

QString flowText(const graph::NodeInfo& info)
{
    const auto side = [](const std::vector<graph::Port>& ports) {
        QStringList parts;
        for (const graph::Port& port : ports) {
            const QString shape = shapeText(port.shape);
            parts << (ports.size() > 1 ? qs(port.name) + QLatin1Char(' ') : QString())
                         + (shape.isEmpty() ? QStringLiteral("?") : shape);
        }
        return parts.join(QStringLiteral(", "));
    };
    const QString in = side(info.inputs), out = side(info.outputs);
    if (in.isEmpty() || out.isEmpty())
        return in + out;
    return in + QStringLiteral("  \u2192  ") + out;
}

}  // namespace

Inspector::Inspector(DocumentHost& host, QWidget* parent) : QScrollArea(parent), m_host(host)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(size::gap4, size::gap3, size::gap4, size::gap4);
    m_empty = muted(page);
    layout->addWidget(m_empty);
    m_details = new QWidget(page);
    auto* inner = new QVBoxLayout(m_details);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(size::gap2);
    build(m_details, inner);
    layout->addWidget(m_details);
    layout->addStretch(1);
    setWidget(page);
    connect(&host, &DocumentHost::changed, this, [this] { refresh(); });
    connect(&host, &DocumentHost::reset, this, [this] { showNodes({}); });
    connect(&host, &DocumentHost::lockChanged, this, [this] { refresh(); });
    refresh();
}

void Inspector::build(QWidget* page, QVBoxLayout* layout)
{
    m_name = new QLineEdit(page);
    m_name->setAccessibleName(tr("Name of the node"));
    m_name->setToolTip(tr("The attribute name: it makes the keys of the state_dict"));
    m_name->installEventFilter(this);
    m_type = muted(page);
    auto* head = new QHBoxLayout;
    head->addWidget(m_name, 1);
    head->addWidget(m_type);
    layout->addLayout(head);
    m_doc = muted(page);
    layout->addWidget(m_doc);
    m_flow = new QLabel(page);
    m_flow->setFont(smallMonoFont());
    m_flow->setWordWrap(true);
    layout->addWidget(m_flow);
    m_form = new AttrForm(page);
    m_form->commit = [this](std::string_view name, std::optional<Value> value) {
        const graph::Id node = m_node;
        return m_host.change(
            [&](const graph::Document& document) { return graph::setAttr(document, node, name, std::move(value)); });
    };
    layout->addWidget(m_form);
    m_tensorsTitle = title(tr("Parameters"), page);
    layout->addSpacing(size::gap1);
    layout->addWidget(m_tensorsTitle);
    m_tensors = new TensorRows(m_host, page);
    layout->addWidget(m_tensors);
    layout->addSpacing(size::gap1);
    layout->addWidget(title(tr("Note"), page));
    m_note = new QPlainTextEdit(page);
    m_note->setAccessibleName(tr("Note"));
    m_note->setPlaceholderText(tr("What this part is for"));
    m_note->setTabChangesFocus(true);
    m_note->setFixedHeight(64);
    m_note->installEventFilter(this);
    layout->addWidget(m_note);
    connect(m_name, &QLineEdit::returnPressed, this, &Inspector::commitName);
    connect(m_name, &QLineEdit::textEdited, this, [this] { markWrong(*m_name, {}); });
}

void Inspector::showNodes(const std::vector<graph::Id>& ids)
{
    // What is being typed belongs to the node that was shown.
    if (m_node != 0 && (ids.size() != 1 || ids.front() != m_node)) {
        commitName();
        commitNote();
        if (QWidget* focus = focusWidget(); focus && m_details->isAncestorOf(focus))
            focus->clearFocus();
        markWrong(*m_name, {});
        m_name->setModified(false);
        m_form->setSpecs({});
    }
    m_selected = ids.size();
    m_node = ids.size() == 1 ? ids.front() : 0;
    refresh();
}

void Inspector::focusFirst()
{
    if (m_node == 0)
        return;
    QWidget* first = m_form->firstEditor();
    (first ? first : m_name)->setFocus();
}

void Inspector::refresh()
{
    const graph::Node* node = m_host.document().node(m_node);
    m_details->setVisible(node != nullptr);
    m_empty->setVisible(node == nullptr);
    if (!node) {
        m_node = 0;
        m_empty->setText(
            m_selected > 1
                ? tr("%n nodes are selected. Select one to see its arguments.", nullptr, static_cast<int>(m_selected))
                : tr("Select a node to see its arguments, or press Tab on the canvas to add one."));
        return;
    }
    const graph::NodeInfo* info = m_host.analysis().first(m_node);
    const graph::TypeInfo type = graph::typeInfo(m_host.document(), node->type);
    if (!m_name->hasFocus() || !m_name->isModified()) {
        m_name->setText(qs(node->name));
        m_name->setModified(false);
        markWrong(*m_name, {});
    }
    m_type->setText(qs(node->type));
    m_doc->setText(type.composed ? tr("One of your own modules.")
                   : type.def    ? qs(type.def->doc)
                                 : tr("This version does not know the type. It is kept and saved as it is."));
    m_flow->setText(info ? flowText(*info) : QString());
    m_flow->setVisible(!m_flow->text().isEmpty());
    m_form->setSpecs(type.def && !type.composed ? std::span<const nn::AttrSpec>(type.def->attrs)
                                                : std::span<const nn::AttrSpec>());
    m_form->setValues(node->attrs, info ? &info->attrs : nullptr);
    m_tensors->showNode(m_node);
    m_tensors->setVisible(!m_tensors->isEmpty());
    m_tensorsTitle->setVisible(!m_tensors->isEmpty());
    if (!m_note->hasFocus() || !m_note->document()->isModified()) {
        if (m_note->toPlainText() != qs(node->note))
            m_note->setPlainText(qs(node->note));
        m_note->document()->setModified(false);
    }
    const QString reason = m_host.lockReason();
    m_form->setLocked(!reason.isEmpty(), reason);
    m_tensors->setEnabled(reason.isEmpty());
    const std::optional<std::string> module = m_host.document().moduleOf(m_node);
    const graph::Body* body = module ? m_host.document().body(*module) : nullptr;
    // In a chain the name is the position.
    m_name->setReadOnly(!reason.isEmpty() || (body && body->sequential));
    m_note->setReadOnly(!reason.isEmpty());
}

void Inspector::commitName()
{
    const graph::Node* node = m_host.document().node(m_node);
    if (!node || qs(node->name) == m_name->text() || m_name->isReadOnly())
        return;
    const std::string name = ss(m_name->text());
    const graph::Id id = m_node;
    m_name->setModified(false);
    const QString refused =
        m_host.change([&](const graph::Document& document) { return graph::rename(document, id, name); });
    if (refused.isEmpty())
        return;
    m_name->setText(qs(name));
    m_name->setModified(true);
    markWrong(*m_name, refused);
}

void Inspector::commitNote()
{
    const graph::Node* node = m_host.document().node(m_node);
    if (!node || qs(node->note) == m_note->toPlainText() || m_note->isReadOnly())
        return;
    const std::string note = ss(m_note->toPlainText());
    const graph::Id id = m_node;
    m_note->document()->setModified(false);
    m_host.change([&](const graph::Document& document) { return graph::setNote(document, id, note); });
}

bool Inspector::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusOut) {
        if (watched == m_name)
            commitName();
        if (watched == m_note)
            commitNote();
    }
    const bool key = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (!key || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape)
        return QScrollArea::eventFilter(watched, event);
    const graph::Node* node = m_host.document().node(m_node);
    if (!node)
        return false;
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    if (watched == m_name) {
        m_name->setText(qs(node->name));
        m_name->setModified(false);
        markWrong(*m_name, {});
    }
    if (watched == m_note) {
        m_note->setPlainText(qs(node->note));
        m_note->document()->setModified(false);
    }
    return true;
}

}  // namespace megalith::ui
