# SPDX-License-Identifier: GPL-3.0-or-later
"""new, check and summary."""

import json
import os
import pty
import subprocess
import unittest

from tool import PROGRAM, CliTest, edge, linear, mlp, node, project


def on_terminal(test, *arguments, columns=100, **environment):
    """What the program writes when its output is a terminal, and its exit code."""
    import fcntl
    import struct
    import termios
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen([PROGRAM, *arguments], cwd=test.folder, stdin=subprocess.DEVNULL, stdout=slave,
                               stderr=subprocess.PIPE, env=test.environment(TERM="xterm", **environment))
    os.close(slave)
    data = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        data += part
    os.close(master)
    process.stderr.close()
    return data.decode("utf-8"), process.wait(240)


class New(CliTest):
    def test_writes_a_project_that_is_sound(self):
        out = self.done("new", "d", "--template", "mlp", "--data", "digits")
        self.assertIn("d.megaproj", out)
        self.assertEqual(self.everything(), ["d.megaproj"])
        written = json.loads(self.read("d.megaproj"))
        self.assertEqual((written["format"], written["name"], written["data"]["source"]),
                         ("megalith-project", "d", "digits"))
        self.assertEqual(self.lines("check", "d.megaproj", "--json")[-1]["errors"], 0)

    def test_sizes(self):
        self.done("new", "s", "--template", "mlp", "--sizes", "10,4,3")
        total = self.lines("summary", "s.megaproj", "--json")[-1]
        self.assertEqual(total["parameters"], 10 * 4 + 4 + 4 * 3 + 3)

    def test_cnn(self):
        self.done("new", "c", "--template", "cnn", "--data", "digits")
        types = [line.get("type") for line in self.lines("summary", "c.megaproj", "--json")]
        self.assertIn("Conv2d", types)

    def test_names(self):
        os.mkdir(self.path("in a folder"))
        self.done("new", "in a folder/数字 🙂.megaproj", "--template", "mlp", "--data", "iris")
        self.assertEqual(self.everything(), ["in a folder", "in a folder/数字 🙂.megaproj"])
        self.assertEqual(json.loads(self.read("in a folder/数字 🙂.megaproj"))["name"], "数字 🙂")

    def test_a_table(self):
        self.write("t.csv", "a,b,c,kind\n" + "".join(f"{i},{i * 2},{i * i},{'even' if i % 2 == 0 else 'odd'}\n"
                                                     for i in range(20)))
        self.done("new", "t", "--template", "mlp", "--data", "t.csv")
        last = self.lines("summary", "t.megaproj", "--json")[-2]
        self.assertEqual(last["output_shape"], [2])
        self.done("train", "t.megaproj", "--epochs", "1", "--quiet")

    def test_nothing_is_overwritten(self):
        self.write("d.megaproj", "mine")
        self.fails("new", "d", "--template", "mlp", says="d.megaproj")
        self.assertEqual(self.read("d.megaproj"), b"mine")
        os.symlink("nowhere", self.path("e.megaproj"))
        self.fails("new", "e", "--template", "mlp", says="e.megaproj")

    def test_no_such_folder(self):
        self.fails("new", "there/d", "--template", "mlp", says="there/d.megaproj")
        self.assertEqual(self.everything(), [])


class Check(CliTest):
    def test_sound(self):
        self.write("d.megaproj", mlp())
        lines = self.lines("check", "d.megaproj", "--json")
        self.assertEqual((lines[-1]["event"], lines[-1]["errors"], lines[-1]["warnings"]), ("done", 0, 0))
        text = self.done("check", "d.megaproj")
        self.assertIn("0 errors, 0 warnings", text)
        self.assertIn("[N, 8]", text)
        self.assertIn("67 parameters", text)  # 4 * 8 + 8 + 8 * 3 + 3

    def test_every_problem_is_listed(self):
        bad = linear([4], 3, training={"optimizer": {"type": "Adam", "lr": -1}})
        bad["graph"]["nodes"][2]["attrs"]["in_features"] = 7
        self.write("d.megaproj", bad)
        result = self.fails("check", "d.megaproj", "--json", says=["d.megaproj", "2 errors"])
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(lines[-1]["errors"], 2)
        shape = next(line for line in lines if line.get("node") == 3)
        for key, value in [("severity", "error"), ("path", "fc"), ("port", "input"), ("rule", "shape")]:
            self.assertEqual(shape[key], value)
        self.assertIn("7", shape["message"])
        self.assertIsInstance(shape["fixes"], list)
        setting = next(line for line in lines if line.get("path") == "training.optimizer.lr")
        self.assertEqual((setting["severity"], setting["node"]), ("error", 0))
        text = self.fails("check", "d.megaproj").stdout
        self.assertIn("error: fc: ", text)
        self.assertIn("error: training.optimizer.lr: ", text)

    def test_a_higher_version_is_looked_at(self):
        later = mlp()
        later["version"] = 2
        self.write("d.megaproj", later)
        result = self.call("check", "d.megaproj")
        self.assertIn("version 2", result.stderr)

    def test_colours(self):
        bad = mlp(inputs=4)
        bad["graph"]["nodes"][1]["attrs"]["in_features"] = 7
        self.write("d.megaproj", bad)
        text, code = on_terminal(self, "check", "d.megaproj")
        self.assertEqual(code, 1)
        self.assertIn("\x1b[31merror:\x1b[0m", text)
        text, _ = on_terminal(self, "check", "d.megaproj", NO_COLOR="1")
        self.assertNotIn("\x1b", text)


class Summary(CliTest):
    def test_the_chain_of_the_lesson(self):
        self.write("d.megaproj", mlp(10, 10, 3, frozen=["weight", "bias"]))
        lines = self.lines("summary", "d.megaproj", "--json")
        self.assertEqual([line["name"] for line in lines[:-1]], ["0", "1", "2"])
        first = lines[0]
        self.assertEqual((first["type"], first["output_shape"], first["parameters"], first["trainable"]),
                         ("Linear", [10], 110, 0))
        self.assertEqual(first["keys"], ["0.weight", "0.bias"])
        tensor = {"key": "0.weight", "shape": [10, 10], "numel": 100, "kind": "parameter", "trainable": False}
        self.assertEqual({k: first["tensors"][0][k] for k in tensor}, tensor)
        total = {"event": "total", "parameters": 143, "trainable": 33, "frozen": 110, "buffers": 0,
                 "parameter_bytes": 572, "buffer_bytes": 0}
        self.assertEqual({k: lines[-1][k] for k in total}, total)
        self.assertEqual([key for line in lines[:-1] for key in line["keys"]],
                         ["0.weight", "0.bias", "2.weight", "2.bias"])

    def test_one_layer(self):
        self.write("d.megaproj", linear([4], 3))
        self.assertEqual(self.lines("summary", "d.megaproj", "--json")[-1]["parameters"], 15)

    def test_the_batch_size_changes_no_count(self):
        totals = []
        for size in [1, 7, 64]:
            self.write("d.megaproj", mlp(training={"batch_size": size}))
            totals.append(self.lines("summary", "d.megaproj", "--json")[-1])
        self.assertEqual(totals[0], totals[1])
        self.assertEqual(totals[0], totals[2])

    def test_buffers(self):
        self.write("d.megaproj", project([node(1, "Input", "x", {"shape": [4]}), node(2, "BatchNorm1d", "bn"),
                                          node(3, "Output", "y")]))
        lines = self.lines("summary", "d.megaproj", "--json")
        self.assertEqual(lines[-1]["parameters"], 8)
        self.assertEqual(lines[-1]["buffers"], 9)  # running_mean, running_var, num_batches_tracked
        self.assertEqual(lines[-1]["buffer_bytes"], 4 * 4 + 4 * 4 + 8)
        self.assertEqual(lines[0]["keys"], ["bn.weight", "bn.bias", "bn.running_mean", "bn.running_var",
                                            "bn.num_batches_tracked"])

    def composed(self):
        body = {"args": {"width": 4}, "sequential": False,
                "nodes": [node(11, "Input", "input"), node(12, "Linear", "fc", {"out_features": "=width"}),
                          node(13, "ReLU", "act"), node(14, "Output", "output")],
                "edges": [edge(11, 12), edge(12, 13), edge(13, 14)]}
        whole = project([node(1, "Input", "x", {"shape": [4]}), node(2, "Block", "a"), node(3, "Block", "b", shares=2),
                         node(4, "Output", "y")])
        whole["graph"]["modules"]["Block"] = body
        return whole

    def test_composed_and_shared_modules(self):
        self.write("d.megaproj", self.composed())
        lines = self.lines("summary", "d.megaproj", "--json")
        self.assertEqual([line["name"] for line in lines[:3]], ["a", "a.fc", "a.act"])
        self.assertEqual(lines[0]["parameters"], 20)
        self.assertEqual(lines[-1]["parameters"], 20, "the shared module counts once")
        keys = [key for line in lines[:-1] for key in line["keys"]]
        self.assertEqual(keys, ["a.fc.weight", "a.fc.bias", "b.fc.weight", "b.fc.bias"])

    def test_text(self):
        self.write("d.megaproj", mlp(10, 10, 3))
        text = self.done("summary", "d.megaproj")
        self.assertIn("Sequential(", text)
        self.assertIn("(0): Linear(in_features=10, out_features=10, bias=True)", text)
        self.assertIn("[N, 3]", text)
        self.assertIn("143", text)

    def test_a_terminal_also_sees_the_drawing(self):
        self.write("d.megaproj", mlp(10, 10, 3))
        plain = self.done("summary", "d.megaproj")
        text, code = on_terminal(self, "summary", "d.megaproj")
        self.assertEqual(code, 0)
        self.assertGreater(len(text.splitlines()), len(plain.splitlines()))

    def test_errors(self):
        bad = mlp()
        bad["graph"]["nodes"][1]["attrs"]["in_features"] = 7
        self.write("d.megaproj", bad)
        self.fails("summary", "d.megaproj", says=["d.megaproj: 0: ", "7"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
