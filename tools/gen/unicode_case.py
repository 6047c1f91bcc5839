#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes core/object/strings/unicode_case.def: the case mappings of one code point to one, as runs.

    tools/gen/unicode_case.py > core/object/strings/unicode_case.def

Python's own tables are the source; the Unicode version it has is written into the file.
"""
import unicodedata


def runs(mapping):
    """[first, count, stride, delta] for code points that map to themselves plus delta."""
    out = []
    for code in range(0x110000):
        if 0xD800 <= code < 0xE000:
            continue
        mapped = mapping(chr(code))
        if len(mapped) != 1 or ord(mapped) == code:
            continue
        delta = ord(mapped) - code
        if out and out[-1][3] == delta:
            run = out[-1]
            step = code - (run[0] + (run[1] - 1) * run[2])
            if (run[1] == 1 and step <= 2) or (run[1] > 1 and step == run[2]):
                run[1] += 1
                run[2] = step
                continue
        out.append([code, 1, 1, delta])
    return out


def main():
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Case mappings of one code point to one, Unicode " + unicodedata.unidata_version + ".")
    print("// Made by tools/gen/unicode_case.py. (first code point, how many, step, what to add)")
    for name, mapping in (("UPPER", str.upper), ("LOWER", str.lower)):
        print("#ifdef TERN_UNICODE_" + name)
        for first, count, stride, delta in runs(mapping):
            print(f"TERN_UNICODE_{name}(0x{first:04X}, {count}, {stride}, {delta})")
        print("#endif")


main()
