# SPDX-License-Identifier: GPL-3.0-or-later
"""What the README promises: two commands, and real data are learned."""

import os
import unittest

from tool import CliTest


class Accuracy(CliTest):
    def best(self, *arguments, timeout):
        lines = self.lines("train", *arguments, "--json", timeout=timeout)
        epochs = [line for line in lines if line["event"] == "epoch"]
        return lines[0], epochs[-1]["val_accuracy"]

    def test_digits(self):
        self.done("new", "d", "--template", "mlp", "--data", "digits")
        for seed in range(5):
            with self.subTest(seed=seed):
                start, accuracy = self.best("d.megaproj", "--epochs", "20", "--seed", str(seed), timeout=300)
                self.assertEqual(start["train_samples"] + start["val_samples"], 1797)
                self.assertGreaterEqual(accuracy, 0.96)

    @unittest.skipUnless(os.environ.get("MEGALITH_LONG"), "takes minutes")
    def test_fashion(self):
        self.done("new", "f", "--template", "cnn", "--data", "fashion-mnist")
        if self.call("check", "f.megaproj").returncode != 0:
            self.skipTest("the package dataset-fashion-mnist is not installed")
        start, accuracy = self.best("f.megaproj", "--epochs", "5", timeout=1500)
        self.assertEqual((start["train_samples"], start["val_samples"]), (60000, 10000))
        self.assertGreaterEqual(accuracy, 0.88)


if __name__ == "__main__":
    unittest.main(verbosity=1)
