# SPDX-License-Identifier: Apache-2.0
"""Tests of check_switches on made-up trees; checks_test.py runs them."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ENUM = "enum class Kind { kOne, kTwo };\n"


def function(labels, default="default: return 0;"):
    return f"int F(int x) {{\n  switch (x) {{\n    {labels} return 1;\n    {default}\n  }}\n}}\n"


class SwitchesTest(unittest.TestCase):
    def switches(self, files):
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["git", "init", "-q", root], check=True)
            for name, text in files.items():
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            run = [sys.executable, os.path.join(HERE, "check_switches"), "--root", root]
            result = subprocess.run(run, capture_output=True, text=True, check=False)
            return result.returncode, result.stdout

    def one(self, text, **more):
        files = {"core/a/kind.h": ENUM, "core/a/f.cc": text}
        files.update({name.replace("__", "/"): content for name, content in more.items()})
        return self.switches(files)

    def test_a_switch_that_names_all_passes(self):
        code, out = self.one(function("case Kind::kOne:\n    case Kind::kTwo:", ""))
        self.assertEqual((code, out), (0, "1 passed, 0 failed\n"))

    def test_a_default_is_refused_with_its_line(self):
        code, out = self.one(function("case Kind::kOne:"))
        self.assertEqual(code, 1)
        self.assertIn("core/a/f.cc:4: a default in a switch over Kind", out)

    def test_a_longer_name_of_the_enumeration_is_seen(self):
        self.assertEqual(self.one(function("case a::Kind::kOne:"))[0], 1)

    def test_using_enum_is_seen(self):
        self.assertEqual(self.one("using enum a::Kind;\n" + function("case kOne:"))[0], 1)

    def test_numbers_letters_and_constants_keep_their_default(self):
        for label in ("case 1:", "case 'k':", "case kLimit:", "case TERN_TYPE_INT:"):
            self.assertEqual(self.one(function(label))[0], 0, label)

    def test_enumerations_of_others_keep_their_default(self):
        self.assertEqual(self.one(function("case llvm::Other::kOne:"))[0], 0)

    def test_the_default_of_an_inner_switch_is_its_own(self):
        inner = "switch (y) { case 1: return 2; default: return 3; }"
        both = function(f"case Kind::kTwo: {inner}\n    case Kind::kOne:", "")
        self.assertEqual(self.one(both), (0, "2 passed, 0 failed\n"))
        outer = function(f"case Kind::kTwo: {inner}\n    case Kind::kOne:")
        self.assertEqual(self.one(outer)[0], 1)

    def test_comments_and_strings_are_no_code(self):
        text = function('case Kind::kOne: Say("default: }"); // default: {\n', "")
        self.assertEqual(self.one(text)[0], 0)

    def test_an_exception_allows_and_must_be_needed(self):
        text = function("case Kind::kOne:")
        listed = {"tools__check__open_enumerations.txt": "Kind | rows of a table\n"}
        self.assertEqual(self.one(text, **listed)[0], 0)
        code, out = self.one(function("case 1:"), **listed)
        self.assertEqual(code, 1)
        self.assertIn("open_enumerations.txt:1: no switch needs the exception `Kind`", out)

    def test_an_exception_of_one_file_is_of_that_file(self):
        text = function("case Kind::kOne:")
        name = "tools__check__open_enumerations.txt"
        self.assertEqual(self.one(text, **{name: "Kind core/a/f.cc | why\n"})[0], 0)
        self.assertEqual(self.one(text, **{name: "Kind core/a/g.cc | why\n"})[0], 1)

    def test_an_exception_without_a_reason_is_refused(self):
        text = function("case Kind::kOne:")
        code, out = self.one(text, **{"tools__check__open_enumerations.txt": "Kind\n"})
        self.assertEqual(code, 1)
        self.assertIn("needs a reason", out)


if __name__ == "__main__":
    unittest.main()
