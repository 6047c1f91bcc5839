#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of a page: each ```tern block, whose output is the ```output block behind it.

usage: docs_examples.py [--bin DIR] [--prefix COMMAND] [--suffix .js] PAGE
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--bin", default="")
    parser.add_argument("--prefix", default="")
    parser.add_argument("--suffix", default="")
    parser.add_argument("page")
    arguments = parser.parse_args()
    with open(arguments.page, encoding="utf-8") as file:
        blocks = re.findall(r"^```tern\n(.*?)^```\n(?:```output\n(.*?)^```\n)?", file.read(),
                            re.MULTILINE | re.DOTALL)
    if not blocks:
        sys.exit(f"{arguments.page}: no ```tern block")
    tool = os.path.join(arguments.bin, "lang_tool" + arguments.suffix)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (program, expected) in enumerate(blocks, 1):
            path = os.path.join(folder, "example.tn")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            for command, output in (("run", expected), ("fmt", program)):
                run = subprocess.run(shlex.split(arguments.prefix) + [tool, command, path],
                                     capture_output=True, text=True, timeout=120)
                if run.returncode == 0 and run.stdout == output:
                    continue
                failed += 1
                print(f"example {number}: {command} gives, with exit code {run.returncode}:\n"
                      f"{run.stdout}{run.stderr}expected:\n{output}")
    print(f"{len(blocks)} examples, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
