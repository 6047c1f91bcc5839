# SPDX-License-Identifier: Apache-2.0
"""Tests of check_codes, which checks_test.py runs: what counts as a test of a code."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = 'TERN_CODE("E0001", "one", "text")\nTERN_CODE("M0002", "two", "text")\n'


class CodesTest(unittest.TestCase):
    def check(self, files, table=TABLE):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {"core/text/codes.def": table, **files}.items():
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            result = subprocess.run(
                [sys.executable, os.path.join(HERE, "check_codes"), "--root", root],
                capture_output=True, text=True, check=False)
        return result.returncode, result.stdout

    def test_goldens_and_expectations_count(self):
        code, output = self.check({
            "tests/golden/cli/a.tasm": ";; run: tern run\n;; expect\nerror[E0001]: one\n",
            "tests/unit/a_test.cc": 'EXPECT_EQ(status.error_code(),\n          "M0002");\n'})
        self.assertEqual((code, output), (0, "2 passed, 0 failed\n"))
        code, _ = self.check({"tests/wasm/a.test.mjs": "refuses(call, /E0001/);\n",
                              "tests/golden/lang/a.tn": "// ;; prints\n// M0002\n"})
        self.assertEqual(code, 0)

    def test_mentions_do_not(self):
        for files in (
                {"tests/golden/cli/a.tasm": ";; run: tern explain E0001\n;; expect\nM0002\n"},
                {"tests/golden/cli/a.tasm": "; E0001\n;; expect\nM0002\n"},
                {"tests/unit/a_test.cc": '// EXPECT E0001\nEXPECT_EQ(x, "M0002");\n'},
                {"tests/unit/a_test.cc": 'f("E0001");\nEXPECT_EQ(x, "M0002");\n'},
                {"tests/unit/a_test.cc": 'EXPECT_EQ(x, "M0002");  // and E0001\n'},
                {"tests/unit/notes.txt": "EXPECT E0001\n",
                 "tests/unit/a_test.cc": 'EXPECT_EQ(x, "M0002");\n'}):
            with self.subTest(files):
                self.assertEqual(self.check(files), (
                    1, "core/text/codes.def: no test brings about E0001\n1 passed, 1 failed\n"))

    def test_links_to_folders_are_left_out(self):
        with tempfile.TemporaryDirectory() as root:
            for folder in ("core/text", "tests/unit", "elsewhere"):
                os.makedirs(os.path.join(root, folder))
            for path, text in (("core/text/codes.def", TABLE), ("tests/unit/a_test.cc",
                               'EXPECT_EQ(a, "E0001");\nEXPECT_EQ(b, "M0002");\n')):
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            os.symlink("../elsewhere", os.path.join(root, "tests", "modules"))
            subprocess.run(["git", "init", "-q", root], check=True)
            result = subprocess.run(
                [sys.executable, os.path.join(HERE, "check_codes"), "--root", root],
                capture_output=True, text=True, check=False)
        self.assertEqual(result.stdout, "2 passed, 0 failed\n", result.stderr)

    def test_an_empty_table_is_a_failure(self):
        self.assertEqual(self.check({}, "nothing\n"), (1, "0 passed, 0 failed\n"))


if __name__ == "__main__":
    unittest.main()
