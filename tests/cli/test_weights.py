# SPDX-License-Identifier: GPL-3.0-or-later
"""export, inspect and predict."""

import json
import math
import struct
import unittest

from tool import CliTest, edge, linear, mega, mlp, node, npy, png, project, read_npy

WEIGHT = [[0.5, -1.0, 2.0, 0.25], [1.5, 0.0, -0.5, 3.0]]
BIAS = [0.125, -2.0]


def weights(**metadata):
    return mega([("fc.weight", "F32", [2, 4], sum(WEIGHT, [])), ("fc.bias", "F32", [2], BIAS)],
                [(key.replace("_", "."), json.dumps(value)) for key, value in metadata.items()])


def outputs(rows):
    return [[sum(w * x for w, x in zip(line, row)) + b for line, b in zip(WEIGHT, BIAS)] for row in rows]


class Export(CliTest):
    def test_fresh_values(self):
        self.write("d.megaproj", mlp(10, 4, 3))
        text = self.done("export", "d.megaproj", "--to", "w.mega")
        for part in ["fresh", "4 tensors", "59 parameters", "equal in every bit"]:
            self.assertIn(part, text)
        lines = self.lines("inspect", "w.mega", "--values", "--json")
        self.assertEqual([(line["name"], line["dtype"], line["shape"]) for line in lines[1:]],
                         [("0.weight", "F32", [4, 10]), ("0.bias", "F32", [4]), ("2.weight", "F32", [3, 4]),
                          ("2.bias", "F32", [3])])
        for line in lines[1:]:
            bound = 1 / math.sqrt(10 if line["name"].startswith("0") else 4)
            self.assertLessEqual(max(abs(x) for x in line["values"]), bound)
        before = self.read("w.mega")
        self.done("export", "d.megaproj", "--to", "w.mega")
        self.assertEqual(self.read("w.mega"), before, "the seed decides")

    def test_given_and_own_weights(self):
        self.write("d.megaproj", linear([4], 2))
        self.write("w.mega", weights())
        self.assertIn("w.mega", self.done("export", "d.megaproj", "--weights", "w.mega", "--to", "a.mega"))
        self.write("own.megaproj", linear([4], 2, weights="w.mega"))
        self.assertIn("w.mega", self.done("export", "own.megaproj", "--to", "b.mega"))
        for file in ["a.mega", "b.mega"]:
            lines = self.lines("inspect", file, "--values", "--json")
            self.assertEqual({line["name"]: line["values"] for line in lines[1:]},
                             {"fc.weight": sum(WEIGHT, []), "fc.bias": BIAS})

    def test_what_was_known_of_the_data_stays(self):
        self.write("d.megaproj", linear([4], 3))
        self.done("train", "d.megaproj", "--quiet", "--out", "out", "--epochs", "1")
        self.done("export", "d.megaproj", "--weights", "out/last.mega", "--to", "w.mega")
        kept = [self.lines("inspect", file, "--json")[0]["metadata"]["megalith.normalize"]
                for file in ["out/last.mega", "w.mega"]]
        self.assertEqual(kept[0], kept[1])


class Inspect(CliTest):
    def test_json(self):
        self.write("w.mega", weights(x_note="hello"))
        head, *tensors = self.lines("inspect", "w.mega", "--json")
        self.assertEqual((head["format"], head["tensors"], head["container"], head["bytes"]), ("mega", 2, "dict", 40))
        self.assertEqual(head["metadata"]["x.note"], '"hello"')
        self.assertEqual(tensors, [{"name": "fc.weight", "dtype": "F32", "shape": [2, 4], "bytes": 32},
                                   {"name": "fc.bias", "dtype": "F32", "shape": [2], "bytes": 8}])

    def test_values(self):
        numbers = [math.nan, math.inf, -math.inf, -0.0, 0.1]
        self.write("w.mega", mega([
            ("f", "F32", [5], numbers), ("d", "F64", [2, 1], [0.1, 1e300]), ("b", "BOOL", [2], [True, False]),
            ("i", "I64", [2], [2 ** 63 - 1, -2 ** 63]), ("u", "U64", [1], [2 ** 64 - 1]), ("s", "I32", [], [7]),
            ("none", "F32", [0, 4], [])]))
        values = {line["name"]: line["values"] for line in self.lines("inspect", "w.mega", "--values", "--json")[1:]}
        self.assertEqual(values["f"][:3], ["nan", "inf", "-inf"])
        self.assertEqual(math.copysign(1, values["f"][3]), -1)
        self.assertEqual(values["f"][4], struct.unpack("<f", struct.pack("<f", 0.1))[0])
        self.assertEqual(values["d"], [0.1, 1e300])
        self.assertEqual(values["b"], [True, False])
        self.assertEqual((values["i"], values["u"], values["s"], values["none"]),
                         ([2 ** 63 - 1, -2 ** 63], [2 ** 64 - 1], [7], []))

    def test_glob(self):
        self.write("w.mega", weights())
        lines = self.lines("inspect", "w.mega", "--values", "*.bias", "--json")
        self.assertEqual([(line["name"], "values" in line) for line in lines[1:]],
                         [("fc.weight", False), ("fc.bias", True)])
        lines = self.lines("inspect", "w.mega", "--values", "fc.????", "--json")
        self.assertEqual(["values" in line for line in lines[1:]], [False, True])

    def test_stats(self):
        self.write("w.mega", mega([("t", "F32", [6], [1.0, 2.0, 3.0, 0.0, math.nan, math.inf])]))
        stats = self.lines("inspect", "w.mega", "--stats", "--json")[1]["stats"]
        self.assertEqual((stats["min"], stats["max"], stats["mean"], stats["zeros"], stats["nan"], stats["inf"]),
                         (0, 3, 1.5, 1, 1, 1))
        self.assertAlmostEqual(stats["std"], math.sqrt(5 / 3), places=6)
        self.assertAlmostEqual(stats["norm"], math.sqrt(14), places=6)

    def test_text(self):
        self.write("w.mega", weights())
        text = self.done("inspect", "w.mega", "--stats", "--values")
        for part in ["2 tensors", "fc.weight", "[2, 4]", "F32", "mean", "-2"]:
            self.assertIn(part, text)


class Predict(CliTest):
    ROWS = [[1.0, 2.0, 3.0, 4.0], [0.0, -1.0, 0.5, 0.25], [2.0, 2.0, 2.0, 2.0]]

    def predicted(self, *arguments, file="out.npy"):
        self.done("predict", "d.megaproj", "--weights", "w.mega", *arguments, "--output", file)
        descr, shape, values = read_npy(self.read(file))
        self.assertEqual((descr, shape[1:]), ("<f4", [2]))
        return [values[i * 2:i * 2 + 2] for i in range(shape[0])]

    def close(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for a, b in zip(sum(found, []), sum(expected, [])):
            self.assertAlmostEqual(a, b, places=5)

    def normalised(self, rows, offset, scale):
        return [[(x - o) / s for x, o, s in zip(row, offset, scale)] for row in rows]

    def test_npy_is_used_as_it_is(self):
        self.write("d.megaproj", linear([4], 2))
        self.write("w.mega", weights(megalith_normalize={"kind": "standard", "inputs": {
            "x": {"offset": [1.0] * 4, "scale": [2.0] * 4, "columns": ["a", "b", "c", "d"]}}}))
        self.write("x.npy", npy([3, 4], sum(self.ROWS, [])))
        self.close(self.predicted("--input", "x.npy"), outputs(self.ROWS))
        self.close(self.predicted("--input", "x=x.npy"), outputs(self.ROWS))
        self.write("x.npy", npy([3, 4], sum(self.ROWS, []), "<f8"))
        self.close(self.predicted("--input", "x.npy"), outputs(self.ROWS))

    def test_an_input_is_not_written_over(self):
        self.write("d.megaproj", linear([4], 2))
        self.write("w.mega", weights())
        before = npy([3, 4], sum(self.ROWS, []))
        self.write("x.npy", before)
        for given in ["x.npy", "x=x.npy"]:
            self.fails("predict", "d.megaproj", "--weights", "w.mega", "--input", given, "--output", "./x.npy",
                       says=["./x.npy", "is an input"])
        self.assertEqual(self.read("x.npy"), before)

    def test_csv_is_normalised(self):
        offset, scale = [1.0, 2.0, 3.0, 4.0], [2.0, 0.5, 4.0, 1.0]
        self.write("d.megaproj", linear([4], 2))
        self.write("w.mega", weights(megalith_normalize={"kind": "standard", "inputs": {
            "x": {"offset": offset, "scale": scale, "columns": ["a", "b", "c", "d"]}}}))
        lines = ["d,c,b,a,other"] + [",".join(str(x) for x in reversed(row)) + ",9" for row in self.ROWS]
        self.write("x.csv", "\n".join(lines) + "\n")
        self.close(self.predicted("--input", "x.csv"), outputs(self.normalised(self.ROWS, offset, scale)))

    def test_png(self):
        self.write("d.megaproj", linear([1, 2, 2], 2))
        self.write("w.mega", weights(megalith_normalize={"kind": "standard", "inputs": {
            "x": {"offset": [100.0], "scale": [50.0]}}}))
        self.write("x.png", png(2, 2, [[0, 255], [100, 7]]))
        self.close(self.predicted("--input", "x.png"),
                   outputs(self.normalised([[0, 255, 100, 7]], [100] * 4, [50] * 4)))
        self.write("x.png", png(3, 2, [[0, 0, 0], [0, 0, 0]]))
        self.fails("predict", "d.megaproj", "--weights", "w.mega", "--input", "x.png", says=["x.png", "3", "2"])
        self.write("x.png", png(2, 2, [[0, 255], [100, 7]])[:60])
        self.fails("predict", "d.megaproj", "--weights", "w.mega", "--input", "x.png", says="x.png")

    def test_colour_png(self):
        self.write("d.megaproj", linear([3, 1, 2], 1))
        self.write("w.mega", mega([("fc.weight", "F32", [1, 6], [1.0, 10.0, 100.0, 1000.0, 1e4, 1e5]),
                                   ("fc.bias", "F32", [1], [0.0])]))
        self.write("x.png", png(2, 1, [[(1, 2, 3), (4, 5, 6)]], color=True))
        text = self.done("predict", "d.megaproj", "--weights", "w.mega", "--input", "x.png")
        # Planes: red 1 4, green 2 5, blue 3 6.
        self.assertEqual(text, "y\n635241\n")

    def test_text(self):
        self.write("d.megaproj", linear([4], 2))
        self.write("w.mega", weights())
        self.write("x.npy", npy([1, 4], [0.1, 0, 0, 0]))
        text = self.done("predict", "d.megaproj", "--weights", "w.mega", "--input", "x.npy")
        self.assertEqual(text.splitlines()[0], "y_0,y_1")
        self.assertEqual(text.splitlines()[1], "0.175,-1.85")
        self.done("predict", "d.megaproj", "--weights", "w.mega", "--input", "x.npy", "--output", "o.csv")
        self.assertEqual(self.read("o.csv").decode("utf-8"), text)

    def two_inputs(self):
        return project([node(1, "Input", "a", {"shape": [2]}), node(2, "Input", "b", {"shape": [2]}),
                        node(3, "Add", "add"), node(4, "Mul", "mul"), node(5, "Output", "sum"),
                        node(6, "Output", "product")],
                       [edge(1, 3), edge(2, 3, into="other"), edge(1, 4), edge(2, 4, into="other"), edge(3, 5),
                        edge(4, 6)], data={}, training={})

    def test_several_inputs_and_outputs(self):
        self.write("d.megaproj", self.two_inputs())
        self.write("w.mega", mega([]))
        self.write("a.npy", npy([2, 2], [1, 2, 3, 4]))
        self.write("b.npy", npy([2, 2], [5, 6, 7, 8]))
        call = ("predict", "d.megaproj", "--weights", "w.mega")
        self.done(*call, "--input", "b=b.npy", "--input", "a=a.npy", "--output", "o.npy")
        self.assertEqual(read_npy(self.read("o-sum.npy"))[2], [6, 8, 10, 12])
        self.assertEqual(read_npy(self.read("o-product.npy"))[2], [5, 12, 21, 32])
        self.wrong(*call, "--input", "a.npy", says=["a, b", "NAME=FILE"])
        self.wrong(*call, "--input", "a=a.npy", says="Input b")
        self.wrong(*call, "--input", "a=a.npy", "--input", "a=b.npy", says="twice")
        self.wrong(*call, "--input", "a=a.npy", "--input", "c=b.npy", says="there is no Input c")
        self.write("b.npy", npy([1, 2], [5, 6]))
        self.fails(*call, "--input", "a=a.npy", "--input", "b=b.npy", says=["2 samples", "1"])

    def test_bad_inputs(self):
        self.write("d.megaproj", linear([4], 2))
        self.write("w.mega", weights())
        call = ("predict", "d.megaproj", "--weights", "w.mega", "--input")
        self.write("x.npy", npy([2, 3], [0] * 6))
        self.fails(*call, "x.npy", says=["x.npy", "[3]", "[4]"])
        self.write("x.npy", b"")
        self.fails(*call, "x.npy", says="x.npy")
        self.fails(*call, "none.npy", says="none.npy")
        self.write("x.csv", "a,b,c,d\n1,2,3,four\n")
        self.fails(*call, "x.csv", says=["x.csv", "line 2"])
        self.write("x.png", "GIF89a")
        self.fails(*call, "x.png", says="x.png")
        self.wrong(*call, "x.jpeg", says=".png")
        self.wrong(*call, "x.npy", "--output", "o.txt", says=".csv")


if __name__ == "__main__":
    unittest.main(verbosity=1)
