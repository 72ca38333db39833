#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Training steps beside PyTorch's: bench_training.py path/to/megalith

Each network is trained by the program and by PyTorch, in turn, on the same machine with as many threads as each takes by
itself. Prints microseconds a step (median over runs) and the quotient.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import torch
from torch import nn

RUNS = 5


def chain(nodes):
    nodes = [dict(node, id=i + 1, pos=[200 * i, 0]) for i, node in enumerate(nodes)]
    edges = [{"from": [i, "output"], "to": [i + 1, "input"]} for i in range(1, len(nodes))]
    return {"sequential": False, "nodes": nodes, "edges": edges, "modules": {}, "frames": []}


def node(kind, name, **attrs):
    return {"type": kind, "name": name, "attrs": attrs}


def mlp(sizes):
    nodes = [node("Input", "x", shape=[sizes[0]])]
    for i, size in enumerate(sizes[1:]):
        if i > 0:
            nodes.append(node("ReLU", f"relu{i}"))
        nodes.append(node("Linear", f"fc{i}", out_features=size))
    return nodes + [node("Output", "y")]


def torch_mlp(sizes):
    layers = []
    for i in range(1, len(sizes)):
        if i > 1:
            layers.append(nn.ReLU())
        layers.append(nn.Linear(sizes[i - 1], sizes[i]))
    return nn.Sequential(*layers)


CNN = [node("Input", "x", shape=[1, 28, 28]), node("Conv2d", "c1", out_channels=8, kernel_size=5), node("ReLU", "r1"),
       node("MaxPool2d", "p1", kernel_size=2), node("Conv2d", "c2", out_channels=16, kernel_size=5), node("ReLU", "r2"),
       node("MaxPool2d", "p2", kernel_size=2), node("Flatten", "flat"), node("Linear", "fc", out_features=10),
       node("Output", "y")]


def torch_cnn():
    return nn.Sequential(nn.Conv2d(1, 8, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 5), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 10))


# name, nodes, PyTorch's module, shape of a sample, classes, batch, optimizer, steps
CASES = [
    ("MLP 784-128-10, SGD", mlp([784, 128, 10]), lambda: torch_mlp([784, 128, 10]), [784], 10, 64, "SGD", 1000),
    ("MLP 784-128-10, Adam", mlp([784, 128, 10]), lambda: torch_mlp([784, 128, 10]), [784], 10, 64, "Adam", 1000),
    ("MLP 2-64-64-2, SGD", mlp([2, 64, 64, 2]), lambda: torch_mlp([2, 64, 64, 2]), [2], 2, 64, "SGD", 4000),
    ("MLP 2-64-64-2, Adam", mlp([2, 64, 64, 2]), lambda: torch_mlp([2, 64, 64, 2]), [2], 2, 64, "Adam", 4000),
    ("CNN 8 5x5, 16 5x5, SGD", CNN, torch_cnn, [1, 28, 28], 10, 64, "SGD", 300),
]


def ours(program, folder, case, steps):
    name, nodes, _, shape, classes, batch, optimizer, _ = case
    project = {"format": "megalith-project", "version": 1, "name": "p", "graph": chain(nodes),
               "data": {"source": "npy", "inputs": "x.npy", "targets": "y.npy", "validation": 0, "normalize": "none"},
               "training": {"loss": {"type": "CrossEntropyLoss"}, "optimizer": {"type": optimizer, "lr": 0.01},
                            "scheduler": None, "batch_size": batch, "shuffle": False, "epochs": 1000000, "seed": 0,
                            "device": "cpu"}}
    with open(os.path.join(folder, "p.megaproj"), "w", encoding="utf-8") as out:
        json.dump(project, out)
    start = time.perf_counter()
    subprocess.run([program, "train", "p.megaproj", "--steps", str(steps), "--quiet", "--out", "out"], cwd=folder, check=True)
    return time.perf_counter() - start


def peers(case, x, y, steps):
    _, _, make, _, _, batch, kind, _ = case
    torch.manual_seed(0)
    model = make()
    optimizer = getattr(torch.optim, kind)(model.parameters(), lr=0.01)
    loss_of = nn.CrossEntropyLoss()
    batches = len(x) // batch
    start = time.perf_counter()
    for step in range(steps):
        at = step % batches * batch
        optimizer.zero_grad()
        loss = loss_of(model(x[at:at + batch]), y[at:at + batch])
        loss.backward()
        optimizer.step()
        loss.item()
    return time.perf_counter() - start


def main():
    program = os.path.abspath(sys.argv[1])
    print(f"{'':26}{'Megalith':>10}{'PyTorch':>10}{'quotient':>10}    microseconds a step")
    for case in CASES:
        name, _, _, shape, classes, batch, _, steps = case
        generator = numpy.random.default_rng(0)
        x = generator.standard_normal([batch * 16] + shape).astype(numpy.float32)
        y = generator.integers(0, classes, batch * 16)
        with tempfile.TemporaryDirectory() as folder:
            numpy.save(os.path.join(folder, "x.npy"), x)
            numpy.save(os.path.join(folder, "y.npy"), y)
            a, b = [], []
            for _ in range(RUNS):
                # Without start, reading and writing: the difference of a long and a short run.
                a.append((ours(program, folder, case, 11 * steps // 10) - ours(program, folder, case, steps // 10)) / steps)
                b.append(peers(case, torch.from_numpy(x), torch.from_numpy(y), steps) / steps)
        mine, theirs = statistics.median(a) * 1e6, statistics.median(b) * 1e6
        print(f"{name:26}{mine:10.1f}{theirs:10.1f}{mine / theirs:10.2f}", flush=True)


if __name__ == "__main__":
    main()
