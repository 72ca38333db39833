// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/data_form.h"

#include "widgets/field.h"
#include "widgets/inspector/attr_form.h"
#include "widgets/text.h"
#include "widgets/theme.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace megalith::ui {

namespace {

std::span<const nn::AttrSpec> dataSpecs()
{
    static const std::vector<nn::AttrSpec> specs = [] {
        nn::AttrSpec validation =
            nn::real("validation", 0.0, "share of the samples kept for validation, or test: the source's own test part",
                     0.0, 1.0);
        validation.choices = {"test"};
        return std::vector<nn::AttrSpec>{
            validation,
            nn::choice(
                "normalize", "none", {"none", "standard", "minmax"},
                "how inputs are scaled, fitted on the training part: standard has mean 0 and deviation 1, minmax 0 to 1")};
    }();
    return specs;
}

bool isFile(const QString& source)
{
    static const QStringList files = {QStringLiteral("csv"), QStringLiteral("idx"),          QStringLiteral("npy"),
                                      QStringLiteral("npz"), QStringLiteral("image-folder"), QStringLiteral("cifar10"),
                                      QStringLiteral("text")};
    return files.contains(source);
}

}  // namespace

DataForm::DataForm(DocumentHost& host, std::vector<std::string> sources, QWidget* parent)
    : QWidget(parent)
    , m_host(host)
    , m_source(new QComboBox(this))
    , m_pathLabel(new QLabel(tr("path"), this))
    , m_path(new QLineEdit(this))
    , m_browse(new QToolButton(this))
    , m_form(new AttrForm(this))
{
    auto* title = new QLabel(tr("Data"), this);
    setStyleFlag(*title, "title", true);
    title->setBuddy(m_source);
    title->setMinimumWidth(size::labelWidth);
    for (const std::string& source : sources)
        m_source->addItem(qs(source));
    m_source->setPlaceholderText(tr("Choose a source"));
    m_source->setAccessibleName(tr("Data source"));
    m_source->setToolTip(tr("Where the samples come from"));
    leaveWheelToParent(*m_source);
    m_path->setAccessibleName(tr("Path of the data"));
    m_path->setToolTip(tr("Relative to the project file"));
    m_browse->setText(QStringLiteral("..."));
    m_browse->setProperty("quiet", true);
    m_browse->setAccessibleName(tr("Choose the file"));
    m_form->setSpecs(dataSpecs());
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(size::gap2);
    grid->setVerticalSpacing(size::gap1);
    grid->setColumnStretch(1, 1);
    grid->addWidget(title, 0, 0);
    grid->addWidget(m_source, 0, 1, 1, 2);
    grid->addWidget(m_pathLabel, 1, 0);
    grid->addWidget(m_path, 1, 1);
    grid->addWidget(m_browse, 1, 2);
    grid->addWidget(m_form, 2, 0, 1, 3);
    connect(m_source, &QComboBox::activated, this, [this] {
        set("source", Value(ss(m_source->currentText())));
        refresh();
    });
    connect(m_path, &QLineEdit::editingFinished, this, [this] {
        if (m_path->isModified())
            setPath(m_path->text());
    });
    connect(m_browse, &QToolButton::clicked, this, &DataForm::fileWanted);
    m_form->commit = [this](std::string_view key, std::optional<Value> value) { return set(key, std::move(value)); };
}

QString DataForm::set(std::string_view key, std::optional<Value> value)
{
    return m_host.change([&](const graph::Document& document) {
        Value changed = document.data.isObject() ? document.data : Value(Value::Object{});
        if (value)
            changed.set(key, *value);
        else
            changed.erase(key);
        const graph::Edit edit{graph::SetProject{"data", std::move(changed)}};
        return graph::Edit{graph::Composite{ss(tr("Set %1").arg(qs(key))), {edit}}};
    });
}

void DataForm::setPath(const QString& path)
{
    m_path->setModified(false);
    set("path", path.isEmpty() ? std::nullopt : std::optional<Value>(ss(path)));
}

void DataForm::refresh()
{
    const Value& described = m_host.document().data;
    const Value* source = described.find("source");
    const QString name = source && source->isString() ? qs(source->string()) : QString();
    m_source->setCurrentIndex(m_source->findText(name));
    const bool file = isFile(name);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_pathLabel, m_path, m_browse})
        widget->setVisible(file);
    const Value* path = described.find("path");
    if (!m_path->hasFocus() || !m_path->isModified())
        m_path->setText(path && path->isString() ? qs(path->string()) : QString());
    m_form->setValues(described.isObject() ? described : Value(Value::Object{}), nullptr);
}

}  // namespace megalith::ui
