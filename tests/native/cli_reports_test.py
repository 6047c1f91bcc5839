# SPDX-License-Identifier: Apache-2.0
"""What `tern profile`, `bench`, `info`, `inspect --svg` and errors look like: figures differ from
run to run, so that what is compared are rows, names and sums.

Usage: cli_reports_test.py TERN      ends with `N passed, N failed`
"""
import json
import os
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from tern_cli import (DIGITS, error_of, json_of, main, on_terminal, read, tern,  # noqa: E402
                      text_of, write)

RUN = (DIGITS, "--dim", "batch=1", "--fill")
BENCH = (DIGITS, "--dim", "batch=1", "--min-time", "0.02", "--warmup", "0.01")
LOOP = """fn main(n: int) -> int {
  for i in 0..n with (sum: int = 0) { sum + i * i }
}
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write_json(self, name, value):
        return write(self.folder, name, json.dumps(value))

    def refused(self, code, pattern, *arguments):
        got, text = error_of(*arguments)
        self.assertEqual(got, code, text)
        self.assertRegex(text, pattern)


class ProfileTest(Folder):
    def rows(self, *options):
        answer = json_of("profile", *RUN, *options)
        self.assertEqual(sum(row["count"] for row in answer["rows"]) + answer["left_out"]["count"],
                         18)
        shares = sum(row["share"] for row in answer["rows"]) + answer["left_out"]["share"]
        self.assertAlmostEqual(shares, 1, places=6)
        return answer

    def test_rows_by_operator_shape_instruction_and_source(self):
        ops = self.rows("--by", "op")["rows"]
        names = {row["name"]: row["count"] for row in ops}
        self.assertEqual((names["conv2d"], names["max_pool"], names["matmul"]), (4, 4, 2))
        self.assertEqual([row["total_ns"] for row in ops],
                         sorted((row["total_ns"] for row in ops), reverse=True))
        shapes = self.rows("--by", "shape")["rows"]
        self.assertEqual(len([row for row in shapes if row["name"].startswith("conv2d{")]), 4)
        self.assertTrue(any(row["shapes"].startswith("f32[1, 28, 28, 1]") for row in shapes))
        pcs = self.rows("--by", "pc")["rows"]
        self.assertEqual(len(pcs), 18)
        self.assertIn("@main:5 conv2d", [row["name"] for row in pcs])
        sources = {row["name"]: row["count"] for row in self.rows("--by", "source")["rows"]}
        self.assertEqual(sources["peak/MaxPool"], 2)

    def test_lines_of_a_program(self):
        program = write(self.folder, "squares.tn", LOOP)
        answer = json_of("profile", program, "-i", "n=50", "--by", "source")
        lines = {row["name"].rsplit(":", 1)[-1]: row["count"] for row in answer["rows"]}
        self.assertGreater(lines["2"], 100)

    def test_top_leaves_the_rest_in_one_line(self):
        answer = self.rows("--by", "op", "--top", "2")
        self.assertEqual((len(answer["rows"]), answer["left_out"]["rows"]), (2, 8))
        text = text_of("profile", *RUN, "--by", "op", "--top", "2")
        self.assertRegex(text, r"^op +count +total ms +mean us +% +Gop/s +GB/s +op/B +alloc KiB\n"
                               r"\w+ +\d")
        self.assertRegex(text, r"\n8 others +\d+ ")
        self.assertEqual(self.rows("--top", "1000")["left_out"]["rows"], 0)

    def test_beside_an_earlier_profile(self):
        before = json_of("profile", *RUN)
        for operator in before["operators"]:
            if operator["name"] == "softmax{axis=1}":
                operator["totalNs"] = 10_000_000_000
        before["operators"].append({"name": "lrn", "count": 3, "totalNs": 5_000_000_000})
        base = self.write_json("before.json", before)
        answer = json_of("profile", *RUN, "--by", "op", "--diff", base)
        first, second = answer["rows"][:2]
        self.assertEqual((first["name"], first["base_ns"]), ("softmax", 10_000_000_000))
        self.assertEqual((second["name"], second["count"], second["base_count"]), ("lrn", 0, 3))
        text = text_of("profile", *RUN, "--by", "op", "--diff", base, "--top", "2")
        self.assertIn("before ms   change", text)
        self.assertRegex(text, r"\nlrn .* gone\n")
        for by in ("pc", "source", "shape"):
            rows = json_of("profile", *RUN, "--by", by, "--diff", base)["rows"]
            self.assertTrue(all("base_ns" in row for row in rows))

    def test_operations_and_bytes_are_those_of_the_calls(self):
        program = write(self.folder, "rates.tasm", """
.func @main(a: f32[n, n]) -> f32[n, n]
  call  matmul in: %0, %0 dst: %1
  call  add in: %1, %0 dst: %1
  call  reshape{shape=-1} in: %1 dst: %2
  ret   ret %1
""")
        options = (program, "--dim", "n=32", "--fill", "--repeat", "3")
        rows = {row["name"].split("{")[0]: row for row in json_of("profile", *options)["operators"]}
        counts = {name: (row["operations"], row["bytes"]) for name, row in rows.items()}
        # A multiply-add each, and each element that is read or written; some of its own tables too.
        self.assertAlmostEqual(counts["matmul"][0], 3 * (32 ** 3 + 3 * 32 ** 2), delta=30)
        self.assertEqual(counts["matmul"][1], 3 * 3 * 4 * 32 ** 2)
        self.assertEqual(counts["add"], (3 * 3 * 32 ** 2, 3 * 3 * 4 * 32 ** 2))
        self.assertEqual((counts["reshape"], counts["ret"]), ((0, 0), (0, 0)))
        answer = json_of("profile", *options, "--by", "op", "--top", "1")
        for amount in ("operations", "bytes", "allocated"):
            self.assertEqual(sum(row[amount] for row in [*answer["rows"], answer["left_out"]]),
                             sum(row[amount] for row in rows.values()))
        for text in (text_of("profile", *options), text_of("profile", *options, "--by", "shape")):
            self.assertRegex(text, r"\nmatmul .* \d+\.\d\d +\d+\.\d\d +2\.92 +\d+\.\d"
                                   r"  f32\[32, 32\], ")
            self.assertRegex(text, r"\nret +3( +\d+\.\d+){3}\n")

    def test_allocated_memory_is_that_of_results_and_kernels(self):
        program = write(self.folder, "sums.tasm", """
.func @main(a: f32[n, n]) -> f32[n, n]
  call  add in: %0, %0 dst: %1
  ret   ret %1
""")
        options = (program, "--dim", "n=32", "--fill", "--repeat", "3")
        rows = {row["name"]: row["allocated"] for row in json_of("profile", *options)["operators"]}
        self.assertEqual(rows["ret"], 0)
        # The results, and what the kernel needs of memory for its tables.
        self.assertAlmostEqual(rows["add"], 3 * 4 * 32 ** 2 + 512, delta=511)
        by_pc = json_of("profile", *options, "--by", "pc", "--top", "1")
        amounts = [row["allocated"] for row in [*by_pc["rows"], by_pc["left_out"]]]
        self.assertEqual(sum(amounts), rows["add"])
        self.assertRegex(text_of("profile", *options), r"\nadd .* 12\.\d  f32\[32, 32\], ")

    def test_an_older_profile_has_no_operations(self):
        before = json_of("profile", *RUN)
        for operator in before["operators"]:
            del operator["operations"], operator["bytes"], operator["allocated"]
            operator["count"] += 1
        before["operators"].append({"name": "lrn", "count": 3, "totalNs": 5, "bytes": "many"})
        base = self.write_json("older.json", before)
        rows = json_of("profile", *RUN, "--by", "op", "--diff", base)["rows"]
        by_name = {row["name"]: row for row in rows}
        self.assertGreater(by_name["conv2d"]["operations"], 1000)
        self.assertEqual((by_name["lrn"]["operations"], by_name["lrn"]["bytes"]), (0, 0))

    def test_hints_come_with_their_figures(self):
        # Products of 20 ms and more: a busy machine may keep the transpose waiting for some.
        products = "  call  matmul in: %1, %2 dst: %1\n" * 7
        program = write(self.folder, "products.tasm", f"""
.func @main(a: f32[n, n]) -> f32[n, n]
  call  matmul in: %0, %0 dst: %1
  call  transpose{{perm=1,0}} in: %0 dst: %2
{products}  ret   ret %1
""")
        options = (program, "--dim", "n=512", "--fill", "--explain")
        answer = json_of("profile", *options)
        [hint] = [hint for hint in answer["hints"] if "takes most of the time" in hint["finding"]]
        self.assertIn("matmul", hint["finding"])
        self.assertRegex(hint["evidence"], r"^\d+(\.\d+)? % in 8 calls of f32\[512, 512\]")
        text = text_of("profile", *options)
        self.assertRegex(text, r"\nhints\n  .*\n     why: .*\n     try: ")

    def test_operators_that_only_move_are_told(self):
        program = write(self.folder, "moves.tasm", """
.const c[0] = i64[2, 2] [1, 0, 0, 1]
.func @main(a: f32[n, n]) -> f32[n, n]
  call  trilu in: %0 dst: %1
  call  gather_elements{axis=1} in: %1, c[0] dst: %2
  call  cast{to=f32} in: %2 dst: %2
  ret   ret %1
""")
        hints = json_of("profile", program, "--dim", "n=512", "--fill", "--explain")["hints"]
        [hint] = [hint for hint in hints if "data is moved" in hint["finding"]]
        self.assertRegex(hint["evidence"], r"^\d+(\.\d+)? % in operators that only move: trilu")
        self.assertFalse([hint for hint in hints if "others wait" in hint["finding"]])

    def test_kernels_that_are_interpreted_are_told(self):
        program = write(self.folder, "kernel.tn", read(os.path.join(
            os.path.dirname(DIGITS), "..", "..", "..", "web", "examples", "kernel.tn")).decode())
        answer = json_of("profile", program, "--fill", "--kernels", "interpreter",
                         "--explain")
        self.assertIn("loop kernels are interpreted", [h["finding"] for h in answer["hints"]])

    def test_refusals(self):
        empty = self.write_json("empty.json", {"schema": 1})
        older = json_of("profile", *RUN)
        for instruction in older["instructions"]:
            del instruction["function"]
        older = self.write_json("older.json", older)
        broken = write(self.folder, "broken.json", "{")
        rows = [(2, "E0003", "--by", "color"), (2, "E0003", "--top", "0"),
                (2, "E0003", "--top", "2", "--export", "chrome"),
                (5, "E0502.*no list 'operators'", "--diff", empty),
                (5, "E0502.*lacks 'function'", "--diff", older, "--by", "pc"),
                (5, "E0502", "--diff", broken), (5, "E0101", "--diff", self.path("none.json"))]
        for code, pattern, *options in rows:
            with self.subTest(options):
                self.refused(code, pattern, "profile", *RUN, *options)

    def test_without_views_the_profile_is_whole(self):
        answer = json_of("profile", *RUN)
        self.assertEqual(answer["instructions"][0]["function"], "main")
        self.assertEqual({each["name"] for each in answer["instructions"]},
                         {row["name"].split("{")[0] for row in answer["operators"]})
        self.assertIn("traceEvents", json.loads(text_of("profile", *RUN, "--export", "chrome")))


class BenchTest(Folder):
    def test_report(self):
        answer = json_of("bench", *BENCH)
        self.assertLessEqual(answer["min_ms"], answer["p50_ms"])
        self.assertLessEqual(answer["p50_ms"], answer["p99_ms"])
        self.assertGreaterEqual(answer["mad_ms"], 0)
        self.assertRegex(answer["engine"], r"^tern \d+\.\d+\.\d+$")
        for member in ("target", "cpu", "threads", "kernels", "notes"):
            self.assertIn(member, answer)
        text = text_of("bench", *BENCH)
        self.assertRegex(text, r"^load .* ms, cold .* runs: min .*, p99 .*, MAD .* ms\ntern ")

    def test_sweep_over_every_combination(self):
        program = write(self.folder, "two.tasm", """
.func @main(a: f32[n, m]) -> f32[n, m]
  ret   ret %0
""")
        quick = ("--min-time", "0.01", "--warmup", "0")
        answer = json_of("bench", program, "--dim", "n=1,2", "--dim", "m=3,5", *quick)
        self.assertEqual([row["dims"] for row in answer["sweep"]],
                         ["n=1 m=3", "n=1 m=5", "n=2 m=3", "n=2 m=5"])
        self.assertNotIn("p50_ms", answer)
        text = text_of("bench", program, "--dim", "n=1,2", "--dim", "m=3", *quick)
        self.assertRegex(text, r"\nn=1 m=3: cold .*\nn=2 m=3: cold ")

    def with_times(self, name, factor, mad):
        answer = json_of("bench", *BENCH)
        answer.update(p50_ms=answer["p50_ms"] * factor, mad_ms=mad, runs=1000)
        return self.write_json(name, answer)

    def test_baseline(self):
        slow = json_of("bench", *BENCH, "--baseline", self.with_times("slow.json", 100, 1e-6))
        self.assertTrue(slow["baseline"]["significant"])
        self.assertLess(slow["baseline"]["ratio"], 0.5)
        # Times that scatter more than they differ say nothing.
        wide = json_of("bench", *BENCH, "--baseline", self.with_times("wide.json", 3, 1e6))
        self.assertFalse(wide["baseline"]["significant"])
        text = text_of("bench", *BENCH, "--baseline", self.path("slow.json"))
        self.assertRegex(text, r"; p50 was .* ms: -\d+(\.\d+)? %, faster\n")

    def test_baseline_of_a_sweep(self):
        base = self.write_json("sweep.json", json_of(
            "bench", DIGITS, "--dim", "batch=1,2", "--min-time", "0.01"))
        answer = json_of("bench", DIGITS, "--dim", "batch=2,3", "--min-time", "0.01", "--baseline",
                         base)
        self.assertIn("ratio", answer["sweep"][0]["baseline"])
        self.assertIsNone(answer["sweep"][1]["baseline"])

    def test_refusals(self):
        profile = self.write_json("profile.json", json_of("profile", *RUN))
        broken = write(self.folder, "broken.json", "[")
        many = ",".join(str(i) for i in range(1, 1100))
        rows = [(2, "E0005", "--dim", "batch="), (2, "E0005", "--dim", "batch=1,x"),
                (2, "E0005", "--dim", "batch=1", "--dim", "m=1,2"),
                (2, "E0005.*more than 1000", "--dim", "n=" + many),
                (2, "E0007", "--dim", "batch=1,2", "--dim", "batch=3"),
                (5, "E0502.*'cold_ms' is missing", "--baseline", profile),
                (5, "E0502", "--baseline", broken), (5, "E0101", "--baseline", self.path("none"))]
        for code, pattern, *options in rows:
            with self.subTest(options):
                self.refused(code, pattern, "bench", DIGITS, "--min-time", "0.01", *options)


class InfoTest(unittest.TestCase):
    def test_bench_measures_this_machine(self):
        answer = json_of("info", "--bench")["bench"]
        self.assertGreater(answer["matmul_gflops"], 0.01)
        # A multiply-add is two operations of the one kind, one of the other.
        self.assertAlmostEqual(answer["matmul_gflops"], 2 * answer["matmul_gops"])
        self.assertGreater(answer["copy_gb_per_s"], 0.01)
        self.assertNotIn("bench", json_of("info"))
        self.assertRegex(text_of("info", "--bench"),
                         r"\nproduct: .* GFLOP/s, .* Gop/s .*\nmemory: .* GB/s ")


class PictureTest(Folder):
    def draw(self, *arguments):
        path = self.path("picture.svg")
        text_of("inspect", *arguments, "--svg", path)
        picture = xml.fromstring(read(path))
        self.assertEqual(picture.get("role"), "img")
        self.assertTrue(picture.find("{*}title").text and picture.find("{*}desc").text)
        _, _, width, height = (float(part) for part in picture.get("viewBox").split())
        for box in picture.iter("{http://www.w3.org/2000/svg}rect"):
            x, y, w, h = (float(box.get(name)) for name in ("x", "y", "width", "height"))
            self.assertTrue(x >= 0 and y >= 0 and x + w <= width and y + h <= height)
        return picture

    def hints(self, picture):
        return [box.find("{*}title").text for box in picture.iter("{http://www.w3.org/2000/svg}rect")]

    def test_graph_of_a_model(self):
        picture = self.draw(DIGITS)
        hints = self.hints(picture)
        self.assertEqual(hints[0], "parameter image: f32[batch, 1, 28, 28]")
        self.assertEqual(len([hint for hint in hints if "conv2d" in hint]), 4)
        # A chain with one way around: the image's reshape goes to the pooling and to the division.
        edges = list(picture.iter("{http://www.w3.org/2000/svg}path"))
        self.assertEqual((len(hints), len(edges)), (18, 18))

    def test_the_same_bytes_each_time(self):
        self.draw(DIGITS)
        first = read(self.path("picture.svg"))
        self.draw(DIGITS)
        self.assertEqual(read(self.path("picture.svg")), first)

    def test_names_are_text_and_never_markup(self):
        program = write(self.folder, "odd.tasm", '.func @"<b>&amp;"(x: f32[n]) -> f32[n]\n'
                        '  .loc "</title><script>alert(1)</script>"\n'
                        '  call  neg in: %0 dst: %1\n  ret   ret %1\n')
        result = tern("inspect", program, "--svg", self.path("picture.svg"))
        if result.returncode == 0:
            data = read(self.path("picture.svg"))
            self.assertNotIn(b"<script", data)
            xml.fromstring(data)
        else:  # where the assembler refuses such a name, nothing is drawn
            self.assertFalse(os.path.exists(self.path("picture.svg")))

    def test_memory_plan(self):
        picture = self.draw(DIGITS, "--memory", "--dim", "batch=1")
        hints = self.hints(picture)
        self.assertEqual(len(hints), 14)
        self.assertTrue(any(hint.startswith("%4: f32[batch, 28, 28, 16], 49 KiB at ")
                            for hint in hints), hints)
        plan = json_of("inspect", DIGITS, "--memory", "--dim", "batch=1")
        self.assertEqual(len(plan["functions"][0]["at"]["tensors"]), 14)

    def test_several_functions_and_a_file_that_cannot_be_written(self):
        program = write(self.folder, "squares.tn", LOOP + "fn other(x: int) -> int { x + 1 }\n")
        texts = [text.text for text in self.draw(program).iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("@main", texts)
        self.assertIn("@other", texts)
        self.refused(5, "E0102", "inspect", DIGITS, "--svg", "/no/such/folder/x.svg")

    def test_refusals(self):
        out = self.path("x.svg")
        assembly = write(self.folder, "a.tasm", text_of("dis", DIGITS))
        rows = [(2, "E0005.*symbolic sizes", DIGITS, "--memory", "--svg", out),
                (2, "E0003.*--memory", assembly, "--memory", "--svg", out),
                (2, "E0003.*would replace", assembly, "--svg", assembly),
                (2, "E0003", DIGITS, "--dim", "batch=1"),
                (2, "E0003.*symbols", DIGITS, "--memory", "--dim", "batch=1"),
                (2, "E0005", DIGITS, "--memory", "--svg", out, "--dim", "batch"),
                (2, "E0003", DIGITS, "--kernels", "--svg", out)]
        for code, pattern, *options in rows:
            with self.subTest(options):
                self.refused(code, pattern, "inspect", *options)
        self.assertFalse(os.path.exists(out))


class TextTest(Folder):
    """Files that are none of what a verb takes."""
    def test_verbs_of_text_say_what_other_bytes_are(self):
        array, nothing = self.path("x.npy"), write(self.folder, "zero.tn", b"fn main\0")
        text_of("convert", "x=f32[2]:1,2", array)
        for line in (("asm", array, "-o", "-"), ("fmt", array), ("tune", array)):
            with self.subTest(line):
                self.refused(1, rf"^error\[E0604\]: '{array}' is not text: it is a NumPy array\n$",
                             *line)
        for line in (("check", nothing), ("run", nothing), ("fmt", nothing, "--check")):
            self.refused(1, rf"^error\[E0604\]: '{nothing}' is not text\n", *line)

    def test_no_model_is_the_same_error_whoever_looks(self):
        page = write(self.folder, "page.onnx", "<!doctype html><title>404</title>")
        texts = {error_of(verb, page) for verb in ("inspect", "run", "dis", "lower", "check")}
        [(code, text)] = texts
        self.assertEqual(code, 1)
        self.assertRegex(text, r"^error\[E0401\]: not an ONNX model: this is an HTML page: was .*\n"
                               rf"  --> {page}\n")


class StyleTest(Folder):
    def error(self, *options, **environment):
        program = write(self.folder, "bad.tn", "fn main(x: int) -> int { x + y }\n")
        result = tern("check", program, *options, **environment)
        self.assertEqual(result.returncode, 1)
        return result.stderr

    def test_colours_are_put_between_and_change_nothing(self):
        plain = self.error()
        self.assertNotIn("\x1b", plain)
        painted = self.error("--color", "always")
        self.assertIn("\x1b[1;31merror[", painted)
        self.assertIn("\x1b[1;31m^", painted)
        self.assertEqual(re.sub("\x1b\\[[0-9;]*m", "", painted), plain)

    def test_who_wants_none_gets_none(self):
        self.assertNotIn("\x1b", self.error("--color", "never"))
        self.assertNotIn("\x1b", self.error("--color", "auto", TERM="xterm"))
        self.assertNotIn("\x1b", self.error("--color", "always", "--format", "json"))
        self.refused(2, "E0003", "info", "--color", "sometimes")

    def test_warnings_on_standard_output(self):
        program = write(self.folder, "unused.tasm",
                        ".func @main(x: f32[n]) -> f32[n]\n  call  neg in: %0 dst: %1\n"
                        "  ret   ret %0\n")
        plain = text_of("check", program)
        painted = text_of("check", program, "--color", "always")
        self.assertEqual(re.sub("\x1b\\[[0-9;]*m", "", painted), plain)
        if plain.startswith("warning"):
            self.assertIn("\x1b[1;33mwarning", painted)

    def test_results_on_a_terminal_are_shown_without_what_would_move_it(self):
        """Names of files and texts in them; what a program prints itself is its own affair."""
        program = write(self.folder, "a\x1b[31mb.tn",
                        'fn main() -> string { print("\\u{1b}[1mnote"); "\\u{1b}[2J" }\n')
        code, text = on_terminal("run", program, stdout=True)
        self.assertEqual((code, text), (0, '\x1b[1mnote\r\noutput0: "\\u001b[2J"\r\n'))
        code, text = on_terminal("compile", program, stdout=True)
        self.assertRegex(text, r"^wrote .*/a\\x1b\[31mb\.tern, \d+ B\r\n$")
        # Neither is a pipe a terminal, nor what --out - writes.
        self.assertIn("/a\x1b[31mb.tern, ", text_of("compile", program))
        warned = write(self.folder, "w\u009b31m.tasm",
                       ".func @main(x: f32[n], unused: int) -> f32[n]\n  ret   ret %0\n")
        for color in ("always", "never"):
            code, text = on_terminal("check", warned, "--color", color, stdout=True)
            self.assertIn("/w\\x9b31m.tasm:1:1", text)
            self.assertEqual("\x1b" in text, color == "always", text)
            self.assertNotIn("\u009b", text)

    def test_what_would_move_a_terminal_is_shown(self):
        names = ("a\x1b[2J.tern", "b\r.tern", "c\x07\x7f.tn")
        for name, shown in zip(names, ("a\\x1b[2J.tern", "b\\x0d.tern", "c\\x07\\x7f.tn")):
            code, text = error_of("run", self.path(name))
            self.assertEqual((code, text.splitlines()[0]), (5, (
                f"error[E0101]: cannot open '{self.path(shown)}': No such file or directory")))
        path = write(self.folder, "a.tasm", ".func @main(x)\n  \x1b[31m\n")
        self.assertNotIn("\x1b", error_of("check", path)[1])
        painted = tern("check", path, "--color", "always").stderr
        self.assertEqual(set(re.findall("\x1b\\[([0-9;]*)m", painted)) - {"0", "1", "1;31", "1;34"},
                         set())
        # JSON escapes them itself, and says what the name is.
        answer = json.loads(error_of("run", self.path(names[0]), "--format", "json")[1])
        self.assertIn(names[0], answer["message"])

    def test_verbose_and_quiet(self):
        result = tern("inspect", DIGITS, "-v", "--format", "json")
        self.assertRegex(result.stderr, r"^tern inspect: [\d.e+]+ ms, at most \d.* of memory\n$")
        json.loads(result.stdout)
        self.refused(2, "E0003", "info", "-v", "-q")


if __name__ == "__main__":
    main()
