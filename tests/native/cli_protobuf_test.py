# SPDX-License-Identifier: Apache-2.0
"""F05, the Protobuf form of executables by `tern convert`: nothing is lost on any way, and
protoc reads and writes the same by docs/tern.proto, and what is no such file is refused.

Usage: cli_protobuf_test.py TERN      ends with `N passed, N failed`
"""
import glob
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from tern_cli import DIGITS, ROOT, error_of, json_of, main, read, text_of, write  # noqa: E402

DOCS = os.path.join(ROOT, "docs")
# Executables of every format, a model, and programs with kernels, data types and closures.
PROGRAMS = [DIGITS, *sorted(glob.glob(os.path.join(ROOT, "tests", "compat", "*.tern"))),
            *(os.path.join(ROOT, "examples", "lang", name + ".tn")
              for name in ("generate", "kernels", "tree_lstm", "tokenizer"))]


def protoc(mode, data):
    return subprocess.run(["protoc", "--proto_path=" + DOCS, f"--{mode}=tern.Program",
                           os.path.join(DOCS, "tern.proto")], input=data, stdout=subprocess.PIPE,
                          check=True).stdout


class ProtobufTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def convert(self, source, name, *options):
        text_of("convert", source, self.path(name), *options)
        return read(self.path(name))

    def test_there_and_back_is_the_same_and_protoc_agrees(self):
        self.assertGreater(len(PROGRAMS), 6)
        for program in PROGRAMS:
            with self.subTest(program):
                file = self.convert(program, "a.tern")
                binary = self.convert(self.path("a.tern"), "a.pb")
                text = self.convert(self.path("a.tern"), "a.pbtxt")
                self.assertEqual(self.convert(self.path("a.pb"), "b.tern"), file)
                self.assertEqual(self.convert(self.path("a.pbtxt"), "b.tern"), file)
                self.assertEqual(protoc("encode", text), binary)
                decoded = write(self.folder, "decoded.pbtxt", protoc("decode", binary))
                self.assertEqual(self.convert(decoded, "b.tern"), file)

    def test_the_form_may_be_named(self):
        file = self.convert(DIGITS, "a.tern")
        binary = self.convert(DIGITS, "a.pb")
        self.assertEqual(self.convert(DIGITS, "model.bin", "--to", "pb"), binary)
        self.assertEqual(self.convert(self.path("a.pb"), "program", "--to", "tern"), file)
        answer = json_of("convert", self.path("a.pb"), self.path("x.pbtxt"))
        self.assertEqual(answer["bytes"], os.path.getsize(self.path("x.pbtxt")))
        # The other forms are made of it too.
        self.assertIn(b".func @main", self.convert(self.path("a.pb"), "a.tasm"))

    def test_what_is_no_program_is_refused(self):
        rows = (
            ("a.pb", b"hello", 1, "E0105.*Program at byte 2: there is no field with the number 13"),
            ("a.pb", b"\x0a\xff", 1, "Program at byte 2: the data ends inside a number"),
            ("a.pb", b"\x08\x01", 1, "Program.function at byte 2: the field has another wire type"),
            ("a.pb", b"\x12\x02\x20\x07", 1, "Constant.bool at byte 4: 7 is above 1"),
            ("a.pb", b"\x0a\x06\x0a\x01a\x0a\x01b", 1, "Function.name at byte 8: .* second time"),
            ("a.pbtxt", b"function { nme: 1 }", 1, "Function at 1:12: there is no field 'nme'"),
            ("a.pbtxt", b'function { name: "main" signature: "()" instruction { word: 3 } }', 1,
             "E0106.*unknown opcode"))
        for name, data, code, pattern in rows:
            with self.subTest(data):
                source = write(self.folder, name, data)
                got, text = error_of("convert", source, self.path("x.tern"))
                self.assertEqual(got, code, text)
                self.assertRegex(text.replace("\n", " "), pattern)
                self.assertIn("docs/tern.proto", text)
                self.assertFalse(os.path.exists(self.path("x.tern")))

    def test_wrong_command_lines(self):
        for code, pattern, *arguments in (
                (2, "E0003.*--to xml is no form", DIGITS, "x.tern", "--to", "xml"),
                (2, "E0003.*is an array, of which no program", "x.npy", "x.pb"),
                (5, "E0101", "none.pb", "x.tern")):
            with self.subTest(arguments):
                got, text = error_of("convert", *arguments, cwd=self.folder)
                self.assertEqual(got, code, text)
                self.assertRegex(text.replace("\n", " "), pattern)


if __name__ == "__main__":
    main()
