// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/error.h"
#include "engine/ops/functions.h"
#include "engine/optim/optimizers.h"

namespace megalith::optim {

nn::AttrSpec learningRateSpec()
{
    return nn::real("lr", 1e-3, "learning rate: how far one step goes", 0.0);
}

nn::AttrSpec weightDecaySpec(double byDefault)
{
    return nn::real("weight_decay", byDefault, "pulls every parameter towards zero", 0.0);
}

nn::AttrSpec maximizeSpec()
{
    return nn::boolean("maximize", false, "climbs instead of descending");
}

namespace {

void checkSgd(const Attrs& args)
{
    if (args.flag("nesterov") && (args.real("momentum") <= 0.0 || args.real("dampening") != 0.0))
        throw Error("nesterov needs a momentum above 0 and a dampening of 0");
}

std::vector<std::string_view> sgdState(const Attrs& args)
{
    return args.real("momentum") == 0.0 ? std::vector<std::string_view>{}
                                        : std::vector<std::string_view>{"momentum_buffer"};
}

void sgdUpdate(const Update& u)
{
    const ops::SgdArgs args{.momentum = u.args.real("momentum"),
                            .dampening = u.args.real("dampening"),
                            .weight_decay = u.args.real("weight_decay"),
                            .nesterov = u.args.flag("nesterov"),
                            .maximize = u.args.flag("maximize")};
    if (u.state.empty())
        return ops::sgdStep_(u.parameter, u.gradient, {}, u.lr, u.step, args);
    ops::sgdStep_(u.parameter, u.gradient, u.state[0], u.lr, u.step, args);
    ops::addScalar_(u.step, 1.0);
}

}  // namespace

// Sutskever et al. 2013 for the momentum, in the form of torch.optim.SGD: the learning rate multiplies the velocity.
OptimizerDef sgd()
{
    return {.type = "SGD",
            .doc = "Steps against the gradient; with momentum a heavy ball that keeps its speed.",
            .attrs = {learningRateSpec(), nn::real("momentum", 0.0, "share of the speed that is kept", 0.0),
                      nn::real("dampening", 0.0, "share of the gradient that does not enter the speed"),
                      weightDecaySpec(0.0), nn::boolean("nesterov", false, "looks ahead along the speed"),
                      maximizeSpec()},
            .check = checkSgd,
            .stateNames = sgdState,
            .update = sgdUpdate};
}

}  // namespace megalith::optim
