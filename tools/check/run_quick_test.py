# SPDX-License-Identifier: Apache-2.0
"""Tests of run_quick on a made-up build folder; checks_test.py runs them."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import build_graph  # noqa: E402
import quick_choice  # noqa: E402

# A made-up build: the sources a and b of core/vm are compiled in a batch, c of core/base alone, and
# `new` of core/vm never was.
BUILD_FILE = """
ninja_required_version = 1.8
include CMakeFiles/rules.ninja
work = @ROOT@/build/host/

build order: phony || lib/libvm.a
build core/vm/CMakeFiles/vm.dir/batch.cc.o: CXX_COMPILER__vm_Release @ROOT@/build/host/batch_0.cc $
    || order
  FLAGS = -O2
build core/base/CMakeFiles/base.dir/c.cc.o | ${work}core/base/CMakeFiles/base.dir/c.cc.o: $
    CXX_COMPILER__base_Release ../../core/base/c.cc
build lib/libvm.a: CXX_STATIC_LIBRARY_LINKER__vm_Release core/vm/CMakeFiles/vm.dir/batch.cc.o
build lib/libbase.a: CXX_STATIC_LIBRARY_LINKER__base_Release $
    core/base/CMakeFiles/base.dir/c.cc.o
build vm_test.o: CXX_COMPILER__vm_test_Release ../../tests/unit/vm/vm_test.cc || lib/libvm.a
build other.o: CXX_COMPILER__other_Release ../../tests/native/other.cc || bin/tool
build base_test.o: CXX_COMPILER__base_test_Release ../../tests/unit/base/base_test.cc || bin/tool
build tool.o: CXX_COMPILER__tool_Release ../../tests/golden/tool.cc
build bench.o: CXX_COMPILER__bench_Release ../../tools/bench.cc
build vm_test: CXX_EXECUTABLE_LINKER__vm_test_Release vm_test.o | lib/libvm.a lib/libbase.a
build other: CXX_EXECUTABLE_LINKER__other_Release other.o | lib/libbase.a || bin/tool
build base_test: CXX_EXECUTABLE_LINKER__base_test_Release base_test.o | lib/libbase.a
build bin/tool: CXX_EXECUTABLE_LINKER__tool_Release tool.o | lib/libvm.a
build bench: CXX_EXECUTABLE_LINKER__bench_Release bench.o
build build.ninja: RERUN_CMAKE | ../../CMakeLists.txt ../../core/vm/CMakeLists.txt
"""
DEPS = """core/vm/CMakeFiles/vm.dir/batch.cc.o: #deps 3, deps mtime 1 (VALID)
    batch_0.cc
    ../../core/vm/a.cc
    @ROOT@/core/vm/a.h

core/base/CMakeFiles/base.dir/c.cc.o: #deps 1, deps mtime 1 (STALE)
    ../../core/base/c.h

vm_test.o: #deps 1, deps mtime 1 (VALID)
    ../../core/vm/a.h

base_test.o: #deps 0, deps mtime 1 (VALID)
tool.o: #deps 0, deps mtime 1 (VALID)
bench.o: #deps 0, deps mtime 1 (VALID)
"""
BATCH = '#include "core/vm/a.cc"  // NOLINT\n#include "core/vm/new.cc"  // NOLINT\n'


def listing(root):
    def test(name, *command, **properties):
        properties = {"WORKING_DIRECTORY": root, **properties}
        return {"name": name, "properties": [{"name": key, "value": value}
                                             for key, value in properties.items()],
                **({"command": list(command)} if command else {})}
    build = os.path.join(root, "build", "host")
    golden = ("python3", f"{root}/tests/support/golden.py", "--bin", f"{build}/bin")
    return {"tests": [test("golden_vm", *golden, f"{root}/tests/golden/vm"),
                      test("other", f"{build}/other", ENVIRONMENT=[f"TOOL={build}/bin/tool"]),
                      test("vm_test"), test("base_test", f"{build}/base_test", "docs/base.md")]}


class Checkout:
    """A throw-away checkout with the tools, a build folder, and stand-ins for ninja and ctest."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = os.path.realpath(self.folder.name)
        self.build = os.path.join(self.root, "build", "host")
        shutil.copytree(HERE, os.path.join(self.root, "tools", "check"))
        self.write("build/host/build.ninja", BUILD_FILE)
        self.write("build/host/batch_0.cc", BATCH)
        self.write("deps", DEPS)
        self.write("list.json", json.dumps(listing(self.root)))
        self.write("bin/ninja", NINJA, 0o755)
        self.write("bin/ctest", CTEST, 0o755)
        self.write(".gitignore", "/build/\n/bin/\n/tools/\n/deps\n/list.json\n/calls\n/fail\n")

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("@ROOT@", self.root))
        os.chmod(path, mode)

    def git(self, *arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", "-C", self.root, *identity, *arguments], check=True,
                       capture_output=True)

    def quick(self, *arguments):
        """(exit code, output); what ninja and ctest were told is in `calls`."""
        path = os.path.join(self.root, "bin") + os.pathsep + os.environ["PATH"]
        result = subprocess.run(
            [sys.executable, os.path.join(self.root, "tools", "check", "run_quick"), *arguments],
            env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
        calls = os.path.join(self.root, "calls")
        self.calls = []
        if os.path.exists(calls):
            with open(calls, encoding="utf-8") as file:
                self.calls = file.read().splitlines()
        return result.returncode, result.stdout + result.stderr

    def graph(self):
        return build_graph.Graph(self.root, self.build, BUILD_FILE.replace("@ROOT@", self.root),
                                 DEPS.replace("@ROOT@", self.root))


NINJA = """#!/bin/sh
cd @ROOT@
case "$*" in
  *'-t deps') cat deps ;;
  *' build.ninja') ;;
  *) echo "build ${*#*--quiet }" >>calls
     if [ -e fail ]; then echo "no such header"; exit 1; fi ;;
esac
"""
CTEST = f"""#!{sys.executable}
import re, sys
if "--show-only=json-v1" in sys.argv:
    print(open("@ROOT@/list.json").read())
    sys.exit()
names = re.findall(r"\\w+", sys.argv[sys.argv.index("-R") + 1])
open("@ROOT@/calls", "a").write("test " + " ".join(names) + "\\n")
cases = ""
for i, name in enumerate(names):
    good = name != "base_test"
    word = "   Passed  " if good else "***Failed  "
    print(f"{{i + 1}}/{{len(names)}} Test  #{{i}}: {{name}} ...... {{word}}  1.50 sec")
    cases += (f'<testcase name="{{name}}" status="{{"run" if good else "fail"}}" time="1.5">'
              f'<system-out>why {{name}}</system-out></testcase>')
with open(sys.argv[sys.argv.index("--output-junit") + 1], "w") as file:
    file.write(f"<testsuite>{{cases}}</testsuite>")
sys.exit("base_test" in names)
"""


class BuildGraphTest(unittest.TestCase):
    def statement(self, text):
        found = build_graph.parse_build_file(text)
        self.assertEqual(len(found), 1)
        return found[0]

    def test_statement(self):
        found = self.statement("build a b | c: rule d e | f || g h |@ i\n  deps = gcc\n")
        self.assertEqual(found, (["a", "b", "c"], "rule", ["d", "e"], ["f"]))

    def test_nothing_but_order(self):
        self.assertEqual(self.statement("build a: phony || b\n"), (["a"], "phony", [], []))

    def test_escapes(self):
        found = self.statement("build a$ b$:c: rule $$d e$ $ f$|\n")
        self.assertEqual(found, (["a b:c"], "rule", ["$d", "e  f|"], []))

    def test_continued_lines(self):
        found = self.statement("build a$\n    b: rule $\n  c$$ $\n  d\n")
        self.assertEqual(found, (["ab"], "rule", ["c$", "d"], []))

    def test_variables(self):
        found = self.statement("dir = x/$y\nz=1\ny = no\nbuild ${dir}a: rule $z.b ${none}c\n")
        self.assertEqual(found, (["x/a"], "rule", ["1.b", "c"], []))

    def test_other_lines(self):
        text = "# build a: b\nrule build\n  command = build x: y\nsubninja build.ninja\ndefault a\n"
        self.assertEqual(build_graph.parse_build_file(text), [])

    def test_broken_statements(self):
        for text in "build a", "build : rule b", "build a:", "build a$: rule":
            with self.assertRaisesRegex(build_graph.BadGraph, "build.ninja:3: wants: build OUTPUT"):
                build_graph.parse_build_file(f"x = $\n  1\n{text}\n")

    def test_recorded_headers(self):
        found = build_graph.parse_deps("a b.o: #deps 2, deps mtime 5 (VALID)\n    x\n    y z\n\n"
                                       "c.o: #deps 0, deps mtime 5 (STALE)\n")
        self.assertEqual(found, {"a b.o": ["x", "y z"], "c.o": []})

    def test_lines_that_are_no_records(self):
        self.assertEqual(build_graph.parse_deps("    x\nninja: warning: a: b\n    c\n"), {})


class QuickChoiceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.checkout = Checkout()
        cls.graph = cls.checkout.graph()
        cls.tests = quick_choice.read_tests(listing(cls.checkout.root))

    def expect(self, name, nearest, others):
        found = quick_choice.choose(name, self.tests, self.graph)
        self.assertEqual([" ".join(test.name for test in group) for group in found],
                         [nearest, others])

    def test_header_of_a_batch(self):
        self.expect("core/vm/a.h", "vm_test", "golden_vm other")

    def test_source_within_a_batch(self):
        self.expect("core/vm/a.cc", "vm_test", "golden_vm other")

    def test_source_that_the_batch_has_not_been_compiled_with_yet(self):
        self.expect("core/vm/new.cc", "vm_test", "golden_vm other")

    def test_source_that_is_compiled_alone(self):
        self.expect("core/base/c.cc", "base_test", "other vm_test")

    def test_source_of_a_test(self):
        self.expect("tests/unit/vm/vm_test.cc", "vm_test", "")

    def test_order_alone_is_no_dependency(self):
        self.expect("tests/golden/tool.cc", "golden_vm other", "")

    def test_files_and_folders_that_a_command_names(self):
        self.expect("tests/golden/vm/deep/x.vm", "golden_vm", "")
        self.expect("docs/base.md", "base_test", "")
        self.expect("tests/support/golden.py", "golden_vm", "")

    def test_files_that_a_test_reads(self):
        source = "tests/native/other.cc"
        self.checkout.write(source, 'Read("/data/set/"); Read(root + "/docs/a.md");')
        self.addCleanup(os.remove, os.path.join(self.checkout.root, source))
        self.expect("data/set/deep/x.txt", "other", "")
        self.expect("docs/a.md", "other", "")
        for name in "data/settings.txt", "data/x.txt", "docs/b.md", "more-docs/a.md", "a.md":
            self.expect(name, "", "")

    def test_description_of_the_build(self):
        self.expect("core/vm/CMakeLists.txt", "vm_test", "golden_vm other")
        self.expect("CMakeLists.txt", "", "golden_vm other vm_test base_test")

    def test_what_no_test_depends_on(self):
        for name in ("tools/bench.cc", "README.md", "core/vm/b.h", "core/vm", "tests/golden/vmx",
                     "build/host/x", "tests/golden"):
            self.expect(name, "", "")

    def test_folders_of_tests(self):
        for name, first in (("core/loop/emit/x.cc", "tests/unit/loop_emit"),
                            ("core/x.cc", None), ("x.cc", None), ("native/jit/x.h", "tests/native"),
                            ("tests/unit/vm/x.cc", "tests/unit/vm"), ("wasm/x.cc", None)):
            folders = quick_choice.test_folders(name)
            self.assertEqual(folders[0][0] if folders else None, first, name)
        self.assertEqual([group[0] for group in quick_choice.test_folders("core/a/b/x.h")],
                         ["tests/unit/a_b", "tests/unit/a"])

    def test_never_compiled(self):
        names = {os.path.basename(path) for path in self.graph.never_compiled()}
        self.assertEqual(names, {"other"})

    def test_files_of_the_page(self):
        for name in "web/src/a.ts", "wasm/package/src/b.ts", "tests/web/unit/c.ts", "tools/d.mjs":
            self.assertTrue(quick_choice.is_for_web(name), name)
        for name in "wasm/api.cc", "webs/a.ts", "core/vm/mjs.cc", "":
            self.assertFalse(quick_choice.is_for_web(name), name)


class RunQuickTest(unittest.TestCase):
    def setUp(self):
        self.checkout = Checkout()
        self.checkout.git("init", "-q")

    def expect(self, arguments, code, last, *messages):
        got, output = self.checkout.quick(*arguments)
        self.assertEqual((got, output.splitlines()[-1]), (code, last), output)
        for message in messages:
            self.assertIn(message, output)
        return output

    def expect_refused(self, arguments, *messages):
        code, output = self.checkout.quick(*arguments)
        self.assertEqual(code, 2, output)
        self.assertTrue(output.startswith("quick: "), output)
        for message in messages:
            self.assertIn(message, output)
        self.assertEqual(self.checkout.calls, [])

    def test_nearest_first_then_the_others(self):
        output = self.expect(["core/vm/a.h"], 0, "3 passed, 0 failed", "tests: 1 nearby, 2 others")
        self.assertEqual(self.checkout.calls, ["build vm_test", "test vm_test",
                                               "build bin/tool other", "test golden_vm other"])
        self.assertRegex(output, r"ok +vm_test +1\.5 s")

    def test_nearest_alone(self):
        self.expect(["--nearest", "core/vm/a.h"], 0, "1 passed, 0 failed")
        self.assertEqual(self.checkout.calls, ["build vm_test", "test vm_test"])

    def test_failed_test_shows_its_output(self):
        output = self.expect(["core/base/c.h"], 1, "2 passed, 1 failed", "| why base_test")
        self.assertRegex(output, r"FAIL base_test +1\.5 s")

    def test_failed_build(self):
        self.checkout.write("fail", "")
        self.expect(["core/vm/a.h"], 1, "0 passed, 1 failed", "no such header", "cannot build")
        self.assertEqual(self.checkout.calls, ["build vm_test"])

    def test_results_of_an_earlier_run_do_not_count(self):
        self.checkout.write("build/host/test-results/vm_test.json", '{"tests": 9, "failures": 9}')
        self.expect(["--nearest", "core/vm/a.h"], 0, "1 passed, 0 failed")

    def test_what_git_sees_changed(self):
        self.checkout.write("core/vm/a.cc", "")
        self.checkout.git("add", ".")
        self.checkout.git("commit", "-qm", "a")
        self.expect_refused([], "git sees no changed file")
        self.checkout.git("mv", "core/vm/a.cc", "core/vm/moved.cc")
        self.checkout.write("note é.md", "")
        self.expect(["--nearest"], 0, "1 passed, 0 failed",
                    "note: note é.md: nothing in build/host depends on it",
                    "note: core/vm/moved.cc: nothing in build/host depends on it")

    def test_nothing_depends_on_a_file(self):
        self.checkout.write("README.md", "")
        self.expect_refused(["README.md", "core/vm/a.h"], "README.md: nothing in build/host")
        self.expect_refused(["core/none.cc"], "core/none.cc: there is no such file",
                            "tools/build.sh host")
        self.expect_refused(["tools/bench.cc"], "no test of the preset host runs")
        self.expect_refused(["../x.cc"], "outside")

    def test_no_tests_of_its_own(self):
        self.expect_refused(["--nearest", "CMakeLists.txt"], "leave out --nearest")

    def test_no_build(self):
        self.checkout.write("deps", "")
        self.expect_refused(["core/vm/a.h"], "run tools/build.sh host first")
        shutil.rmtree(self.checkout.build)
        self.expect_refused(["core/vm/a.h"], "run tools/build.sh host first")

    def test_broken_build_folder(self):
        self.checkout.write("list.json", "{")
        self.expect_refused(["core/vm/a.h"], "cannot read build/host", "tools/build.sh host")
        self.checkout.write("build/host/build.ninja", "build x\n")
        self.expect_refused(["core/vm/a.h"], "build.ninja:1: wants: build OUTPUT", "found: x")

    def test_files_of_the_page(self):
        report = json.dumps({"numPassedTests": 7, "numFailedTests": 0, "testResults": []})
        self.checkout.write("tools/check/suites.txt", "web-unit | vitest | - | 1 | "
                            f"echo '{report}' >$REPORT\n")
        self.expect_refused(["web/src/a.ts"], "web/node_modules is missing", "tools/build_web.sh")
        self.checkout.write("web/node_modules/x", "")
        self.expect(["web/src/a.ts"], 0, "7 passed, 0 failed", "page and package are left")
        self.expect(["web/src/a.ts", "core/vm/a.h"], 0, "10 passed, 0 failed")
