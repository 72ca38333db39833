#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make.py OUT.mega: training traces of PyTorch in float64 and float32: initial weights, batches, and the loss of each of 50 steps."""
import pathlib, sys

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "engine" / "goldens"))
from make import write

torch.set_num_threads(1)
STEPS, BATCH = 50, 16


def mlp():
    return nn.Sequential(nn.Linear(12, 20), nn.Tanh(), nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 4)), (12,)


def cnn():
    return nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 8, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(32, 4)), (1, 10, 10)


def cnn_bn():
    return nn.Sequential(nn.Conv2d(1, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 8, 3, padding=1), nn.BatchNorm2d(8, momentum=None), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 4)), (1, 10, 10)


OPTIMIZERS = {"mlp": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-3), "cnn": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9), "cnn_bn": lambda p: torch.optim.Adam(p, lr=0.01)}


def trace(make, optimizer, x, t, dtype):
    torch.manual_seed(3)
    model, _ = make()
    model = model.to(dtype)
    opt, losses = optimizer(model.parameters()), []
    for i in range(STEPS):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(torch.tensor(x[i]).to(dtype)), torch.tensor(t[i]))
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return np.array(losses), model


everything = {}
for name, make in {"mlp": mlp, "cnn": cnn, "cnn_bn": cnn_bn}.items():
    rng = np.random.default_rng(11)
    torch.manual_seed(3)
    model, shape = make()
    x = rng.standard_normal((STEPS, BATCH, *shape)).astype("f4")
    t = rng.integers(0, 4, (STEPS, BATCH))
    for key, value in model.state_dict().items():
        everything[f"{name}/init/{key}"] = value.numpy().astype("f8" if value.is_floating_point() else "i8")
    everything[f"{name}/x"] = x.astype("f8")
    everything[f"{name}/t"] = t
    everything[f"{name}/losses64"], after = trace(make, OPTIMIZERS[name], x, t, torch.float64)
    everything[f"{name}/losses32"], _ = trace(make, OPTIMIZERS[name], x, t, torch.float32)
    for key, value in after.state_dict().items():
        everything[f"{name}/after/{key}"] = value.numpy()
write(sys.argv[1], everything)
