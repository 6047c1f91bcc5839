#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the worker pool keeps nothing in the memory that it shares.

Usage: check_pool.py POOL.wasm
A global would be a stack pointer, and a stack or data would lie at addresses that belong to the
module whose memory this one imports. Fails with the reason, or says nothing.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import wasm_file as wasm  # noqa: E402

REFUSED = {4: "a table", 5: "a memory", 6: "globals", 8: "a start function", 9: "table elements",
           11: "data"}


def main():
    path = sys.argv[1]
    found = [REFUSED[kind] for kind, _ in wasm.read_sections(path) if kind in REFUSED]
    if found:
        raise SystemExit(f"{path} has {' and '.join(found)} of its own, which would lie over those "
                         "of the module that it serves; keep its functions free of stack variables "
                         "whose address is taken, tables of constants and calls of libraries")


main()
