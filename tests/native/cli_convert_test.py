# SPDX-License-Identifier: Apache-2.0
"""`tern convert`: programs and arrays in their other forms, and what cannot become what.

Usage: cli_convert_test.py TERN      ends with `N passed, N failed`
"""
import io
import os
import struct
import sys
import tempfile
import unittest
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from tern_cli import DIGITS, error_of, json_of, main, read, tern, text_of, write  # noqa: E402



def field(number, wire, payload):
    tag = bytes([number << 3 | wire])
    return tag + (bytes([len(payload)]) + payload if wire == 2 else payload)


def tensor_proto(dims, data_type, raw):
    """An onnx.TensorProto with raw_data."""
    message = b"".join(field(1, 0, bytes([extent])) for extent in dims)
    return message + field(2, 0, bytes([data_type])) + field(9, 2, raw)


class ConvertTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def convert(self, *arguments):
        """The bytes of what is written."""
        answer = json_of("convert", *arguments)
        data = read(arguments[-1] if arguments[-1].startswith("/") else self.path(arguments[-1]))
        self.assertEqual((answer["output"], answer["bytes"]), (arguments[-1], len(data)))
        return data

    def refused(self, code, pattern, *arguments):
        before = sorted(os.listdir(self.folder))
        got, text = error_of("convert", *arguments)
        self.assertEqual(got, code, text)
        self.assertRegex(text, pattern)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    # --- programs

    def test_a_model_becomes_what_the_other_verbs_make_of_it(self):
        tern_file = self.convert(DIGITS, self.path("digits.tern"))
        text_of("compile", DIGITS, "-o", self.path("compiled.tern"))
        self.assertEqual(tern_file, read(self.path("compiled.tern")))
        assembly = self.convert(self.path("digits.tern"), self.path("digits.tasm"))
        self.assertEqual(assembly.decode(), text_of("dis", self.path("digits.tern")))
        self.assertEqual(self.convert(self.path("digits.tasm"), self.path("again.tern")), tern_file)
        self.assertEqual(self.convert(DIGITS, self.path("direct.tasm")), assembly)

    def test_a_program_becomes_source_and_json(self):
        text_of("compile", DIGITS, "-o", self.path("digits.tern"))
        cpp = self.convert(self.path("digits.tern"), self.path("digits.cc"))
        self.assertEqual(cpp.decode(), text_of("dis", self.path("digits.tern"), "--as", "cpp"))
        self.assertIn(b"conv2d", self.convert(self.path("digits.tern"), self.path("digits.mjs")))
        listing = self.convert(self.path("digits.tern"), self.path("digits.json"))
        self.assertTrue(listing.startswith(b'{"functions":'))

    def test_an_executable_is_verified_before_it_is_copied(self):
        text_of("compile", DIGITS, "-o", self.path("digits.tern"))
        self.assertEqual(self.convert(self.path("digits.tern"), self.path("copy.tern")),
                         read(self.path("digits.tern")))
        damaged = bytearray(read(self.path("digits.tern")))
        damaged[len(damaged) // 2] ^= 1
        write(self.folder, "damaged.tern", bytes(damaged))
        self.refused(1, "E010", self.path("damaged.tern"), self.path("out.tern"))

    def test_text_tells_of_itself(self):
        result = tern("convert", DIGITS, self.path("digits.tern"))
        self.assertRegex(result.stdout, r"^wrote .*digits\.tern, \d+(\.\d)? KiB\n$")
        self.assertEqual(tern("convert", DIGITS, self.path("digits.tern"), "-q").stdout, "")

    # --- arrays

    def test_values_and_files_in_a_bundle(self):
        self.convert("x=f32[2,3]:1,2,3,4,5,6", self.path("x.npy"))
        bundle = self.convert(self.path("x.npy"), "ids=i64[n]:arange", "--dim", "n=4",
                              self.path("all.npz"))
        names = zipfile.ZipFile(io.BytesIO(bundle)).namelist()
        self.assertEqual(names, ["x.npy", "ids.npy"])
        back = self.convert(self.path("all.npz"), "--name", "x", self.path("y.npy"))
        self.assertEqual(back, read(self.path("x.npy")))
        self.assertEqual(back[-24:], struct.pack("<6f", 1, 2, 3, 4, 5, 6))

    def test_raw_bytes_get_a_type(self):
        raw = write(self.folder, "raw.bin", struct.pack("<4h", 1, -2, 3, -4))
        data = self.convert(f"x=i16[2,2]@{raw}", self.path("x.npy"))
        self.assertEqual(data[-8:], read(raw))
        self.assertIn(b"'descr': '<i2'", data)

    def test_tensors_of_the_standards_test_data(self):
        proto = tensor_proto((2, 1), 1, struct.pack("<2f", 0.5, -1))
        write(self.folder, "input_0.pb", proto)
        data = self.convert(self.path("input_0.pb"), self.path("x.npy"))
        self.assertIn(b"'shape': (2,1,)", data)
        self.assertEqual(data[-8:], struct.pack("<2f", 0.5, -1))
        bundle = self.convert(self.path("input_0.pb"), self.path("x.npz"))
        self.assertEqual(zipfile.ZipFile(io.BytesIO(bundle)).namelist(), ["input_0.npy"])

    # --- what cannot become what

    def test_forms_that_do_not_exist(self):
        x = write(self.folder, "x.npy", b"")
        for code, pattern, *arguments in (
                (2, "E0003.*wants what is read", DIGITS),
                (2, "E0003.*says no form.*of a program: .tern, .tasm", DIGITS, self.path("x.onnx")),
                (2, "E0003.*says no form", DIGITS, self.path("noending")),
                (2, "E0003.*is an array, of which no program", x, self.path("x.tern")),
                (2, "E0003.*made of one program, got 2", DIGITS, DIGITS, self.path("x.tern")),
                (2, "E0003.*about arrays", DIGITS, self.path("x.tern"), "--dim", "n=1"),
                (2, "E0003.*would replace the input", x, x),
                (5, "E0101", self.path("none.onnx"), self.path("x.tern")),
                (5, "E0101", self.path("none.npy"), self.path("y.npy"))):
            with self.subTest(arguments):
                got, text = error_of("convert", *arguments)
                self.assertEqual(got, code, text)
                self.assertRegex(text.replace("\n", " "), pattern)

    def test_arrays_that_are_none(self):
        text_of("convert", "x=f32[1]:1", "y=f32[1]:2", self.path("two.npz"))
        write(self.folder, "text.pb", b"hello")
        write(self.folder, "strings.pb", field(1, 0, b"\1") + field(2, 0, b"\x08") +
              field(6, 2, b"text"))
        write(self.folder, "short.pb", tensor_proto((9,), 1, b"1234"))
        write(self.folder, "bad.npy", b"\x93NUMPY")
        rows = ((2, "holds one array, and there are 2", "two.npz", "x.npy"),
                (2, "no array 'z'", "two.npz", "--name", "z", "x.npy"),
                (2, "E0007.*two arrays are named 'x'", "two.npz", "x=f32[1]:3", "x.npz"),
                (5, "E0502.*text.pb", "text.pb", "x.npy"),
                (5, "E0502.*strings.pb", "strings.pb", "x.npy"),
                (5, "E0502.*short.pb", "short.pb", "x.npy"),
                (5, "E0502", "bad.npy", "x.npy"),
                (2, "E0004", "x=f32[2]:1", "x.npy"),
                (2, "E0004", "hello", "x.npy"))
        for code, pattern, *arguments in rows:
            paths = [self.path(each) if each.endswith((".npy", ".npz", ".pb")) else each
                     for each in arguments]
            with self.subTest(arguments):
                self.refused(code, pattern, *paths)

    def test_a_source_with_mistakes(self):
        source = write(self.folder, "bad.tn", "fn main(x: int) -> int { y }\n")
        self.refused(1, "E1003", source, self.path("x.tern"))
        loops = write(self.folder, "a.tloop", "te f(a: f32[n]) { }\n")
        self.refused(2, "E0003", loops, self.path("x.tern"))


if __name__ == "__main__":
    main()
