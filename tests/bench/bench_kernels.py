#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CPU kernels beside PyTorch's: bench_kernels.py path/to/bench_kernels [threads] [part of a name]

Runs each measurement of the program, then the same in PyTorch, and prints microseconds and PyTorch's time in ours.
"""
import re
import subprocess
import sys
import time

import torch
import torch.nn.functional as F


def fastest_tenth(work):
    for _ in range(3):
        work()
    times, until = [], time.perf_counter() + 0.3
    while time.perf_counter() < until or len(times) < 20:
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e6)
    times.sort()
    return times[len(times) // 10]


def peer(name):
    """The same computation in PyTorch as a function without arguments."""
    kind = name.split()[0]
    pass_ = name.split()[-1]
    numbers = [int(n) for n in re.findall(r"\d+", name)]
    if kind == "linear":
        n, inputs, outputs = numbers
        x, w, b, y = torch.rand(n, inputs), torch.rand(outputs, inputs), torch.rand(outputs), torch.rand(n, outputs)
        return {"forward": lambda: F.linear(x, w, b), "dx": lambda: y @ w, "dw": lambda: y.t() @ x}[pass_]
    if kind == "conv":
        n, c, h, w, o, kh, kw, pad, stride = numbers
        x, weight, b = torch.rand(n, c, h, w) - 0.5, torch.rand(o, c, kh, kw) - 0.5, torch.rand(o)
        y = F.conv2d(x, weight, b, stride, pad)

        def backward(mask):
            return torch.ops.aten.convolution_backward(y, x, weight, [o], [stride] * 2, [pad] * 2, [1, 1], False,
                                                       [0, 0], 1, mask)
        return {"forward": lambda: F.conv2d(x, weight, b, stride, pad),
                "dx": lambda: backward([True, False, False]),
                "dw": lambda: backward([False, True, False])}[pass_]
    n, c, h, w = numbers[:4]
    x = torch.rand(n, c, h, w)
    y = F.avg_pool2d(x, 2)
    if kind == "avgpool":
        return {"forward": lambda: F.avg_pool2d(x, 2),
                "dx": lambda: torch.ops.aten.avg_pool2d_backward(y, x, [2, 2], [2, 2], [0, 0], False, True, None)}[pass_]
    _, indices = F.max_pool2d(x, 2, return_indices=True)
    return {"forward": lambda: torch.ops.aten.max_pool2d_with_indices(x, [2, 2]),
            "dx": lambda: torch.ops.aten.max_pool2d_with_indices_backward(y, x, [2, 2], [2, 2], [0, 0], [1, 1], False,
                                                                          indices)}[pass_]


def main():
    program, threads = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "1"
    only = sys.argv[3] if len(sys.argv) > 3 else ""
    torch.set_num_threads(int(threads))
    torch.set_grad_enabled(False)
    print(f"{'microseconds, ' + threads + ' threads':48} {'Megalith':>10} {'PyTorch':>10} {'ratio':>7}")
    with subprocess.Popen([program, threads, only], stdout=subprocess.PIPE, text=True) as running:
        ours = [line.rstrip("\n").split("\t") for line in running.stdout]
    for name, microseconds in ours:
        theirs = fastest_tenth(peer(name))
        print(f"{name:48} {float(microseconds):10.2f} {theirs:10.2f} {theirs / float(microseconds):7.2f}", flush=True)


if __name__ == "__main__":
    main()
