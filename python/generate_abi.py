#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the C interface as ctypes declarations, from the list that tools/check/check_abi keeps.

Usage: generate_abi.py LIST OUT
LIST is native/library/abi.txt. So no struct, number or signature is typed a second time, and what
the library does not export cannot be called.
"""
import re
import sys

SCALARS = {
    "int8_t": "c_int8", "uint8_t": "c_uint8", "int16_t": "c_int16", "uint16_t": "c_uint16",
    "int32_t": "c_int32", "uint32_t": "c_uint32", "int64_t": "c_int64", "uint64_t": "c_uint64",
    "size_t": "c_size_t", "double": "c_double", "float": "c_float", "char": "c_char",
    "TernTypeCode": "c_int32", "tern_stop": "c_int", "tern_debug_command": "c_int"}
PREFACE = '''# SPDX-License-Identifier: Apache-2.0
"""The C interface of libtern. Written by generate_abi.py from native/library/abi.txt."""
from ctypes import (POINTER, Structure, Union, c_char, c_char_p, c_double, c_float, c_int, c_int8,
                    c_int16, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64,
                    c_void_p)

'''


class Writer:
    def __init__(self):
        self.structs, self.lines, self.functions = {}, [], []

    def type_of(self, text):
        """The ctypes name of a C type without its declarator's name."""
        text = re.sub(r"\b(const|struct|enum)\b", "", text).strip()
        if "(" in text:
            return "c_void_p"  # a function
        stars = text.count("*")
        base = text.replace("*", "").strip()
        if stars == 0:
            # What is no struct here is a type of functions.
            return SCALARS.get(base) or (base if base in self.structs else "c_void_p")
        if stars == 1 and base == "char":
            return "c_char_p"
        if stars == 1 and base in SCALARS:
            return f"POINTER({SCALARS[base]})"
        if stars == 1 and base in self.structs:
            return f"POINTER({base})"
        if stars == 2:
            return "POINTER(c_char_p)" if base == "char" else "POINTER(c_void_p)"
        return "c_void_p"

    def fields(self, name, body):
        """[(field, type)] of a struct's body; nested unions become types of their own."""
        found = []
        for declaration in split(body):
            nested = re.fullmatch(r"(union|struct)\s*\{(.*)\}\s*(\w+)", declaration, re.S)
            if nested:
                inner = f"{name}_{nested[3]}"
                self.add_struct(inner, nested[1], nested[2])
                found.append((nested[3], inner))
                continue
            pointer = re.search(r"\(\*\s*(\w+)\)", declaration)
            if pointer:
                found.append((pointer[1], "c_void_p"))
                continue
            base, first, rest = re.fullmatch(r"(.*?[\s*])(\w+(?:\[\d+\])?)((?:,.*)?)",
                                             declaration, re.S).groups()
            for item in [first] + [word.strip() for word in rest.split(",") if word.strip()]:
                array = re.fullmatch(r"(\w+)\[(\d+)\]", item)
                kind = self.type_of(base)
                found.append((array[1], f"{kind} * {array[2]}") if array else (item, kind))
        return found

    def add_struct(self, name, keyword, body):
        fields = self.fields(name, body)
        self.structs[name] = fields
        base = "Union" if keyword == "union" else "Structure"
        self.lines.append(f"class {name}({base}):\n    _fields_ = [")
        self.lines += [f'        ("{field}", {kind}),' for field, kind in fields]
        self.lines.append("    ]\n\n")

    def add_function(self, text):
        result, name, parameters = re.fullmatch(r"(.*?)(tern_\w+)\((.*)\)", text).groups()
        kinds = [] if parameters == "void" else [
            self.type_of(re.sub(r"\w+$", "", p.strip()) if "(" not in p else p)
            for p in split(parameters, ",")]
        kind = "None" if result.strip() == "void" else self.type_of(result)
        self.functions.append(f'    "{name}": ({kind}, [{", ".join(kinds)}]),')


def split(text, separator=";"):
    """The parts between separators that are in no bracket."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "({[") - (char in ")}]")
        if char == separator and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [part for part in parts + [text[start:].strip()] if part]


def in_order(structs):
    """Structs behind those that they hold by value."""
    names, done = list(structs), []
    while names:
        for name in names:
            used = set(re.findall(r"\bTern\w+", structs[name][1])) & set(names) - {name}
            if not any(re.search(rf"\b{other}\b(?!\s*\*)", structs[name][1]) for other in used):
                done.append(name)
                names.remove(name)
                break
        else:
            raise SystemExit(f"structs that hold each other: {', '.join(names)}")
    return done


def main():
    entries = [line.rstrip("\n") for line in open(sys.argv[1], encoding="utf-8")
               if not line.startswith("#")]
    writer, structs, constants = Writer(), {}, []
    for line in entries:
        kind, _, rest = line.partition(" ")
        if kind == "version":
            major, minor, abi_major, abi_minor = re.findall(r"\d+", line)
            constants += [f"HEADER_VERSION = {int(major) << 16 | int(minor) << 8}",
                          f"HEADER_ABI = {int(abi_major) << 16 | int(abi_minor)}"]
        elif kind == "value":
            constants.append(rest)
        elif kind in ("struct", "union"):
            name, _, body = rest.partition(": ")
            structs[name] = (kind, body)
    for name in in_order(structs):
        writer.add_struct(name, *structs[name])
    for line in entries:
        if line.startswith("function "):
            writer.add_function(line[len("function "):])
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write(PREFACE + "\n".join(constants) + "\n\n\n" + "\n".join(writer.lines) +
                  "FUNCTIONS = {  # name: (result, parameters)\n" + "\n".join(writer.functions) +
                  "\n}\n")


if __name__ == "__main__":
    main()
