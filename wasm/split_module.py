#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Splits linked modules: what runs programs, and parts that are fetched when they are wanted.

Usage: split_module.py --split WASM_SPLIT --opt WASM_OPT --whole M.wasm… --first OUT.wasm…
                       --reach M.wasm… --later OUT.wasm…
Each WHOLE becomes one FIRST. They are linked from the same objects but for the kernels, and what
they have must lie at the same addresses and places of the table, because the LATER parts are cut
out of the first WHOLE and serve all: this is checked, and what differs is told.
Each REACH is linked from the objects of the first WHOLE with fewer exports: those of the runtime,
then those of one more part each time. So the linker has found all that they can reach, through
tables of function pointers too. What a REACH has and none before it goes to its part, what none has
to the last one: functions, data, elements of the table, exports. Parts are instantiated on the
memory and table of the FIRST, one after the other.
Beside all inputs lie their link maps, as FILE.map. Each output gets a custom section `tern.pair`:
16 bytes by which a loader tells what belongs together, then what the file is called without
`.split`. Nothing is optimised here.
"""
import argparse
import collections
import hashlib
import os
import subprocess

import link_map
import wasm_file as wasm

PAIR = "tern.pair"
TABLE = "__indirect_function_table"
DATA_COUNT = 12
# Bytes between two runs of data that pack better than another segment.
WORTH_BRIDGING = 14
FEATURES = ("bulk-memory", "multivalue", "mutable-globals", "nontrapping-float-to-int",
            "reference-types", "relaxed-simd", "sign-ext", "simd")


class Linked:
    """A module that the linker wrote, with its map."""

    def __init__(self, path):
        self.path = path
        self.sections = wasm.read_sections(path)
        pieces = link_map.read_map(path + ".map")
        self.functions = link_map.functions_of(pieces)
        self.data = link_map.data_of(pieces)
        self.segments = wasm.read_data(self.sections)
        self.first = len(wasm.imported(self.sections, wasm.FUNCTION_KIND))
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

    def merged_texts(self):
        return [(each.address, self.bytes_of(each)) for each in self.data if is_merged(each)]

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


def needed_ends(texts, strings):
    """{text: how many bytes at its end hold one of the strings, with the zero}

    Each string is a text or the end of one. The linker sorts by the ends, and puts what is the end
    of others into the last of those.
    """
    ends = [text[::-1] for text in texts]
    if any(b != a[:len(b)] and b > a for a, b in zip(ends, ends[1:])):
        raise SystemExit("the merged strings lie in another order than was thought")
    last = {text[start:]: text for text in texts for start in range(len(text))}
    lost = [each for each in strings if each not in last]
    if lost:
        raise SystemExit(f"the whole lacks strings of a part: {lost[:3]}")
    needed = {}
    for each in strings:
        needed[last[each]] = max(len(each), needed.get(last[each], 0))
    return needed


def data_not_in(whole, reached):
    """{address: bytes} of what the other link does without.

    The linker has merged the strings of the whole. The other link left them apart (-O0).
    """
    stays = {symbol_of(each) for each in reached.data}
    strings = {reached.bytes_of(each) for each in reached.data if is_string(each)}
    strings = {each for each in strings if each.find(b"\0") == len(each) - 1}  # of bytes
    if any(is_merged(each) for each in reached.data):
        raise SystemExit("strings are merged where parts are told: link it with -Wl,-O0")
    runs = {}
    for piece in whole.data:
        if is_merged(piece):
            texts = list(merged_strings(whole, piece))
            needed = needed_ends([text for _, text in texts], strings)
            runs |= {at: text[:len(text) - needed.get(text, 0)] for at, text in texts}
        elif symbol_of(piece) not in stays and not is_string(piece):
            runs[piece.address] = whole.bytes_of(piece)
    return {at: run for at, run in runs.items() if run}


def data_between(earlier, later):
    """[(address, bytes)] of what is in the one and not in the other, which has less of it."""
    if any(not earlier.get(at, b"").startswith(run) for at, run in later.items()):
        raise SystemExit("a part lacks data that one before it has")
    runs = [(at + len(later.get(at, b"")), run[len(later.get(at, b"")):])
            for at, run in earlier.items()]
    return join([each for each in runs if each[1]])


def join(runs):
    """Adjoining runs as one; runs of zeros need no segment."""
    joined = []
    for address, run in sorted(runs):
        if joined and joined[-1][0] + len(joined[-1][1]) == address:
            joined[-1] = (joined[-1][0], joined[-1][1] + run)
        elif run.strip(b"\0"):
            joined.append((address, run))
    return joined


def bridged(runs, constants):
    """The runs with what lies between them where that is less than the head of a segment.

    constants: [(address, bytes)] that never change, so that they may be written twice.
    """
    joined = runs[:1]
    for address, run in runs[1:]:
        start, last = joined[-1]
        end = start + len(last)
        between = next((bytes(each[end - at:address - at]) for at, each in constants
                        if at <= end and address <= at + len(each)), None)
        if between is not None and address - end <= WORTH_BRIDGING:
            joined[-1] = (start, last + between + run)
        else:
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


def check_alike(whole, other):
    """What differs between two modules that later parts are to serve alike."""
    for what, mine, its in (
            ("functions", whole.functions, other.functions), ("data", whole.data, other.data)):
        places = [[(symbol_of(each), each.address, each.size if each.address else 0)
                   for each in pieces] for pieces in (mine, its)]
        for one, two in zip(*places):
            if one != two:
                raise SystemExit(f"{whole.path} and {other.path} differ in {what}, so that no part "
                                 f"can serve both: {one} and {two}. Kernels must have the same "
                                 "functions, constants and texts for either target")
        if len(mine) != len(its):
            raise SystemExit(f"{whole.path} and {other.path} differ in {what}: "
                             f"{len(mine)} and {len(its)}")
    for kind in (wasm.TABLE, wasm.MEMORY, wasm.GLOBAL, wasm.EXPORT, wasm.ELEMENT):
        if wasm.contents_of(whole.sections, kind) != wasm.contents_of(other.sections, kind):
            raise SystemExit(f"{whole.path} and {other.path} differ in section {kind}")


def check_data(whole, other, runs):
    """Later parts bring the data of one whole, which must be that of the other."""
    for address, run in runs:
        for start, found in other.segments:
            at = address - start
            if 0 <= at < len(found) and found[at:at + len(run)] != run:
                raise SystemExit(f"{whole.path} and {other.path} differ in data at {address}")


class Plan:
    """Which part each function and run of data of a module goes to: 0 is the first."""

    def __init__(self, whole, reached):
        self.count = len(reached) + 1
        keys = keys_of(whole.functions, whole.functions)
        self.parts = [self.count - 1] * len(keys)
        for part, each in reversed(list(enumerate(reached))):
            has = set(keys_of(each.functions, whole.functions))
            strange = has - set(keys)
            if strange:
                raise SystemExit(f"{whole.path} lacks functions of {each.path}: "
                                 f"{sorted(strange)[:3]}")
            self.parts = [part if key in has else old for key, old in zip(keys, self.parts)]
        self.parts = [0] * whole.first + self.parts
        # Those that lack more are those that come earlier.
        missing = [data_not_in(whole, each) for each in reached] + [{}]
        self.data = [data_between(*each) for each in zip(missing, missing[1:])]
        self.elements = wasm.read_elements(whole.sections)
        self.exports = whole.exports
        self.names = [str(i) for i in range(len(self.parts))]

    def functions_of(self, part):
        return [i for i, each in enumerate(self.parts) if each == part]

    def exports_of(self, part):
        return {each: i for each, i in self.exports.items() if self.parts[i] == part}

    def elements_of(self, part):
        """[(place in the table, functions)] in runs."""
        runs = []
        for start, functions in self.elements:
            for at, function in enumerate(functions, start):
                if self.parts[function] != part:
                    continue
                if not runs or runs[-1][0] + len(runs[-1][1]) != at:
                    runs.append((at, []))
                runs[-1][1].append(function)
        return runs


class Tools:
    """Binaryen's. They keep names, so that functions are found again."""

    def __init__(self, split, opt):
        self.paths = split, opt
        self.features = [f"--enable-{each}" for each in FEATURES]

    def split(self, sections, moved, outputs):
        """The rest, and a module with the functions called `moved`, as sections."""
        module, listed = outputs[0] + ".named", outputs[1] + ".functions"
        wasm.write_sections(module, sections)
        with open(listed, "w", encoding="utf-8") as file:
            file.write("\n".join(moved))
        subprocess.run([self.paths[0], "--split", module, f"--split-funcs=@{listed}", "-o1",
                        outputs[0], "-o2", outputs[1], "--no-placeholders",
                        "--import-namespace=p", "-g", *self.features], check=True)
        os.remove(module)
        os.remove(listed)
        return [wasm.read_sections(each) for each in outputs]

    def tidy(self, sections, path):
        """Without what nothing uses any more."""
        wasm.write_sections(path, sections)
        subprocess.run([self.paths[1], path, "-o", path, "-g", "--remove-unused-module-elements",
                        *self.features], check=True)
        return wasm.read_sections(path)


def write_part(path, sections, data, mark):
    """The module with these data, without names, marked."""
    gone = (wasm.CUSTOM, wasm.DATA, DATA_COUNT)
    sections = [each for each in sections if each[0] not in gone]
    name = os.path.basename(path).replace(".split", "")
    wasm.write_sections(path, sections + [
        wasm.data_section(data), wasm.custom(PAIR, mark + name.encode())])


def renumbered(runs, names, found):
    return [(at, [found[names[i]] for i in functions]) for at, functions in runs]


def without_part(sections, plan, part, wanted):
    """The rest of a split without the functions by which it would call the part.

    The tool made some for exports and elements; the part brings its own. wanted: names of what
    later parts import.
    """
    found = wasm.names_of_functions(sections)
    gone = {each for later in range(part, plan.count) for each in plan.exports_of(later)}
    gone |= {plan.names[i] for i in plan.functions_of(part)} & wanted
    keep = {each for each in wasm.exported_functions(sections)} - gone
    runs = [run for each in range(part) for run in plan.elements_of(each)]
    sections = wasm.with_section(sections, wasm.exports_where(sections, keep, {TABLE}))
    return wasm.with_section(sections, wasm.element_section(
        sorted(renumbered(runs, plan.names, found))))


def cut_part(sections, plan, part, wanted):
    """What was cut out, with its exports and elements."""
    found = wasm.names_of_functions(sections)
    exports = {each: found[plan.names[i]] for each, i in plan.exports_of(part).items()}
    # Found are imports as well, which come from where the later part gets them too.
    own = {plan.names[i] for i in plan.functions_of(part)}
    exports |= {each: found[each] for each in wanted & own}
    runs = renumbered(plan.elements_of(part), plan.names, found)
    # The tool lists what the rest calls.
    called = {i for _, functions in wasm.read_elements(sections) for i in functions}
    called -= {*exports.values(), *(i for _, functions in runs for i in functions)}
    if called:
        raise SystemExit(f"part {part} is called by one before it: functions "
                         f"{[each for each, i in found.items() if i in called]}")
    table = wasm.imported(sections, wasm.TABLE_KIND).index(TABLE)
    sections = wasm.with_section(sections, wasm.element_section(runs, table))
    return wasm.with_section(sections, wasm.function_exports(exports))


def split(whole, plan, tools, first, later, mark):
    """Cuts off the last part, then the one before it. later: None where it is written already."""
    sections = [each for each in whole.sections if each[0] != wasm.CUSTOM]
    sections.append(wasm.function_names(plan.names))
    wanted = set()  # by parts that are cut off already
    for part in range(plan.count - 1, 0, -1):
        moved = [plan.names[i] for i in plan.functions_of(part)]
        path = later[part - 1] if later else first + ".later"
        rest, cut = tools.split(sections, moved, (first, path))
        if later:
            cut = tools.tidy(cut_part(cut, plan, part, wanted), path)
            data = bridged(plan.data[part - 1], whole.merged_texts())
            write_part(path, cut, data, mark)
        else:
            cut_part(cut, plan, part, wanted)
            os.remove(path)
        sections = tools.tidy(without_part(rest, plan, part, wanted), first)
        wanted |= set(wasm.imported(cut, wasm.FUNCTION_KIND))
    moved = [run for runs in plan.data for run in runs]
    write_part(first, sections, without(whole.segments, moved), mark)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for option in ("split", "opt"):
        parser.add_argument("--" + option, required=True)
    for option in ("whole", "first", "reach", "later"):
        parser.add_argument("--" + option, required=True, nargs="+")
    options = parser.parse_args()
    if (len(options.whole), len(options.reach)) != (len(options.first), len(options.later)):
        parser.error("one --first for each --whole, one --later for each --reach")
    tools = Tools(options.split, options.opt)
    wholes = [Linked(each) for each in options.whole]
    plan = Plan(wholes[0], [Linked(each) for each in options.reach])
    mark = hashlib.sha256()
    for each in options.whole:
        with open(each, "rb") as file:
            mark.update(file.read())
    for i, whole in enumerate(wholes):
        check_alike(wholes[0], whole)
        check_data(wholes[0], whole, [run for runs in plan.data for run in runs])
        split(whole, plan, tools, options.first[i], options.later if i == 0 else None,
              mark.digest()[:16])


if __name__ == "__main__":
    main()
