#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a language model of any size with seeded weights: what decoders look like to exporters.

usage: write_decoder.py OUT.onnx [--layers 2] [--width 64] [--heads 4] [--hidden 128]
                        [--vocabulary 256] [--context 256] [--seed 1] [--external] [--npz OUT.npz]
                        [--form plain|grouped] [--kv-heads N] [--block 32] [--rotary inside|outside]
The model: RMS normalisation, rotary positions, causal attention over a cache of keys and values
that grows by what it is given, a gated MLP. --form plain, the default, has the standard's
operators, grouped those of com.microsoft with weights of 4 bits (grouped_decoder.py).
  input_ids                        i64[1, sequence]
  position_ids                     i64[1, sequence]; grouped: where the rotation is outside
  attention_mask                   i64[1, past + sequence], ones; grouped only
  past_key_values.N.key, .value    f32[1, heads of keys, past, width / heads]
  logits                           f32[1, sequence, vocabulary]
  present.N.key, .value            f32[1, heads of keys, past + sequence, width / heads]
--external puts the weights into OUT.onnx.data, as models beyond 2 GB must. --npz also writes the
weights for examples/lang/generate.tn: one array of those that all layers have, stacked; those of
4 bits as what they stand for, keys and values repeated for the heads that share them.
Weights have random signs and mantissas and an exponent that keeps the sums of a row near 1.
"""
import argparse
import math
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import onnx_writer as onnx  # noqa: E402

FORMS = ("plain", "grouped")
LINEAR = ("q", "k", "v", "o", "gate", "up", "down")


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output")
    for name, default in (("layers", 2), ("width", 64), ("heads", 4), ("hidden", 128),
                          ("vocabulary", 256), ("context", 256), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--form", choices=FORMS, default="plain")
    parser.add_argument("--kv-heads", type=int)
    parser.add_argument("--block", type=int, default=32)
    parser.add_argument("--rotary", choices=("inside", "outside"), default="inside")
    parser.add_argument("--external", action="store_true")
    parser.add_argument("--npz")
    options = parser.parse_args(arguments)
    if options.width % (2 * options.heads):
        parser.error("--width must be a multiple of twice --heads")
    options.kv_heads = options.kv_heads or options.heads
    if options.form == "plain" and options.kv_heads != options.heads:
        parser.error("--kv-heads needs --form grouped")
    if options.kv_heads < 1 or options.heads % options.kv_heads:
        parser.error("--heads must be a multiple of --kv-heads")
    if options.block < 16 or options.block & (options.block - 1):
        parser.error("--block must be a power of two from 16 on")
    return options


def weight_shapes(options):
    """{name: dims}, in the order of the file."""
    width, hidden = options.width, options.hidden
    keys = width // options.heads * options.kv_heads
    linear = {"q": (width, width), "k": (width, keys), "v": (width, keys), "o": (width, width),
              "gate": (width, hidden), "up": (width, hidden), "down": (hidden, width)}
    shapes = {"embedding": (options.vocabulary, width)}
    for layer in range(options.layers):
        shapes[f"layers.{layer}.norm1"] = (width,)
        shapes[f"layers.{layer}.norm2"] = (width,)
        shapes.update({f"layers.{layer}.{name}": linear[name] for name in LINEAR})
    shapes["norm"] = (width,)
    shapes["head"] = (width, options.vocabulary)
    return shapes


def weight_bytes(name, dims, seed):
    """f32 elements of ±[2^e, 2^(e+1)), a pure function of name, dims and seed."""
    rows = 1 if len(dims) == 1 or name == "embedding" else dims[0]
    exponent = 127 - round(math.log2(1.5 * math.sqrt(rows)))
    generator = random.Random(f"{seed} {name}")
    count = math.prod(dims)
    low = exponent & 1
    elements = bytearray(4 * count)
    elements[0::4] = generator.randbytes(count)
    elements[1::4] = generator.randbytes(count)
    elements[2::4] = generator.randbytes(count).translate(
        bytes(byte & 0x7F | low << 7 for byte in range(256)))
    signs = 0 if len(dims) == 1 else 0x80
    elements[3::4] = generator.randbytes(count).translate(
        bytes(byte & signs | exponent >> 1 for byte in range(256)))
    return bytes(elements)


def rotary_bytes(options):
    """cos and sin of each position's angles, repeated for both halves of a head."""
    half = options.width // options.heads // 2
    angles = [[position / 10000 ** (i / half) for i in range(half)] * 2
              for position in range(options.context)]
    return (onnx.raw("f32", [math.cos(angle) for row in angles for angle in row]),
            onnx.raw("f32", [math.sin(angle) for row in angles for angle in row]))


class Graph:
    """Nodes in order; each call gives the name of its output."""

    def __init__(self, options):
        self.options = options
        self.nodes = []
        self.constants = {}

    def call(self, op, *inputs, name, domain="", **attributes):
        outputs = [f"{name}/{op}"]
        self.nodes.append(onnx.node(op, inputs, outputs, f"/{name}/{op}", domain, **attributes))
        return outputs[0]

    def ints(self, *values):
        name = "ints_" + "_".join(map(str, values))
        self.constants[name] = onnx.tensor(name, "i64", (len(values),), values)
        return name

    def number(self, dtype, value):
        name = f"{dtype}_{value}"
        self.constants[name] = onnx.tensor(name, dtype, (), [value])
        return name

    def rename(self, value, output):
        self.nodes.append(onnx.node("Identity", [value], [output]))

    def norm(self, x, weight, name):
        square = self.call("Mul", x, x, name=name + "/square")
        mean = self.call("ReduceMean", square, name=name, axes=[-1], keepdims=1)
        root = self.call("Sqrt", self.call("Add", mean, self.number("f32", 1e-5), name=name),
                         name=name)
        return self.call("Mul", self.call("Div", x, root, name=name), weight, name=name)

    def heads(self, x, name):
        """[1, s, width] as [1, heads, s, width / heads]."""
        options = self.options
        split = self.call("Reshape", x, self.ints(0, 0, options.heads, -1), name=name)
        return self.call("Transpose", split, name=name, perm=[0, 2, 1, 3])

    def rotate(self, x, name):
        half = self.options.width // self.options.heads // 2
        left = self.call("Slice", x, self.ints(0), self.ints(half), self.ints(3),
                         name=name + "/left")
        right = self.call("Slice", x, self.ints(half), self.ints(2 * half), self.ints(3),
                          name=name + "/right")
        turned = self.call("Concat", self.call("Neg", right, name=name), left, name=name, axis=-1)
        return self.call("Add", self.call("Mul", x, "cos", name=name + "/cos"),
                         self.call("Mul", turned, "sin", name=name + "/sin"), name=name)

    def attention(self, x, layer):
        name = f"layers.{layer}"
        heads = {}
        for part in "qkv":
            product = self.call("MatMul", x, f"{name}.{part}", name=f"{name}/{part}")
            heads[part] = self.heads(product, f"{name}/{part}")
        keys = self.call("Concat", f"past_key_values.{layer}.key",
                         self.rotate(heads["k"], f"{name}/k/rotary"), name=f"{name}/keys", axis=2)
        values = self.call("Concat", f"past_key_values.{layer}.value", heads["v"],
                           name=f"{name}/values", axis=2)
        self.rename(keys, f"present.{layer}.key")
        self.rename(values, f"present.{layer}.value")
        query = self.rotate(heads["q"], f"{name}/q/rotary")
        turned = self.call("Transpose", keys, name=f"{name}/keys", perm=[0, 1, 3, 2])
        scores = self.call("MatMul", query, turned, name=f"{name}/scores")
        scale = self.number("f32", 1 / math.sqrt(self.options.width // self.options.heads))
        scores = self.call("Mul", scores, scale, name=f"{name}/scores")
        scores = self.call("Where", self.mask(keys, name), scores, self.number("f32", -1e30),
                           name=f"{name}/scores")
        weights = self.call("Softmax", scores, name=f"{name}/scores", axis=-1)
        mixed = self.call("MatMul", weights, values, name=f"{name}/mixed")
        mixed = self.call("Transpose", mixed, name=f"{name}/mixed", perm=[0, 2, 1, 3])
        mixed = self.call("Reshape", mixed, self.ints(0, 0, -1), name=f"{name}/mixed")
        return self.call("MatMul", mixed, f"{name}.o", name=f"{name}/o")

    def mask(self, keys, name):
        """Whether each token may see each key: not those that come later."""
        shape = self.call("Shape", keys, name=f"{name}/mask")
        total = self.call("Gather", shape, self.number("i64", 2), name=f"{name}/mask", axis=0)
        places = self.call("Range", self.number("i64", 0), total, self.number("i64", 1),
                           name=f"{name}/mask")
        column = self.call("Unsqueeze", "position_ids", self.ints(2), name=f"{name}/mask")
        return self.call("LessOrEqual", places, column, name=f"{name}/mask")

    def mlp(self, x, layer):
        name = f"layers.{layer}"
        gate = self.call("MatMul", x, f"{name}.gate", name=f"{name}/gate")
        gate = self.call("Mul", gate, self.call("Sigmoid", gate, name=f"{name}/gate"),
                         name=f"{name}/gate/silu")
        up = self.call("MatMul", x, f"{name}.up", name=f"{name}/up")
        return self.call("MatMul", self.call("Mul", gate, up, name=f"{name}/up"), f"{name}.down",
                         name=f"{name}/down")

    def build(self):
        x = self.call("Gather", "embedding", "input_ids", name="embed", axis=0)
        for part in ("cos", "sin"):
            rows = self.call("Gather", f"rotary.{part}", "position_ids", name=part, axis=0)
            self.nodes.append(onnx.node("Unsqueeze", [rows, self.ints(1)], [part]))
        for layer in range(self.options.layers):
            name = f"layers.{layer}"
            inner = self.norm(x, f"{name}.norm1", f"{name}/norm1")
            x = self.call("Add", x, self.attention(inner, layer), name=f"{name}/residual1")
            inner = self.norm(x, f"{name}.norm2", f"{name}/norm2")
            x = self.call("Add", x, self.mlp(inner, layer), name=f"{name}/residual2")
        x = self.norm(x, "norm", "norm")
        self.nodes.append(onnx.node("MatMul", [x, "head"], ["logits"], "/head/MatMul"))


def values_of(options):
    """What goes in and what comes out."""
    tokens = ["i64", [1, "sequence"]]
    cache = ["f32", [1, options.kv_heads, "past", options.width // options.heads]]
    grown = ["f32", [1, options.kv_heads, "past + sequence", options.width // options.heads]]
    inputs = [onnx.value_info("input_ids", *tokens, doc="the tokens to go on from")]
    if options.form == "plain" or options.rotary == "outside":
        inputs.append(onnx.value_info("position_ids", *tokens, doc="their places in the text"))
    if options.form == "grouped":
        inputs.append(onnx.value_info("attention_mask", "i64", [1, "past + sequence"],
                                      doc="ones, for the tokens before and these"))
    outputs = [onnx.value_info("logits", "f32", [1, "sequence", options.vocabulary])]
    for layer in range(options.layers):
        for part in ("key", "value"):
            inputs.append(onnx.value_info(f"past_key_values.{layer}.{part}", *cache))
            outputs.append(onnx.value_info(f"present.{layer}.{part}", *grown))
    return inputs, outputs


def plain_tensors(options):
    """{name: (type, dims, what makes the bytes)} of all initializers."""
    cos, sin = rotary_bytes(options)
    table = (options.context, options.width // options.heads)
    tensors = {"rotary.cos": ("f32", table, lambda: cos), "rotary.sin": ("f32", table, lambda: sin)}
    for name, dims in weight_shapes(options).items():
        tensors[name] = ("f32", dims, lambda name=name, dims=dims:
                         weight_bytes(name, dims, options.seed))
    return tensors


class Weights:
    """Each initializer as the pieces of its field in the graph, or in a file beside the model."""

    def __init__(self, tensors):
        self.tensors = tensors

    @staticmethod
    def length(dtype, dims):
        return math.prod(dims) * onnx.TYPES[dtype][2]

    def front(self, name, dtype, dims):
        return onnx.tensor_head(name, dtype, dims) + onnx.head(9, self.length(dtype, dims))

    def size(self):
        """Bytes of all fields in the graph."""
        total = 0
        for name, (dtype, dims, _) in self.tensors.items():
            inner = len(self.front(name, dtype, dims)) + self.length(dtype, dims)
            total += len(onnx.head(5, inner)) + inner
        return total

    def write_inside(self, file):
        for name, (dtype, dims, make) in self.tensors.items():
            inner, content = self.front(name, dtype, dims), make()
            file.write(onnx.head(5, len(inner) + len(content)) + inner)
            file.write(content)

    def write_beside(self, file, location):
        """The fields of the graph; the elements go to `file`, each tensor's on a page."""
        fields = b""
        for name, (dtype, dims, make) in self.tensors.items():
            content = make()
            offset = -(-file.tell() // 4096) * 4096
            file.seek(offset)
            file.write(content)
            fields += onnx.data(5, onnx.external_tensor(name, dtype, dims, location, offset,
                                                        len(content)))
        return fields


def write_model(options):
    graph, tensors, opsets = Graph(options), plain_tensors(options), {"": 17}
    if options.form == "grouped":
        graph, tensors = grouped_decoder.Graph(options), grouped_decoder.tensors(options)
        opsets["com.microsoft"] = 1
    graph.build()
    inputs, outputs = values_of(options)
    weights = Weights(tensors)
    fields = onnx.graph("decoder", graph.nodes, graph.constants.values(), inputs, outputs)
    front = onnx.model_head(opsets, "write_decoder.py", doc="a decoder with random weights")
    front += onnx.data(14, onnx.pair("seed", str(options.seed)))
    with open(options.output, "wb") as file:
        if options.external:
            location = os.path.basename(options.output) + ".data"
            with open(options.output + ".data", "wb") as elements:
                fields += weights.write_beside(elements, location)
            file.write(front + onnx.data(7, fields))
            return
        file.write(front + onnx.head(7, len(fields) + weights.size()) + fields)
        weights.write_inside(file)


def write_npz(options):
    import numpy  # pylint: disable=import-outside-toplevel
    arrays = {name: numpy.frombuffer(make(), numpy.float32).reshape(dims)
              for name, (_, dims, make) in plain_tensors(options).items()}
    if options.form == "grouped":
        arrays.update(grouped_decoder.dequantized(options))
    out = {"embedding": arrays["embedding"], "norm": arrays["norm"], "head": arrays["head"],
           "cosines": arrays["rotary.cos"], "sines": arrays["rotary.sin"]}
    for name in ("norm1", "norm2") + LINEAR:
        out["v_" if name == "v" else name] = numpy.stack([arrays[f"layers.{layer}.{name}"]
                                 for layer in range(options.layers)])
    numpy.savez(options.npz, **out)


# Last, because it extends what is above.
import grouped_decoder  # noqa: E402  pylint: disable=wrong-import-position


def main():
    options = parse_arguments()
    write_model(options)
    if options.npz:
        write_npz(options)


if __name__ == "__main__":
    main()
