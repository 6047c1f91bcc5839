#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs golden tests: text files that hold a command, its input and the output that is expected.

    ;; run: vm_tool run %s main 3
    ;; exit: 0                        the expected exit code (0 where the line is missing)
    .func @main(n: int)               the input, the ;; lines included, so that line numbers agree
      ret   ret %0
    ;; expect
    3

A file that is to be a whole program as it stands says `;; prints` instead of `;; expect`, and every
line of the output stands behind `;; ` there.

Where a command needs an ONNX model, the input is the JSON of one (onnx_text.py), and these lines
write it, or a tensor of its "values", into the folder before the commands run:

    ;; model: model.onnx
    ;; value: x data/test_data_set_0/input_0.pb

%s is a copy of the input under the file's own name, in a folder of its own, which is also the
working folder. There may be several ;; run: lines; their outputs (stdout, then stderr) follow each
other, each command must have the exit code.

Files whose commands all run one tool with a name that ends in _tool share processes of it
(tool_batch.h). The file at which such a process crashes or hangs is run again alone.

usage: golden.py [--bin DIR]… [--prefix COMMAND] [--suffix .js] [--accept] [-v] PATH…
  --bin     where the tools are (the first folder that has one is taken)
  --prefix  what runs a tool: "qemu-aarch64", "node"
  --accept  writes the real output into the files instead of comparing
PATH is a golden file or a folder of them. The last line of output is `N passed, N failed`.
"""
import argparse
import difflib
import json
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

MARK = ";; expect"
COMMENT_MARK = ";; prints"
COMMENT = ";; "
TIMEOUT_SECONDS = 120
BATCH_TIMEOUT_SECONDS = 600
END_OF_COMMAND = "\x1e"


def parse_arguments(usage=__doc__):
    parser = argparse.ArgumentParser(usage=usage.replace("%", "%%"))
    parser.add_argument("--bin", action="append", default=[])
    parser.add_argument("--prefix", default="")
    parser.add_argument("--suffix", default="")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("paths", nargs="+", metavar="PATH")
    return parser.parse_args()


def golden_files(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
            continue
        if not os.path.isdir(path):
            sys.exit(f"golden.py: there is no file or folder {path}")
        for folder, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names):
                full = os.path.join(folder, name)
                with open(full, encoding="utf-8", errors="replace") as file:
                    if file.readline().startswith(";; "):
                        yield full


class Golden:
    """What is run, and what must come out."""

    def __init__(self, path, text, commands, expected, exit_code=0):
        self.path = path
        self.input = text
        self.commands = commands
        self.expected = expected
        self.exit_code = exit_code
        self.has_mark = True
        self.in_comments = False

    @classmethod
    def read(cls, path):
        """A golden file, taken apart."""
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().split("\n")
        marks = [i for i, line in enumerate(lines) if line in (MARK, COMMENT_MARK)]
        cut = marks[0] if marks else len(lines)
        in_comments = bool(marks) and lines[cut] == COMMENT_MARK
        expected = lines[cut + 1:]
        if in_comments:
            expected = [line.removeprefix(COMMENT.rstrip()).removeprefix(" ") for line in expected]
        text = "\n".join(lines[:cut])
        exits = cls.values(lines[:cut], ";; exit:")
        golden = cls(path, text if text.endswith("\n") else text + "\n",
                     cls.values(lines[:cut], ";; run:"), "\n".join(expected),
                     int(exits[0]) if exits else 0)
        golden.has_mark = bool(marks)
        golden.in_comments = in_comments
        return golden

    def with_output(self, output):
        """The file's text as it is when this output is the expected one."""
        if not self.in_comments:
            return self.input + MARK + "\n" + output
        lines = [(COMMENT + line).rstrip() + "\n" for line in output.splitlines()]
        return self.input + COMMENT_MARK + "\n" + "".join(lines)

    @staticmethod
    def values(lines, key):
        return [line[len(key):].strip() for line in lines if line.startswith(key)]


class Case:
    """A golden in a folder of its own, ready to run."""

    def __init__(self, golden, folder):
        path = golden.path
        self.golden = golden
        self.path = path
        self.folder = folder
        self.output = ""
        self.problem = None if self.golden.commands else "it has no ';; run:' line"
        name = os.path.basename(path)
        self.commands = [[name if word == "%s" else word for word in shlex.split(command)]
                         for command in self.golden.commands]
        os.mkdir(folder)
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as file:
            file.write(self.golden.input)
        self.write_models()

    def write_models(self):
        lines = self.golden.input.split("\n")
        files = [(None, path) for path in Golden.values(lines, ";; model:")]
        files += [line.split() for line in Golden.values(lines, ";; value:")]
        if not files:
            return
        import onnx_text  # pylint: disable=import-outside-toplevel
        item = json.loads("\n".join(line for line in lines if not line.startswith(";; ")))
        for value, name in files:
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(onnx_text.model(item) if value is None
                           else onnx_text.value(item["values"][value]))

    def batch_tool(self):
        """The tool that can run this case together with others, or None."""
        tools = {words[0] for words in self.commands}
        one = tools.pop() if len(tools) == 1 else ""
        words = [word for command in self.commands for word in command]
        plain = not any(mark in word for word in words for mark in "\t\n")
        return one if one.endswith("_tool") and plain else None

    def take(self, number, stdout, stderr, code):
        """Adds what command `number` gave; False where the case has failed with it."""
        self.output += stdout + stderr
        if code == self.golden.exit_code:
            return True
        expected = self.golden.exit_code
        self.problem = f"'{self.golden.commands[number]}' ended with {code}, expected {expected}"
        return False


class Runner:
    def __init__(self, options):
        self.options = options
        # Tools run in folders of their own, so a relative path must not stay one.
        words = shlex.split(options.prefix)
        self.prefix = [os.path.abspath(word) if os.path.isfile(word) else word for word in words]

    def tool(self, name):
        for folder in self.options.bin:
            path = os.path.join(os.path.abspath(folder), name + self.options.suffix)
            if os.path.exists(path):
                return self.prefix + [path]
        folders = ", ".join(self.options.bin) or "no --bin"
        raise FileNotFoundError(f"there is no tool {name}{self.options.suffix} in {folders}")

    def run(self, cases):
        """Runs the cases, as many at a time as there are processors."""
        workers = os.cpu_count() or 1
        alone = [case for case in cases if case.problem is None and case.batch_tool() is None]
        jobs = [(self.run_alone, case) for case in alone]
        tools = {case.batch_tool() for case in cases if case.problem is None} - {None}
        for tool in sorted(tools):
            batch = [case for case in cases if case.problem is None and case.batch_tool() == tool]
            jobs += [(self.run_batch, batch[i::workers]) for i in range(workers) if batch[i:]]
        with ThreadPoolExecutor(max_workers=workers) as pool:
            for done in [pool.submit(*job) for job in jobs]:
                done.result()

    def run_alone(self, case):
        for number, words in enumerate(case.commands):
            try:
                done = subprocess.run(self.tool(words[0]) + words[1:], cwd=case.folder,
                                      capture_output=True, timeout=TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                command = case.golden.commands[number]
                case.problem = f"'{command}' did not end within {TIMEOUT_SECONDS} s"
                return
            except FileNotFoundError as error:
                case.problem = str(error)
                return
            if not case.take(number, decode(done.stdout), decode(done.stderr), done.returncode):
                return

    def run_batch(self, cases):
        """Runs the cases in one process, and in another one those behind a case that ends it."""
        while cases:
            finished, why = self.run_process(cases)
            for case, outcomes in finished:
                for number, (stdout, stderr, code) in enumerate(outcomes):
                    if not case.take(number, stdout, stderr, code):
                        break
            if why is None:
                return
            culprit = cases[min(len(finished), len(cases) - 1)]
            culprit.output = ""
            self.run_alone(culprit)
            culprit.problem = culprit.problem or f"it ends well alone, but {why}"
            cases = cases[len(finished) + 1:]

    def run_process(self, cases):
        """Returns the cases that ended with their commands' outcomes, and what ended the process
        badly or None."""
        folder = cases[0].folder
        batch = os.path.join(folder, ".batch")
        with open(batch, "w", encoding="utf-8") as file:
            for case in cases:
                for words in case.commands:
                    file.write("\t".join([case.folder] + words[1:]) + "\n")
        try:
            done = subprocess.run(self.tool(cases[0].commands[0][0]) + ["--batch", batch],
                                  cwd=folder, capture_output=True, timeout=BATCH_TIMEOUT_SECONDS)
            stdout, stderr = done.stdout, done.stderr
            why = f"its batch ended with {done.returncode}" if done.returncode else None
        except subprocess.TimeoutExpired as error:
            stdout, stderr = error.stdout or b"", error.stderr or b""
            why = f"its batch did not end within {BATCH_TIMEOUT_SECONDS} s"
        except FileNotFoundError as error:
            return [], str(error)
        outcomes = iter(batch_outcomes(decode(stdout), decode(stderr)))
        finished = []
        for case in cases:
            own = [outcome for _, outcome in zip(case.commands, outcomes)]
            if len(own) < len(case.commands):
                return finished, why or "its batch ended before it"
            finished.append((case, own))
        return finished, why

    def check(self, case):
        """Returns (passed, report) of a case that was run."""
        golden = case.golden
        if self.options.accept and case.problem is None:
            with open(case.path, "w", encoding="utf-8", newline="") as file:
                file.write(golden.with_output(case.output))
            return True, f"accepted {case.path}"
        if case.problem is None and not golden.has_mark:
            case.problem = f"it has no '{MARK}' or '{COMMENT_MARK}' line"
        if case.problem is None and case.output == golden.expected:
            return True, f"ok {case.path}"
        report = [f"FAILED {case.path}"]
        if case.problem is not None:
            report.append(f"  {case.problem}")
        report += ["  " + line.rstrip("\n") for line in difflib.unified_diff(
            golden.expected.splitlines(True), case.output.splitlines(True), "expected", "got")]
        report.append(f"  to accept: {accept_command(self.options, case.path)}")
        return False, "\n".join(report)


def decode(data):
    return data.decode("utf-8", "replace")


def batch_outcomes(stdout, stderr):
    """(stdout, stderr, exit code) of each command that ended: tool_batch.h has the marks."""
    errors = stderr.split(END_OF_COMMAND + "\n")
    outcomes = []
    parts = stdout.split(END_OF_COMMAND)
    for number, tail in enumerate(parts[1:]):
        code, _, rest = tail.partition("\n")
        outcomes.append((parts[number], errors[number], int(code)))
        parts[number + 1] = rest
    return outcomes


def accept_command(options, path):
    words = [sys.argv[0], "--accept"]
    for folder in options.bin:
        words += ["--bin", folder]
    if options.prefix:
        words += ["--prefix", options.prefix]
    if options.suffix:
        words += ["--suffix", options.suffix]
    return shlex.join(words + [path])


def main():
    options = parse_arguments()
    runner = Runner(options)
    with tempfile.TemporaryDirectory() as folder:
        cases = [Case(Golden.read(path), os.path.join(folder, str(number)))
                 for number, path in enumerate(golden_files(options.paths))]
        runner.run(cases)
        results = [runner.check(case) for case in cases]
    for passed, report in results:
        if not passed or options.verbose or options.accept:
            print(report)
    passed = sum(1 for ok, _ in results if ok)
    failed = len(results) - passed
    if not results:
        print("no golden files found")
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and results else 1


if __name__ == "__main__":
    sys.exit(main())
