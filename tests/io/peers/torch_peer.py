# SPDX-License-Identifier: GPL-3.0-or-later
"""PyTorch's side of peers.py: loads arrays into a model strictly, trains one step and saves the arrays.

    torch_peer.py FROM TO
"""
import sys
from pathlib import Path

import numpy as np
import torch

source, target = map(Path, sys.argv[1:])
model = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.BatchNorm1d(6), torch.nn.ReLU(), torch.nn.Linear(6, 3))
arrays = {key: np.load(source / f"{key}.npy") for key in model.state_dict()}
assert {f.stem for f in source.iterdir()} == set(arrays)
model.load_state_dict({key: torch.from_numpy(array.copy()) for key, array in arrays.items()}, strict=True)
for key, tensor in model.state_dict().items():
    assert tensor.numpy().tobytes() == arrays[key].tobytes(), key

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.nn.functional.mse_loss(model(torch.ones(8, 4) * torch.arange(8.0)[:, None]), torch.zeros(8, 3)).backward()
optimizer.step()
target.mkdir()
for key, tensor in model.state_dict().items():
    np.save(target / f"{key}.npy", tensor.numpy())
