#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of a page: each ```tern block, whose output is the ```output block behind it,
and which is laid out as the formatter would.

usage: docs_examples.py [--bin DIR] [--prefix COMMAND] [--suffix .js] PAGE…
"""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from golden import Case, Golden, Runner, parse_arguments  # noqa: E402

BLOCK = re.compile(r"^```tern\n(.*?)^```\n(?:```output\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def examples(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    if not BLOCK.search(text):
        sys.exit(f"{page}: no ```tern block")
    for block in BLOCK.finditer(text):
        program, output = block.groups(default="")
        line = text.count("\n", 0, block.start()) + 1
        name = f"{page}:{line}/example.tn"
        yield Golden(name, program, ["lang_tool run %s"], output)
        yield Golden(name, program, ["lang_tool fmt %s"], program)


def main():
    options = parse_arguments(__doc__)
    options.accept = False
    runner = Runner(options)
    with tempfile.TemporaryDirectory() as folder:
        goldens = [golden for page in options.paths for golden in examples(page)]
        cases = [Case(golden, os.path.join(folder, str(number)))
                 for number, golden in enumerate(goldens)]
        runner.run(cases)
        results = [runner.check(case) for case in cases]
    for passed, report in results:
        if not passed:
            print(report)
    failed = sum(1 for passed, _ in results if not passed)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
