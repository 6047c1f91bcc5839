# SPDX-License-Identifier: Apache-2.0
"""The references that the program tern gives of itself: its verbs, and its error codes.

Usage: command_reference.py TERN        writes the list of options in docs/cli.md anew
"""
import json
import os
import re
import subprocess
import sys

from headers import escaped


def ask(program, *arguments):
    asked = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        raise ValueError(f"{program} {' '.join(arguments)}: {asked.stderr.strip()}")
    return asked.stdout


def cell(text):
    return escaped(text).replace("\n", " ")


def option_row(option):
    names = ", ".join(f"`{name}`" for name in option["names"])
    notes = [word for word, holds in (("needed", option["required"]),
                                      ("may be repeated", option["repeats"])) if holds]
    choices = ", ".join(f"`{choice}`" for choice in option["choices"])
    more = "; ".join(notes + ([choices] if choices else []))
    return f"| {names} | {cell(option['phrase'])}{' (' + more + ')' if more else ''} |\n"


def options(title, rows):
    rows = [row for row in rows if "--help" not in row["names"]]
    if not rows:
        return ""
    return f"| {title} | what it does |\n|---|---|\n" + "".join(map(option_row, rows)) + "\n"


def verb(entry):
    examples = "\n".join(entry["examples"])
    text = f"## `tern {entry['name']}`\n\n{escaped(entry['phrase'])}.\n\n"
    text += f"```sh\n{examples}\n```\n\n" if examples else ""
    text += options("argument", [row for row in entry["options"] if row["positional"]])
    return text + options("option", [row for row in entry["options"] if not row["positional"]])


def verbs_page(program):
    data = json.loads(ask(program, "help", "--agents", "--format", "json"))
    text = ("# tern, verb by verb\n\nWhat `tern help --agents` prints. [The command line]"
            "(../cli.md) says how its parts go together.\n\n## Options of every verb\n\n")
    text += options("option", data["options"])
    text += "".join(map(verb, data["verbs"]))
    for topic in data["topics"]:
        text += f"## {topic['name']}\n\n```text\n{topic['text'].rstrip()}\n```\n\n"
    text += "## Exit codes of all verbs\n\n| code | means |\n|---|---|\n"
    return text + "".join(f"| {row['code']} | {cell(row['phrase'])} |\n"
                          for row in data["exit_codes"])


CLI_PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "cli.md")
OPTIONS_BLOCK = re.compile(r"(?<=<!-- options-begin -->\n).*?(?=<!-- options-end -->)", re.S)


def option_names(rows):
    """Every name of every option, with what it takes."""
    return " · ".join(
        ", ".join(f"`{name}`" for name in row["names"]) + (" …" if row["takes_value"] else "")
        for row in rows if not row["positional"] and "--help" not in row["names"])


def options_block(program):
    data = json.loads(ask(program, "help", "--agents", "--format", "json"))
    rows = [("all", data["options"])]
    rows += [(f"`{verb['name']}`", verb["options"]) for verb in data["verbs"]]
    return "| verb | options |\n|---|---|\n" + "".join(
        f"| {name} | {option_names(options)} |\n" for name, options in rows)


def codes_page(table):
    """Of core/text/codes.def, the table that `tern explain` reads."""
    with open(table, encoding="utf-8") as file:
        source = file.read()
    rows = re.findall(r'^TERN_CODE\("(\w+)", "((?:\\.|[^"\\])*)",((?:\s*"(?:\\.|[^"\\])*")+)\)',
                      source, re.M)
    if not rows or len(rows) != len(re.findall("^TERN_CODE", source, re.M)):
        raise ValueError(f"{table}: expected only rows TERN_CODE(code, title, explanation), "
                         f"{len(rows)} of which were found")
    text = ("# Error codes\n\nWhat `tern explain CODE` prints. [Errors](../errors.md) says what "
            "errors look like.\n\n")
    for code, title, parts in rows:
        explanation = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', parts))
        text += f"## {code}\n\n**{cell(plain(title))}.** {cell(plain(explanation))}\n\n"
    return text


def plain(literal):
    """The text of a C string."""
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], literal)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    with open(CLI_PAGE, encoding="utf-8") as file:
        page = file.read()
    block = options_block(sys.argv[1])
    with open(CLI_PAGE, "w", encoding="utf-8") as file:
        file.write(OPTIONS_BLOCK.sub(lambda _: block, page))


if __name__ == "__main__":
    main()
