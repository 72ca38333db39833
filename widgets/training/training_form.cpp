// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/training_form.h"

#include "engine/nn/loss.h"
#include "engine/optim/optimizer.h"
#include "engine/optim/scheduler.h"
#include "engine/train/settings.h"
#include "widgets/field.h"
#include "widgets/inspector/attr_form.h"
#include "widgets/text.h"
#include "widgets/theme.h"
#include "widgets/training/data_form.h"
#include "widgets/training/typed_form.h"

#include <QLabel>
#include <QVBoxLayout>

namespace megalith::ui {

namespace {

template<typename Def>
std::vector<TypeChoice> choicesOf(std::span<const Def> defs)
{
    std::vector<TypeChoice> choices;
    for (const Def& def : defs)
        choices.push_back({def.type, def.doc, def.attrs});
    return choices;
}

std::span<const nn::AttrSpec> runSpecs()
{
    static const std::vector<nn::AttrSpec> specs = [] {
        const train::Settings defaults;
        return std::vector<nn::AttrSpec>{
            nn::size("epochs", defaults.epochs, "how often all samples are seen"),
            nn::size("batch_size", defaults.batchSize, "samples in one step"),
            nn::boolean("shuffle", defaults.shuffle, "draw the samples in another order every epoch"),
            nn::boolean("drop_last", defaults.dropLast, "leave out a last batch that is smaller"),
            nn::realOrNone("clip_grad_norm", AttrValue(), "largest norm of all gradients together; None: not clipped"),
            nn::integer("seed", defaults.seed, "what initial values, order and dropout are drawn from"),
            nn::choice("device", "auto", {"auto", "cpu"}, "what computes"),
        };
    }();
    return specs;
}

}  // namespace

TrainingForm::TrainingForm(DocumentHost& host, std::vector<std::string> sources, QWidget* parent)
    : QScrollArea(parent)
    , m_host(host)
    , m_page(new QWidget)
    , m_data(new DataForm(host, std::move(sources), m_page))
    , m_loss(new TypedForm(host, "loss", tr("Loss"), choicesOf(nn::allLosses()), false, m_page))
    , m_optimizer(new TypedForm(host, "optimizer", tr("Optimizer"), choicesOf(optim::allOptimizers()), false, m_page))
    , m_scheduler(new TypedForm(host, "scheduler", tr("Scheduler"), choicesOf(optim::allSchedulers()), true, m_page))
    , m_form(new AttrForm(m_page))
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* runTitle = new QLabel(tr("Run"), m_page);
    setStyleFlag(*runTitle, "title", true);
    auto* layout = new QVBoxLayout(m_page);
    layout->setContentsMargins(size::gap4, size::gap3, size::gap4, size::gap4);
    layout->setSpacing(size::gap3);
    layout->addWidget(m_data);
    layout->addWidget(m_loss);
    layout->addWidget(m_optimizer);
    layout->addWidget(m_scheduler);
    layout->addWidget(runTitle);
    layout->addWidget(m_form);
    layout->addStretch(1);
    m_form->setSpecs(runSpecs());
    m_form->commit = [this](std::string_view key, std::optional<Value> value) {
        return m_host.change([&](const graph::Document& document) {
            Value changed = document.training.isObject() ? document.training : Value(Value::Object{});
            if (value)
                changed.set(key, *value);
            else
                changed.erase(key);
            const graph::Edit edit{graph::SetProject{"training", std::move(changed)}};
            return graph::Edit{graph::Composite{ss(tr("Set %1").arg(qs(key))), {edit}}};
        });
    };
    setWidget(m_page);
    connect(&host, &DocumentHost::changed, this, [this] { refresh(); });
    connect(&host, &DocumentHost::reset, this, [this] { refresh(); });
    connect(&host, &DocumentHost::lockChanged, this, [this] { refresh(); });
    refresh();
}

void TrainingForm::refresh()
{
    m_data->refresh();
    m_loss->refresh();
    m_optimizer->refresh();
    m_scheduler->refresh();
    const Value& training = m_host.document().training;
    m_form->setValues(training.isObject() ? training : Value(Value::Object{}), nullptr);
    m_page->setEnabled(!m_host.isLocked());
    m_page->setToolTip(m_host.lockReason());
}

}  // namespace megalith::ui
