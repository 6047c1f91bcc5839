#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Splits a linked module in two: what runs programs, and what is fetched when it is wanted.

Usage: split_module.py --whole M.wasm --kept RUNTIME.wasm --split WASM_SPLIT
                       --primary OUT.wasm --secondary OUT.wasm --name SECONDARY_AS_SHIPPED.wasm
Beside both inputs lie their link maps, as FILE.map. RUNTIME.wasm is linked from the same objects as
the whole, with the runtime's exports alone: so the linker has found all that they can reach,
through tables of function pointers too. That stays in the primary module; other functions, data
and exports go to the secondary one, which is instantiated on the memory and tables of the primary.
Both get a custom section `tern.pair`: 16 bytes by which a loader tells that they belong together,
then the name of the secondary's file. Neither is optimised here.
"""
import argparse
import collections
import hashlib
import os
import subprocess

import link_map
import wasm_file as wasm

PAIR = "tern.pair"
DATA_COUNT = 12
FEATURES = ("bulk-memory", "multivalue", "mutable-globals", "nontrapping-float-to-int",
            "reference-types", "relaxed-simd", "sign-ext", "simd")


class Linked:
    """A module that the linker wrote, with its map."""

    def __init__(self, path):
        self.sections = wasm.read_sections(path)
        pieces = link_map.read_map(path + ".map")
        self.functions = link_map.functions_of(pieces)
        self.data = link_map.data_of(pieces)
        self.segments = wasm.read_data(self.sections)
        self.first = wasm.imported_functions(self.sections)
        self.exports = wasm.exported_functions(self.sections)
        self.check(path)

    def check(self, path):
        """The map lists functions in the order of their numbers: compared by the exports' names."""
        if wasm.count_of(self.sections, wasm.CODE) != len(self.functions):
            raise SystemExit(f"{path}: the map has other functions than the module")
        for export, index in self.exports.items():
            origin = self.functions[index - self.first].origin
            if export.startswith("tern_") and f":({export})" not in origin:
                raise SystemExit(f"{path}: export {export} is function {index}: {origin}")

    def bytes_of(self, piece):
        for address, run in self.segments:
            start = piece.address - address
            if 0 <= start and start + piece.size <= len(run):
                return run[start:start + piece.size]
        return bytes(piece.size)  # zeros, which are in no segment


def is_merged(piece):
    return piece.origin.startswith("<internal>:(.rodata")


def is_string(piece):
    return "..L.str" in piece.origin


def symbol_of(piece):
    return piece.origin.partition(":(")[2]


def keys_of(functions, whole):
    """What tells functions of two links apart: the symbol, and the object where several have it.

    Which object a template's instance is taken from depends on what is linked.
    """
    count = collections.Counter(symbol_of(each) for each in whole)
    return [symbol_of(each) if count[symbol_of(each)] == 1 else each.origin for each in functions]


def merged_strings(whole, piece):
    """[(address, string with the zero behind it)]"""
    at = piece.address
    for text in whole.bytes_of(piece)[:-1].split(b"\0"):
        yield at, text + b"\0"
        at += len(text) + 1


def texts_that_stay(texts, strings):
    """Which of the texts hold the strings: each is the text itself or the end of one.

    The linker sorts by the ends, and puts what is the end of others into the last of those.
    """
    ends = [text[::-1] for text in texts]
    if any(b != a[:len(b)] and b > a for a, b in zip(ends, ends[1:])):
        raise SystemExit("the merged strings lie in another order than was thought")
    last = {text[start:]: text for text in texts for start in range(len(text))}
    lost = [each for each in strings if each not in last]
    if lost:
        raise SystemExit(f"the whole lacks strings of the runtime: {lost[:3]}")
    return {last[each] for each in strings}


def data_to_move(whole, kept):
    """[(address, bytes)] of what only the secondary module needs.

    The linker has merged the strings of the whole. The runtime's own link left them apart (-O0).
    """
    stays = {symbol_of(each) for each in kept.data}
    strings = {kept.bytes_of(each) for each in kept.data if is_string(each)}
    strings = {each for each in strings if each.find(b"\0") == len(each) - 1}  # of bytes
    if any(is_merged(each) for each in kept.data):
        raise SystemExit("the runtime's strings are merged: link it with -Wl,-O0")
    runs = []
    for piece in whole.data:
        if is_merged(piece):
            texts = list(merged_strings(whole, piece))
            kept_texts = texts_that_stay([text for _, text in texts], strings)
            runs += [each for each in texts if each[1] not in kept_texts]
        elif symbol_of(piece) not in stays and not is_string(piece):
            runs.append((piece.address, whole.bytes_of(piece)))
    return join(runs)


def join(runs):
    """Adjoining runs as one; runs of zeros need no segment."""
    joined = []
    for address, run in sorted(runs):
        if joined and joined[-1][0] + len(joined[-1][1]) == address:
            joined[-1] = (joined[-1][0], joined[-1][1] + run)
        elif run.strip(b"\0"):
            joined.append((address, run))
    return joined


def without(segments, moved):
    """The segments with zeros where `moved` is: the optimiser cuts them out."""
    left = [(address, bytearray(run)) for address, run in segments]
    for address, run in moved:
        for start, target in left:
            if start <= address < start + len(target):
                target[address - start:address - start + len(run)] = bytes(len(run))
    return [(address, bytes(run)) for address, run in left]


def run_split(tool, sections, moved, outputs):
    """Binaryen's split by names. It keeps them, so that functions are found again."""
    module, listed = outputs[0] + ".named", outputs[1] + ".functions"
    wasm.write_sections(module, sections)
    with open(listed, "w", encoding="utf-8") as file:
        file.write("\n".join(moved))
    subprocess.run([tool, "--split", module, f"--split-funcs=@{listed}", "-o1", outputs[0],
                    "-o2", outputs[1], "--no-placeholders", "--import-namespace=primary", "-g",
                    *(f"--enable-{feature}" for feature in FEATURES)], check=True)
    os.remove(module)
    os.remove(listed)


def rewrite(path, exports, data, pair):
    """The module with these exports and data, without names, marked."""
    gone = (wasm.CUSTOM, wasm.EXPORT, wasm.DATA, DATA_COUNT)
    sections = [each for each in wasm.read_sections(path) if each[0] not in gone]
    after = next(i for i, each in enumerate(sections) if each[0] > wasm.EXPORT)
    sections.insert(after, exports)
    wasm.write_sections(path, sections + [wasm.data_section(data), wasm.custom(PAIR, pair)])


def split(whole, kept, tool, outputs):
    """Returns the exports of either module."""
    keys = keys_of(whole.functions, whole.functions)
    stays = set(keys_of(kept.functions, whole.functions))
    strange = stays - set(keys)
    if strange:
        raise SystemExit(f"the whole lacks functions of the runtime: {sorted(strange)[:3]}")
    names = [str(i) for i in range(whole.first + len(whole.functions))]
    moved = [names[whole.first + i] for i, key in enumerate(keys) if key not in stays]
    sections = [each for each in whole.sections if each[0] != wasm.CUSTOM]
    run_split(tool, sections + [wasm.function_names(names)], moved, outputs)
    primary, secondary = map(wasm.read_sections, outputs)
    # The primary exports functions that call the secondary's: instead, the secondary exports those.
    gone = whole.exports.keys() - kept.exports.keys()
    found = wasm.names_of_functions(secondary)
    return (wasm.exports_where(primary, lambda export: export not in gone),
            wasm.function_exports({each: found[names[whole.exports[each]]] for each in gone}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for option in ("whole", "kept", "split", "primary", "secondary", "name"):
        parser.add_argument("--" + option, required=True)
    options = parser.parse_args()
    whole, kept = Linked(options.whole), Linked(options.kept)
    exports = split(whole, kept, options.split, (options.primary, options.secondary))
    data = data_to_move(whole, kept)
    with open(options.whole, "rb") as file:
        pair = hashlib.sha256(file.read()).digest()[:16] + options.name.encode()
    rewrite(options.primary, exports[0], without(whole.segments, data), pair)
    rewrite(options.secondary, exports[1], data, pair)


if __name__ == "__main__":
    main()
