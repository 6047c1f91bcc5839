# SPDX-License-Identifier: Apache-2.0
"""Tests of check_build_time on made-up build folders; checks_test.py runs them."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
GTEST = "CMakeFiles/tern_gtest.dir/gtest-all.cc.o"
BUDGET = "host compilations 3\nhost repeated 0\nhost ruler 4\n"


def command(source, label=""):
    flag = f" -DTERN_TARGET_LABEL={label}" if label else ""
    return {"directory": ".", "file": source, "command": f"c++{flag} -c {source}"}


class BuildTimeTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = self.folder.name
        self.build = os.path.join(self.root, "build", "host")
        self.batch = os.path.join(self.build, "batches", "vm_0.cc")
        self.commands = [command(self.batch), command(os.path.join(self.root, "core/vm/b.cc"))]
        self.seconds = {GTEST: 10, "core/vm/CMakeFiles/vm.dir/batch.cc.o": 20, "core/libvm.a": 1}

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def check(self, budget=BUDGET, *arguments):
        log = "# ninja log v5\n" + "".join(f"1000\t{1000 + 1000 * value}\t7\t{name}\tabc\n"
                                          for name, value in self.seconds.items())
        self.write("build/host/.ninja_log", log)
        self.write("build/host/compile_commands.json", json.dumps(self.commands))
        self.write("build/host/batches/vm_0.cc", '#include "core/vm/a.cc"  // NOLINT\n')
        self.write("budget.txt", budget)
        run = [sys.executable, os.path.join(HERE, "check_build_time"), "--root", self.root,
               "--budget", os.path.join(self.root, "budget.txt"), *arguments]
        result = subprocess.run(run, capture_output=True, text=True, check=False)
        return result.returncode, result.stdout + result.stderr

    def test_within_the_budget(self):
        code, output = self.check()
        self.assertEqual(code, 0, output)
        self.assertIn("20.0 s  core/vm", output)
        self.assertIn("compilations: 2 of 3", output)
        self.assertIn("ruler: 3 of 4", output)
        self.assertIn("3 passed, 0 failed", output)

    def test_vector_targets_are_no_repetition(self):
        source = os.path.join(self.root, "core/k.cc")
        self.commands = [command(source, "avx2"), command(source, "sse4")]
        self.assertIn("repeated: 0 of 0", self.check()[1])

    def test_cache_answered_for_the_ruler(self):
        self.seconds[GTEST] = 1
        code, output = self.check()
        self.assertEqual(code, 0, output)
        self.assertIn("ruler: not measured", output)
        self.assertIn("2 passed, 0 failed", output)

    def test_too_many_compilations(self):
        code, output = self.check("host compilations 1\n")
        self.assertEqual(code, 1)
        self.assertIn("compilations: 2 of 1: fewer compilations", output)

    def test_source_in_a_batch_and_alone(self):
        self.commands.append(command(os.path.join(self.root, "core/vm/a.cc")))
        code, output = self.check()
        self.assertEqual(code, 1)
        self.assertIn("compiled repeatedly: core/vm/a.cc", output)
        self.assertIn("repeated: 1 of 0", output)

    def test_slower_than_the_budget(self):
        self.seconds["core/vm/CMakeFiles/vm.dir/batch.cc.o"] = 90
        code, output = self.check()
        self.assertEqual(code, 1)
        self.assertIn("ruler: 10 of 4", output)

    def test_bad_budget(self):
        for line in ("host compilations", "host compilations many", "host minutes 3"):
            code, output = self.check(line + "\n")
            self.assertEqual(code, 1)
            self.assertIn(f"budget.txt:1: wants PRESET compilations|repeated|ruler NUMBER, got "
                          f"'{line}'", output)

    def test_unknown_preset(self):
        self.assertIn("no rows for 'hots', only for host", self.check(BUDGET, "hots")[1])

    def test_nothing_built_is_a_failure(self):
        code, output = self.check("wasm compilations 3\n")
        self.assertEqual(code, 1)
        self.assertIn("wasm: not built", output)
