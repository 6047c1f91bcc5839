# SPDX-License-Identifier: Apache-2.0
"""What compiling a model says of its progress: lines, a bar on a terminal, or nothing.

Usage: cli_progress_test.py TERN      ends with `N passed, N failed`
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import tern_cli  # noqa: E402
from tern_cli import DIGITS, error_of, main, on_terminal, tern, write  # noqa: E402

sys.path.insert(0, os.path.join(tern_cli.ROOT, "tools", "models"))
import onnx_writer as onnx  # noqa: E402

LINE = re.compile(r"(?P<name>.+): (?P<stage>import|compile|write) (?P<percent>\d+) %")
BAR = re.compile(r"\r\x1b\[K(?P<stage>import|compile|write) \[(?P<bar>=* *)\] (?P<percent>\d+) %")
CLEARED = "\r\x1b[K"
STAGES = ["import", "compile", "write"]
NODES = 4000  # so many take longer than the time before which no bar is shown


def chain():
    """A model that takes its time: sums and sines, one after the other."""
    nodes = [onnx.node(("Add", "Sin")[i % 2], [f"x{i}"] * (2 - i % 2), [f"x{i + 1}"])
             for i in range(NODES)]
    infos = [onnx.value_info(name, "f32", ["n"]) for name in ("x0", f"x{NODES}")]
    return onnx.model({"": 17}, onnx.graph("chain", nodes, [], infos[:1], infos[1:]))


class ProgressTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.model = write(folder.name, "chain.onnx", chain())
        cls.output = os.path.join(folder.name, "out.tern")

    def compile(self, *options):
        return ("compile", self.model, "-o", self.output, *options)

    def check_steps(self, steps):
        """(stage, percent) never go back."""
        self.assertEqual(list(dict.fromkeys(stage for stage, _ in steps)), STAGES)
        places = [(STAGES.index(stage), percent) for stage, percent in steps]
        self.assertEqual(places, sorted(places))
        self.assertLessEqual(max(percent for _, percent in steps), 100)

    def test_plain_lines(self):
        said = tern("compile", DIGITS, "-o", self.output, "--progress", "plain").stderr
        found = [LINE.fullmatch(line) for line in said.splitlines()]
        self.assertNotIn(None, found, said)
        self.assertEqual({match["name"] for match in found}, {DIGITS})
        steps = [(match["stage"], int(match["percent"])) for match in found]
        self.check_steps(steps)
        self.assertEqual(steps[-1], ("write", 100))
        self.assertEqual({percent % 25 for _, percent in steps}, {0})
        self.assertEqual(len(steps), len(set(steps)))

    def test_lines_of_a_large_model_are_as_few(self):
        said = tern(*self.compile("--progress", "plain")).stderr
        self.assertLessEqual(len(said.splitlines()), 15)

    def test_a_bar_on_a_terminal_is_gone_at_the_end(self):
        for options in ((), ("--progress", "bar")):
            code, said = on_terminal(*self.compile(*options))
            self.assertEqual(code, 0, said)
            bars = list(BAR.finditer(said))
            # One that nobody asked for comes where it takes long alone.
            if not options and not bars:
                self.assertEqual(said, "")
                continue
            self.assertTrue(bars, "no bar was shown")
            for bar in bars:
                self.assertEqual(len(bar["bar"]), 30)
                self.assertEqual(bar["bar"].count("="), int(bar["percent"]) * 30 // 100)
            percents = [(STAGES.index(bar["stage"]), int(bar["percent"])) for bar in bars]
            self.assertEqual(percents, sorted(percents))
            self.assertEqual(BAR.sub("", said), CLEARED)

    def test_a_bar_may_be_asked_for_without_a_terminal(self):
        # Not as text: reading that makes line breaks of carriage returns.
        said = subprocess.run([tern_cli.TERN, *self.compile("--progress", "bar")], check=True,
                              capture_output=True).stderr.decode()
        self.assertTrue(BAR.search(said))
        self.assertTrue(said.endswith(CLEARED))

    def test_what_takes_no_time_has_no_bar(self):
        code, said = on_terminal("info")
        self.assertEqual((code, said), (0, ""))

    def test_nothing(self):
        for options in (("--progress", "none"), ("-q",), ("-q", "--progress", "plain"), ()):
            result = tern(*self.compile(*options))
            self.assertEqual((result.returncode, result.stderr), (0, ""), options)
        for options in (("--progress", "none"), ("-q",)):
            self.assertEqual(on_terminal(*self.compile(*options)), (0, ""))

    def test_results_stay_apart(self):
        result = tern(*self.compile("--progress", "plain", "--format", "json"))
        self.assertEqual(json.loads(result.stdout)["output"], self.output)

    def test_an_error_follows_the_progress(self):
        with tempfile.TemporaryDirectory() as folder:
            nodes = [onnx.node("Twist", ["x"], ["y"], "first", "com.example")]
            infos = [onnx.value_info(name, "f32", ["n"]) for name in "xy"]
            path = write(folder, "odd.onnx", onnx.model({"": 17, "com.example": 1}, onnx.graph(
                "odd", nodes, [], infos[:1], infos[1:])))
            result = tern("compile", path, "--progress", "plain")
        self.assertNotEqual(result.returncode, 0)
        first, *rest = result.stderr.splitlines()
        self.assertEqual(first, f"{path}: import 0 %")
        self.assertIn("error[E0402]", "\n".join(rest))

    def test_no_other_word(self):
        _, said = error_of("compile", DIGITS, "--progress", "loud")
        self.assertIn("--progress: expected auto, bar, plain or none, got 'loud'", said)


if __name__ == "__main__":
    main()
