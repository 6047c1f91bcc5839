# SPDX-License-Identifier: Apache-2.0
"""Tests of golden.py with a tool that crashes, hangs and fails on demand; checks_test.py runs
them."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GOLDEN = os.path.join(ROOT, "tests", "support", "golden.py")
# Prints the files that it is given; says in `starts` that it began. A batch has the form of
# tests/support/tool_batch.h.
TOOL = """#!/usr/bin/env python3
import os, sys
def command(words):
    text = open(words[1]).read()
    if "crash" in words: os.abort()
    if "crash-in-batch" in words and batch: os.abort()
    print(words[0], text.count("\\n"))
    print("note", file=sys.stderr)
    return 3 if "fail" in words else 0
with open(os.path.join(os.path.dirname(sys.argv[0]), "starts"), "a") as file:
    file.write("x")
batch = sys.argv[1] == "--batch"
if not batch: sys.exit(command(sys.argv[1:]))
leak = False
for line in open(sys.argv[2]).read().splitlines():
    folder, *words = line.split("\\t")
    os.chdir(folder)
    code = command(words)
    leak = leak or "leak" in words
    print("\\x1e%d" % code, flush=True)
    print("\\x1e", file=sys.stderr, flush=True)
sys.exit(9 if leak else 0)
"""


class GoldenTest(unittest.TestCase):
    def run_cases(self, *runs, expected="say 3\nnote\n", tool="made_tool"):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, tool), "w", encoding="utf-8") as file:
                file.write(TOOL)
            os.chmod(os.path.join(folder, tool), 0o755)
            for number, run in enumerate(runs):
                with open(os.path.join(folder, f"{number}.txt"), "w", encoding="utf-8") as file:
                    file.write(f";; run: {tool} {run}\ninput\ninput\n;; expect\n{expected}")
            done = subprocess.run(
                [sys.executable, GOLDEN, "--bin", folder, folder], capture_output=True, text=True,
                check=False)
            with open(os.path.join(folder, "starts"), encoding="utf-8") as file:
                return done.returncode, done.stdout, len(file.read())

    def test_one_process_for_many(self):
        code, output, starts = self.run_cases(*["say %s"] * 20)
        self.assertEqual((code, output), (0, "20 passed, 0 failed\n"))
        self.assertLessEqual(starts, os.cpu_count() or 1)

    def test_other_tools_run_alone(self):
        code, output, starts = self.run_cases(*["say %s"] * 3, tool="tern")
        self.assertEqual((code, output, starts), (0, "3 passed, 0 failed\n", 3))

    def test_exit_code_and_output_of_each(self):
        code, output, _ = self.run_cases("say %s", "say %s fail", "said %s")
        self.assertEqual(code, 1)
        self.assertIn("'made_tool say %s fail' ended with 3, expected 0", output)
        self.assertIn("+said 3", output)
        self.assertIn("1 passed, 2 failed", output)

    def test_the_usage_is_printed(self):
        result = subprocess.run([sys.executable, GOLDEN, "--help"], capture_output=True, text=True,
                                check=True)
        self.assertIn("%s is a copy of the input", result.stdout)

    def test_a_crash_fails_one_case(self):
        code, output, _ = self.run_cases(*["say %s"] * 4, "say %s crash", *["say %s"] * 4)
        self.assertEqual(code, 1)
        self.assertIn("'made_tool say %s crash' ended with -6, expected 0", output)
        self.assertIn("8 passed, 1 failed", output)

    def test_a_crash_only_beside_others(self):
        code, output, _ = self.run_cases("say %s", "say %s crash-in-batch", "say %s")
        self.assertEqual(code, 1)
        self.assertIn("it ends well alone, but its batch ended with -6", output)
        self.assertIn("2 passed, 1 failed", output)

    def test_what_ends_the_process_badly_at_its_end(self):
        code, output, _ = self.run_cases("say %s leak")
        self.assertEqual(code, 1)
        self.assertIn("it ends well alone, but its batch ended with 9", output)

    def test_a_missing_tool(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write(";; run: no_tool %s\n;; expect\n")
            done = subprocess.run([sys.executable, GOLDEN, "--bin", folder, path],
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no tool no_tool", done.stdout)
