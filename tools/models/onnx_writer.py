# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX models without the onnx package: what tools and tests need of onnx.proto.

Each function returns the bytes of one message. Weights may be given as bytes, and a model may be
written piece by piece, so that a file of several gigabytes needs no memory of that size.
"""
import struct

# Numbers of TensorProto.DataType, by Tern's names; struct's letter and the bytes of an element.
TYPES = {
    "f32": (1, "f", 4), "u8": (2, "B", 1), "i8": (3, "b", 1), "u16": (4, "H", 2),
    "i16": (5, "h", 2), "i32": (6, "i", 4), "i64": (7, "q", 8), "string": (8, "", 0),
    "bool": (9, "B", 1), "f16": (10, "e", 2), "f64": (11, "d", 8), "u32": (12, "I", 4),
    "u64": (13, "Q", 8), "bf16": (16, "H", 2),
}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def head(field, size):
    """What stands before a message or text of so many bytes."""
    return varint(field << 3 | 2) + varint(size)


def data(field, content):
    content = content.encode() if isinstance(content, str) else bytes(content)
    return head(field, len(content)) + content


def optional_text(field, content):
    return data(field, content) if content else b""


def pair(key, value):
    return data(1, key) + data(2, value)


def raw(dtype, values):
    _, letter, _ = TYPES[dtype]
    return struct.pack(f"<{len(values)}{letter}", *values)


def tensor_head(name, dtype, dims):
    out = b"".join(number(1, dim) for dim in dims) + number(2, TYPES[dtype][0])
    return out + optional_text(8, name)


def tensor(name, dtype, dims, values):
    """values: bytes as raw_data has them, texts, or numbers."""
    if dtype == "string":
        return tensor_head(name, dtype, dims) + b"".join(data(6, text) for text in values)
    if not isinstance(values, (bytes, bytearray, memoryview)):
        values = raw(dtype, values)
    return tensor_head(name, dtype, dims) + data(9, values)


def external_tensor(name, dtype, dims, location, offset, length):
    entries = [("location", location), ("offset", str(offset)), ("length", str(length))]
    return (tensor_head(name, dtype, dims) +
            b"".join(data(13, pair(key, value)) for key, value in entries) + number(14, 1))


def dimension(dim):
    if isinstance(dim, int):
        return number(1, dim)
    return optional_text(2, "" if dim == "?" else dim)


def value_info(name, dtype, dims, doc="", kind="tensor"):
    """dims: numbers, names of symbols, "?"; None where not even the rank is known."""
    contents = number(1, TYPES[dtype][0])
    if dims is not None:
        contents += data(2, b"".join(data(1, dimension(dim)) for dim in dims))
    proto = data(1, contents)
    for wrapper in {"tensor": (), "sequence": (4,), "optional": (9,)}[kind]:
        proto = data(wrapper, data(1, proto))
    return data(1, name) + data(2, proto) + optional_text(3, doc)


def attribute(name, value):
    """A float, int, text, list of one of these, or ("graph"|"tensor", message)."""
    out = data(1, name)
    if isinstance(value, tuple):
        kind, message = value
        field, number_of_kind = {"tensor": (5, 4), "graph": (6, 5)}[kind]
        return out + data(field, message) + number(20, number_of_kind)
    if isinstance(value, float):
        return out + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, int):
        return out + number(3, int(value)) + number(20, 2)
    if isinstance(value, str):
        return out + data(4, value) + number(20, 3)
    if value and isinstance(value[0], float):
        floats = b"".join(varint(7 << 3 | 5) + struct.pack("<f", item) for item in value)
        return out + floats + number(20, 6)
    if value and isinstance(value[0], str):
        return out + b"".join(data(9, item) for item in value) + number(20, 8)
    return out + b"".join(number(8, item) for item in value) + number(20, 7)


def node(op, inputs, outputs, name="", domain="", **attributes):
    out = b"".join(data(1, text) for text in inputs) + b"".join(data(2, text) for text in outputs)
    out += optional_text(3, name) + data(4, op)
    out += b"".join(data(5, attribute(key, value)) for key, value in attributes.items())
    return out + optional_text(7, domain)


def graph_head(name, doc=""):
    return data(2, name) + optional_text(10, doc)


def graph(name, nodes=(), initializers=(), inputs=(), outputs=(), doc=""):
    """The lists hold messages."""
    lists = [(1, nodes), (5, initializers), (11, inputs), (12, outputs)]
    return graph_head(name, doc) + b"".join(data(field, message) for field, messages in lists
                                            for message in messages)


def function(name, domain, inputs, outputs, nodes, opsets=()):
    out = data(1, name) + b"".join(data(4, text) for text in inputs)
    out += b"".join(data(5, text) for text in outputs) + b"".join(data(7, text) for text in nodes)
    return out + b"".join(data(9, opset(*item)) for item in opsets) + data(10, domain)


def opset(domain, version):
    return optional_text(1, domain) + number(2, version)


def model_head(opsets, producer="", version="", doc="", ir_version=8):
    """Everything in front of the graph; opsets: {domain: version}."""
    out = number(1, ir_version) + optional_text(2, producer) + optional_text(3, version)
    out += optional_text(6, doc)
    return out + b"".join(data(8, opset(*item)) for item in opsets.items())


def model(opsets, graph_bytes, functions=(), metadata=None, **fields):
    out = model_head(opsets, **fields) + data(7, graph_bytes)
    out += b"".join(data(14, pair(*item)) for item in (metadata or {}).items())
    return out + b"".join(data(25, message) for message in functions)
