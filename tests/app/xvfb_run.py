#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real program under Xvfb: the window appears, a click on Train leads to a finished run, Ctrl+S writes project and
weights, Ctrl+Q ends it. xvfb_run.py PROGRAM; exit 77 when Xvfb, xdotool or import are missing."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ACCENT = (0x1F, 0x5F, 0xD6)
SIZE = (1280, 800)
PATIENCE = 120.0

PROJECT = """{
  "format": "megalith-project",
  "version": 1,
  "name": "lesson",
  "graph": {
    "sequential": false,
    "nodes": [
      {"id": 1, "type": "Input", "name": "x", "attrs": {"shape": [2]}, "pos": [0, 0]},
      {"id": 2, "type": "Linear", "name": "fc1", "attrs": {"out_features": 16}, "pos": [240, 0]},
      {"id": 3, "type": "Tanh", "name": "tanh", "attrs": {}, "pos": [480, 0]},
      {"id": 4, "type": "Linear", "name": "head", "attrs": {"out_features": 2}, "pos": [720, 0]},
      {"id": 5, "type": "Output", "name": "y", "attrs": {}, "pos": [960, 0]}
    ],
    "edges": [
      {"from": [1, "output"], "to": [2, "input"]},
      {"from": [2, "output"], "to": [3, "input"]},
      {"from": [3, "output"], "to": [4, "input"]},
      {"from": [4, "output"], "to": [5, "input"]}
    ],
    "modules": {},
    "frames": []
  },
  "data": {"source": "moons", "validation": 0.2},
  "training": {
    "loss": {"type": "CrossEntropyLoss"},
    "optimizer": {"type": "Adam", "lr": 0.01},
    "batch_size": 32,
    "epochs": 5
  }
}
"""


class Failed(Exception):
    pass


def wait_for(what, condition, process=None):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        if process is not None and process.poll() is not None:
            raise Failed(f"{what}: the program ended with {process.returncode}")
        time.sleep(0.1)
    raise Failed(f"{what}: not within {PATIENCE:.0f} s")


def xdotool(environment, *arguments):
    done = subprocess.run(["xdotool", *arguments], env=environment, capture_output=True, text=True, timeout=30)
    return done.stdout.strip()


def picture(environment):
    """Width, height and RGB bytes of the whole screen."""
    data = subprocess.run(["import", "-window", "root", "-depth", "8", "ppm:-"], env=environment, capture_output=True, timeout=60).stdout
    fields, at = [], 0
    while len(fields) < 4:
        end = at
        while not data[end : end + 1].isspace():
            end += 1
        fields.append(data[at:end])
        at = end + 1
    if fields[0] != b"P6":
        raise Failed("no picture of the screen")
    return int(fields[1]), int(fields[2]), data[at:]


def train_button(environment):
    """The middle of the widest run of the accent colour in the tool bar: the one primary button."""
    width, height, pixels = picture(environment)
    best = None
    for y in range(0, min(height, 120), 2):
        start, x = None, 0
        row = pixels[y * width * 3 : (y + 1) * width * 3]
        while x <= width:
            same = x < width and tuple(row[3 * x : 3 * x + 3]) == ACCENT
            if same and start is None:
                start = x
            if not same and start is not None:
                if x - start > 40 and (best is None or x - start > best[0]):
                    best = (x - start, start + (x - start) // 2, y)
                start = None
            x += 1
    return best


def drive(program, environment, folder):
    project = folder / "lesson.megaproj"
    project.write_text(PROJECT, encoding="utf-8")
    process = subprocess.Popen([program, str(project)], env=environment)
    try:
        window = wait_for("the window", lambda: xdotool(environment, "search", "--onlyvisible", "--name", "lesson"), process).split()[0]
        xdotool(environment, "windowmove", window, "0", "0")
        xdotool(environment, "windowsize", window, str(SIZE[0]), str(SIZE[1]))
        xdotool(environment, "windowfocus", window)
        _, x, y = wait_for("an enabled Train button", lambda: train_button(environment), process)
        xdotool(environment, "mousemove", str(x), str(y), "click", "1")

        metrics = folder / "lesson.runs" / "1" / "metrics.csv"
        wait_for("a run", metrics.exists, process)
        last = folder / "lesson.runs" / "1" / "last.mega"
        wait_for("the run's weights", last.exists, process)
        # The button is blue again when the run is over.
        time.sleep(1)
        wait_for("the end of the run", lambda: train_button(environment), process)
        epochs = {line.split(",")[1] for line in metrics.read_text().splitlines()[1:]}
        if epochs != {"0", "1", "2", "3", "4"}:
            raise Failed(f"metrics.csv has the epochs {sorted(epochs)}")

        xdotool(environment, "windowfocus", window)
        xdotool(environment, "key", "ctrl+s")
        wait_for("the saved weights", (folder / "lesson.mega").exists, process)
        wait_for("the saved project", lambda: '"weights": "lesson.mega"' in project.read_text(encoding="utf-8"), process)
        xdotool(environment, "key", "ctrl+q")
        try:
            code = process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failed("Ctrl+Q does not end the program") from None
        if code != 0:
            raise Failed(f"the program ended with {code}")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def main():
    if any(shutil.which(tool) is None for tool in ("Xvfb", "xdotool", "import")):
        print("Xvfb, xdotool or import is missing: skipped")
        return 77
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", "-nolisten", "tcp"],
        pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        display = os.fdopen(reader).readline().strip()
        with tempfile.TemporaryDirectory(prefix="megalith-xvfb-") as name:
            folder = pathlib.Path(name)
            environment = dict(os.environ, DISPLAY=f":{display}", QT_QPA_PLATFORM="xcb", HOME=name,
                               XDG_CONFIG_HOME=str(folder / "config"), DBUS_SESSION_BUS_ADDRESS="unix:path=/nowhere")
            drive(sys.argv[1], environment, folder)
        print("trained, saved and closed")
        return 0
    except Failed as problem:
        print(problem)
        return 1
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    sys.exit(main())
