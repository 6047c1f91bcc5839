# SPDX-License-Identifier: Apache-2.0
"""WebAssembly binaries as lists of sections, as far as splitting a module needs them."""
import struct

CUSTOM, IMPORT, FUNCTION, EXPORT, CODE, DATA = 0, 2, 3, 7, 10, 11
MAGIC = b"\0asm\1\0\0\0"


def read_leb(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def leb(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed_leb(value):
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value & 127)
    return bytes(out)


def name(text):
    return leb(len(text)) + text.encode()


def read_name(data, at):
    size, at = read_leb(data, at)
    return data[at:at + size].decode(), at + size


def read_sections(path):
    """[(id, contents)] in their order."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != MAGIC:
        raise SystemExit(f"{path}: not a WebAssembly module")
    sections, at = [], 8
    while at < len(data):
        kind = data[at]
        size, at = read_leb(data, at + 1)
        sections.append((kind, data[at:at + size]))
        at += size
    return sections


def write_sections(path, sections):
    with open(path, "wb") as file:
        file.write(MAGIC)
        for kind, contents in sections:
            file.write(bytes([kind]) + leb(len(contents)) + contents)


def contents_of(sections, kind):
    return next((contents for each, contents in sections if each == kind), b"\0")


def custom(title, contents):
    return CUSTOM, name(title) + contents


def count_of(sections, kind):
    return read_leb(contents_of(sections, kind), 0)[0]


def skip_limits(data, at):
    flags = data[at]
    at = read_leb(data, at + 1)[1]
    return read_leb(data, at)[1] if flags & 1 else at


def imported_functions(sections):
    """How many of the imports are functions."""
    data = contents_of(sections, IMPORT)
    total, at = read_leb(data, 0)
    functions = 0
    for _ in range(total):
        at = read_name(data, read_name(data, at)[1])[1]
        kind = data[at]
        at += 1
        if kind == 0:
            functions += 1
            at = read_leb(data, at)[1]
        elif kind == 1:  # table: element type, limits
            at = skip_limits(data, at + 1)
        elif kind == 2:
            at = skip_limits(data, at)
        else:            # global: type, mutability
            at += 2
    return functions


def exported_functions(sections):
    """{name: function index}"""
    data = contents_of(sections, EXPORT)
    total, at = read_leb(data, 0)
    found = {}
    for _ in range(total):
        text, at = read_name(data, at)
        index, after = read_leb(data, at + 1)
        if data[at] == 0:
            found[text] = index
        at = after
    return found


def exports_where(sections, keep):
    """The export section with those functions that keep(name) is true of, and all else."""
    data = contents_of(sections, EXPORT)
    total, at = read_leb(data, 0)
    kept = []
    for _ in range(total):
        start = at
        text, at = read_name(data, at)
        function = data[at] == 0
        at = read_leb(data, at + 1)[1]
        if not function or keep(text):
            kept.append(data[start:at])
    return EXPORT, leb(len(kept)) + b"".join(kept)


def function_exports(functions):
    """An export section of {name: function index}."""
    return EXPORT, leb(len(functions)) + b"".join(
        name(text) + b"\0" + leb(index) for text, index in sorted(functions.items()))


def names_of_functions(sections):
    """{name: function index} of the name section."""
    for kind, contents in sections:
        if kind != CUSTOM or read_name(contents, 0)[0] != "name":
            continue
        at = read_name(contents, 0)[1]
        while at < len(contents):
            part, (size, start) = contents[at], read_leb(contents, at + 1)
            if part == 1:
                return dict(read_name_map(contents, start))
            at = start + size
    return {}


def read_name_map(data, at):
    total, at = read_leb(data, at)
    for _ in range(total):
        index, at = read_leb(data, at)
        text, at = read_name(data, at)
        yield text, index


def function_names(names):
    """A name section that calls function i names[i]."""
    body = leb(len(names)) + b"".join(leb(i) + name(each) for i, each in enumerate(names))
    return custom("name", b"\1" + leb(len(body)) + body)


def read_data(sections):
    """The active segments, [(address, bytes)], of memory 0 at constant addresses."""
    data = contents_of(sections, DATA)
    total, at = read_leb(data, 0)
    segments = []
    for _ in range(total):
        flags, at = read_leb(data, at)
        if flags != 0 or data[at] != 0x41:
            raise SystemExit("a data segment is not active at a constant address")
        address, at = read_leb(data, at + 1)  # below 2^31, and sign bits are dropped here
        if data[at] != 0x0B:
            raise SystemExit("a data segment's address is not one constant")
        size, at = read_leb(data, at + 1)
        segments.append((address, data[at:at + size]))
        at += size
    return segments


def data_section(segments):
    body = b"".join(b"\0\x41" + signed_leb(address) + b"\x0b" + leb(len(run)) + run
                    for address, run in segments)
    return DATA, leb(len(segments)) + body
