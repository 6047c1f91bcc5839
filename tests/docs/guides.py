# SPDX-License-Identifier: Apache-2.0
"""Does what a guide says, in a folder of its own: comments before the guide's blocks of code say
what each is.

    <!-- file: NAME -->   is written to that file
    <!-- run -->          is run by a shell and works; <!-- fails --> does not
    <!-- prints -->       is what the block before it prints; … stands for anything, a line that
                          is only … for any number of lines
"""
import os
import re
import subprocess

BLOCK = re.compile(r"<!-- (file: (?P<name>\S+)|run|fails|prints) -->\n```\w*\n(?P<text>.*?)^```$",
                   re.M | re.S)


class Mismatch(Exception):
    """A guide says what is not so."""


def pattern_of(expected):
    """What is printed, as a regular expression."""
    lines = ["(?:.*\n)*?" if line == "…" else
             ".*".join(re.escape(part) for part in line.split("…")) + "\n"
             for line in expected.splitlines()]
    return "".join(lines)


def run_block(page, kind, text, folder, env):
    ran = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=env, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if (ran.returncode != 0) != (kind == "fails"):
        raise Mismatch(f"{page}: expected that this {'fails' if kind == 'fails' else 'works'}, "
                       f"exit code {ran.returncode}:\n{text}{ran.stdout}")
    return ran.stdout


def follow(page, text, folder, env):
    """Does what the text of a page says; the number of blocks."""
    printed, blocks = None, 0
    for block in BLOCK.finditer(text):
        kind, code = block[1], block["text"]
        blocks += 1
        if block["name"]:
            with open(os.path.join(folder, block["name"]), "w", encoding="utf-8") as file:
                file.write(code)
        elif kind == "prints":
            if printed is None:
                raise Mismatch(f"{page}: nothing has run before this output:\n{code}")
            if not re.fullmatch(pattern_of(code), printed):
                raise Mismatch(f"{page}: expected\n{code}but got\n{printed}")
            printed = None
        else:
            printed = run_block(page, kind, code, folder, env)
    marks = len(re.findall(r"^<!-- (?:file: |run|fails|prints)", text, re.M))
    if marks != blocks or blocks == 0:
        raise Mismatch(f"{page}: expected a block of code behind each of {marks} marks, found "
                       f"{blocks}")
    return blocks
