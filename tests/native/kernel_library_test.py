# SPDX-License-Identifier: Apache-2.0
"""B26: kernels of shared libraries, by the command line.

Usage: kernel_library_test.py TERN FOLDER      ends with `N passed, N failed`
FOLDER has the libraries kernels.so (examples/library/kernels.c) and bad_1.so … (bad_kernels.c).
"""
import json
import os
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from tern_cli import main, read, tern, write  # noqa: E402

FOLDER = os.path.abspath(sys.argv[2])

PROGRAM = """\
.const c[0] = float 2
.func @triangle(n: int) -> int
  call  example.triangle in: %0 dst: %1
  ret   ret %1
.func @main(x: f32[3]) -> f32[3]
  alloc_tensor offset: 0 dtype: f32 shape: 3 dst: %1
  invoke_packed example.scale arity: 2 outputs: 1 in: %0, c[0], %1
  ret   ret %1
"""

# One for each number of bad_kernels.c: what the message says of it.
MISTAKES = {
    1: "kernel 0 has no name",
    2: """the signature of 'example.triangle', "(n: int":""",
    3: "'example.triangle' has no function",
    4: "'example.triangle' is in its table twice",
    5: "'example.triangle' has no signature",
    6: "expected values of layout 1.0 or an older one of 1.x, got 2.0",
    8: "expected a table of at least 32 bytes, got 8",
    9: "it has no kernels",
    10: "tern_no_such_function",
    11: "it exports no tern_kernels_of_library",
}


class KernelLibraryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.good = os.path.join(FOLDER, "kernels.so")
        self.program = self.write("program.tasm", PROGRAM)

    def write(self, name, data):
        return write(self.folder, name, data)

    def call(self, *libraries, verb="run", more=("--function", "triangle", "-i", "n=4"),
             allow=True):
        options = [word for path in libraries for word in ("--kernel-library", path)]
        if allow:
            options.append("--allow-native-code")
        return tern(verb, self.program, *more, *options)

    def refused(self, path, message, code="E0808", exit_code=1):
        result = self.call(path)
        self.assertIn(message, result.stderr)
        self.assertIn(f"error[{code}]", result.stderr)
        self.assertIn(os.path.basename(path), result.stderr)
        self.assertEqual(result.returncode, exit_code, result.stderr)

    def test_kernels_are_found_by_name(self):
        result = self.call(self.good)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("10", result.stdout)

    def test_tensors_of_the_caller_are_written(self):
        result = self.call(self.good, more=("-i", "x=f32[3]:1,2,-3"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("[2, 4, -6]", result.stdout)

    def test_an_executable_and_its_library_are_a_pair(self):
        executable = os.path.join(self.folder, "program.tern")
        self.assertEqual(tern("asm", self.program, "-o", executable).returncode, 0)
        self.program = executable
        self.assertEqual(self.call(self.good).returncode, 0)

    def test_every_verb_that_runs_takes_them(self):
        for verb, more in {"bench": ("--min-time", "0", "--warmup", "0"), "profile": (),
                           "inspect": ()}.items():
            if verb != "inspect":
                more += ("--function", "triangle", "-i", "n=4")
            with self.subTest(verb):
                result = self.call(self.good, verb=verb, more=more)
                self.assertEqual(result.returncode, 0, result.stderr)
        # Both sides are loaded into one runtime.
        result = tern("diff", self.program, self.program, "--function", "triangle", "-i",
                           "n=4", "--kernel-library", self.good, "--allow-native-code")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_without_the_library_the_names_are_missing(self):
        result = self.call()
        self.assertEqual(result.returncode, 1)
        for name in ("example.triangle", "example.scale"):
            self.assertIn(f"primitive '{name}' cannot be linked", result.stderr)

    def test_refused_unless_allowed(self):
        result = self.call(self.good, allow=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("error[E0003]", result.stderr)
        self.assertIn("native code is not allowed here", result.stderr)
        self.assertIn("--allow-native-code", result.stderr)

    def test_arguments_are_checked_by_the_signature(self):
        self.program = self.write("wrong.tasm", PROGRAM.replace("float 2", 'string "2"'))
        result = self.call(self.good, more=("-i", "x=f32[3]:1,2,-3"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("`factor` of @example.scale: expected float, got string", result.stderr)
        # An int is a float where one is wanted; the kernel gets the kind that it names.
        self.program = self.write("int.tasm", PROGRAM.replace("float 2", "int 2"))
        result = self.call(self.good, more=("-i", "x=f32[3]:1,2,-3"))
        self.assertIn("[2, 4, -6]", result.stdout)
        few = PROGRAM.replace("arity: 2 outputs: 1 in: %0, c[0], %1",
                              "arity: 1 outputs: 1 in: %0, %1")
        self.program = self.write("few.tasm", few)
        result = self.call(self.good, more=("-i", "x=f32[3]:1,2,-3"))
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, "example.scale.*3.*2")

    def test_results_are_checked_by_the_signature(self):
        self.program = self.write("one.tasm", PROGRAM[:PROGRAM.index(".func @main")])
        result = self.call(os.path.join(FOLDER, "bad_7.so"))
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, "example.triangle.*int.*float")

    def test_a_kernel_that_fails_ends_the_run(self):
        result = self.call(self.good, more=("--function", "triangle", "-i", "n=-1"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("example.triangle: failed with code 1", result.stderr)

    def test_bad_libraries(self):
        for number, message in MISTAKES.items():
            with self.subTest(number):
                self.refused(os.path.join(FOLDER, f"bad_{number}.so"), message)

    def test_a_name_in_two_libraries(self):
        result = self.call(self.good, os.path.join(FOLDER, "bad_7.so"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("'example.triangle' is in another library", result.stderr)
        # One that is given twice is the same one.
        self.assertEqual(self.call(self.good, self.good).returncode, 0)

    def test_other_files(self):
        self.refused(os.path.join(self.folder, "none.so"), "No such file", "E0101", 5)
        self.refused(self.write("text.so", b"int main;"), "got a file of another kind")
        self.refused(self.write("empty.so", b""), "got a file of another kind")
        good = read(self.good)
        self.refused(self.write("short.so", good[:100]), "short.so")
        machine, = struct.unpack_from("<H", good, 18)
        other = {62: 183}.get(machine, 62)  # aarch64 for x86-64, which the others get
        names = {62: "x86-64", 183: "aarch64", 243: "riscv"}
        changed = good[:18] + struct.pack("<H", other) + good[20:]
        self.refused(self.write("other.so", changed),
                     f"expected code for {names[machine]}, got {names[other]}")
        self.refused(self.write("bits.so", good[:4] + b"\x01" + good[5:]),
                     "expected code of 64 bits, got 32 bits")
        self.refused(self.write("order.so", good[:5] + b"\x02" + good[6:]), "in the other order")
        self.refused(self.write("object.so", good[:16] + b"\x01" + good[17:]),
                     "expected a shared library, got an object or a program")

    def test_files_that_are_cut_short(self):
        whole = read(self.good)
        for length in (16, 63, 64, 100, *range(512, len(whole), 512)):
            cut = self.write("cut.so", whole[:length])
            ran = self.call(cut)
            self.assertIn(ran.returncode, (0, 1), f"{length} bytes: {ran.stderr}")
            if ran.returncode == 1:
                self.assertIn("error[E0808]", ran.stderr)
        self.assertIn("it is cut short: expected", self.call(
            self.write("cut.so", whole[:len(whole) // 4])).stderr)

    def test_errors_are_json_too(self):
        result = self.call(os.path.join(FOLDER, "bad_9.so"),
                           more=("--function", "triangle", "-i", "n=4", "--format", "json"))
        self.assertEqual(result.returncode, 1)
        self.assertEqual(json.loads(result.stderr or result.stdout)["code"], "E0808")


if __name__ == "__main__":
    main()
