# SPDX-License-Identifier: Apache-2.0
"""Tests of check_comments on made-up trees, and of where comments are; checks_test.py runs them."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import comments  # noqa: E402

FILES = {"core/vm/isa.def": "", "core/vm/bind_a.cc": "", "core/vm/.gitignore": "gone.h\n",
         "core/vm/gone.h": "", "web/src/pane.ts": "", "tools/setup.sh": "", "docs/page.md": ""}


class CommentsTest(unittest.TestCase):
    def check(self, name, text):
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["git", "init", "-q", root], check=True)
            for path, content in {**FILES, name: text}.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(content)
            run = [sys.executable, os.path.join(HERE, "check_comments"), "--root", root]
            result = subprocess.run(run, capture_output=True, text=True, check=False)
            return result.returncode, result.stdout + result.stderr

    def expect_right(self, name, text):
        code, output = self.check(name, text)
        self.assertEqual(code, 0, output)
        self.assertIn(", 0 failed", output)

    def expect_broken(self, line, missing, name, text):
        code, output = self.check(name, text)
        self.assertEqual(code, 1, output)
        self.assertIn(f"{name}:{line}: a comment names {missing}, which does not exist", output)
        self.assertIn(", 1 failed", output)

    def test_names_that_exist(self):
        self.expect_right("core/a.cc", "// isa.def, vm/isa.def, core/vm/isa.def:12, and a.cc.\n")
        self.expect_right("web/src/a.ts", "/** As `pane.ts` (setup.sh) says. */\n")
        self.expect_right("CMakeLists.txt", "# bind_a.cc\nadd(b.cc)  # pane.ts\n")

    def test_patterns(self):
        self.expect_right("core/a.cc", "// bind_*.cc, core/vm/*.def, core/*/isa.def\n")

    def test_what_is_no_name(self):
        self.expect_right("core/a.cc", "// <other.h>, OUT.cc, core/NAME_TEST.cc, e.g. x.compute(), "
                          "https://example.org/x/y.h, $DIR/z.sh, {a,b}.cc, page.md, list.py(x)\n")

    def test_strings_and_code(self):
        self.expect_right("core/a.cc", '#include "core/no.h"\nauto s = "// no.cc";\n'
                          'auto r = R"(// no.cc)"; auto n = 1\'000; char c = \'"\'; // isa.def\n')
        self.expect_right("tools/a.py", 'text = """\n# no.py\n"""\n')
        self.expect_right("web/src/a.ts", "const s = `// no.ts`; const r = / \\/\\/ no.ts['\"]/;\n")

    def test_a_missing_source(self):
        self.expect_broken(2, "value_builtins.cc", "core/a.cc", "\n// As value_builtins.cc says.\n")
        self.expect_broken(3, "no.h", "core/a.h", "/* isa.def\n *\n * and no.h\n */\n")
        self.expect_broken(1, "no.ts", "web/src/a.tsx", "const a = 'x'; // no.ts\n")

    def test_a_missing_folder(self):
        self.expect_broken(1, "core/ir/isa.def", "core/a.def", "// core/ir/isa.def\n")

    def test_an_end_of_a_name(self):
        self.expect_broken(1, "sa.def", "core/a.cc", "// sa.def\n")

    def test_a_pattern_without_files(self):
        self.expect_broken(1, "make_*.cc", "core/a.cc", "// make_*.cc\n")
        self.expect_broken(1, "core/*.def", "core/a.cc", "// a star is no folder: core/*.def\n")

    def test_a_file_that_git_ignores(self):
        self.expect_broken(1, "gone.h", "core/a.cc", "// gone.h\n")

    def test_scripts(self):
        self.expect_broken(2, "no.sh", "tools/a.sh", "#!/bin/sh\necho '# x' ${x#y} # no.sh\n")
        self.expect_broken(2, "no.py", "tools/run", "#!/usr/bin/env python3\n# no.py\n")
        self.expect_broken(2, "no.sh", "tools/run", "#!/usr/bin/env bash\n# no.sh\n")
        self.expect_broken(2, "no.cmake", "CMakeLists.txt", "\n# no.cmake\n")

    def test_a_documentation_string(self):
        self.expect_broken(2, "no.py", "tools/a.py", '"""First.\nno.py says."""\n')


class SpansTest(unittest.TestCase):
    def found(self, path, text):
        return [text[begin:end] for begin, end in comments.comment_spans(path, text)]

    def test_braced(self):
        self.assertEqual(self.found("a.cc", 'f("/*", \'"\'); // b"\ng(); /* c\n */ h();\n'),
                         ['// b"', "/* c\n */"])
        self.assertEqual(self.found("a.ts", "a / b; // c\nd.replace(/[/*]/g, `'`); // e\n"),
                         ["// c", "// e"])

    def test_hash(self):
        self.assertEqual(self.found("a.sh", "a=${b#c} '#' \"# $d\" x#y # e\n  # f\n"),
                         ["# e", "# f"])

    def test_which_files(self):
        for path in ("a.cc", "a.def", "a.mjs", "x/CMakeLists.txt", "tools/a.sh"):
            self.assertTrue(comments.is_source(path), path)
        self.assertTrue(comments.is_source("tools/a", "#!/usr/bin/env bash\n"))
        for path, line in (("a.md", ""), ("a.json", ""), ("tools/a", ""), ("LICENSE", "Apache\n")):
            self.assertFalse(comments.is_source(path, line), path)
