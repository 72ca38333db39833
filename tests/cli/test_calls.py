# SPDX-License-Identifier: GPL-3.0-or-later
"""How the program is called: help, wrong calls, exit codes, standard streams."""

import subprocess
import unittest

from tool import PROGRAM, CliTest, json_lines, mlp

COMMANDS = ["new", "check", "summary", "train", "eval", "predict", "export", "inspect", "devices"]
LATER = ["convert", "diff", "load", "verify", "render"]


class Help(CliTest):
    def test_version(self):
        self.assertRegex(self.done("--version"), r"\Amegalith \d+\.\d+\.\d+\n\Z")

    def test_help_lists_what_there_is(self):
        text = self.done("help")
        for command in COMMANDS:
            self.assertRegex(text, rf"(?m)^  {command} ")
        for command in LATER:
            self.assertNotRegex(text, rf"(?m)^  {command} ")
        self.assertEqual(self.done("--help"), text)
        self.assertEqual(self.done("-h"), text)

    def test_help_of_each_command(self):
        for command in COMMANDS:
            with self.subTest(command):
                text = self.done("help", command)
                self.assertIn(f"megalith {command}", text)
                self.assertEqual(self.done(command, "--help"), text)

    def test_help_names_every_option_of_train(self):
        text = self.done("help", "train")
        for option in ["--init", "--no-strict", "--epochs", "--steps", "--device", "--seed", "--out", "--resume",
                       "--json", "--quiet"]:
            self.assertIn(option, text)

    def test_no_display_is_needed(self):
        environment = {k: v for k, v in self.environment().items() if k != "QT_QPA_PLATFORM"}
        result = subprocess.run([PROGRAM, "devices"], env=environment, capture_output=True)
        self.assertEqual(result.returncode, 0, result.stderr)


class WrongCalls(CliTest):
    def test_unknown_command(self):
        self.wrong("trian", says=["trian", "did you mean train?"])
        self.wrong("frobnicate", says="frobnicate")
        self.wrong("--frobnicate", says="--frobnicate")
        self.wrong("help", "sumary", says="did you mean summary?")

    def test_unknown_option(self):
        self.wrong("train", "d.megaproj", "--epoch", "3", says=["--epoch", "did you mean --epochs?",
                                                                "usage: megalith train PROJECT"])

    def test_missing_and_too_many(self):
        self.wrong("train", says="PROJECT")
        self.wrong("check", "a.megaproj", "b.megaproj", says="b.megaproj")
        self.wrong("eval", "a.megaproj", says="--weights")
        self.wrong("predict", "a.megaproj", "--weights", "w.mega", says="--input")
        self.wrong("export", "a.megaproj", says="--to")
        self.wrong("inspect", says="FILE")
        self.wrong("new", "d", says="--template")
        self.wrong("train", "a.megaproj", "--epochs", says="--epochs")
        self.wrong("train", "a.megaproj", "--epochs", "1", "--epochs", "2", says="--epochs")

    def test_numbers(self):
        for text in ["x", "-1", "1.5", "1,5", "1e3", "", "99999999999999999999", "0x10", " 1"]:
            with self.subTest(text):
                self.wrong("train", "a.megaproj", "--epochs", text, says="--epochs must be a whole number")

    def test_what_excludes_each_other(self):
        self.wrong("train", "a.megaproj", "--init", "a.mega", "--resume", "b.mega", says=["--init", "--resume"])
        self.wrong("train", "a.megaproj", "--no-strict", says="--init")

    def test_later(self):
        for command in LATER:
            self.wrong(command, "a", "b", says=[command, "does not exist yet"])
            self.wrong("help", command, says="does not exist yet")
        self.wrong("check", "a.megaproj", "--fix", "1", says="--fix does not exist yet")
        self.wrong("devices", "--tune", says="--tune does not exist yet")
        for ending in ["safetensors", "pt", "npz", "onnx", "py"]:
            self.wrong("export", "a.megaproj", "--to", f"a.{ending}", says=[f".{ending}", "does not exist yet"])
        self.wrong("export", "a.megaproj", "--to", "a.xyz", says=".mega")
        self.wrong("export", "a.megaproj", "--to", "a", says=".mega")
        self.wrong("new", "a", "--template", "resnet", says=["resnet", "mlp", "cnn"])

    def test_new(self):
        self.wrong("new", "a", "--template", "mlp", "--sizes", "10", says="--sizes")
        self.wrong("new", "a", "--template", "mlp", "--sizes", "10,x,3", says="--sizes")
        self.wrong("new", "a", "--template", "mlp", "--sizes", "10,0,3", says="--sizes")
        self.wrong("new", "a", "--template", "cnn", "--sizes", "10,4,3", says="--sizes")
        self.wrong("new", "a", "--template", "mlp", "--data", "digts", says="did you mean digits?")
        self.wrong("new", "", "--template", "mlp", says="name")
        self.assertEqual(self.everything(), [])


class Streams(CliTest):
    def setUp(self):
        super().setUp()
        self.write("d.megaproj", mlp())

    def shell(self, command):
        return subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment(MEGALITH=PROGRAM),
                              capture_output=True, text=True, timeout=240)

    def test_a_reader_that_goes_away(self):
        result = self.shell('set -o pipefail; "$MEGALITH" inspect --help | true; "$MEGALITH" train d.megaproj '
                            '--epochs 2 --json | head -1; echo ${PIPESTATUS[0]}')
        lines = result.stdout.splitlines()
        self.assertIn('"start"', lines[0])
        self.assertEqual(lines[1], "0", "the training goes on without its reader")
        self.assertEqual(result.stderr, "")
        self.assertIn("d.runs/1/last.mega", self.everything())

    def test_closed_output(self):
        result = self.shell('"$MEGALITH" train d.megaproj --epochs 1 >&-; echo $?')
        self.assertEqual((result.stdout, result.stderr), ("0\n", ""))
        head = self.read("d.runs/1/metrics.csv")
        self.assertTrue(head.startswith(b"step,"), "a line meant for the terminal went into a file")

    def test_full_output(self):
        result = self.shell('"$MEGALITH" check d.megaproj > /dev/full; echo $?')
        self.assertEqual(result.stdout, "1\n")
        self.assertRegex(result.stderr, r"\Amegalith: error: standard output: [^\n]+\n\Z")
        result = self.shell('"$MEGALITH" train d.megaproj --epochs 1 --json > /dev/full; echo $?')
        self.assertEqual(result.stdout, "1\n")
        self.assertRegex(result.stderr, r"\Amegalith: error: standard output: [^\n]+\n\Z")
        self.assertIn("d.runs/1/last.mega", self.everything())

    def test_no_escape_sequences_in_a_file(self):
        for arguments in [("check", "d.megaproj"), ("summary", "d.megaproj"), ("train", "d.megaproj"), ("help",)]:
            self.assertNotIn("\x1b", self.done(*arguments))

    def test_numbers_do_not_depend_on_the_locale(self):
        environment = self.environment(LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")
        result = subprocess.run([PROGRAM, "train", "d.megaproj", "--steps", "2", "--json"], cwd=self.folder,
                                env=environment, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([line["lr"] for line in json_lines(result.stdout) if line["event"] == "step"], [0.01] * 2)


class Devices(CliTest):
    def test_json(self):
        lines = self.lines("devices", "--json")
        self.assertEqual([line["id"] for line in lines if line["kind"] == "cpu"], ["cpu"])
        for line in lines:
            self.assertLessEqual({"id", "name", "kind", "usable", "reason"}, line.keys())
        cpu = next(line for line in lines if line["id"] == "cpu")
        self.assertIs(cpu["usable"], True)
        self.assertEqual(cpu["reason"], "")

    def test_text(self):
        self.assertRegex(self.done("devices"), r"(?m)^cpu +.*yes$")

    def test_unknown_device(self):
        self.write("d.megaproj", mlp())
        self.fails("train", "d.megaproj", "--device", "abacus", says="abacus")
        self.assertEqual(self.everything(), ["d.megaproj"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
