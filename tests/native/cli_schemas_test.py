# SPDX-License-Identifier: Apache-2.0
"""K2: what every verb prints with `--format json` and `jsonl` is what its published schema says
(docs/schemas), and the schemas name every member that is printed.

Usage: cli_schemas_test.py TERN      ends with `N passed, N failed`
"""
import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import onnx_text  # noqa: E402
import tern_cli  # noqa: E402
from cli_files import chain, make_failing, make_files  # noqa: E402
from json_schema import BadSchema, faults  # noqa: E402
from tern_cli import DIGITS, ROOT, json_of, main, read, tern, write  # noqa: E402

SCHEMAS = os.path.join(ROOT, "docs", "schemas")
QUICK = ("--min-time", "0.01", "--warmup", "0")

# schema, exit code, command. Files are those of tests/support/cli_files.py and of prepare() below;
# later commands may use what earlier ones wrote.
CASES = (
    ("compile", 0, "compile model.onnx -o m.tern"),
    ("compile", 0, "compile model.onnx -o m.tern --print-after fuse_ops,memory"),
    ("compile", 0, "compile kernel.tn -o k.tern"),
    ("lower", 0, "lower model.onnx"),
    ("lower", 0, "lower model.onnx --stage fuse_epilogues,memory"),
    ("lower", 0, "lower add.tloop --stage all"),
    ("lower", 0, "lower add.tloop --count --vscale 1,2 --n 18"),
    ("run", 0, "run model.tern -i x=@x.npy"),
    ("run", 0, "run model.tern -i x=@x.npy --max-elements 3"),
    ("run", 0, "run values.tn -i n=3"),
    ("run", 0, "run model.tern -i x=@x.npy --expect y=@y.npy --trace t.terntrace"),
    ("check", 0, "check program.tn"),
    ("check", 0, "check unused.tasm"),
    ("check-against", 0, "check model.onnx --against model"),
    ("check-against", 3, "check model.onnx --against wrong"),
    ("check", 0, "check fix.tn --fix=dry-run"),
    ("fmt", 0, "fmt program.tn"),
    ("fmt", 0, "fmt program.tn --stdout"),
    ("bench", 0, "bench model.tern {quick}"),
    ("bench", 0, "bench program.tn --dim n=1,2 {quick}"),
    ("bench", 0, "bench model.tern --baseline bench.json {quick}"),
    ("bench", 0, "bench program.tn --dim n=1,2 --baseline sweep.json {quick}"),
    ("trace", 0, "trace run.terntrace"),
    ("trace", 0, "trace run.terntrace --step 3"),
    ("trace", 0, "trace run.terntrace --list 1 4"),
    ("replay", 0, "replay run.terntrace model.tern"),
    ("replay", 0, "replay run.terntrace model.tern --until 4"),
    ("replay", 3, "replay run.terntrace other.onnx"),
    ("diff", 0, "diff model.tern model.tern"),
    ("diff", 3, "diff old.tern new.tern"),
    ("diff", 0, "diff model.onnx model.tern --run"),
    ("diff", 3, "diff model.onnx other.onnx --run"),
    ("diff", 4, "diff loop.tn loop.tn --run -i n=1000000 --max-steps 100"),
    ("diff", 0, "diff a.terntrace b.terntrace"),
    ("diff", 3, "diff a.terntrace other.terntrace"),
    ("diff", 3, "diff profile.json other.json"),
    ("diff", 0, "diff y.npy expected.npy"),
    ("diff", 3, "diff x.npy y.npy"),
    ("reduce", 0, "reduce failing/program.tn --check '! tern check {}' -o small.tn"),
    ("profile", 0, "profile model.tern --fill"),
    ("profile", 0, "profile model.tern --fill --by shape"),
    ("profile", 0, "profile model.tern --fill --by source --top 1 --explain"),
    ("profile", 0, "profile big.tasm --dim n=200 --fill --by op --diff profile.json --explain"),
    ("tune", 0, "tune add.tloop --trials 2 -o fast.tloop"),
    ("inspect", 0, "inspect model.tern"),
    ("inspect", 0, "inspect k.tern"),
    ("inspect", 0, "inspect {digits}"),
    ("inspect", 1, "inspect unsupported.onnx"),
    ("inspect-memory", 0, "inspect model.onnx --memory"),
    ("inspect-memory", 0, "inspect {digits} --memory"),
    ("inspect-memory", 0, "inspect {digits} --memory --dim batch=2"),
    ("inspect-kernels", 0, "inspect k.tern --kernels"),
    ("inspect-unsupported", 0, "inspect model.onnx --unsupported"),
    ("inspect-unsupported", 1, "inspect unsupported.onnx --unsupported"),
    ("file", 0, "inspect model.onnx --svg graph.svg"),
    ("file", 0, "asm program.tasm -o p.tern"),
    ("file", 0, "dis model.tern -o p.tasm"),
    ("file", 0, "convert model.onnx p.cc"),
    ("dis", 0, "dis model.tern"),
    ("dis", 0, "dis model.tern --as stats"),
    ("info", 0, "info"),
    ("info", 0, "info --bench"),
    ("explain", 0, "explain E0203"),
    ("explain-list", 0, "explain"),
    ("help", 0, "help run"),
    ("help", 0, "help inputs"),
    ("help-agents", 0, "help --agents"),
    ("man", 0, "man run"),
    ("man", 0, "man --all man1"),
    ("completion", 0, "completion zsh"),
    ("error", 2, "run"),
    ("error", 1, "check failing/program.tn"),
    ("error", 5, "run none.onnx"),
    ("error", 4, "run loop.tn -i n=1000000 --max-steps 100"),
    ("error", 1, "run failing/model.onnx --fill"),
    ("error", 3, "run model.tern -i x=@x.npy --expect y=@x.npy"),
    ("error", 2, "explain E9999"),
)


def prepare(folder):
    make_files(folder)
    os.mkdir(os.path.join(folder, "failing"))
    make_failing(os.path.join(folder, "failing"))
    write(folder, "kernel.tn", read(os.path.join(ROOT, "web/examples/kernel.tn")))
    write(folder, "other.onnx", chain(["Softmax"] * 20 + ["Sigmoid"] * 4))
    write(folder, "unsupported.onnx", chain(["Softmax", "NoSuchOperator"]))
    write(folder, "unused.tasm", ".func @main(x: f32[n], unused: int) -> f32[n]\n"
                                 "  ret   ret %0\n")
    write(folder, "big.tasm", ".func @main(x: f32[n, n]) -> f32[n, n]\n"
                              "  call  matmul in: %0, %0 dst: %1\n"
                              "  call  matmul in: %1, %0 dst: %1\n  ret   ret %1\n")
    write(folder, "fix.tn", "fn main() -> float {\n  let y = 3\n  y / 2\n}\n")
    write(folder, "loop.tn", "fn main(n: int) -> int {\n"
                             "  for i in 0..n with (sum: int = 0) { sum + i }\n}\n")
    write(folder, "values.tn", 'type Tree { Leaf, Node(int, string) }\n'
                               'fn main(n: int) -> (int, float, bool, List[int], Tree) {\n'
                               '  (n, 0.5, true, [n, n], Node(n, "text"))\n}\n')
    wrong = ["f32", [1, 1, 28, 28], [0.25] * 784]
    write(folder, "wrong/test_data_set_0/input_0.pb", onnx_text.value(wrong))
    write(folder, "wrong/test_data_set_0/output_0.pb", onnx_text.value(wrong))
    for name, command in (
            ("bench.json", ("bench", "model.tern", *QUICK)),
            ("sweep.json", ("bench", "program.tn", "--dim", "n=2,3", *QUICK)),
            ("profile.json", ("profile", "model.tern", "--fill")),
            ("other.json", ("profile", "big.tasm", "--dim", "n=4", "--fill"))):
        write(folder, name, json.dumps(json_of(*command, cwd=folder)))
    tern("run", "other.onnx", "-i", "x=@x.npy", "--trace", "other.terntrace", cwd=folder)


def words(command):
    places = {"{quick}": QUICK, "{digits}": [DIGITS]}
    return [word for part in shlex.split(command) for word in places.get(part, [part])]


def objects(text):
    """One object a line, so that programs can read answers line by line."""
    return [json.loads(line) for line in text.splitlines()]


def load(name):
    return json.loads(read(os.path.join(SCHEMAS, name + ".json")))


class SchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.programs = tempfile.TemporaryDirectory()
        os.symlink(tern_cli.TERN, os.path.join(cls.programs.name, "tern"))
        cls.path = cls.programs.name + os.pathsep + os.environ["PATH"]
        prepare(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        cls.programs.cleanup()

    def answers(self, code, command, form):
        """The objects that a command printed; those of errors are on the other stream."""
        result = tern(*words(command), "--format", form, cwd=self.folder.name, PATH=self.path)
        self.assertEqual(result.returncode, code, result.stderr)
        # Beside a result progress may stand on the other stream; with an error nothing else does.
        return objects(result.stdout), objects(result.stderr) if code else []

    def check(self, values, name):
        schema = load(name)
        for value in values:
            self.assertEqual(list(faults(value, schema, strict=True)), [])

    def test_every_answer_is_what_its_schema_says(self):
        for name, code, command in CASES:
            with self.subTest(command):
                out, errors = self.answers(code, command, "json")
                self.check(errors if name == "error" else out, name)
                # --print-after shows its stages before the answer.
                answers = 2 if "--print-after" in command else 1
                self.assertEqual(len(errors if name == "error" else out), answers)
                self.check([] if name == "error" else errors, "error")

    def test_answers_by_line(self):
        for name, command in (("lower-line", "lower model.onnx"),
                              ("lower-line", "lower add.tloop --stage all"),
                              ("lower-count-line", "lower add.tloop --count --vscale 1,2 --n 18"),
                              ("check-line", "check unused.tasm"),
                              ("explain-line", "explain"),
                              ("trace-line", "trace run.terntrace --list 1 4"),
                              ("inspect-unsupported-line",
                               "inspect unsupported.onnx --unsupported")):
            with self.subTest(command):
                out, _ = self.answers(1 if "unsupported" in name else 0, command, "jsonl")
                self.assertTrue(out)
                self.check(out, name)

    def test_debug_answers_each_command_on_a_line(self):
        result = subprocess.run(
            [tern_cli.TERN, "debug", "model.tern", "-i", "x=@x.npy", "--format", "json"],
            input="step 2\nregisters\ncontinue\nnonsense\n", cwd=self.folder.name, text=True,
            capture_output=True, check=True)
        values = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertGreaterEqual(len(values), 4)
        self.check(values, "debug")

    def test_play_tells_its_address(self):
        write(self.folder.name, "page/index.html", "<!doctype html>")
        with subprocess.Popen([tern_cli.TERN, "play", "--no-open", "--page", "page", "--format",
                               "json"], cwd=self.folder.name, stdout=subprocess.PIPE,
                              text=True) as server:
            self.check([json.loads(server.stdout.readline())], "play")
            server.terminate()

    # --- the schemas themselves

    def test_every_verb_has_one(self):
        verbs = {verb["name"] for verb in json_of("help", "--agents")["verbs"]}
        files = {name.removesuffix(".json") for name in os.listdir(SCHEMAS)
                 if name.endswith(".json")}
        of_files = {"asm", "convert"}  # whose answer is that of any file that was written
        self.assertEqual({verb for verb in verbs - of_files if verb not in files}, set())
        used = {case[0] for case in CASES} | {"debug", "play"} | {
            name for name in files if name.endswith("-line")}
        self.assertEqual(files, used)

    def test_each_says_what_it_is(self):
        for file in sorted(os.listdir(SCHEMAS)):
            with self.subTest(file):
                if not file.endswith(".json"):
                    continue
                schema = load(file.removesuffix(".json"))
                self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
                self.assertTrue(schema["$id"].endswith("/" + file))
                self.assertTrue(schema["title"] and schema["description"])
                self.assertEqual(schema["properties"]["schema"], {"const": 1})
                self.assertIn("schema", schema["required"])

    def test_the_reader_of_schemas_finds_faults(self):
        schema = {"type": "object", "required": ["a"], "$defs": {"n": {"type": "integer"}},
                  "properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/n"}},
                                 "b": {"enum": ["x", "y"]},
                                 "c": {"anyOf": [{"type": "null"}, {"const": 1}]},
                                 "d": {"type": "object", "additionalProperties":
                                       {"type": "string"}}}}
        self.assertEqual(list(faults({"a": [1], "b": "x", "c": None, "d": {"k": "v"}}, schema,
                                     strict=True)), [])
        for value in ({}, [], {"a": 1}, {"a": [True]}, {"a": [1.5]}, {"a": [], "b": "z"},
                      {"a": [], "c": 2}, {"a": [], "d": {"k": 1}}):
            self.assertNotEqual(list(faults(value, schema)), [], value)
        self.assertEqual(list(faults({"a": [], "new": 1}, schema)), [])
        self.assertNotEqual(list(faults({"a": [], "new": 1}, schema, strict=True)), [])
        for bad in ({"type": "text"}, {"minimum": 1}, {"$ref": "other.json"}):
            with self.assertRaises(BadSchema):
                list(faults(1, bad))


if __name__ == "__main__":
    main()
