#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives short names to what the parts of a module export for each other.

Usage: shorten_names.py --first IN.wasm… --later IN.wasm… --suffix TEXT
split_module.py names such functions by numbers; Binaryen has moved them since. Here they are
numbered anew in the order in which they lie in the first module, then in the later ones, which
packs in half the space. Each output is called like its input without TEXT in the name.
"""
import argparse
import string

import wasm_file as wasm

DIGITS = string.ascii_lowercase + string.ascii_uppercase + string.digits + "-_"


def short(number):
    return DIGITS[number // len(DIGITS)] + DIGITS[number % len(DIGITS)]


def numbered(sections):
    """The names that are numbers, in the order of the functions."""
    exports = wasm.exported_functions(sections)
    return sorted((each for each in exports if each.isdigit()), key=exports.__getitem__)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for option in ("first", "later"):
        parser.add_argument("--" + option, required=True, nargs="+")
    parser.add_argument("--suffix", required=True)
    options = parser.parse_args()
    modules = {path: wasm.read_sections(path) for path in options.first + options.later}
    order = numbered(modules[options.first[0]])
    if any(set(numbered(modules[path])) != set(order) for path in options.first):
        raise SystemExit(f"{options.first} export different functions")
    for path in options.later:
        order += numbered(modules[path])
    names = {old: short(i) for i, old in enumerate(order)}
    if len(names) != len(order):
        raise SystemExit("two parts export a function of one number")
    for path, sections in modules.items():
        for section in (wasm.renamed_imports(sections, names),
                        wasm.renamed_exports(sections, names)):
            sections = wasm.with_section(sections, section)
        wasm.write_sections(path.replace(options.suffix, ""), sections)


if __name__ == "__main__":
    main()
