# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are not what they should be: one clear line, exit 1, nothing half-written."""

import io
import json
import os
import resource
import subprocess
import unittest
import zipfile

from tool import PROGRAM, CliTest, edge, linear, mega, mlp, node, project

LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12345\n"
HTML = "<!DOCTYPE html>\n<html><head><title>Not found</title></head></html>\n"


def a_zip():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("weights", "1")
    return data.getvalue()


FOREIGN = {"empty": b"", "zip": a_zip(), "html": HTML, "lfs": LFS}


class Projects(CliTest):
    COMMANDS = [("check",), ("summary",), ("train",), ("export", "--to", "w.mega")]

    def refused(self, content, says, commands=COMMANDS):
        self.write("d.megaproj", content)
        for command, *rest in commands:
            with self.subTest(command):
                self.fails(command, "d.megaproj", *rest, says=["d.megaproj", *([says] if isinstance(says, str) else says)])
        self.assertEqual(self.everything(), ["d.megaproj"])

    def test_missing(self):
        for command, *rest in self.COMMANDS:
            self.fails(command, "none.megaproj", *rest, says=["none.megaproj", "no such file"])

    def test_folder(self):
        os.mkdir(self.path("d.megaproj"))
        self.fails("check", "d.megaproj", says=["d.megaproj", "folder"])
        self.fails("train", "d.megaproj", says=["d.megaproj", "folder"])

    def test_other_files_under_the_name(self):
        for name, content in FOREIGN.items():
            with self.subTest(name):
                self.refused(content, ["d.megaproj"])

    def test_cut_text(self):
        text = json.dumps(mlp())
        self.refused(text[:len(text) // 2], "line")
        self.refused(text.encode("utf-8") + b"\xff", "d.megaproj")

    def test_dangling_edge(self):
        bad = mlp()
        bad["graph"]["edges"][3]["to"] = [9, "input"]
        self.refused(bad, "graph.edges[3].to: node 9 does not exist")

    def test_duplicate_id(self):
        bad = mlp()
        bad["graph"]["nodes"][2]["id"] = 2
        self.refused(bad, ["graph.nodes[2]", "2"])

    def test_duplicate_name(self):
        bad = linear([4], 3)
        bad["graph"]["nodes"][2]["name"] = "flatten"
        self.refused(bad, ["graph.nodes[2]", "flatten"])

    def test_cycle(self):
        self.refused(project([node(1, "Input", "x", {"shape": [4]}), node(2, "Add", "a"), node(3, "ReLU", "b"),
                              node(4, "Output", "y")],
                             [edge(1, 2), edge(3, 2, into="other"), edge(2, 3), edge(3, 4)]), "a -> b -> a")

    def test_unknown_type(self):
        bad = linear([4], 3)
        bad["graph"]["nodes"][1]["type"] = "Quantum"
        self.refused(bad, "Quantum")

    def test_wrong_attribute(self):
        for value in ["eight", [1], 2.5, -3, True]:
            bad = linear([4], 3)
            bad["graph"]["nodes"][2]["attrs"]["out_features"] = value
            with self.subTest(value):
                self.refused(bad, ["fc", "out_features"])

    def test_absurd_size(self):
        bad = linear([4], 3)
        bad["graph"]["nodes"][2]["attrs"]["out_features"] = 10 ** 13
        self.refused(bad, ["fc"])

    def test_learning_rates(self):
        for value in ["nan", -0.1, "fast", None, True]:
            with self.subTest(value):
                self.refused(linear([4], 3, training={"optimizer": {"type": "SGD", "lr": value}}),
                             "training.optimizer.lr", [("check",), ("train",)])

    def test_settings(self):
        for key, value in [("batch_size", 0), ("epochs", -1), ("epochs", "many"), ("seed", 1.5),
                           ("clip_grad_norm", -1)]:
            with self.subTest(key):
                self.refused(linear([4], 3, training={key: value}), f"training.{key}", [("check",), ("train",)])
        self.refused(linear([4], 3, training={"loss": {"type": "Loss"}}), "training.loss.type", [("train",)])
        self.refused(linear([4], 3, data={"source": "digts"}), "digts", [("check",), ("train",)])
        self.refused(linear([5], 3), ["[5]", "[4]"], [("check",), ("train",)])
        self.refused(linear([4], 2), ["3 classes", "2"], [("check",), ("train",)])

    def test_batch_of_one_into_batch_norm(self):
        bad = project([node(1, "Input", "x", {"shape": [4]}), node(2, "BatchNorm1d", "bn"),
                       node(3, "Linear", "fc", {"out_features": 3}), node(4, "Output", "y")],
                      training={"batch_size": 1})
        self.refused(bad, "bn", [("check",), ("train",)])
        # 120 samples in batches of 17 leave one over.
        bad["training"]["batch_size"] = 17
        self.refused(bad, "bn", [("check",), ("train",)])
        bad["training"]["drop_last"] = True
        self.write("d.megaproj", bad)
        self.done("train", "d.megaproj", "--steps", "1", "--quiet")

    def test_nothing_to_train(self):
        frozen = linear([4], 3)
        frozen["graph"]["nodes"][2]["frozen"] = ["weight", "bias"]
        self.write("d.megaproj", frozen)
        text = self.call("check", "d.megaproj").stdout
        self.assertIn("frozen", text)
        self.fails("train", "d.megaproj", says="frozen")
        self.assertEqual(self.everything(), ["d.megaproj"])


class Tables(CliTest):
    def refused(self, table, says, **data):
        self.write("t.csv", table)
        self.write("d.megaproj", linear([2], 2, data={"source": "csv", "path": "t.csv", "validation": 0, **data}))
        for command in ["check", "train"]:
            with self.subTest(command):
                self.fails(command, "d.megaproj", says=["t.csv", *([says] if isinstance(says, str) else says)])
        self.assertEqual(self.everything(), ["d.megaproj", "t.csv"])

    def accepted(self, table):
        self.write("t.csv", table)
        self.write("d.megaproj", linear([2], 2, data={"source": "csv", "path": "t.csv", "validation": 0}))
        start = self.lines("train", "d.megaproj", "--steps", "1", "--json", "--out", "out")[0]
        self.assertEqual(start["train_samples"], 3)

    def test_what_a_table_may_have(self):
        self.accepted("a,b,c\n1,2,x\n3,4,y\n5,6,x\n")
        self.accepted("a,b,c\r\n1,2,x\r\n3,4,y\r\n5,6,x\r\n")
        self.accepted('"a","b","c"\n"1","2","x, and ""more"""\n3,4,y\n5,6,y')
        self.accepted("\ufeffa;b;c\n1;2;x\n3;4;y\n5;6;x\n\n")

    def test_what_it_may_not(self):
        self.refused("a,b,c\n1,2,x\n3,y\n", "line 3")
        self.refused("a,b,c\n1,2,x\n3,4,y,5\n", "line 3")
        self.refused("a,b,c\n1,2,x\nthree,4,y\n", ["line 3", "a"])
        self.refused("a,b,c\n1,2,x\n,4,y\n", ["line 3", "a"])
        self.refused("a,b,c\n1,2,x\n3,nan,y\n", ["line 3", "b"])
        self.refused('a,b,c\n1,2,"x\n', "line")
        self.refused("a,b,c\n", "t.csv")
        self.refused("", "t.csv")
        self.refused("a,b,c\n1,2,x\n3,4,y\n", "z", targets=["z"])

    def test_a_table_that_is_not_there(self):
        self.write("d.megaproj", linear([2], 2, data={"source": "csv", "path": "none.csv"}))
        self.fails("check", "d.megaproj", says="none.csv")
        self.fails("train", "d.megaproj", says="none.csv")


class Weights(CliTest):
    def test_other_files_under_the_name(self):
        self.write("d.megaproj", linear([4], 3))
        os.mkdir(self.path("folder.mega"))
        for name, content in FOREIGN.items():
            self.write(f"{name}.mega", content)
        before = self.everything()
        for name in [*FOREIGN, "folder", "missing"]:
            with self.subTest(name):
                file = f"{name}.mega"
                for call in [("inspect", file), ("inspect", file, "--stats"),
                             ("eval", "d.megaproj", "--weights", file), ("train", "d.megaproj", "--init", file),
                             ("train", "d.megaproj", "--resume", file),
                             ("export", "d.megaproj", "--weights", file, "--to", "out.mega")]:
                    self.fails(*call, says=file)
        self.assertIn("LFS", self.fails("inspect", "lfs.mega").stderr)
        self.assertEqual(self.everything(), before)

    def test_weights_of_another_network(self):
        self.write("d.megaproj", linear([4], 3))
        self.write("w.mega", mega([("fc.weight", "F32", [3, 5], [0.0] * 15), ("other", "F32", [1], [0.0])]))
        for call in [("eval", "d.megaproj", "--weights", "w.mega"), ("train", "d.megaproj", "--init", "w.mega")]:
            self.fails(*call, says=["fc.bias", "other", "[3, 5]", "[3, 4]"])

    def test_a_checkpoint_that_is_none(self):
        self.write("d.megaproj", linear([4], 3))
        self.write("w.mega", mega([("fc.weight", "F32", [3, 4], [0.0] * 12), ("fc.bias", "F32", [3], [0.0] * 3)]))
        self.fails("train", "d.megaproj", "--resume", "w.mega", says="w.mega")

    def test_cut_short(self):
        whole = mega([("fc.weight", "F32", [3, 4], [1.0] * 12)])
        self.write("w.mega", whole[:-1])
        self.fails("inspect", "w.mega", says="w.mega")


class Places(CliTest):
    def setUp(self):
        super().setUp()
        self.write("d.megaproj", mlp())

    def test_folders_that_cannot_be(self):
        before = self.everything()
        for out in ["d.megaproj", "d.megaproj/out", "/proc/out", "/dev/null/out"]:
            with self.subTest(out):
                self.fails("train", "d.megaproj", "--out", out, says=out.removesuffix("/out"))
        self.fails("export", "d.megaproj", "--to", "none/w.mega", says="none/w.mega")
        self.fails("export", "d.megaproj", "--to", "/proc/w.mega", says="/proc/w.mega: nothing can be written in the folder /proc")
        self.fails("new", "/proc/d", "--template", "mlp", says="/proc/d.megaproj")
        self.assertEqual(self.everything(), before)

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_no_permission(self):
        os.mkdir(self.path("locked"), 0o500)
        self.fails("train", "d.megaproj", "--out", "locked", says="locked")
        self.fails("export", "d.megaproj", "--to", "locked/w.mega", says="locked")

    def limited(self, limit, *arguments):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=self.environment(), capture_output=True,
                              text=True, timeout=240,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))

    def test_no_room(self):
        self.write("big.megaproj", mlp(4, 4000, 3))
        self.done("export", "big.megaproj", "--to", "w.mega")
        before = self.read("w.mega")
        result = self.limited(10000, "export", "big.megaproj", "--to", "w.mega")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Amegalith: error: [^\n]*w\.mega[^\n]*\n\Z")
        self.assertEqual(self.read("w.mega"), before, "the old file stays as it was")
        result = self.limited(10000, "train", "big.megaproj", "--epochs", "1", "--out", "out", "--quiet")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Amegalith: error: [^\n]+\n\Z")
        for name in self.everything():
            if name.startswith("out/"):
                self.assertFalse(name.endswith(".mega"), f"{name} was half-written")
                self.assertNotIn("tmp", name)


if __name__ == "__main__":
    unittest.main(verbosity=1)
