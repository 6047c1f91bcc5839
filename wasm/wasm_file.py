# SPDX-License-Identifier: Apache-2.0
"""WebAssembly binaries as lists of sections, as far as splitting a module needs them."""
import struct

CUSTOM, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT = 0, 2, 3, 4, 5, 6, 7
ELEMENT, CODE, DATA = 9, 10, 11
FUNCTION_KIND, TABLE_KIND, MEMORY_KIND, GLOBAL_KIND = range(4)
I32_CONST, END = 0x41, 0x0B
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


def read_imports(sections):
    """[(name, kind, what follows)]; the index of each is its place among those of its kind."""
    data = contents_of(sections, IMPORT)
    total, at = read_leb(data, 0)
    found = []
    for _ in range(total):
        text, at = read_name(data, read_name(data, at)[1])
        kind, start = data[at], at + 1
        if kind == FUNCTION_KIND:
            at = read_leb(data, start)[1]
        elif kind == TABLE_KIND:  # element type, limits
            at = skip_limits(data, start + 1)
        elif kind == MEMORY_KIND:
            at = skip_limits(data, start)
        else:                     # global: type, mutability
            at = start + 2
        found.append((text, kind, data[start:at]))
    return found


def renamed_imports(sections, names):
    """The import section with functions of one module under other names."""
    data = contents_of(sections, IMPORT)
    total, at = read_leb(data, 0)
    body = b""
    for text, kind, rest in read_imports(sections):
        module, at = read_name(data, at)
        at = read_name(data, at)[1] + 1 + len(rest)
        new = names.get(text, text) if kind == FUNCTION_KIND else text
        body += name(module) + name(new) + bytes([kind]) + rest
    return IMPORT, leb(total) + body


def imported(sections, kind):
    """The names of the imports of one kind."""
    return [text for text, each, _ in read_imports(sections) if each == kind]


def exported_functions(sections):
    """{name: function index}"""
    return {text: index for text, kind, index in read_exports(sections) if kind == FUNCTION_KIND}


def read_exports(sections):
    """[(name, kind, index)]"""
    data = contents_of(sections, EXPORT)
    total, at = read_leb(data, 0)
    found = []
    for _ in range(total):
        text, at = read_name(data, at)
        index, after = read_leb(data, at + 1)
        found.append((text, data[at], index))
        at = after
    return found


def export_section(exports):
    return EXPORT, leb(len(exports)) + b"".join(
        name(text) + bytes([kind]) + leb(index) for text, kind, index in exports)


def exports_where(sections, functions, tables):
    """The export section with those functions and tables alone, and all that is neither."""
    names = {FUNCTION_KIND: functions, TABLE_KIND: tables}
    return export_section([each for each in read_exports(sections)
                           if each[0] in names.get(each[1], [each[0]])])


def renamed_exports(sections, names):
    """The export section with functions under other names, in the order of their indices."""
    exports = [(names.get(text, text) if kind == FUNCTION_KIND else text, kind, index)
               for text, kind, index in read_exports(sections)]
    return export_section(sorted(exports, key=lambda each: each[1:]))


def function_exports(functions):
    """An export section of {name: function index}."""
    return export_section([(text, FUNCTION_KIND, index)
                           for text, index in sorted(functions.items())])


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


def read_elements(sections):
    """[(place in table 0, functions)]: the active segments, at constant places."""
    data = contents_of(sections, ELEMENT)
    total, at = read_leb(data, 0)
    segments = []
    for _ in range(total):
        place, at = read_active(data, at, "an element segment")
        count, at = read_leb(data, at)
        functions = []
        for _ in range(count):
            index, at = read_leb(data, at)
            functions.append(index)
        segments.append((place, functions))
    return segments


def element_section(segments, table=0):
    """An element section of [(place in the table, functions)]."""
    head = b"\0" if table == 0 else b"\2" + leb(table)
    kind = b"" if table == 0 else b"\0"  # functions
    body = b"".join(head + constant(place) + kind + leb(len(functions)) +
                    b"".join(map(leb, functions)) for place, functions in segments)
    return ELEMENT, leb(len(segments)) + body


def read_active(data, at, what):
    """The constant at which a segment of memory 0 or table 0 goes."""
    flags, at = read_leb(data, at)
    if flags != 0 or data[at] != I32_CONST:
        raise SystemExit(f"{what} is not active at a constant place")
    place, at = read_leb(data, at + 1)  # below 2^31, and sign bits are dropped here
    if data[at] != END:
        raise SystemExit(f"the place of {what} is not one constant")
    return place, at + 1


def constant(place):
    return bytes([I32_CONST]) + signed_leb(place) + bytes([END])


def read_data(sections):
    """The active segments, [(address, bytes)], of memory 0 at constant addresses."""
    data = contents_of(sections, DATA)
    total, at = read_leb(data, 0)
    segments = []
    for _ in range(total):
        address, at = read_active(data, at, "a data segment")
        size, at = read_leb(data, at)
        segments.append((address, data[at:at + size]))
        at += size
    return segments


def data_section(segments):
    body = b"".join(b"\0" + constant(address) + leb(len(run)) + run for address, run in segments)
    return DATA, leb(len(segments)) + body


def with_section(sections, new):
    """The sections with `new` in place of the one of its kind, or in the order of kinds."""
    rest = [each for each in sections if each[0] != new[0]]
    after = next((i for i, each in enumerate(rest) if each[0] > new[0]), len(rest))
    return rest[:after] + [new] + rest[after:]
