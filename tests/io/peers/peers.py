# SPDX-License-Identifier: GPL-3.0-or-later
"""Exchanges .mega files between Megalith (the driver mega_peer), TensorPlay, megatensors and PyTorch.

    peers.py CASE DRIVER

Runs in a Python that has tensorplay, megatensors, safetensors and numpy, and no PyTorch: in one process with both,
tensorplay's import aborts. PyTorch is in MEGALITH_TORCH_PYTHON and gets arrays as .npy files.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
NUMPY = {"BOOL": "?", "U8": "u1", "I8": "i1", "I16": "<i2", "U16": "<u2", "F16": "<f2", "BF16": "<u2", "I32": "<i4",
         "U32": "<u4", "F32": "<f4", "I64": "<i8", "U64": "<u8", "F64": "<f8"}
TENSORPLAY = {"BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "U16": "uint16", "F16": "float16",
              "BF16": "bfloat16", "I32": "int32", "U32": "uint32", "F32": "float32", "I64": "int64", "U64": "uint64",
              "F64": "float64"}


def driver(*arguments):
    result = subprocess.run([DRIVER, *map(str, arguments)], capture_output=True, text=True)
    assert result.returncode == 0, f"mega_peer {arguments}: {result.stderr}"


def written(folder):
    driver("write", folder)
    return folder


def dump(file, folder):
    """What Megalith reads of a file: {name: (dtype, shape, bytes)}, and the manifest."""
    folder.mkdir()
    driver("dump", file, folder)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    tensors = {t["name"]: (t["dtype"], t["shape"], (folder / t["file"]).read_bytes()) for t in manifest["tensors"]}
    return tensors, manifest


def pattern(dtype, shape, seed):
    count = math.prod(shape) * np.dtype(NUMPY[dtype]).itemsize
    values = [i % 2 if dtype == "BOOL" else (37 * i + seed) % 256 for i in range(count)]
    return dtype, list(shape), bytes(values)


def wave(shape, seed):
    values = np.array([math.sin(i + seed) for i in range(math.prod(shape))]).astype("<f4")
    return "F32", list(shape), values.tobytes()


def every_dtype():
    names = ["U8", "BOOL", "I8", "I16", "U16", "F16", "BF16", "I32", "U32", "F32", "I64", "U64", "F64"]
    tensors = {f"t_{d}": pattern(d, (1, 5, 3), seed) for seed, d in enumerate(names)}
    tensors["scalar"] = pattern("I64", (), 100)
    tensors['模型.层 "x"'] = pattern("F32", (2, 1, 2, 2), 101)
    return tensors


def model():
    return {"0.weight": wave((6, 4), 0), "0.bias": wave((6,), 1), "1.weight": wave((6,), 2), "1.bias": wave((6,), 3),
            "1.running_mean": wave((6,), 4), "1.running_var": ("F32", [6], np.full(6, 0.75, "<f4").tobytes()),
            "1.num_batches_tracked": ("I64", [], np.array(17, "<i8").tobytes()), "3.weight": wave((3, 6), 5),
            "3.bias": wave((3,), 6)}


def of_tensorplay(tensor):
    import tensorplay as tp

    name = str(tensor.dtype).split(".")[-1]
    tag = next(k for k, v in TENSORPLAY.items() if v == name)
    array = tensor.view(tp.uint16).numpy() if tag == "BF16" else tensor.numpy()
    return tag, list(tensor.shape), np.ascontiguousarray(array).tobytes()


def to_tensorplay(value):
    import tensorplay as tp

    dtype, shape, raw = value
    array = np.frombuffer(raw, NUMPY[dtype]).copy()
    flat = tp.from_numpy(array)
    if dtype == "BF16":
        flat = flat.view(tp.bfloat16)
    return flat.reshape(shape)


def same(found, expected):
    assert list(found) == list(expected), f"keys {list(found)} where {list(expected)} were written"
    for name, value in expected.items():
        assert found[name] == value, f"{name}: {found[name]} where {value} was written"


def tensorplay_reads(folder):
    import tensorplay as tp

    files = written(folder)
    for mmap in (False, True):
        load = lambda name: tp.load(str(files / name), mmap=mmap)
        same({k: of_tensorplay(v) for k, v in load("dtypes.mega").items()}, every_dtype())
        same({k: of_tensorplay(v) for k, v in load("模型 🧠.mega").items()}, model())
        tied = load("tied.mega")
        same({k: of_tensorplay(v) for k, v in tied.items()}, {**model(), "4.weight": model()["3.weight"]})
        assert tied["4.weight"] is tied["3.weight"]
        empty = load("empty.mega")
        assert list(empty["none"].shape) == [0, 4] and of_tensorplay(empty["some"]) == pattern("F32", (2,), 1)
        assert len(load("no-tensors.mega")) == 0


def tensorplay_reads_checkpoint(folder):
    import tensorplay as tp

    tree = tp.load(str(written(folder) / "checkpoint.mega"))
    assert list(tree) == ["model", "optimizer", "best", "epoch", "none", "flags", "same", "mark"]
    same({k: of_tensorplay(v) for k, v in tree["model"].items()}, {"fc.weight": wave((3, 2), 1), "fc.bias": wave((3,), 2)})
    assert tree["same"] is tree["model"]["fc.weight"]
    moment = tree["optimizer"]["state"]["0"]
    assert moment["step"] == 12 and of_tensorplay(moment["exp_avg"]) == wave((3, 2), 3)
    assert tree["optimizer"]["betas"] == (0.9, 0.999)
    assert isinstance(tree["optimizer"]["lr"], float) and tree["optimizer"]["lr"] == 1.0
    assert tree["best"] == math.inf and tree["epoch"] == 2**53 and tree["none"] is None
    assert tree["flags"] == [True, False, 'späť\n"初"'] and tree["mark"] == {"__tuple__": "text"}


def megatensors_read(file):
    """By the C++ part of megatensors, which needs no PyTorch: {name: (dtype, shape, bytes)} and the metadata."""
    import megatensors.cpp as backend

    name = str(file)
    fd = os.open(name, os.O_RDONLY)
    try:
        parsed = backend.parse_metadata_fd(fd, name, os.fstat(fd).st_size)
        tensors = {}
        for record in parsed["tensor_records"]:
            tensor, _, dtype, shape, offset, logical, stored, flags, codec, shuffle, kind, checksum = record[:12]
            memory = np.zeros(max(logical, 1), "u1")
            backend.decode_payload_fd(fd, name, tensor, parsed["header_length"] + offset, stored, logical, flags, codec,
                                      shuffle, kind, checksum, memory.ctypes.data, False)
            tensors[tensor] = (dtype, list(shape), memory[:logical].tobytes())
        return tensors, parsed["metadata"]
    finally:
        os.close(fd)


def megatensors_reads(folder):
    files = written(folder)
    tensors, metadata = megatensors_read(files / "dtypes.mega")
    same(tensors, every_dtype())
    assert metadata["megalith.real"] == 0.5 and metadata["megalith.list"] == [-1, 2]
    assert metadata["general.alignment"] == 4096 and metadata["mega.tensor_info.format"] == "self_describing"
    same(megatensors_read(files / "模型 🧠.mega")[0], model())
    same(megatensors_read(files / "empty.mega")[0], {"none": ("F32", [0, 4], b""), "some": pattern("F32", (2,), 1)})
    same(megatensors_read(files / "no-tensors.mega")[0], {})


def reads_tensorplay(folder):
    import tensorplay as tp

    expected = {**every_dtype(), "specials": ("F32", [4], np.array([math.nan, math.inf, -0.0, 1e-45], "<f4").tobytes())}
    tp.save({k: to_tensorplay(v) for k, v in expected.items()}, str(folder / "x.mega"))
    tensors, manifest = dump(folder / "x.mega", folder / "out")
    same(tensors, expected)
    assert manifest["container"] == "dict" and manifest["keys"] == list(expected)
    # Without the checksums, and with metadata of the caller's.
    tp.save({k: to_tensorplay(v) for k, v in expected.items()}, str(folder / "y.mega"), checksum="none", alignment=64,
            metadata={"note": "späť", "list": [1, 2]})
    same(dump(folder / "y.mega", folder / "out2")[0], expected)
    tp.save({k: to_tensorplay(v) for k, v in expected.items()}, str(folder / "z.mega"), checksum="sha256")
    same(dump(folder / "z.mega", folder / "out3")[0], expected)


def equal_values(a, b):
    if hasattr(a, "numpy"):
        return of_tensorplay(a) == of_tensorplay(b)
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(equal_values(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal_values, a, b))
    return type(a) is type(b) and (a == b or a != a and b != b)


def reads_tensorplay_trees(folder):
    import tensorplay as tp

    weight = to_tensorplay(wave((3, 2), 1))
    checkpoint = {"epoch": 2**60, "model": {"fc.weight": weight, "fc.bias": to_tensorplay(wave((3,), 2))},
                  "optimizer": {"state": {"0": {"step": 12, "exp_avg": to_tensorplay(wave((3, 2), 3))}},
                                "param_groups": [{"lr": 1e-3, "betas": (0.9, 0.999), "params": [0, 1]}]},
                  "best": math.inf, "worst": -math.inf, "nothing": None, "lost": [math.nan, "NaN", 1e300, 1.0, True],
                  "a": {"b": to_tensorplay(wave((1,), 4))}, "a.b": to_tensorplay(wave((1,), 5)), "same": weight,
                  "mark": {"__tensor__": 3}, "marks": {"__dict__": [], "__tuple__": ()}, "note": "première\t– 初 🧠 \\"}
    cases = {"checkpoint": checkpoint, "tied": {"embed": weight, "head": weight}, "list": [weight, weight.clone()],
             "tuple": (weight, weight.clone()), "tensor": weight, "number": {"n": 3}, "empty": [], "nested": [[weight], ()]}
    for name, value in cases.items():
        tp.save(value, str(folder / f"{name}.mega"))
        # A model's branch or nothing to call a state_dict: the driver asks only where there is one.
        if name in ("number", "empty", "nested"):
            continue
        tensors, manifest = dump(folder / f"{name}.mega", folder / name)
        again = tp.load(str(folder / name / "again.mega"))
        assert equal_values(value, again), f"{name}: {again} where {value} was written"
        if name == "checkpoint":
            assert manifest["keys"] == ["fc.weight", "fc.bias"] and "a.b#1" in tensors
            assert again["same"] is again["model"]["fc.weight"]
        if name == "tied":
            assert manifest["keys"] == ["embed", "head"] and list(tensors) == ["embed"] and again["head"] is again["embed"]


def reads_megatensors(folder):
    from megatensors.convert import convert_model
    from safetensors.numpy import save_file

    source = folder / "source"
    source.mkdir()
    arrays = {"net.0.weight": np.round(np.sin(np.arange(64 * 48)).reshape(64, 48) * 4).astype("<f4"),
              "net.0.bias": np.zeros(64, "<f4"), "count": np.array(7, "<i8"), "half": np.arange(15).reshape(5, 3).astype("<f2"),
              "mask": np.array([[True, False, True]]), "empty": np.zeros((0, 4), "<f4"), "idx": np.arange(300)}
    save_file(arrays, str(source / "model.safetensors"))
    (source / "config.json").write_text('{"architectures": ["Toy"]}')
    tags = {np.dtype(v): k for k, v in NUMPY.items() if k != "BF16"}
    expected = {k: (tags[v.dtype], list(v.shape), v.tobytes()) for k, v in arrays.items()}
    for name, options in {"plain": {}, "zstd": {"compression": "zstd"}, "shards": {"max_shard_size": 4000},
                          "zstd-shards": {"compression": "zstd", "max_shard_size": 3000}}.items():
        made = convert_model(source, folder / name, **options)
        assert ("shards" in name) == (len(made.shard_paths) > 1)
        found, manifest = dump(made.index_path, folder / f"{name}-out")
        assert sorted(found) == sorted(expected)
        same({k: found[k] for k in expected}, expected)
        if name == "zstd":
            flags = [record[7] for record in records(made.shard_paths[0])]
            assert any(f & 1 for f in flags), "megatensors compressed nothing"
            found, _ = dump(made.shard_paths[0], folder / "single")
            same({k: found[k] for k in expected}, expected)


def records(file):
    import megatensors.cpp as backend

    fd = os.open(file, os.O_RDONLY)
    try:
        return backend.parse_metadata_fd(fd, str(file), os.fstat(fd).st_size)["tensor_records"]
    finally:
        os.close(fd)


def reads_footer(folder):
    import megatensors
    import tensorplay as tp

    tp.save({k: to_tensorplay(v) for k, v in model().items()}, str(folder / "x.mega"))
    megatensors.append_footer_overlay(str(folder / "x.mega"), {"general.name": "renamed", "note": "späť"})
    same(dump(folder / "x.mega", folder / "out")[0], model())
    # And a footer behind a file of ours.
    file = written(folder) / "dtypes.mega"
    megatensors.append_footer_overlay(str(file), {"general.name": "renamed"})
    same(dump(file, folder / "out2")[0], every_dtype())


def pytorch_both_ways(folder):
    import tensorplay as tp

    python = os.environ.get("MEGALITH_TORCH_PYTHON")
    assert python, "MEGALITH_TORCH_PYTHON names no Python with PyTorch; packaging/test sets it"
    loaded = tp.load(str(written(folder) / "模型 🧠.mega"))
    (folder / "arrays").mkdir()
    for key, tensor in loaded.items():
        np.save(folder / "arrays" / f"{key}.npy", tensor.numpy())
    result = subprocess.run([python, str(HERE / "torch_peer.py"), str(folder / "arrays"), str(folder / "trained")],
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    trained = {k: np.load(folder / "trained" / f"{k}.npy") for k in model()}
    tp.save({k: tp.from_numpy(v.reshape(-1).copy()).reshape(list(v.shape)) for k, v in trained.items()}, str(folder / "trained.mega"))
    found, _ = dump(folder / "trained.mega", folder / "out")
    same(found, {k: ("I64" if v.dtype == np.int64 else "F32", list(v.shape), v.tobytes()) for k, v in trained.items()})
    assert found["0.weight"] != model()["0.weight"]


CASES = [tensorplay_reads, tensorplay_reads_checkpoint, megatensors_reads, reads_tensorplay, reads_tensorplay_trees,
         reads_megatensors, reads_footer, pytorch_both_ways]

if __name__ == "__main__":
    name, DRIVER = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        next(case for case in CASES if case.__name__ == name)(Path(temporary))
