# SPDX-License-Identifier: GPL-3.0-or-later
"""train and eval."""

import csv
import json
import os
import signal
import subprocess
import time
import unittest

from test_projects import on_terminal
from tool import PROGRAM, CliTest, json_lines, linear, mega, mlp, node, project


class Events(CliTest):
    def test_json(self):
        self.write("d.megaproj", mlp(training={"epochs": 3}))
        lines = self.lines("train", "d.megaproj", "--json")
        start, steps = lines[0], [line for line in lines if line["event"] == "step"]
        epochs = [line for line in lines if line["event"] == "epoch"]
        self.assertEqual({k: start[k] for k in ["event", "device", "parameters", "train_samples", "val_samples"]},
                         {"event": "start", "device": "cpu", "parameters": 67, "train_samples": 120,
                          "val_samples": 30})
        self.assertEqual([step["step"] for step in steps], list(range(1, 13)))  # 120 samples in batches of 32
        self.assertEqual([step["epoch"] for step in steps], [0] * 4 + [1] * 4 + [2] * 4)
        self.assertEqual({step["lr"] for step in steps}, {0.01})
        self.assertEqual([epoch["epoch"] for epoch in epochs], [0, 1, 2])
        for epoch in epochs:
            mean = sum(step["loss"] for step in steps if step["epoch"] == epoch["epoch"]) / 4
            self.assertAlmostEqual(epoch["loss"], mean, places=4)
            self.assertLessEqual(epoch["val_accuracy"], 1.0)
        done = lines[-1]
        self.assertEqual((done["event"], done["steps"], done["epochs"]), ("done", 12, 3))
        self.assertEqual(done["best_epoch"], min(epochs, key=lambda epoch: epoch["val_loss"])["epoch"])
        self.assertEqual(len(lines), 1 + 12 + 3 + 1)

    def test_files(self):
        self.write("d.megaproj", mlp())
        self.done("train", "d.megaproj", "--quiet")
        names = ["best.mega", "checkpoint.mega", "last.mega", "metrics.csv"]
        self.assertEqual(self.everything(), sorted(["d.megaproj", "d.runs", "d.runs/1"]
                                                   + [f"d.runs/1/{name}" for name in names]))
        rows = list(csv.DictReader(self.read("d.runs/1/metrics.csv").decode("utf-8").splitlines()))
        self.assertEqual(list(rows[0]), ["step", "epoch", "loss", "lr", "val_loss", "val_accuracy", "seconds"])
        self.assertEqual(max(int(row["step"]) for row in rows), 8)
        self.done("train", "d.megaproj", "--quiet")
        os.mkdir(self.path("d.runs/7"))
        self.done("train", "d.megaproj", "--quiet")
        self.assertEqual(sorted(os.listdir(self.path("d.runs"))), ["1", "2", "7", "8"])
        self.done("train", "d.megaproj", "--quiet", "--out", "a/new/folder")
        self.assertEqual(sorted(os.listdir(self.path("a/new/folder"))), names)

    def test_totals(self):
        self.write("d.megaproj", mlp())
        self.assertEqual(self.lines("train", "d.megaproj", "--json", "--epochs", "1")[-1]["steps"], 4)
        self.assertEqual(self.lines("train", "d.megaproj", "--json", "--steps", "6")[-1]["steps"], 6)
        done = self.lines("train", "d.megaproj", "--json", "--epochs", "0")[-1]
        self.assertEqual((done["event"], done["steps"]), ("done", 0))

    def test_without_validation(self):
        self.write("d.megaproj", mlp(data={"source": "iris", "validation": 0, "normalize": "none"}))
        lines = self.lines("train", "d.megaproj", "--json", "--epochs", "1")
        self.assertEqual((lines[0]["train_samples"], lines[0]["val_samples"]), (150, 0))
        self.assertIsNone(lines[-2]["val_loss"])

    def test_not_finite_numbers_are_texts(self):
        self.write("t.csv", "a,b\n" + "".join(f"{i}e30,{i}e30\n" for i in range(1, 9)))
        self.write("d.megaproj", linear([1], 1, data={"source": "csv", "path": "t.csv", "validation": 0},
                                        training={"loss": {"type": "MSELoss"}, "optimizer": {"type": "SGD", "lr": 1}}))
        result = self.call("train", "d.megaproj", "--steps", "3", "--json")
        losses = [line["loss"] for line in json_lines(result.stdout) if line["event"] == "step"]
        self.assertTrue(losses)
        self.assertLessEqual({x for x in losses if isinstance(x, str)}, {"nan", "inf", "-inf"})
        self.assertTrue(any(isinstance(x, str) for x in losses))
        self.assertIsNone(json_lines(result.stdout)[-1]["best_epoch"])
        self.assertRegex(result.stderr, r"\Amegalith: note: the loss of the last step is [^\n]+diverged[^\n]+\n\Z")


class Text(CliTest):
    def test_plain_lines(self):
        self.write("d.megaproj", mlp())
        text = self.done("train", "d.megaproj")
        self.assertNotIn("\r", text)
        lines = text.splitlines()
        self.assertIn("67 parameters", lines[0])
        self.assertEqual(len([line for line in lines if line.startswith("epoch ")]), 2)
        self.assertRegex(text, r"(?m)^epoch 2/2  loss \d.*val_loss \d.*val_accuracy \d")
        self.assertIn("d.runs/1", lines[-1])

    def test_quiet(self):
        self.write("d.megaproj", mlp())
        self.assertEqual(self.done("train", "d.megaproj", "--quiet"), "")

    def test_terminal(self):
        self.write("d.megaproj", mlp(4, 512, 3, training={"epochs": 40, "batch_size": 4}))
        for columns in [100, 30]:
            text, code = on_terminal(self, "train", "d.megaproj", columns=columns)
            self.assertEqual(code, 0)
            drawn = [part.split("\x1b[K")[0] for part in text.split("\r") if part.startswith("epoch ")
                     and "\x1b[K" in part]
            self.assertTrue(drawn)
            self.assertLess(max(len(line) for line in drawn), columns)
            if columns == 100:
                self.assertRegex(drawn[-1], r"step \d+/1200 .*ETA \d+:\d\d")


class Seeds(CliTest):
    def weights(self, file):
        return self.done("inspect", file, "--values", "--json").split("\n", 1)[1]

    def test_the_same_seed_gives_the_same_bits(self):
        self.write("d.megaproj", mlp())
        runs = [self.done("train", "d.megaproj", "--seed", seed, "--quiet", "--out", out) or self.weights(out + "/last.mega")
                for seed, out in [("0", "a"), ("0", "b"), ("1", "c")]]
        self.assertEqual(runs[0], runs[1])
        self.assertNotEqual(runs[0], runs[2])

    def test_init(self):
        self.write("d.megaproj", linear([4], 3, training={"optimizer": {"type": "SGD", "lr": 0}}))
        values = [0.5 * i for i in range(12)]
        self.write("w.mega", mega([("fc.weight", "F32", [3, 4], values), ("fc.bias", "F32", [3], [1.0, 2.0, 3.0])]))
        self.done("train", "d.megaproj", "--init", "w.mega", "--epochs", "1", "--quiet", "--out", "out")
        lines = self.lines("inspect", "out/last.mega", "--values", "--json")
        self.assertEqual({line["name"]: line["values"] for line in lines[1:]},
                         {"fc.weight": values, "fc.bias": [1.0, 2.0, 3.0]})

    def test_init_that_fits_in_part(self):
        self.write("d.megaproj", linear([4], 3, training={"optimizer": {"type": "SGD", "lr": 0}}))
        self.write("w.mega", mega([("fc.weight", "F32", [3, 5], [0.0] * 15), ("fc.bias", "F32", [3], [1.0, 2.0, 3.0]),
                                   ("old", "F32", [1], [0.0])]))
        result = self.call("train", "d.megaproj", "--init", "w.mega", "--no-strict", "--epochs", "1", "--quiet",
                           "--out", "out")
        self.assertEqual(result.returncode, 0, result.stderr)
        for text in ["old", "fc.weight", "[3, 5]", "[3, 4]"]:
            self.assertIn(text, result.stderr)
        lines = self.lines("inspect", "out/last.mega", "--values", "--json")
        self.assertEqual(next(line for line in lines if line.get("name") == "fc.bias")["values"], [1.0, 2.0, 3.0])


def regularised():
    """Dropout, shuffling, momentum and a schedule: all that a checkpoint must carry."""
    return project([node(1, "Input", "x", {"shape": [4]}), node(2, "Linear", "a", {"out_features": 16}),
                    node(3, "ReLU", "act"), node(4, "Dropout", "drop", {"p": 0.3}),
                    node(5, "BatchNorm1d", "bn"), node(6, "Linear", "b", {"out_features": 3}),
                    node(7, "Output", "y")],
                   training={"epochs": 12, "batch_size": 16, "optimizer": {"type": "SGD", "lr": 0.05, "momentum": 0.9},
                             "scheduler": {"type": "StepLR", "step_size": 2, "gamma": 0.5}})


class Resume(CliTest):
    def start(self, *arguments):
        process = subprocess.Popen([PROGRAM, "train", "d.megaproj", *arguments], cwd=self.folder,
                                   env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def test_it_continues_with_the_same_bits(self):
        self.write("d.megaproj", regularised())
        whole = self.lines("train", "d.megaproj", "--steps", "40", "--json", "--out", "whole")
        first = self.lines("train", "d.megaproj", "--steps", "17", "--json", "--out", "first")
        second = self.lines("train", "d.megaproj", "--steps", "40", "--json", "--out", "second", "--resume",
                            "first/checkpoint.mega")

        def steps(lines):
            return [line for line in lines if line["event"] == "step"]

        self.assertEqual(second[0]["first_step"], 17)
        self.assertEqual(steps(first) + steps(second), steps(whole))
        self.assertEqual(self.done("inspect", "whole/last.mega", "--values", "--json"),
                         self.done("inspect", "second/last.mega", "--values", "--json"))

    def stopped_by(self, number):
        process = self.start("--json", "--epochs", "1000000", "--out", "out")
        for _ in range(20):
            process.stdout.readline()
        process.send_signal(number)
        rest, errors = process.communicate(timeout=240)
        self.assertEqual(process.returncode, 128 + number, errors)
        self.assertEqual(errors, "")
        lines = json_lines(rest)
        self.assertEqual(lines[-1]["event"], "stopped")
        return lines[-1]["steps"]

    def test_signals(self):
        self.write("d.megaproj", regularised())
        for number in [signal.SIGINT, signal.SIGTERM]:
            with self.subTest(number):
                steps = self.stopped_by(number)
                self.assertEqual(sorted(os.listdir(self.path("out")))[-3:],
                                 ["checkpoint.mega", "last.mega", "metrics.csv"])
                lines = self.lines("train", "d.megaproj", "--resume", "out/checkpoint.mega", "--steps",
                                   str(steps + 3), "--json", "--out", "more")
                self.assertEqual([line["step"] for line in lines if line["event"] == "step"],
                                 [steps + 1, steps + 2, steps + 3])

    def test_a_job_in_the_background(self):
        self.write("d.megaproj", regularised())
        result = subprocess.run(
            ["bash", "-c", '"$MEGALITH" train d.megaproj --epochs 1000000 --quiet --out out & job=$!; '
                           'until [ -e out ]; do sleep 0.05; done; sleep 0.3; kill -INT $job; wait $job; echo $?'],
            cwd=self.folder, env=self.environment(MEGALITH=PROGRAM), capture_output=True, text=True, timeout=240)
        self.assertEqual(result.stdout, "130\n", result.stderr)

    def test_text_says_how_to_go_on(self):
        self.write("d.megaproj", regularised())
        process = self.start("--epochs", "1000000", "--out", "out")
        process.stdout.readline()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=240)
        self.assertEqual(process.returncode, 130)
        self.assertIn("--resume out/checkpoint.mega", rest)


class Eval(CliTest):
    def test_it_says_what_training_said(self):
        self.write("d.megaproj", mlp())
        lines = self.lines("train", "d.megaproj", "--json", "--out", "out")
        last = [line for line in lines if line["event"] == "epoch"][-1]
        found = self.lines("eval", "d.megaproj", "--weights", "out/last.mega", "--json")
        self.assertEqual(len(found), 1)
        self.assertEqual((found[0]["loss"], found[0]["samples"], found[0]["metrics"]),
                         (last["val_loss"], 30, {"accuracy": last["val_accuracy"]}))
        self.assertRegex(self.done("eval", "d.megaproj", "--weights", "out/last.mega"),
                         r"\Aloss \d\S*, accuracy \d\S* on 30 samples\n\Z")
        self.assertEqual(json.loads(self.done("eval", "d.megaproj", "--weights", "out/checkpoint.mega", "--json")),
                         found[0], "a checkpoint's weights")


if __name__ == "__main__":
    unittest.main(verbosity=1)
