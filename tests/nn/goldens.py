#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes module_goldens.h, print_goldens.h and window_goldens.h: what PyTorch gives for the cases below, in f64.

    /usr/bin/python3 tests/nn/goldens.py     (Debian's python3-torch)
"""
import pathlib
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.set_default_dtype(torch.float64)
HERE = pathlib.Path(__file__).parent


def wave(shape, factor, phase, scale):
    n = 1
    for size in shape:
        n *= size
    i = torch.arange(n, dtype=torch.float64)
    return (torch.sin(factor * i + phase) * scale).reshape(shape)


def data(shape):
    return wave(shape, 0.7, 0.3, 1.5)


def cotangent(shape):
    return wave(shape, 0.5, 1.1, 1.0)


# (type, arguments, input shape, training)
MODULES = [
    ("Linear", dict(in_features=3, out_features=4), (2, 3), True),
    ("Linear", dict(in_features=3, out_features=2, bias=False), (2, 2, 3), True),
    ("Conv2d", dict(in_channels=2, out_channels=3, kernel_size=3), (2, 2, 4, 5), True),
    ("Conv2d", dict(in_channels=2, out_channels=2, kernel_size=(3, 2), stride=(2, 1), padding=(1, 0)), (1, 2, 5, 4), True),
    ("Conv2d", dict(in_channels=2, out_channels=2, kernel_size=(2, 3), padding="same", groups=2), (1, 2, 3, 4), True),
    ("Conv2d", dict(in_channels=1, out_channels=2, kernel_size=2, dilation=2, padding="valid", bias=False), (1, 1, 4, 4), True),
    ("BatchNorm1d", dict(num_features=3), (4, 3), True),
    ("BatchNorm1d", dict(num_features=3), (4, 3), False),
    ("BatchNorm1d", dict(num_features=2, momentum=None), (3, 2, 4), True),
    ("BatchNorm1d", dict(num_features=3, affine=False), (4, 3), True),
    ("BatchNorm2d", dict(num_features=2, momentum=0.3, eps=1e-3), (2, 2, 3, 2), True),
    ("BatchNorm2d", dict(num_features=2), (2, 2, 3, 2), False),
    ("BatchNorm2d", dict(num_features=2, track_running_stats=False), (2, 2, 3, 2), False),
    ("MaxPool2d", dict(kernel_size=2), (1, 2, 5, 4), True),
    ("MaxPool2d", dict(kernel_size=3, stride=2, padding=1, ceil_mode=True), (1, 1, 6, 5), True),
    ("MaxPool2d", dict(kernel_size=2, stride=1, dilation=2), (1, 1, 5, 5), True),
    ("AvgPool2d", dict(kernel_size=2), (1, 2, 5, 4), True),
    ("AvgPool2d", dict(kernel_size=3, stride=2, padding=1, ceil_mode=True), (1, 1, 6, 5), True),
    ("AvgPool2d", dict(kernel_size=(2, 3), stride=2, padding=(1, 1), count_include_pad=False), (1, 1, 5, 5), True),
    ("AvgPool2d", dict(kernel_size=2, divisor_override=3), (1, 1, 4, 4), True),
    ("AdaptiveAvgPool2d", dict(output_size=1), (2, 2, 3, 3), True),
    ("AdaptiveAvgPool2d", dict(output_size=(2, None)), (1, 2, 5, 3), True),
    ("AdaptiveAvgPool2d", dict(output_size=(3, 7)), (1, 1, 5, 4), True),
    ("Flatten", dict(), (2, 3, 2), True),
    ("Flatten", dict(start_dim=0, end_dim=1), (2, 3, 2), True),
    ("Dropout", dict(p=0.5), (2, 3), False),
    ("ReLU", dict(), (2, 5), True),
    ("Tanh", dict(), (2, 5), True),
    ("Sigmoid", dict(), (2, 5), True),
    ("Softmax", dict(dim=1), (2, 5), True),
    ("Softmax", dict(), (2, 3, 2), True),
    ("LogSoftmax", dict(dim=-1), (2, 5), True),
    ("LogSoftmax", dict(), (2, 3), True),
    ("Identity", dict(), (2, 3), True),
]

# (type, arguments, output shape, target: "classes", "probabilities" or "numbers")
LOSSES = [
    ("CrossEntropyLoss", dict(), (4, 3), "classes"),
    ("CrossEntropyLoss", dict(weight=[0.5, 2.0, 1.25], label_smoothing=0.1), (4, 3), "classes"),
    ("CrossEntropyLoss", dict(ignore_index=1, reduction="sum"), (4, 3), "classes"),
    ("CrossEntropyLoss", dict(reduction="none"), (2, 3, 2), "classes"),
    ("CrossEntropyLoss", dict(label_smoothing=0.2), (3, 4), "probabilities"),
    ("MSELoss", dict(), (3, 2), "numbers"),
    ("MSELoss", dict(reduction="sum"), (3, 2), "numbers"),
    ("MSELoss", dict(reduction="none"), (3, 2), "numbers"),
    ("BCEWithLogitsLoss", dict(), (3, 2), "numbers"),
    ("BCEWithLogitsLoss", dict(weight=[0.5, 2.0], pos_weight=[3.0, 0.25], reduction="sum"), (3, 2), "numbers"),
]

PRINTS = {
    "lesson": nn.Sequential(nn.Linear(10, 4), nn.ReLU(), nn.Linear(4, 3)),
    "cnn": nn.Sequential(
        nn.Conv2d(1, 16, 3),
        nn.BatchNorm2d(16),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Sequential(
            nn.Conv2d(16, 32, (3, 5), stride=2, padding=(1, 2), dilation=2, groups=4, bias=False),
            nn.Conv2d(32, 32, 3, padding="same"),
            nn.BatchNorm2d(32, eps=1e-3, momentum=None, affine=False),
            nn.Sequential(),
        ),
        nn.AvgPool2d((2, 3), stride=1, padding=1),
        nn.MaxPool2d(3, 2, 1, 1, False, True),
        nn.AdaptiveAvgPool2d((None, 7)),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dropout(),
        nn.Linear(64, 10, bias=False),
        nn.BatchNorm1d(10, track_running_stats=False),
        nn.Tanh(),
        nn.Sigmoid(),
        nn.Softmax(dim=1),
        nn.LogSoftmax(),
        nn.Identity(54, unused=True),
    ),
}


def number(x):
    return repr(float(x))


def vector(tensor):
    return "{" + ", ".join(number(x) for x in tensor.detach().reshape(-1).tolist()) + "}"


def whole(sizes):
    return "{" + ", ".join(str(size) for size in sizes) + "}"


def attribute(value):
    if value is None:
        return "AttrValue()"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"std::int64_t{{{value}}}"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str):
        return f'std::string("{value}")'
    if isinstance(value, list):
        return "std::vector<double>{" + ", ".join(number(x) for x in value) + "}"
    return "std::vector<std::int64_t>{" + ", ".join("-1" if x is None else str(x) for x in value) + "}"


def attributes(arguments):
    return "{" + ", ".join(f'{{"{name}", {attribute(value)}}}' for name, value in arguments.items()) + "}"


def module_case(kind, arguments, shape, training):
    module = getattr(nn, kind)(**arguments).train(training)
    for k, parameter in enumerate(module.parameters()):
        parameter.data = wave(parameter.shape, 0.9, 0.2 * k, 0.5)
    if getattr(module, "running_mean", None) is not None:
        module.running_mean.copy_(wave(module.running_mean.shape, 0.4, 0.1, 0.3))
        module.running_var.copy_(1.0 + wave(module.running_var.shape, 0.6, 0.2, 0.5))
    x = data(shape).requires_grad_()
    # Twice, so that running averages have a history.
    module(x.detach() * 0.5)
    y = module(x)
    y.backward(cotangent(y.shape))
    grads = ", ".join(vector(p.grad) for p in module.parameters())
    buffers = ", ".join(vector(b) for b in module.buffers())
    return (
        f'    {{"{kind}", {attributes(arguments)}, {whole(shape)}, {"true" if training else "false"}, {whole(y.shape)},\n'
        f"     {vector(y)},\n     {vector(x.grad)},\n     {{{grads}}}, {{{buffers}}}}},\n"
    )


def loss_case(kind, arguments, shape, target_kind):
    given = {k: torch.tensor(v) if isinstance(v, list) else v for k, v in arguments.items()}
    loss = getattr(nn, kind)(**given)
    x = data(shape).requires_grad_()
    if target_kind == "classes":
        target_shape = (shape[0],) + shape[2:]
        n = torch.Size(target_shape).numel()
        target = ((torch.arange(n) * 2 + 1) % shape[1]).reshape(target_shape)
    elif target_kind == "probabilities":
        target = torch.softmax(wave(shape, 1.3, 0.4, 1.0), 1)
    else:
        target = 0.5 + 0.5 * wave(shape, 1.3, 0.4, 1.0)
    y = loss(x, target)
    y.backward(cotangent(y.shape) if y.dim() else torch.tensor(1.0))
    probabilities = "true" if target_kind == "probabilities" else "false"
    return (
        f'    {{"{kind}", {attributes(arguments)}, {whole(shape)}, {whole(target.shape)}, {probabilities},\n'
        f"     {vector(target.double())},\n     {vector(y)},\n     {vector(x.grad)}}},\n"
    )


def window_sizes(make):
    """The output's width for widths 1 to 12, one hexadecimal digit each; - where PyTorch refuses."""
    out = ""
    for width in range(1, 13):
        try:
            out += f"{make(torch.zeros(1, 1, width, width)).shape[3]:x}"
        except RuntimeError:
            out += "-"
    return out


def window_cases():
    for k in range(1, 5):
        for s in range(1, 4):
            for p in range(k // 2 + 1):
                for d in (1, 2):
                    for ceil in (False, True):
                        sizes = window_sizes(nn.MaxPool2d(k, s, p, d, ceil_mode=ceil))
                        yield f'    {{{k}, {s}, {p}, {d}, {str(ceil).lower()}, "{sizes}"}},\n'


HEADER = f"""// SPDX-License-Identifier: GPL-3.0-or-later
// Made by goldens.py with PyTorch {torch.__version__}. Do not edit.
#pragma once

"""


def main():
    with open(HERE / "module_goldens.h", "w", encoding="utf-8") as out:
        out.write(HEADER + "// clang-format off\n")
        out.write("static const std::vector<ModuleGolden> moduleGoldens{\n")
        for case in MODULES:
            out.write(module_case(*case))
        out.write("};\n\nstatic const std::vector<LossGolden> lossGoldens{\n")
        for case in LOSSES:
            out.write(loss_case(*case))
        out.write("};\n")
    with open(HERE / "window_goldens.h", "w", encoding="utf-8") as out:
        out.write(HEADER + "// clang-format off\n")
        out.write("// kernel, stride, padding, dilation, ceil_mode; MaxPool2d's width for widths 1 to 12 in hexadecimal, - for an error\n")
        out.write("static const std::vector<WindowGolden> windowGoldens{\n" + "".join(window_cases()) + "};\n")
    with open(HERE / "print_goldens.h", "w", encoding="utf-8") as out:
        out.write(HEADER)
        texts = [f'static const char* const {name}Text = R"({module})";\n' for name, module in PRINTS.items()]
        out.write("\n".join(texts))


if __name__ == "__main__":
    main()
