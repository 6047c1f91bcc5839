#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes well-known networks with seeded weights, as model folders that tools/bench reads.

usage: write_net.py FOLDER [NAME…]      without names all of them
  mobilenet-v2    3×224×224, as exporters write it: normalizations are in the convolutions
  resnet-18       3×224×224, the same
  bert-tiny       2 layers of 128, 2 heads, 128 tokens
  bert-6l-384     6 layers of 384, 12 heads, 128 tokens
  mnist-cnn       two 3×3 convolutions (8 and 16 channels), two pools, two products, 1×28×28
  matmul-64, matmul-256    one product of two inputs
FOLDER/NAME gets model.onnx and inputs.json (docs/models.md) with one case.
"""
import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import onnx_writer as onnx  # noqa: E402
from write_decoder import weight_bytes  # noqa: E402

TOKENS = 128
VOCABULARY = 30522


class Net:
    """A graph that grows at its end; each call gives the name of its output."""

    def __init__(self):
        self.nodes, self.constants, self.inputs = [], [], []
        self.cases = []

    def call(self, op, *inputs, **attributes):
        output = f"v{len(self.nodes)}"
        self.nodes.append(onnx.node(op, inputs, [output], **attributes))
        return output

    def constant(self, dtype, dims, values):
        name = f"c{len(self.constants)}"
        self.constants.append(onnx.tensor(name, dtype, dims, values))
        return name

    def weights(self, dims, fan_in):
        """Numbers whose sums over fan_in products stay near 1."""
        name = f"c{len(self.constants)}"
        flat = (math.prod(dims),) if fan_in == 0 else (fan_in, math.prod(dims) // fan_in)
        return self.constant("f32", dims, weight_bytes(name, flat, 1))

    def number(self, value):
        return self.constant("f32", (), [value])

    def ints(self, *values):
        return self.constant("i64", (len(values),), values)

    def input(self, name, dtype, dims, **gen):
        """gen: how inputs.json says that the numbers are made."""
        self.inputs.append(onnx.value_info(name, dtype, dims))
        kind = {"f32": "float32", "i64": "int64"}[dtype]
        self.cases.append({"name": name, "type": kind, "dims": list(dims), "gen": gen})
        return name

    def conv(self, x, inner, outer, size, stride=1, groups=1):
        pad = size // 2
        fan_in = inner // groups * size * size
        return self.call("Conv", x, self.weights((outer, inner // groups, size, size), fan_in),
                         self.weights((outer,), 0), kernel_shape=[size, size], group=groups,
                         strides=[stride, stride], pads=[pad, pad, pad, pad])

    def dense(self, x, inner, outer):
        return self.call("Gemm", x, self.weights((inner, outer), inner), self.weights((outer,), 0))

    def product(self, x, inner, outer):
        """A product with a bias as exporters of transformers write it."""
        product = self.call("MatMul", x, self.weights((inner, outer), inner))
        return self.call("Add", product, self.weights((outer,), 0))

    def write(self, folder, output, dims):
        self.nodes.append(onnx.node("Identity", [output], ["output"]))
        graph = onnx.graph("net", self.nodes, self.constants, self.inputs,
                           [onnx.value_info("output", "f32", dims)])
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "model.onnx"), "wb") as file:
            file.write(onnx.model({"": 13}, graph))
        with open(os.path.join(folder, "inputs.json"), "w", encoding="utf-8") as file:
            case = {"name": "seeded", "steps": [self.cases]}
            json.dump({"model": "model.onnx", "cases": [case]}, file, indent=1)


def image(net, channels, size):
    return net.input("image", "f32", (1, channels, size, size), kind="lcg", seed=1, lo=0, hi=1)


def pooled_end(net, x, channels, classes):
    pooled = net.call("Flatten", net.call("GlobalAveragePool", x))
    return net.dense(pooled, channels, classes), (1, classes)


def mobilenet_v2(net):
    low, high = net.number(0.0), net.number(6.0)

    def conv6(x, *shape, **more):
        return net.call("Clip", net.conv(x, *shape, **more), low, high)

    x = conv6(image(net, 3, 224), 3, 32, 3, 2)
    inner = 32
    for factor, outer, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2),
                                         (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2),
                                         (6, 320, 1, 1)):
        for i in range(count):
            wide = inner * factor
            y = conv6(x, inner, wide, 1) if factor > 1 else x
            y = conv6(y, wide, wide, 3, stride if i == 0 else 1, wide)
            y = net.conv(y, wide, outer, 1)
            x = net.call("Add", x, y) if i > 0 else y
            inner = outer
    return pooled_end(net, conv6(x, inner, 1280, 1), 1280, 1000)


def resnet_18(net):
    x = net.call("Relu", net.conv(image(net, 3, 224), 3, 64, 7, 2))
    x = net.call("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    inner = 64
    for outer in (64, 128, 256, 512):
        for i in range(2):
            stride = 2 if i == 0 and outer > 64 else 1
            y = net.call("Relu", net.conv(x, inner, outer, 3, stride))
            y = net.conv(y, outer, outer, 3)
            x = net.conv(x, inner, outer, 1, 2) if stride == 2 else x
            x = net.call("Relu", net.call("Add", x, y))
            inner = outer
    return pooled_end(net, x, 512, 1000)


def mnist_cnn(net):
    x = image(net, 1, 28)
    for inner, outer in ((1, 8), (8, 16)):
        x = net.call("Relu", net.conv(x, inner, outer, 3))
        x = net.call("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = net.call("Relu", net.dense(net.call("Flatten", x), 784, 64))
    return net.call("Softmax", net.dense(x, 64, 10), axis=1), (1, 10)


def layer_norm(net, x, width):
    centered = net.call("Sub", x, net.call("ReduceMean", x, axes=[-1], keepdims=1))
    square = net.call("Pow", centered, net.number(2.0))
    variance = net.call("ReduceMean", square, axes=[-1], keepdims=1)
    root = net.call("Sqrt", net.call("Add", variance, net.number(1e-12)))
    scaled = net.call("Mul", net.call("Div", centered, root), net.weights((width,), 0))
    return net.call("Add", scaled, net.weights((width,), 0))


def gelu(net, x):
    erf = net.call("Erf", net.call("Div", x, net.number(math.sqrt(2))))
    product = net.call("Mul", x, net.call("Add", erf, net.number(1.0)))
    return net.call("Mul", product, net.number(0.5))


def attention(net, x, width, heads):
    def split(perm):
        parts = net.call("Reshape", net.product(x, width, width),
                         net.ints(0, 0, heads, width // heads))
        return net.call("Transpose", parts, perm=perm)

    query, keys, values = split([0, 2, 1, 3]), split([0, 2, 3, 1]), split([0, 2, 1, 3])
    scores = net.call("Div", net.call("MatMul", query, keys),
                      net.number(math.sqrt(width / heads)))
    mixed = net.call("MatMul", net.call("Softmax", scores, axis=-1), values)
    mixed = net.call("Transpose", mixed, perm=[0, 2, 1, 3])
    return net.product(net.call("Reshape", mixed, net.ints(0, 0, width)), width, width)


def bert(net, layers, width, heads):
    tokens = net.input("tokens", "i64", (1, TOKENS), kind="lcgint", seed=1, lo=0, hi=VOCABULARY)
    x = net.call("Gather", net.weights((VOCABULARY, width), width), tokens)
    x = net.call("Add", x, net.weights((TOKENS, width), width))
    x = layer_norm(net, x, width)
    for _ in range(layers):
        x = layer_norm(net, net.call("Add", x, attention(net, x, width, heads)), width)
        y = net.product(gelu(net, net.product(x, width, 4 * width)), 4 * width, width)
        x = layer_norm(net, net.call("Add", x, y), width)
    return x, (1, TOKENS, width)


def matmul(net, size):
    sides = [net.input(name, "f32", (size, size), kind="lcg", seed=seed, lo=-1, hi=1)
             for seed, name in enumerate(("a", "b"), 1)]
    return net.call("MatMul", *sides), (size, size)


NETS = {
    "mobilenet-v2": mobilenet_v2,
    "resnet-18": resnet_18,
    "bert-tiny": lambda net: bert(net, 2, 128, 2),
    "bert-6l-384": lambda net: bert(net, 6, 384, 12),
    "mnist-cnn": mnist_cnn,
    "matmul-64": lambda net: matmul(net, 64),
    "matmul-256": lambda net: matmul(net, 256),
}


def main(arguments):
    unknown = [name for name in arguments[1:] if name not in NETS]
    if not arguments or arguments[0].startswith("-") or unknown:
        what = f"unknown network {unknown[0]}; known: {', '.join(NETS)}" if unknown else __doc__
        sys.exit(f"write_net.py: {what}")
    for name in arguments[1:] or NETS:
        net = Net()
        output, dims = NETS[name](net)
        net.write(os.path.join(arguments[0], name), output, dims)


if __name__ == "__main__":
    main(sys.argv[1:])
