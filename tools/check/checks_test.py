# SPDX-License-Identifier: Apache-2.0
"""Tests of the checks and of the suite runner: each rule is seen to hold and seen to be broken.

Usage: python3 tools/check/checks_test.py       ends with `N passed, N failed`
"""
import gzip
import os
import random
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
# Their tests belong to this program.
from abi_test import AbiTest  # noqa: E402,F401
from build_time_test import BuildTimeTest  # noqa: E402,F401
from codes_test import CodesTest  # noqa: E402,F401
from comments_test import CommentsTest, SpansTest  # noqa: E402,F401
from golden_test import GoldenTest  # noqa: E402,F401
from run_quick_test import BuildGraphTest, QuickChoiceTest, RunQuickTest  # noqa: E402,F401
from run_suites_test import ScheduleTest, RunSuitesTest, SlowestTest, TableTest  # noqa: E402,F401
from switches_test import SwitchesTest  # noqa: E402,F401
from versions_test import VersionsTest  # noqa: E402,F401

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
LAYERS = """
core/base : # the bottom
core/vm : core/base
core/one : core/base/a.h
hwy/ = core/vm/simd.h
core ! iostream sys/
core/base ! * but stdint.h
headers ! functional
"""


class Tree:
    """A throw-away repository: files by name."""

    def __init__(self, files):
        self.folder = tempfile.TemporaryDirectory()
        self.root = self.folder.name
        subprocess.run(["git", "init", "-q", self.root], check=True)
        for name, text in files.items():
            path = os.path.join(self.root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())

    def check(self, tool, *arguments):
        command = [sys.executable, os.path.join(HERE, tool), "--root", self.root, *arguments]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return result.returncode, result.stdout + result.stderr


class LayersTest(unittest.TestCase):
    def layers(self, **files):
        tree = {"core/layers.txt": LAYERS, "core/base/a.h": SPDX, "core/vm/b.h": SPDX}
        tree.update({"core/" + name.replace("__", "/").replace("_dot_", "."): text
                     for name, text in files.items()})
        return Tree(tree).check("check_layers")

    def expect_broken(self, message, **files):
        code, output = self.layers(**files)
        self.assertEqual(code, 1, output)
        self.assertIn(message, output)

    def test_upper_layer_may_include_lower(self):
        code, output = self.layers(vm__x_dot_cc='#include "core/base/a.h"\n#include <vector>\n')
        self.assertEqual((code, output), (0, "3 passed, 0 failed\n"))

    def test_single_header_may_be_allowed(self):
        code, output = self.layers(one__x_dot_cc='#include "core/base/a.h"\n')
        self.assertEqual(code, 0, output)

    def test_lower_layer_must_not_include_upper(self):
        self.expect_broken("core/base/x.cc:1: core/base must not include \"core/vm/b.h\"",
                           base__x_dot_cc='#include "core/vm/b.h"\n')

    def test_missing_header(self):
        self.expect_broken("does not exist", vm__x_dot_cc='#include "core/base/none.h"\n')

    def test_relative_include(self):
        self.expect_broken("repository root", vm__x_dot_cc='#include "b.h"\n')

    def test_folder_without_rule(self):
        self.expect_broken("no rule in core/layers.txt covers",
                           new__x_dot_cc='#include "core/base/a.h"\n')

    def test_package_in_the_wrong_place(self):
        self.expect_broken("is for core/vm/simd.h only",
                           vm__x_dot_cc='#include "hwy/highway.h"\n')

    def test_package_in_its_place(self):
        code, output = self.layers(vm__simd_dot_h='#include "hwy/highway.h"\n')
        self.assertEqual(code, 0, output)

    def test_refused_standard_header(self):
        self.expect_broken("must not include <iostream>", vm__x_dot_cc="#include <iostream>\n")

    def test_refused_folder_of_system_headers(self):
        self.expect_broken("must not include <sys/>", vm__x_dot_cc="#include <sys/mman.h>\n")

    def test_only_listed_standard_headers(self):
        self.expect_broken("may include only", base__x_dot_cc="#include <vector>\n")

    def test_costly_standard_header_in_header_only(self):
        self.expect_broken("headers of core must not", vm__x_dot_h="#include <functional>\n")
        self.assertEqual(self.layers(vm__x_dot_cc="#include <functional>\n")[0], 0)

    def test_own_header_comes_first(self):
        own, other = '#include "core/vm/b.h"\n', '#include "core/base/a.h"\n'
        self.assertEqual(self.layers(vm__b_dot_cc=own + other)[0], 0)
        self.expect_broken('core/vm/b.cc:1: "core/vm/b.h" must be the first include',
                           vm__b_dot_cc=other + own)

    def test_broken_rule_file(self):
        code, output = Tree({"core/layers.txt": "core/base\n"}).check("check_layers")
        self.assertEqual(code, 1)
        self.assertIn("core/layers.txt:1: not a rule", output)

    def test_no_sources_is_a_failure(self):
        self.assertEqual(Tree({"core/layers.txt": LAYERS}).check("check_layers")[0], 1)


class ImportsTest(unittest.TestCase):
    def imports(self, **files):
        tree = {"wasm/package/src/" + name.replace("__", "/") + ".ts": text
                for name, text in files.items()}
        return Tree(tree).check("check_imports")

    def test_imports_that_go_one_way(self):
        code, output = self.imports(a="import { b } from './b.js';\nimport './c.js';\n",
                                    b="export { c } from './c.js';\n", c="export const c = 1;\n")
        self.assertEqual((code, output), (0, "3 passed, 0 failed\n"))

    def test_two_files_that_import_each_other(self):
        code, output = self.imports(a="import { b } from './b.js';\n", b="import './a.js';\n",
                                    c="import './a.js';\n")
        self.assertEqual(code, 1)
        self.assertIn("a.ts: imports in a circle: wasm/package/src/a.ts -> wasm/package/src/b.ts "
                      "-> wasm/package/src/a.ts; move", output)
        self.assertIn("1 passed, 2 failed", output)

    def test_types_count_as_much_and_lines_may_be_broken(self):
        code, output = self.imports(a="import type {\n  B,\n} from './b.js';\n",
                                    b="export type { C } from './c.js';\n",
                                    c="const later = import('./a.js');\n")
        self.assertEqual(code, 1)
        self.assertEqual(output.count("circle"), 1)

    def test_file_that_imports_itself(self):
        self.assertEqual(self.imports(a="import './a.js';\n")[0], 1)

    def test_every_circle_is_told(self):
        both = {"a": "import './b.js';\n", "b": "import './a.js';\n",
                "x": "import './y.js';\n", "y": "import './x.js';\n"}
        self.assertEqual(self.imports(**both)[1].count("imports in a circle"), 2)

    def test_comments_and_packages_are_no_imports(self):
        text = "// import { b } from './b.js';\n/* from './b.js' */\nimport x from 'preact';\n"
        self.assertEqual(self.imports(a=text, b="import './a.js';\n")[0], 0)

    def test_folders_by_their_index_and_declarations(self):
        code, output = self.imports(a="import './deep/index.js';\nimport './d.js?url';\n",
                                    deep__index="export {};\n", **{"d.d": "export {};\n"})
        self.assertEqual(code, 0, output)

    def test_file_that_is_not_there(self):
        code, output = self.imports(a="import { b } from './b.js';\n")
        self.assertEqual(code, 1)
        self.assertIn("a.ts: imports './b.js', which does not exist", output)

    def test_no_sources_is_a_failure(self):
        code, output = Tree({"x.ts": ""}).check("check_imports")
        self.assertEqual(code, 1)
        self.assertIn("no sources", output)


class SizesTest(unittest.TestCase):
    def sizes(self, text, name="core/x.cc", **more):
        return Tree({name: text, **more}).check("check_sizes", "--list")

    @staticmethod
    def function(lines, head="int Long(int a)"):
        return head + " {\n" + "  a++;\n" * (lines - 2) + "}\n"

    def test_small_file(self):
        code, output = self.sizes(SPDX + self.function(60))
        self.assertEqual(code, 0, output)
        self.assertIn("60 Long core/x.cc:2", output)

    def test_long_function(self):
        code, output = self.sizes(SPDX + self.function(61))
        self.assertEqual(code, 1)
        self.assertIn("core/x.cc:2: Long has 61 lines, at most 60", output)

    def test_listed_long_function(self):
        code, output = self.sizes(SPDX + self.function(61), **{
            "tools/check/long_functions.txt": "core/x.cc Long | a flat switch\n"})
        self.assertEqual(code, 0, output)

    def test_class_and_namespace_are_not_functions(self):
        members = "".join(f"  int F{i}() {{ return {i}; }}\n" for i in range(80))
        code, output = self.sizes(f"{SPDX}namespace a {{\nclass B {{\n{members}}};\n}}\n")
        self.assertEqual(code, 0, output)
        self.assertIn("functions: 80, median 1", output)

    def test_long_method_with_initializers(self):
        head = "class A {\n A(int a) : b_(a), c_(a)"
        code, output = self.sizes(SPDX + self.function(70, head) + "};\n")
        self.assertEqual(code, 1)
        self.assertIn("core/x.cc:3: A has 70 lines", output)

    def test_braces_in_strings_and_comments_do_not_count(self):
        text = SPDX + 'int A() {\n  // }\n  return sizeof("{{{");  /* { */\n}\n' + self.function(50)
        code, output = self.sizes(text)
        self.assertEqual(code, 0, output)
        self.assertIn("functions: 2", output)

    def test_long_line(self):
        self.assertIn("101 columns", self.sizes(SPDX + "/" * 101 + "\n")[1])
        self.assertEqual(self.sizes(SPDX + "/" * 100 + "\n")[0], 0)

    def test_long_file_unless_a_table(self):
        text = SPDX + "int a;\n" * 800
        self.assertIn("split it", self.sizes(text)[1])
        self.assertEqual(self.sizes(text, "core/x.def")[0], 0)

    def test_licence_line(self):
        code, output = self.sizes("int a;\n")
        self.assertEqual(code, 1)
        self.assertIn("no SPDX line", output)

    def test_tool_without_extension_is_checked(self):
        self.assertIn("no SPDX line", self.sizes("#!/bin/sh\n", "tools/x")[1])


class RowsTest(unittest.TestCase):
    def rows(self, page, *arguments, **files):
        tree = {"docs/coverage.md": page}
        tree.update({"tests/" + name + "_test.cc": text for name, text in files.items()})
        return Tree(tree).check("check_rows", *arguments)

    def expect_broken(self, message, page, **files):
        code, output = self.rows(page, **files)
        self.assertEqual(code, 1, output)
        self.assertIn(message, output)

    def test_names_comments_and_several_ids(self):
        page = ("| A01 | one | `tests/a_test.cc` |\n| A02 | two | `tests/a_test.cc` |\n"
                "| D05 | pads | `tests/a_test.cc` `tests/b_test.cc` |\n")
        code, output = self.rows(page, a="TEST(X, A01A02Both) {}\n// D05: a pad\nTEST(X, Pad) {}\n",
                                 b="TEST(X, D05_HoldsFifteenBytes) {}\nstd=C99 0xD05A U+D0512\n")
        self.assertEqual((code, output), (0, "3 passed, 0 failed\n"))

    def test_row_without_a_test(self):
        self.expect_broken("docs/coverage.md:1: A01: tests/a_test.cc has no test of it",
                           "| A01 | one | tests/a_test.cc |\n", a="// A011, xA01\n")
        self.expect_broken("A01: there is no tests/b_test.cc", "| A01 | one | tests/b_test.cc |\n")
        self.expect_broken("A01 wants a phrase", "| A01 | one | |\n")

    def test_mentions_are_no_tests(self):
        row = "| A01 | one | tests/a_test.cc |\n"
        for text in ("#include <x>\n// A01: a helper\nint Help();\nTEST(X, Other) {}\n",
                     "int x;\nTEST(X, Other) {\n  // A01\n}\n",
                     "int x;\n// A01: far away\n\nTEST(X, Other) {}\n"):
            self.expect_broken("A01: tests/a_test.cc has no test of it", row, a=text)
        for text in ("// A01: the whole file\nint x;\n", "int x;\nTEST_P(X, A01_Is) {}\n",
                     "int x;\n// A01: so that\n// it is.\nTYPED_TEST(X, Is) {}\n"):
            self.assertEqual(self.rows(row, a=text), (0, "1 passed, 0 failed\n"))

    def test_test_without_a_row(self):
        self.expect_broken("tests/a_test.cc:2: A02 has no row in the table",
                           "| A01 | one | tests/a_test.cc |\n", a="// A01\n// A02: two\n")

    def test_order_and_form(self):
        row = "| {} | one | tests/a_test.cc |\n"
        self.expect_broken("A01 stands behind A02", row.format("A02") + row.format("A01"),
                           a="// A01, A02\n")
        self.expect_broken("A01 stands here a second time", row.format("A01") * 2, a="// A01\n")
        self.expect_broken("coverage.md:1: a row is", "| A01 | one |\n")

    def test_no_rows_is_a_failure(self):
        code, output = self.rows("nothing\n")
        self.assertEqual((code, output), (1, "0 passed, 0 failed\n"))

    def test_missing_ids(self):
        page = "| A01 | one | x |\n| A04 | four | x |\n| B01 | one | x |\n"
        self.assertEqual(self.rows(page, "--missing"), (0, "A02\nA03\n"))


class WasmSizeTest(unittest.TestCase):
    data = random.Random(1).randbytes(977)  # and 23 that gzip adds

    def size(self, budget, name="a.wasm", loops=1, pages=True):
        size = "| run | `tern.wasm` | 1 |\n| compile | and `tern-compiler.wasm` | 1 more |\n"
        readme = ("fetches 1 KB of WebAssembly, what compiles ONNX models (1 KB), "
                  f"the compiler of loops ({loops} KB)")
        files = {f"{part}.wasm": self.data for part in ("tern", "tern-compiler", "tern-loops")}
        every = "".join(f"{path} 1100\n" for path in files)
        return Tree({"wasm/size_budget.txt": budget + (every if pages else ""), name: self.data,
                     "docs/size.md": size, "README.md": readme, **files}).check("check_wasm_size")

    def test_within_and_above(self):
        size = len(gzip.compress(self.data, 9))
        self.assertEqual(self.size(f"a.wasm {size}\n")[0], 0)
        code, output = self.size(f"a.wasm {size - 7}\n")
        self.assertEqual(code, 1)
        self.assertIn("7 bytes above the budget", output)

    def test_not_built(self):
        self.assertIn("not built", self.size("b.wasm 5000\n")[1])

    def test_bad_budget(self):
        self.assertIn("size_budget.txt:1: wants", self.size("a.wasm many\n")[1])
        self.assertEqual(self.size("# nothing\n", pages=False)[0], 1)

    def test_pages_that_tell_other_sizes(self):
        budget = f"a.wasm {len(gzip.compress(self.data, 9))}\n"
        self.assertEqual(self.size(budget), (0, self.size(budget)[1]))
        code, output = self.size(budget, loops=2)
        self.assertEqual(code, 1)
        self.assertRegex(output, r"README.md: tern-loops.wasm has 1000 bytes, not 2 KB\n")
        code, output = self.size(budget, pages=False)
        self.assertEqual((code, "docs/size.md: tern.wasm has 0 bytes" in output), (1, True))


class Result(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    outcome = unittest.TextTestRunner(stream=sys.stdout, resultclass=Result).run(suite)
    print(f"{outcome.passed} passed, {suite.countTestCases() - outcome.passed} failed")
    sys.exit(0 if outcome.wasSuccessful() else 1)
