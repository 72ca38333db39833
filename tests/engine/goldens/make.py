#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make.py OUT.mega: what PyTorch gives for every case of op_table.cpp: inputs, outputs and gradients in float64.

Cotangents are cos(0, 1, 2, ...), so that the test can make the same ones. Run with Debian's python3-torch."""
import struct, sys, zlib

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
CASES = []


def case(name, f, *inputs):
    CASES.append((name, f, inputs))


def real(*shape, low=-3.0, high=3.0):
    return lambda r: r.uniform(low, high, shape)


def classes(count, *shape):
    return lambda r: r.integers(0, count, shape)


SIZES = {"one": (1,), "odd": (33,), "empty": (2, 0, 3), "matrix": (65, 31)}
for tag, shape in SIZES.items():
    for op in ("relu", "tanh", "sigmoid", "exp", "square", "neg", "abs"):
        case(f"{op}/{tag}", getattr(torch, op), real(*shape))
    for op in ("log", "sqrt"):
        case(f"{op}/{tag}", getattr(torch, op), real(*shape, low=0.1, high=4.0))
    for op in ("add", "sub", "mul"):
        case(f"{op}/{tag}", getattr(torch, op), real(*shape), real(*shape))
    case(f"div/{tag}", torch.div, real(*shape), real(*shape, low=0.5, high=3.0))
for op in ("add", "sub", "mul"):
    case(f"{op}/row", getattr(torch, op), real(65, 31), real(31))
    case(f"{op}/column", getattr(torch, op), real(5, 1, 7), real(3, 1))
    case(f"{op}/scalar", getattr(torch, op), real(), real(4, 5))
case("sum/all", torch.sum, real(65, 31, low=0.0))
case("sum/0", lambda x: x.sum(0), real(65, 31))
case("sum/1", lambda x: x.sum(1), real(65, 31))
case("sum/02", lambda x: x.sum((0, 2)), real(5, 7, 9))
case("sum/023", lambda x: x.sum((0, 2, 3), keepdim=True), real(3, 4, 5, 6))
case("mean/1", lambda x: x.mean(1), real(33, 65))
case("amax/1", lambda x: x.amax(1), real(33, 65))
case("matmul/square", torch.matmul, real(31, 31), real(31, 31))
case("matmul/odd", torch.matmul, real(33, 65), real(65, 1))
case("matmul/batch", torch.matmul, real(3, 5, 7), real(3, 7, 4))
case("matmul/broadcast", torch.matmul, real(2, 1, 5, 7), real(3, 7, 4))
case("matmul/rows", torch.matmul, real(3, 5, 7), real(7, 4))
case("matmul/vectors", torch.matmul, real(33), real(33))
case("matmul/vector", torch.matmul, real(5, 33), real(33))
case("linear/2d", F.linear, real(65, 33), real(31, 33), real(31))
case("linear/3d", F.linear, real(3, 5, 7), real(4, 7), real(4))
case("linear/one", F.linear, real(1, 1), real(1, 1), real(1))
case("conv2d/plain", F.conv2d, real(2, 3, 9, 8), real(4, 3, 3, 3), real(4))
case("conv2d/stride", lambda x, w, b: F.conv2d(x, w, b, stride=(2, 1), padding=(1, 2)), real(2, 3, 9, 8), real(4, 3, 3, 2), real(4))
case("conv2d/dilation", lambda x, w, b: F.conv2d(x, w, b, dilation=2, padding=1), real(1, 2, 9, 9), real(3, 2, 3, 3), real(3))
case("conv2d/groups", lambda x, w, b: F.conv2d(x, w, b, groups=2), real(3, 4, 6, 7), real(6, 2, 3, 3), real(6))
case("conv2d/depthwise", lambda x, w, b: F.conv2d(x, w, b, groups=4, padding=1), real(2, 4, 6, 5), real(4, 1, 3, 3), real(4))
case("max_pool2d/2", lambda x: F.max_pool2d(x, 2), real(2, 3, 8, 9))
case("max_pool2d/3", lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True), real(2, 3, 8, 9))
case("max_pool2d/dilation", lambda x: F.max_pool2d(x, 2, 1, 0, 2), real(2, 3, 8, 9))
case("avg_pool2d/2", lambda x: F.avg_pool2d(x, 2), real(2, 3, 8, 9))
case("avg_pool2d/3", lambda x: F.avg_pool2d(x, 3, 2, 1, True, False), real(2, 3, 8, 9))
case("avg_pool2d/divisor", lambda x: F.avg_pool2d(x, 3, 2, 1, False, True, 5), real(2, 3, 8, 9))
case("adaptive_avg_pool2d/3", lambda x: F.adaptive_avg_pool2d(x, (3, 2)), real(2, 3, 8, 9))
case("adaptive_avg_pool2d/up", lambda x: F.adaptive_avg_pool2d(x, (7, 5)), real(1, 2, 3, 3))
case("softmax/1", lambda x: F.softmax(x, 1), real(33, 31))
case("softmax/0", lambda x: F.softmax(x, 0), real(5, 4, 3))
case("log_softmax/1", lambda x: F.log_softmax(x, 1), real(33, 31))
case("log_softmax/2", lambda x: F.log_softmax(x, 2), real(5, 4, 3))
case("batch_norm/2d", lambda x, w, b: F.batch_norm(x, None, None, w, b, True, 0.1, 1e-5), real(33, 7), real(7), real(7))
case("batch_norm/4d", lambda x, w, b: F.batch_norm(x, None, None, w, b, True, 0.1, 1e-5), real(3, 4, 5, 6), real(4), real(4))
case("batch_norm/plain", lambda x: F.batch_norm(x, None, None, None, None, True, 0.1, 1e-5), real(3, 4, 5))
case("batch_norm/eval", lambda x, w, b, m, v: F.batch_norm(x, m.detach(), v.detach(), w, b, False, 0.1, 1e-5), real(3, 4, 5, 6), real(4), real(4), real(4), real(4, low=0.5, high=2.0))
case("cat/1", lambda a, b, c: torch.cat([a, b, c], 1), real(3, 1, 4), real(3, 5, 4), real(3, 2, 4))
case("permute", lambda x: x.permute(2, 0, 1).reshape(4, 6), real(2, 3, 4))
case("slice", lambda x: x[:, 1:8:3], real(4, 9))
case("expand", lambda x: x.expand(5, 4, 3) * 2, real(4, 1))
case("cross_entropy/mean", F.cross_entropy, real(65, 10), classes(10, 65))
case("cross_entropy/sum", lambda x, t: F.cross_entropy(x, t, reduction="sum"), real(5, 3), classes(3, 5))
case("cross_entropy/none", lambda x, t: F.cross_entropy(x, t, reduction="none"), real(5, 3, 4), classes(3, 5, 4))
case("cross_entropy/weight", lambda x, t, w: F.cross_entropy(x, t, w.detach(), ignore_index=1, label_smoothing=0.2), real(9, 4), classes(4, 9), real(4, low=0.2, high=2.0))
case("cross_entropy/probabilities", lambda x, t: F.cross_entropy(x, t.detach(), label_smoothing=0.1), real(9, 4), real(9, 4, low=0.0, high=1.0))
case("mse_loss/mean", lambda x, t: F.mse_loss(x, t), real(9, 4), real(9, 4))
case("bce/mean", lambda x, t: F.binary_cross_entropy_with_logits(x, t.detach()), real(9, 4), real(9, 4, low=0.0, high=1.0))
case("bce/weights", lambda x, t, w, p: F.binary_cross_entropy_with_logits(x, t.detach(), w.detach(), pos_weight=p.detach(), reduction="sum"), real(9, 4), real(9, 4, low=0.0, high=1.0), real(4, low=0.2, high=2.0), real(4, low=0.2, high=2.0))


def run(name, f, makers):
    """-> arrays by key: NAME#in0, NAME#out, NAME#grad0"""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    tensors = [torch.tensor(np.asarray(make(rng))) for make in makers]
    for t in tensors:
        t.requires_grad_(t.is_floating_point())
    out = f(*tensors)
    cotangent = torch.cos(torch.arange(out.numel(), dtype=torch.float64)).reshape(out.shape)
    if out.requires_grad:
        out.backward(cotangent)
    arrays = {f"{name}#in{i}": t.detach().numpy() for i, t in enumerate(tensors)}
    arrays[f"{name}#out"] = out.detach().numpy()
    arrays.update({f"{name}#grad{i}": t.grad.numpy() for i, t in enumerate(tensors) if t.grad is not None})
    return arrays


def write(path, arrays):
    """The plainest .mega: alignment 32, no checksums."""
    def text(s, length):
        b = s.encode()
        return struct.pack(length, len(b)) + b
    records, payload = b"", b""
    for name, a in arrays.items():
        dtype = {"f": "F64", "i": "I64"}[a.dtype.kind]
        records += text(name, "<I") + struct.pack("<II", 0, a.ndim) + b"".join(struct.pack("<Q", n) for n in a.shape[::-1])
        records += text(dtype, "<I") + struct.pack("<Q", len(payload))
        payload += np.ascontiguousarray(a).tobytes()
    head = struct.pack("<IIQQ", 0x4147454D, 1, len(arrays), 1)
    head += text("mega.tensor_info.format", "<Q") + struct.pack("<I", 11) + text("self_describing", "<Q") + records
    head += bytes(-len(head) % 32)
    with open(path, "wb") as f:
        f.write(head + payload)


if __name__ == "__main__":
    everything = {}
    for name, f, makers in CASES:
        everything.update(run(name, f, makers))
    write(sys.argv[1], everything)
    print(len(CASES), "cases")
