# SPDX-License-Identifier: Apache-2.0
"""Reads the link maps that wasm-ld writes (-Wl,-Map=FILE)."""
import re
from typing import NamedTuple

# Address (or '-'), offset, size, then the name, the further in the finer: output section, input.
LINE = re.compile(r"\s*(\S+) +([0-9a-f]+) +([0-9a-f]+)( +)(.+)$")
DEPTH_OF_SECTION, DEPTH_OF_INPUT = 1, 9


class Piece(NamedTuple):
    """A function or a run of data, as one input file had it."""
    section: str  # of the output: CODE, .rodata, …
    origin: str   # "libtern_vm.a(vm.cc.o):(symbol or section)", unique within a section
    address: int  # of data, in memory; 0 for code
    offset: int   # in the file
    size: int


def read_map(path):
    """The pieces of a map, in the order in which they lie in the module."""
    section, pieces = "", []
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = LINE.match(line.rstrip("\n"))
            if not match:
                continue
            address, offset, size, space, name = match.groups()
            if len(space) == DEPTH_OF_SECTION:
                section = name
            elif len(space) == DEPTH_OF_INPUT:
                pieces.append(Piece(section, name, 0 if address == "-" else int(address, 16),
                                    int(offset, 16), int(size, 16)))
    return pieces


def functions_of(pieces):
    return [piece for piece in pieces if piece.section == "CODE"]


def data_of(pieces):
    return [piece for piece in pieces if piece.section.startswith(".") and piece.section != ".bss"]
