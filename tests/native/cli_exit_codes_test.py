# SPDX-License-Identifier: Apache-2.0
"""K6 and K12 for every verb: the exit codes of docs/cli.md, nothing on success with -q, and no
colours where nobody looks. Which codes a verb must show follows from its options.

Usage: cli_exit_codes_test.py TERN      ends with `N passed, N failed`
"""
import os
import shlex
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import tern_cli  # noqa: E402
from cli_files import make_failing, make_files  # noqa: E402
from tern_cli import ROOT, json_of, main, read, serve, tern, write  # noqa: E402

QUICK = " --min-time 0.01 --warmup 0"
SPIN = " -i n=1000000 --max-steps 100"

# Verb: exit code: what ends with it, in a folder of cli_files.py and of prepare(). Code 2 is asked
# of every verb in the same way, and 70 of none (cli_usage_test.cc).
CASES = {
    "compile": {0: "model.onnx -o m.tern", 1: "wrong.tn", 4: "model.onnx --max-memory 1000",
                5: "none.onnx"},
    "lower": {0: "model.onnx", 1: "wrong.tn", 4: "model.onnx --max-memory 1000", 5: "none.onnx"},
    "run": {0: "model.tern -i x=@x.npy", 1: "fails.tn", 4: "spin.tn" + SPIN, 5: "none.tern",
            3: "model.tern -i x=@x.npy --expect y=@x.npy"},
    "check": {0: "program.tn", 1: "wrong.tn", 3: "model.onnx --against wrong",
              4: "model.onnx --max-memory 1000", 5: "none.tn"},
    "fmt": {0: "program.tn", 1: "ugly.tn --check", 5: "none.tn"},
    "bench": {0: "model.tern" + QUICK, 1: "fails.tn", 4: "spin.tn" + SPIN, 5: "none.tern"},
    "debug": {0: "model.tern -i x=@x.npy", 1: "wrong.tn", 4: "model.onnx --max-memory 1000",
              5: "none.tern"},
    "trace": {0: "run.terntrace", 1: "x.npy", 5: "none.terntrace"},
    "replay": {0: "run.terntrace model.tern", 1: "run.terntrace wrong.tn",
               3: "run.terntrace other.tasm", 4: "run.terntrace model.tern --max-steps 3",
               5: "none.terntrace model.tern"},
    "diff": {0: "model.tern model.tern", 1: "wrong.tn wrong.tn", 3: "x.npy y.npy",
             4: "spin.tn spin.tn --run" + SPIN, 5: "none.tern model.tern"},
    "reduce": {0: "failing/program.tn --check '! {tern} check {{}}' -o s.tn",
               5: "none.tn --check true"},
    "profile": {0: "model.tern --fill", 1: "fails.tn", 4: "spin.tn" + SPIN, 5: "none.tern"},
    "play": {0: "model.onnx --no-open --page page", 1: "empty.tn --no-open --page page",
             5: "none.onnx --no-open --page page"},
    "tune": {0: "add.tloop --trials 1 -o f.tloop", 1: "wrong.tloop", 5: "none.tloop"},
    "inspect": {0: "model.tern", 1: "wrong.tn", 4: "model.onnx --max-memory 1000", 5: "none.tern"},
    "dis": {0: "model.tern", 1: "wrong.tn", 3: "more.tern --check-roundtrip",
            4: "model.onnx --max-memory 1000", 5: "none.tern"},
    "asm": {0: "program.tasm -o p.tern", 1: "wrong.tasm -o p.tern", 5: "none.tasm -o p.tern"},
    "convert": {0: "x.npy b.npz", 1: "wrong.tn w.tern", 4: "model.onnx m.tern --max-memory 1000",
                5: "none.npy b.npz"},
    "info": {0: ""},
    "explain": {0: "E0203"},
    "help": {0: "run"},
    "man": {0: "run", 5: "--all none/folder"},
    "completion": {0: "zsh"},
}
MEANINGS = {0: "success", 2: "the command line is wrong", 70: "a bug of tern"}


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def with_another_section(data):
    """An executable with a section of a later format that readers may leave out, which therefore
    disassembling does (docs/format.md)."""
    header, row = bytearray(data[:64]), struct.Struct("<IIQQQII")
    count, = struct.unpack_from("<I", header, 16)
    shift = 64
    rows = [list(row.unpack_from(data, 64 + 40 * i)) for i in range(count)]
    start = min(entry[2] for entry in rows)
    for entry in rows:
        entry[2] += shift
    body = bytes(data[start:])
    end = start + shift + len(body)
    at = -(-end // 64) * 64
    rows.append([99, 0, at, 4, 4, crc32c(b"more"), 0])
    struct.pack_into("<I", header, 16, count + 1)
    struct.pack_into("<Q", header, 32, at + 4)
    table = bytes(header) + b"".join(row.pack(*entry) for entry in rows)
    table += struct.pack("<I", crc32c(table))
    return (table.ljust(start + shift, b"\0") + body).ljust(at, b"\0") + b"more"


def prepare(folder):
    make_files(folder)
    os.mkdir(os.path.join(folder, "failing"))
    make_failing(os.path.join(folder, "failing"))
    for name, text in (
            ("wrong.tn", "fn main(x: int) -> int { y }\n"),
            ("ugly.tn", "fn main(x:int)->int{x}\n"),
            ("fails.tn", "fn main() -> int { 1 / 0 }\n"),
            ("spin.tn", "fn main(n: int) -> int {\n"
                        "  for i in 0..n with (sum: int = 0) { sum + i }\n}\n"),
            ("wrong.tasm", ".func @main(\n"), ("wrong.tloop", "te nothing\n"),
            ("other.tasm", ".func @main(x: f32[1, 1, 28, 28])\n  call  exp in: %0 dst: %1\n"
             "  ret   ret %1\n"),
            ("empty.tn", ""), ("page/index.html", "<!doctype html>")):
        write(folder, name, text)
    write(folder, "more.tern", with_another_section(read(os.path.join(folder, "a.tern"))))
    for name in ("input_0", "output_0"):  # what Softmax does not give back
        write(folder, f"wrong/test_data_set_0/{name}.pb",
              read(os.path.join(folder, "input_0.pb")))


class ExitCodesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        prepare(cls.folder.name)
        cls.guide = json_of("help", "--agents")
        cls.verbs = {verb["name"]: verb for verb in cls.guide["verbs"]}

    def call(self, verb, arguments, *more, code=None):
        line = arguments.format(tern=tern_cli.TERN) if "{tern}" in arguments else arguments
        words = [verb, *shlex.split(line), *more]
        if verb == "play" and code == 0:
            return serve([tern_cli.TERN, *words], self.folder.name)
        return tern(*words, cwd=self.folder.name, TERM="xterm-256color")

    def each(self):
        for verb, by_code in CASES.items():
            for code, arguments in by_code.items():
                yield verb, code, arguments

    def names(self, verb):
        return {name for option in self.verbs[verb]["options"] for name in option["names"]}

    def test_every_verb_shows_every_code_that_its_options_make_possible(self):
        self.assertEqual(set(CASES), set(self.verbs))
        for verb, by_code in CASES.items():
            with self.subTest(verb):
                names, wanted = self.names(verb), {0}
                if any(option["positional"] and option["names"][0] not in
                       ("code", "name", "verb", "shell") for option in
                       self.verbs[verb]["options"]):
                    # What `reduce` does to a program, its check does.
                    wanted |= {5} if verb == "reduce" else {1, 5}
                if names & {"--max-memory", "--max-steps"}:
                    wanted.add(4)
                if names & {"--expect", "--against", "--max-ulp", "--until", "--check-roundtrip"}:
                    wanted.add(3)
                self.assertEqual(wanted - set(by_code), set())

    def test_every_case_ends_with_its_code(self):
        for verb, code, arguments in self.each():
            with self.subTest(f"{verb} {arguments}"):
                result = self.call(verb, arguments, code=code)
                self.assertEqual(result.returncode, code, result.stdout + result.stderr)
                if code:  # an error, or findings and what they come to
                    self.assertRegex(result.stderr, r"(?m)^error\[\w\d{4}\]: ")

    def test_bytes_that_do_not_come_back_are_told(self):
        self.assertIn("error[M0102]: assembling the disassembly of 'more.tern' gives other bytes",
                      self.call("dis", "more.tern --check-roundtrip").stderr)
        self.assertEqual(self.call("dis", "a.tern --check-roundtrip -q").stderr, "")

    def test_a_wrong_line_is_code_2_of_every_verb(self):
        for verb in self.verbs:
            for line in ("--no-such-option", "--format xml", "a b c d e f --port"):
                with self.subTest(f"{verb} {line}"):
                    result = self.call(verb, line)
                    self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                    self.assertRegex(result.stderr, r"^error\[E000\d\]: ")
                    self.assertIn("help: tern ", result.stderr)

    def test_success_with_quiet_prints_nothing(self):
        for verb, code, arguments in self.each():
            if code == 0:
                for more in (("-q",), ("--quiet", "--format", "json")):
                    with self.subTest(f"{verb} {arguments} {more}"):
                        result = self.call(verb, arguments, *more, code=0)
                        self.assertEqual((result.returncode, result.stdout, result.stderr),
                                         (0, "", ""))

    def test_failures_say_the_same_with_quiet(self):
        for verb, code, arguments in self.each():
            if code in (1, 2, 4, 5):
                with self.subTest(f"{verb} {arguments}"):
                    loud, quiet = self.call(verb, arguments), self.call(verb, arguments, "-q")
                    self.assertEqual((quiet.returncode, quiet.stderr),
                                     (code, loud.stderr))

    def test_a_file_is_written_to_standard_output_with_quiet(self):
        for line in ("convert x.npy -", "dis model.tern -o -", "asm program.tasm -o -",
                     "fmt program.tn --stdout"):
            with self.subTest(line):
                result = subprocess.run(
                    [tern_cli.TERN, *line.split(), "-q"] + (["--to", "npy"] if "npy" in line
                                                            else []),
                    cwd=self.folder.name, capture_output=True, check=False)
                self.assertEqual((result.returncode, result.stderr), (0, b""))
                self.assertTrue(result.stdout)

    def test_nothing_is_coloured_where_nobody_looks(self):
        for verb, code, arguments in self.each():
            with self.subTest(f"{verb} {arguments}"):
                result = self.call(verb, arguments, code=code)
                self.assertNotIn("\x1b", result.stdout + result.stderr)

    def test_the_codes_are_those_of_help_and_of_the_page(self):
        codes = {row["code"]: row["phrase"] for row in self.guide["exit_codes"]}
        self.assertEqual(sorted(codes), [0, 1, 2, 3, 4, 5, 70])
        self.assertEqual({code: codes[code] for code in MEANINGS}, MEANINGS)
        used = {code for _, code, _ in self.each()} | {2, 70}
        self.assertEqual(used, set(codes))
        page = read(os.path.join(ROOT, "docs", "cli.md")).decode().split("## Exit codes")[1]
        for code in codes:
            self.assertRegex(page, rf"(?m)(?:^|· ){code} \w")


if __name__ == "__main__":
    main()
