# SPDX-License-Identifier: Apache-2.0
"""Errors of ONNX models never tell their user to edit the text of a program: there is none.

usage: wording_test.py COMMAND…                    ends with `N passed, N failed`
COMMAND runs the command line, such as build/host/tern.

What is looked at: every golden that runs the command line on a model, every model that the tests of
operators and searches must see refused, and what `tern explain` says of the importer's codes. What
advice on texts looks like is read from the goldens of the language.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

import search_test
import variants_test

ROOT = variants_test.ROOT
HELP = re.compile(r"^ *= help: +(.*)$", re.M)
# Help that both may give.
SHARED = re.compile(r"^did you mean '…'\?$")
# Parts of the language, and asking for a change of a text.
TEXT = re.compile(r"program text|source text|\bannotat|\blet\b|\bfn\b|\|x\||"
                  r"\bwrite\b.*\btype\b|\bbind it\b|\.tn\b|\.tasm\b|\bin the type\b|"
                  r"\bthis line\b|docs/language")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pattern_of(text):
    """Help without what differs from case to case."""
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'", "'…'", text)).strip()


def language_help():
    paths = glob.glob(os.path.join(ROOT, "tests/golden/lang/*"))
    found = {pattern_of(text) for path in paths for text in HELP.findall(read(path))}
    return {text for text in found if not SHARED.match(text)}


def golden_errors():
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/golden/cli/*"))):
        head, mark, expected = read(path).partition("\n;; expect\n")
        if mark and re.search(r"^;; model:", head, re.M) and "error[" in expected:
            yield os.path.basename(path), expected


def said_of(command, *arguments):
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def refused_errors(command):
    """What the command says of models that other tests want refused."""
    for add in variants_test.ADDERS:
        add()
    for item in variants_test.CASES + variants_test.OPEN_CASES:
        op, opset, inputs, expected, domain, attributes = item
        if not isinstance(expected, str):
            continue
        outputs = [variants_test.np.zeros(())]
        model, _ = variants_test.model_of(op, opset, inputs, outputs, domain, attributes, "symbols")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            with open(path, "wb") as file:
                file.write(model)
            yield f"{op}: {expected}", said_of(command, "compile", path)
    for names, options, graphs, text in [*search_test.refusals(), *search_test.sound_refusals()]:
        with tempfile.TemporaryDirectory() as folder:
            path, _ = search_test.write_case(folder, names, options, graphs,
                                             search_test.nothing(names))
            yield f"search: {text}", said_of(command, "compile", path)


def explained(command):
    for number in range(1, 6):
        code = f"E040{number}"
        text = said_of(command, "explain", code)
        assert code in text, text
        yield f"explain {code}", text


def problem_of(message, advice):
    """None, or the part that speaks of a text."""
    given = [text for text in HELP.findall(message) if pattern_of(text) in advice]
    found = TEXT.search(message)
    return given[0] if given else found and found[0]


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    advice = language_help()
    # The rule has to know what the language says, or it would find nothing.
    assert len(advice) > 40, advice
    assert problem_of("= help: bind it to a variable and write its type", advice)
    assert problem_of(" = help:     add the case", advice)
    passed = failed = 0
    messages = [*golden_errors(), *refused_errors(command), *explained(command)]
    assert len(messages) > 60, len(messages)
    for name, message in messages:
        problem = problem_of(message, advice)
        passed, failed = passed + (problem is None), failed + (problem is not None)
        if problem is not None:
            print(f"FAIL {name}: '{problem}' in:\n{message}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
