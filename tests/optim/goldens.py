#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes optimizer_goldens.h and scheduler_goldens.h: what PyTorch gives for the cases below, in f64.

    /usr/bin/python3 tests/optim/goldens.py     (Debian's python3-torch)
"""
import math
import pathlib
import warnings

import torch

warnings.simplefilter("ignore")
torch.set_default_dtype(torch.float64)
HERE = pathlib.Path(__file__).parent
STEPS = 20

# (optimizer, arguments)
OPTIMIZERS = [
    ("SGD", dict(lr=0.1)),
    ("SGD", dict(lr=0.1, weight_decay=0.05)),
    ("SGD", dict(lr=0.05, momentum=0.9)),
    ("SGD", dict(lr=0.05, momentum=0.9, dampening=0.3, weight_decay=0.01)),
    ("SGD", dict(lr=0.05, momentum=0.8, nesterov=True, weight_decay=0.01)),
    ("SGD", dict(lr=0.05, momentum=0.5, maximize=True)),
    ("Adam", dict(lr=0.1)),
    ("Adam", dict(lr=0.05, betas=(0.7, 0.95), eps=1e-3, weight_decay=0.1)),
    ("Adam", dict(lr=0.1, amsgrad=True)),
    ("Adam", dict(lr=0.01, maximize=True)),
    ("AdamW", dict(lr=0.1)),
    ("AdamW", dict(lr=0.05, weight_decay=0.2, amsgrad=True)),
]

# (scheduler, arguments, base rate)
SCHEDULERS = [
    ("StepLR", dict(step_size=7), 0.1),
    ("StepLR", dict(step_size=1, gamma=0.97), 0.03),
    ("CosineAnnealingLR", dict(T_max=50), 0.1),
    ("CosineAnnealingLR", dict(T_max=10, eta_min=1e-3), 0.05),
    ("CosineAnnealingLR", dict(T_max=1, eta_min=0.2), 1.0),
]


def number(x):
    return repr(float(x))


def attribute(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"std::int64_t{{{value}}}"
    if isinstance(value, tuple):
        return "std::vector<double>{" + ", ".join(number(x) for x in value) + "}"
    return number(value)


def attributes(arguments):
    return "{" + ", ".join(f'{{"{name}", {attribute(value)}}}' for name, value in arguments.items()) + "}"


def vector(values):
    return "{" + ", ".join(number(x) for x in values) + "}"


def gradient(parameter, step):
    """Of sum(p^2 / 2) with a push that changes from step to step."""
    push = torch.tensor([math.sin(1.3 * step + 0.7 * i) for i in range(parameter.numel())])
    return parameter.detach() + push.reshape(parameter.shape)


def values_after(kind, arguments, dtype):
    first = torch.tensor([1.0, -2.0, 0.5], dtype=dtype, requires_grad=True)
    second = torch.tensor([[0.25], [-0.75]], dtype=dtype, requires_grad=True)
    optimizer = getattr(torch.optim, kind)([first, second], **arguments)
    for step in range(STEPS):
        first.grad = gradient(first, step).to(dtype)
        # The second one rests in the first three steps.
        second.grad = gradient(second, step).to(dtype) if step >= 3 else None
        optimizer.step()
    return first.tolist() + second.reshape(-1).tolist()


def optimizer_case(kind, arguments):
    values = values_after(kind, arguments, torch.float64)
    single = values_after(kind, arguments, torch.float32)
    distance = max(abs(a - b) for a, b in zip(single, values)) / max(map(abs, values))
    return f'    {{"{kind}", {attributes(arguments)},\n     {vector(values)},\n     {number(distance)}}},\n'


def scheduler_case(kind, arguments, base):
    parameter = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([parameter], lr=base)
    scheduler = getattr(torch.optim.lr_scheduler, kind)(optimizer, **arguments)
    rates = []
    for _ in range(60):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return f'    {{"{kind}", {attributes(arguments)}, {number(base)},\n     {vector(rates)}}},\n'


HEADER = f"""// SPDX-License-Identifier: GPL-3.0-or-later
// Made by goldens.py with PyTorch {torch.__version__}. Do not edit.
#pragma once

// clang-format off
"""


def main():
    with open(HERE / "optimizer_goldens.h", "w", encoding="utf-8") as out:
        out.write(HEADER + f"// Values after {STEPS} steps, and how far PyTorch in f32 is from them.\nstatic const std::vector<OptimizerGolden> optimizerGoldens{{\n")
        for case in OPTIMIZERS:
            out.write(optimizer_case(*case))
        out.write("};\n")
    with open(HERE / "scheduler_goldens.h", "w", encoding="utf-8") as out:
        out.write(HEADER + "// Learning rates of 60 epochs.\nstatic const std::vector<SchedulerGolden> schedulerGoldens{\n")
        for case in SCHEDULERS:
            out.write(scheduler_case(*case))
        out.write("};\n")


if __name__ == "__main__":
    main()
