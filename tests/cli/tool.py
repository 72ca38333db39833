# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the command line share: calling the program, and files as other programs would write them."""

import json
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib

PROGRAM = os.environ["MEGALITH_PROGRAM"]


def refuse_constant(text):
    raise ValueError(f"{text} is no JSON")


def json_lines(text):
    return [json.loads(line, parse_constant=refuse_constant) for line in text.splitlines()]


class CliTest(unittest.TestCase):
    """Each test has a folder of its own, in which the program runs."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="megalith-cli-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def environment(self, **more):
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "DISPLAY", "WAYLAND_DISPLAY")}
        environment.setdefault("OMP_NUM_THREADS", "1")
        environment.update(more)
        return environment

    def call(self, *arguments, timeout=240, **options):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=self.environment(), timeout=timeout,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", **options)

    def done(self, *arguments, **options):
        """The call succeeds, says at most notes on standard error, and its output is returned."""
        result = self.call(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"\A(megalith: note: [^\n]+\n)*\Z")
        return result.stdout

    def lines(self, *arguments, **options):
        return json_lines(self.done(*arguments, **options))

    def fails(self, *arguments, says=(), **options):
        """Exit code 1 and one line on standard error, in which all the given texts stand."""
        result = self.call(*arguments, **options)
        self.assertEqual(result.returncode, 1, (result.stdout, result.stderr))
        self.assertRegex(result.stderr, r"\Amegalith: error: [^\n]+\n\Z")
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, result.stderr)
        return result

    def wrong(self, *arguments, says=()):
        """Exit code 2: an error in one line, then the usage; nothing on standard output."""
        result = self.call(*arguments)
        self.assertEqual(result.returncode, 2, (result.stdout, result.stderr))
        self.assertRegex(result.stderr, r"\Amegalith: error: [^\n]+\nusage: megalith ")
        self.assertEqual(result.stdout, "")
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, result.stderr)
        return result

    def write(self, name, content):
        path = self.path(name)
        if isinstance(content, (dict, list)):
            content = json.dumps(content)
        with open(path, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def everything(self):
        """Every file and folder, so that a test can say that nothing was left behind."""
        found = []
        for folder, folders, files in os.walk(self.folder):
            found += [os.path.relpath(os.path.join(folder, name), self.folder) for name in folders + files]
        return sorted(found)


def node(number, kind, name=None, attrs=None, **more):
    result = {"id": number, "type": kind}
    if name is not None:
        result["name"] = name
    return {**result, "attrs": attrs or {}, "pos": [200 * number, 0], **more}


def edge(source, target, out="output", into="input"):
    return {"from": [source, out], "to": [target, into]}


def project(nodes, edges=None, sequential=False, data=None, training=None, **more):
    """A project; without edges its nodes are a chain."""
    if edges is None:
        edges = [edge(a["id"], b["id"]) for a, b in zip(nodes, nodes[1:])]
    settings = {"loss": {"type": "CrossEntropyLoss"}, "optimizer": {"type": "Adam", "lr": 0.01}, "scheduler": None,
                "batch_size": 32, "shuffle": True, "drop_last": False, "epochs": 2, "clip_grad_norm": None,
                "early_stopping": None, "seed": 0, "device": "auto"}
    settings.update(training or {})
    return {"format": "megalith-project", "version": 1, "name": "test",
            "graph": {"sequential": sequential, "nodes": nodes, "edges": edges, "modules": {}, "frames": []},
            "data": data if data is not None else {"source": "iris", "validation": 0.2, "normalize": "standard"},
            "training": settings, **more}


def mlp(inputs=4, hidden=8, outputs=3, **more):
    """Linear, ReLU, Linear in a chain: keys 0.weight, 0.bias, 2.weight, 2.bias."""
    frozen = {"frozen": more.pop("frozen")} if "frozen" in more else {}
    return project([node(1, "Input", "x", {"shape": [inputs]}),
                    node(2, "Linear", None, {"in_features": inputs, "out_features": hidden}, **frozen),
                    node(3, "ReLU"), node(4, "Linear", None, {"in_features": hidden, "out_features": outputs}),
                    node(5, "Output", "y")], sequential=True, **more)


def linear(inputs, outputs, **more):
    """One layer: y = x W^T + b with keys fc.weight and fc.bias."""
    return project([node(1, "Input", "x", {"shape": inputs}), node(2, "Flatten", "flatten"),
                    node(3, "Linear", "fc", {"out_features": outputs}), node(4, "Output", "y")], **more)


ITEMS = {"F32": "f", "F64": "d", "I64": "q", "U64": "Q", "I32": "i", "U8": "B", "BOOL": "?"}


def flat(values):
    return [x for item in values for x in flat(item)] if isinstance(values, list) else [values]


def mega(tensors, metadata=()):
    """A .mega file: tensors are (name, dtype, shape, flat values)."""
    def text(value):
        data = value.encode("utf-8")
        return struct.pack("<Q", len(data)) + data

    def compact(value):
        data = value.encode("utf-8")
        return struct.pack("<I", len(data)) + data

    entries = [("mega.tensor_info.format", "self_describing"), *metadata]
    head = struct.pack("<IIQQ", 0x4147454D, 1, len(tensors), len(entries))
    for key, value in entries:
        head += text(key) + struct.pack("<I", 11) + text(value)
    payload = b""
    for name, dtype, shape, values in tensors:
        head += compact(name) + struct.pack("<II", 0, len(shape))
        head += b"".join(struct.pack("<Q", size) for size in reversed(shape))
        head += compact(dtype) + struct.pack("<Q", len(payload))
        payload += struct.pack(f"<{len(values)}{ITEMS[dtype]}", *values)
    return head + b"\0" * (-len(head) % 32) + payload


def npy(shape, values, descr="<f4"):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    kind = {"<f4": "f", "<f8": "d", "<i8": "q", "|u1": "B"}[descr]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("ascii")
            + struct.pack(f"<{len(values)}{kind}", *values))


def read_npy(data):
    """(descr, shape, flat values) of a version 1 file in row-major order."""
    assert data[:8] == b"\x93NUMPY\x01\x00"
    (length,) = struct.unpack("<H", data[8:10])
    header = eval(data[10:10 + length])  # a literal that the program under test wrote
    assert not header["fortran_order"]
    kind = {"<f4": "f", "<f8": "d", "<i8": "q"}[header["descr"]]
    body = data[10 + length:]
    return header["descr"], list(header["shape"]), list(struct.unpack(f"<{len(body) // struct.calcsize(kind)}{kind}",
                                                                       body))


def png(width, height, pixels, color=False):
    """8 bits; pixels are rows of grey values, or of (r, g, b)."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes(flat([list(p) if color else p for p in row])) for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if color else 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
