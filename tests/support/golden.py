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

%s is a copy of the input under the file's own name, in a folder of its own, which is also the
working folder. There may be several ;; run: lines; their outputs (stdout, then stderr) follow each
other, each command must have the exit code.

usage: golden.py [--bin DIR]… [--prefix COMMAND] [--suffix .js] [--accept] [-v] PATH…
  --bin     where the tools are (the first folder that has one is taken)
  --prefix  what runs a tool: "qemu-aarch64", "node"
  --accept  writes the real output into the files instead of comparing
PATH is a golden file or a folder of them. The last line of output is `N passed, N failed`.
"""
import argparse
import difflib
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


def parse_arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
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
    """One file, taken apart."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().split("\n")
        marks = [i for i, line in enumerate(lines) if line in (MARK, COMMENT_MARK)]
        self.has_mark = bool(marks)
        cut = marks[0] if marks else len(lines)
        self.in_comments = self.has_mark and lines[cut] == COMMENT_MARK
        self.input = "\n".join(lines[:cut])
        if not self.input.endswith("\n"):
            self.input += "\n"
        expected = lines[cut + 1:]
        if self.in_comments:
            expected = [line.removeprefix(COMMENT.rstrip()).removeprefix(" ") for line in expected]
        self.expected = "\n".join(expected)
        self.commands = self.values(lines[:cut], ";; run:")
        exits = self.values(lines[:cut], ";; exit:")
        self.exit_code = int(exits[0]) if exits else 0

    def with_output(self, output):
        """The file's text as it is when this output is the expected one."""
        if not self.in_comments:
            return self.input + MARK + "\n" + output
        lines = [(COMMENT + line).rstrip() + "\n" for line in output.splitlines()]
        return self.input + COMMENT_MARK + "\n" + "".join(lines)

    @staticmethod
    def values(lines, key):
        return [line[len(key):].strip() for line in lines if line.startswith(key)]


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

    def run(self, golden):
        """Returns (output, problem)."""
        if not golden.commands:
            return "", "it has no ';; run:' line"
        output = ""
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.basename(golden.path)
            with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as file:
                file.write(golden.input)
            for command in golden.commands:
                words = [name if word == "%s" else word for word in shlex.split(command)]
                try:
                    done = subprocess.run(self.tool(words[0]) + words[1:], cwd=folder,
                                          capture_output=True, timeout=TIMEOUT_SECONDS)
                except subprocess.TimeoutExpired:
                    return output, f"'{command}' did not end within {TIMEOUT_SECONDS} s"
                except FileNotFoundError as error:
                    return output, str(error)
                output += done.stdout.decode("utf-8", "replace")
                output += done.stderr.decode("utf-8", "replace")
                if done.returncode != golden.exit_code:
                    code = f"{done.returncode}, expected {golden.exit_code}"
                    return output, f"'{command}' ended with {code}"
        return output, None

    def check(self, path):
        """Returns (passed, report)."""
        golden = Golden(path)
        output, problem = self.run(golden)
        if self.options.accept and problem is None:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(golden.with_output(output))
            return True, f"accepted {path}"
        if problem is None and not golden.has_mark:
            problem = f"it has no '{MARK}' or '{COMMENT_MARK}' line"
        if problem is None and output == golden.expected:
            return True, f"ok {path}"
        report = [f"FAILED {path}"]
        if problem is not None:
            report.append(f"  {problem}")
        report += ["  " + line.rstrip("\n") for line in difflib.unified_diff(
            golden.expected.splitlines(True), output.splitlines(True), "expected", "got")]
        report.append(f"  to accept: {accept_command(self.options, path)}")
        return False, "\n".join(report)


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
    files = list(golden_files(options.paths))
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        results = list(pool.map(runner.check, files))
    for passed, report in results:
        if not passed or options.verbose or options.accept:
            print(report)
    passed = sum(1 for ok, _ in results if ok)
    failed = len(results) - passed
    if not files:
        print("no golden files found")
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and files else 1


if __name__ == "__main__":
    sys.exit(main())
