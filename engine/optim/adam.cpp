// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/ops/functions.h"
#include "engine/optim/optimizers.h"

namespace megalith::optim {

namespace {

void checkAdam(const Attrs& args)
{
    for (const double beta : args.reals("betas"))
        if (beta >= 1.0)
            throw Error("betas must be below 1, not " + pythonText(*args.find("betas")));
}

std::vector<std::string_view> adamState(const Attrs& args)
{
    std::vector<std::string_view> names{"exp_avg", "exp_avg_sq"};
    if (args.flag("amsgrad"))
        names.push_back("max_exp_avg_sq");
    return names;
}

template<bool decoupled>
void adamUpdate(const Update& u)
{
    const std::vector<double> betas = u.args.reals("betas");
    const ops::AdamArgs args{.beta1 = betas[0],
                             .beta2 = betas[1],
                             .eps = u.args.real("eps"),
                             .weight_decay = u.args.real("weight_decay"),
                             .decoupled = decoupled,
                             .maximize = u.args.flag("maximize")};
    ops::addScalar_(u.step, 1.0);
    ops::adamStep_(u.parameter, u.gradient, u.state[0], u.state[1], u.state.size() > 2 ? u.state[2] : Tensor(), u.lr,
                   u.step, args);
}

std::vector<nn::AttrSpec> adamAttrs(double weightDecay)
{
    return {
        learningRateSpec(),
        nn::reals("betas", {0.9, 0.999}, "how slowly the averages of gradient and squared gradient forget", 0.0, 1.0),
        nn::real("eps", 1e-8, "added below the fraction, so that nothing is divided by zero", 0.0),
        weightDecaySpec(weightDecay),
        nn::boolean("amsgrad", false, "divides by the largest average so far (Reddi et al. 2018)"),
        maximizeSpec()};
}

}  // namespace

// Kingma and Ba 2015; weight decay is added to the gradient.
OptimizerDef adam()
{
    return {.type = "Adam",
            .doc = "Gives every parameter its own step, by the size of its recent gradients.",
            .attrs = adamAttrs(0.0),
            .check = checkAdam,
            .stateNames = adamState,
            .update = adamUpdate<false>};
}

// Loshchilov and Hutter 2019: weight decay apart from the gradient.
OptimizerDef adamW()
{
    return {.type = "AdamW",
            .doc = "Adam with a weight decay that does not pass through the averages.",
            .attrs = adamAttrs(1e-2),
            .check = checkAdam,
            .stateNames = adamState,
            .update = adamUpdate<true>};
}

}  // namespace megalith::optim
