# SPDX-License-Identifier: Apache-2.0
"""Tests of check_abi: what may be added to the C interface, and what may not be changed."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))

HEADER = """/* A header; "tern_not_me(int)" is in a comment. */
#define TERN_VERSION_MAJOR 1
#define TERN_VERSION_MINOR 0
#define TERN_ABI_MAJOR 1
#define TERN_ABI_MINOR 0
#ifdef __cplusplus
extern "C" {
#endif
enum { TERN_A = 0, TERN_B = 1 /* a comment */, };
typedef struct tern_thing tern_thing;
typedef struct tern_options {
  size_t struct_size; /* first */
  int32_t one;
} tern_options;
typedef struct TernPair { int32_t a, b; } TernPair;
typedef int32_t (*TernCall)(void* self, const
    TernPair* pair);
TERN_API void tern_thing_free(tern_thing* thing);
TERN_API tern_status* tern_thing_create(const tern_options* options,
                                        tern_thing** thing);
#ifdef __cplusplus
}
#endif
"""


class AbiTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.header = os.path.join(self.folder.name, "tern.h")
        self.list = os.path.join(self.folder.name, "abi.txt")
        self.check(HEADER, "--accept")

    def check(self, header, *arguments):
        with open(self.header, "w", encoding="utf-8") as file:
            file.write(header)
        result = subprocess.run(
            [sys.executable, os.path.join(HERE, "check_abi"), "--header", self.header, "--list",
             self.list, "--header-only", *arguments], capture_output=True, text=True, check=False)
        return result.returncode, result.stdout + result.stderr

    def listed(self):
        with open(self.list, encoding="utf-8") as file:
            return [line for line in file.read().splitlines() if not line.startswith("#")]

    def refused(self, old, new, message):
        """The change is refused, also by --accept, which leaves the list alone."""
        self.assertIn(old, HEADER)
        before = self.listed()
        for arguments in ((), ("--accept",)):
            code, output = self.check(HEADER.replace(old, new), *arguments)
            self.assertEqual(code, 1)
            self.assertRegex(output, message)
            self.assertIn("a program compiled before would break", output)
        self.assertEqual(self.listed(), before)

    def added(self, old, new, message):
        """The change is shown, taken by --accept, and silent from then on."""
        self.assertIn(old, HEADER)
        changed = HEADER.replace(old, new)
        code, output = self.check(changed)
        self.assertEqual(code, 1)
        self.assertRegex(output, message)
        self.assertEqual(self.check(changed, "--accept")[0], 0)
        self.assertEqual(self.check(changed)[0], 0)

    def test_list_has_every_declaration(self):
        self.assertEqual(self.listed(), [
            "version 1.0 layouts 1.0",
            "value TERN_A = 0",
            "value TERN_B = 1",
            "type typedef int32_t(*TernCall)(void* self, const TernPair* pair)",
            "struct TernPair: int32_t a, b;",
            "struct tern_options: size_t struct_size; int32_t one;",
            "type typedef struct tern_thing tern_thing",
            "function tern_status* tern_thing_create(const tern_options* options, "
            "tern_thing** thing)",
            "function void tern_thing_free(tern_thing* thing)"])
        self.assertEqual(self.check(HEADER), (0, "8 passed, 0 failed\n"))

    def test_comments_and_line_breaks_do_not_matter(self):
        text = HEADER.replace(" /* first */", "").replace("const\n    TernPair", "const TernPair")
        self.assertEqual(self.check(text)[0], 0)

    def test_new_functions_are_written_down(self):
        free = "TERN_API void tern_thing_free(tern_thing* thing);\n"
        self.added(free, free + "TERN_API int32_t tern_new(void);\n", "tern_new is new")

    def test_new_fields_are_written_down(self):
        self.added("int32_t one;", "int32_t one; int32_t two;", "tern_options has more fields")

    def test_new_values_are_written_down(self):
        self.added("TERN_B = 1", "TERN_B = 1, TERN_C = 2", "TERN_C is new")

    def test_what_is_gone_is_refused(self):
        self.refused("TERN_API void tern_thing_free(tern_thing* thing);\n", "",
                     "tern_thing_free is gone")
        self.refused(", TERN_B = 1", "", "TERN_B is gone")

    def test_what_changes_is_refused(self):
        self.refused("void tern_thing_free(tern_thing* thing)",
                     "void tern_thing_free(tern_thing* thing, int32_t how)",
                     r"was `void tern_thing_free\(tern_thing\* thing\)`, is `")
        self.refused("TERN_B = 1", "TERN_B = 2", "was `TERN_B = 1`, is `TERN_B = 2`")
        self.refused("int32_t one;", "int64_t one;", "tern_options was")
        self.refused("size_t struct_size;", "size_t struct_size; int32_t zero;", "tern_options was")
        self.refused("int32_t a, b;", "int32_t a, b, c;", "TernPair was")
        self.refused("void* self, const", "const", "TernCall was")

    def test_a_new_major_version_may_break(self):
        text = HEADER.replace("VERSION_MAJOR 1", "VERSION_MAJOR 2")
        text = text.replace("TERN_B = 1", "TERN_B = 2")
        self.assertEqual(self.check(text)[0], 1)
        self.assertEqual(self.check(text, "--accept")[0], 0)
        self.assertEqual(self.check(text)[0], 0)

    def test_versions_of_list_and_header_are_compared(self):
        code, output = self.check(HEADER.replace("VERSION_MINOR 0", "VERSION_MINOR 1"))
        self.assertEqual(code, 1)
        self.assertIn("the list is of version 1.0 layouts 1.0, the header of version 1.1", output)
