# SPDX-License-Identifier: Apache-2.0
"""The decoder of write_decoder.py in operators of com.microsoft, as generators of models for
onnxruntime write it: GroupQueryAttention over a cache, SkipSimplifiedLayerNormalization, and
MatMulNBits, whose weights have 4 bits.

The weights of a column are blocks of numbers from 0 to 15; one stands for (number - 8) * scale of
its block. Both are drawn by the seed, with scales that keep the sums of a row near 1.
"""
import math
import random

import onnx_writer as onnx
import write_decoder

DOMAIN = "com.microsoft"
EPSILON = 1e-5
# The root of the mean square of the numbers from -8 to 7.
SPREAD = math.sqrt(21.5)


def is_quantized(dims):
    return len(dims) == 2


def block_count(options, depth):
    return -(-depth // options.block)


def packed_bytes(options, name, dims):
    """Two numbers in a byte, the first one low: u8[columns, blocks, block / 2]."""
    count = dims[1] * block_count(options, dims[0]) * options.block // 2
    return random.Random(f"{options.seed} {name} 4 bits").randbytes(count)


def scale_bytes(options, name, dims):
    generator = random.Random(f"{options.seed} {name} scales")
    typical = 1 / (SPREAD * math.sqrt(dims[0]))
    count = dims[1] * block_count(options, dims[0])
    return onnx.raw("f32", [typical * generator.uniform(0.5, 1.5) for _ in range(count)])


def tensors(options):
    """{name: (type, dims, what makes the bytes)} of all initializers."""
    half = options.width // options.heads // 2
    found = {}
    for name, (dtype, dims, make) in write_decoder.plain_tensors(options).items():
        if name.startswith("rotary."):
            # One column for each pair of elements that are turned.
            found[name] = (dtype, (dims[0], half), lambda make=make: first_half(make(), half))
        elif name == "embedding" or not is_quantized(dims):
            found[name] = (dtype, dims, make)
        else:
            blocks = block_count(options, dims[0])
            packed = (dims[1], blocks, options.block // 2)
            found[name + ".4bit"] = ("u8", packed, lambda name=name, dims=dims:
                                     packed_bytes(options, name, dims))
            found[name + ".scales"] = ("f32", (dims[1] * blocks,), lambda name=name, dims=dims:
                                       scale_bytes(options, name, dims))
    return found


def first_half(content, half):
    row = 8 * half
    return b"".join(content[i:i + row // 2] for i in range(0, len(content), row))


def dequantized(options):
    """What the packed weights stand for, by name, as arrays [depth, columns]."""
    import numpy  # pylint: disable=import-outside-toplevel
    found = {}
    for name, dims in write_decoder.weight_shapes(options).items():
        if name == "embedding" or not is_quantized(dims):
            continue
        shape = (dims[1], block_count(options, dims[0]), options.block)
        halves = numpy.frombuffer(packed_bytes(options, name, dims), numpy.uint8)
        numbers = numpy.stack([halves & 15, halves >> 4], -1).reshape(shape).astype(numpy.float32)
        scales = numpy.frombuffer(scale_bytes(options, name, dims), numpy.float32)
        weights = (numbers - 8) * scales.reshape(shape[0], shape[1], 1)
        weights = weights.reshape(dims[1], -1)[:, :dims[0]].T
        if name.endswith((".k", ".v")):
            heads = weights.reshape(dims[0], options.kv_heads, -1)
            weights = heads.repeat(options.heads // options.kv_heads, 1).reshape(dims[0], -1)
        found[name] = numpy.ascontiguousarray(weights)
    return found


class Graph(write_decoder.Graph):
    def product(self, x, weight, name):
        depth, columns = write_decoder.weight_shapes(self.options)[weight]
        return self.call("MatMulNBits", x, weight + ".4bit", weight + ".scales", name=name,
                         domain=DOMAIN, K=depth, N=columns, bits=4, block_size=self.options.block)

    def skip_norm(self, skipped, x, weight, name):
        """The norm of the sum, and the sum."""
        outputs = [f"{name}/norm", "", "", f"{name}/sum"]
        self.nodes.append(onnx.node("SkipSimplifiedLayerNormalization", [skipped, x, weight],
                                    outputs, f"/{name}", DOMAIN, epsilon=EPSILON))
        return outputs[0], outputs[3]

    def lengths(self):
        """The last key that is seen, and how many keys there are, as i32."""
        total = self.call("ReduceSum", "attention_mask", self.ints(1), name="mask", keepdims=1)
        last = self.call("Sub", total, self.ints(1), name="mask")
        self.nodes.append(onnx.node("Cast", [last], ["last_key"], "/mask/last", to=6))
        shape = self.call("Shape", "attention_mask", name="mask")
        count = self.call("Gather", shape, self.number("i64", 1), name="mask", axis=0)
        self.nodes.append(onnx.node("Cast", [count], ["key_count"], "/mask/count", to=6))

    def turn(self, x, heads, name):
        return self.call("RotaryEmbedding", x, "position_ids", "rotary.cos", "rotary.sin",
                         name=name, domain=DOMAIN, num_heads=heads)

    def attention(self, x, layer):
        options, name = self.options, f"layers.{layer}"
        q, k, v = (self.product(x, f"{name}.{part}", f"{name}/{part}") for part in "qkv")
        inside = options.rotary == "inside"
        tables = ["rotary.cos", "rotary.sin"] if inside else []
        if not inside:
            q = self.turn(q, options.heads, f"{name}/q")
            k = self.turn(k, options.kv_heads, f"{name}/k")
        past = [f"past_key_values.{layer}.key", f"past_key_values.{layer}.value"]
        outputs = [f"{name}/attention", f"present.{layer}.key", f"present.{layer}.value"]
        self.nodes.append(onnx.node(
            "GroupQueryAttention", [q, k, v, *past, "last_key", "key_count", *tables], outputs,
            f"/{name}/attention", DOMAIN, num_heads=options.heads, kv_num_heads=options.kv_heads,
            do_rotary=int(inside)))
        return self.product(outputs[0], f"{name}.o", f"{name}/o")

    def mlp(self, x, layer):
        name = f"layers.{layer}"
        gate = self.product(x, f"{name}.gate", f"{name}/gate")
        gate = self.call("Mul", gate, self.call("Sigmoid", gate, name=f"{name}/gate"),
                         name=f"{name}/gate/silu")
        up = self.product(x, f"{name}.up", f"{name}/up")
        return self.product(self.call("Mul", gate, up, name=f"{name}/up"), f"{name}.down",
                            f"{name}/down")

    def build(self):
        self.lengths()
        kept = self.call("Gather", "embedding", "input_ids", name="embed", axis=0)
        x = self.call("SimplifiedLayerNormalization", kept, "layers.0.norm1", name="norm1",
                      axis=-1, epsilon=EPSILON, stash_type=1)
        for layer in range(self.options.layers):
            name = f"layers.{layer}"
            x, kept = self.skip_norm(kept, self.attention(x, layer), f"{name}.norm2",
                                     f"{name}/norm2")
            last = layer + 1 == self.options.layers
            weight = "norm" if last else f"layers.{layer + 1}.norm1"
            x, kept = self.skip_norm(kept, self.mlp(x, layer), weight, f"{name}/norm3")
        logits = self.product(x, "head", "head")
        self.rename(logits, "logits")
