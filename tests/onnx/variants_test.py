# SPDX-License-Identifier: Apache-2.0
"""Variants of operators that the standard's packaged test data does not have, against NumPy.

usage: variants_test.py COMMAND…                   ends with `N passed, N failed`
COMMAND runs the command line, such as build/host/tern or qemu-aarch64 build/aarch64/tern.

A case is one node with its inputs, attributes and expected outputs. It runs twice: with every input
passed to the graph, as the standard's own tests do it, and with all but the first as constants,
which is what exporters write. Open cases run a third time, with a symbol for each extent. What a
model must be refused for is a case with the message.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "models"))
import onnx_writer as onnx  # noqa: E402
import attention_cases  # noqa: E402
import contributed_cases  # noqa: E402

NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "int64": "i64", "int32": "i32",
         "int16": "i16", "int8": "i8", "uint64": "u64", "uint32": "u32", "uint8": "u8",
         "bool": "bool"}
RANDOM = np.random.default_rng(5)
CASES, OPEN_CASES = [], []
FORMS = ("passed", "constants", "symbols")


def case(op, opset, inputs, expected, domain="", **attributes):
    """expected: one array, a list of them (None: not asked for), or a part of the message, which
    may come with how many outputs are asked for."""
    CASES.append((op, opset, inputs, expected, domain, attributes))


def open_case(*item, **attributes):
    case(*item, **attributes)
    OPEN_CASES.append(CASES[-1])


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def f32(values):
    return np.array(values, np.float32)


def i64(values):
    return np.array(values, np.int64)


# --- resize

def linear_along(x, axis, at):
    """x at the fractional places `at` of an axis, clamped."""
    last = x.shape[axis] - 1
    at = np.clip(at, 0, last)
    low = np.floor(at).astype(int)
    weight = (at - low).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    high = np.minimum(low + 1, last)
    mixed = np.take(x, low, axis) * (1 - weight) + np.take(x, high, axis) * weight
    return mixed.astype(np.float32)


def resize_cases():
    x = floats(2, 3, 5, 6)
    # One scale, the smaller (or larger) of 7 / 5 and 8 / 6, also where extents were rounded.
    for policy, scale, shape in (("not_larger", 8 / 6, (7, 8)), ("not_smaller", 7 / 5, (7, 8))):
        places = [(np.arange(n) + 0.5) / scale - 0.5 for n in shape]
        want = linear_along(linear_along(x, 2, places[0]), 3, places[1])
        case("Resize", 19, [x, None, None, i64([7, 8])], want, mode="linear", axes=[2, 3],
             keep_aspect_ratio_policy=policy)
    # 5 * 1.5 is 7.5: seven pixels that are placed as those of 7.5.
    want = linear_along(x, 2, np.arange(7) * 4 / 6.5)
    case("Resize", 19, [x, None, f32([1.5])], want, mode="linear", axes=[2],
         coordinate_transformation_mode="align_corners")
    want = linear_along(x, 3, np.arange(9) * 5 / 8)
    case("Resize", 19, [x, None, f32([1.5])], want, mode="linear", axes=[-1],
         coordinate_transformation_mode="align_corners")
    case("Resize", 19, [x, None, f32([1.5, 2]), i64([7, 12])], "both scales and sizes",
         axes=[2, 3])


# --- reductions and products

def reduce_cases():
    x = np.abs(floats(2, 3)) + f32(0.1)
    # Without axes nothing is summed up, but the rest of the operator still happens.
    for op, want in (("ReduceSum", x), ("ReduceMax", x), ("ReduceL1", x), ("ReduceL2", x),
                     ("ReduceSumSquare", x * x), ("ReduceLogSum", np.log(x)),
                     ("ReduceLogSumExp", x)):
        opset = 20 if op == "ReduceMax" else 18
        for inputs in ([x], [x, i64([])]):
            case(op, opset, inputs, want, noop_with_empty_axes=1)
            case(op, opset, inputs, want, noop_with_empty_axes=1, keepdims=0)
    # Every axis goes, and which ones they are only a run tells.
    case("ReduceSum", 13, [x, i64([1, 0])], x.sum(dtype=np.float32), keepdims=0)
    case("ReduceMax", 20, [x[0], i64([-1])], x[0].max(), keepdims=0)
    case("Squeeze", 13, [x[:1, :1], i64([0, -1])], x[0, 0])
    # An extent of 0 in a shape that a run computes is one of the result, not "as it was".
    empty = floats(2, 0, 4)
    case("ReduceSum", 13, [empty, i64([0])], floats(0, 4), keepdims=0)
    case("ReduceMin", 20, [empty, i64([1])], np.full((2, 4), np.inf, np.float32), keepdims=0)
    case("Squeeze", 13, [floats(1, 0, 4), i64([0])], floats(0, 4))
    case("Unsqueeze", 13, [floats(0, 4), i64([0])], floats(1, 0, 4))
    open_case("Softmax", 11, [floats(2, 3, 0)], floats(2, 3, 0), axis=1)
    queries, keys = floats(1, 4, 0, 3), floats(1, 2, 5, 3)
    case("Attention", 23, [queries, keys, keys], floats(1, 4, 0, 3))
    three = f32(3)
    case("Einsum", 12, [three, x], 3 * x, equation=",ij->ij")
    case("Einsum", 12, [x, three], np.sum(3 * x, dtype=np.float32), equation="ij,->")
    case("Einsum", 12, [three, three], f32(9), equation=",")
    case("Einsum", 12, [x, x], "that of a scalar", equation=",ij->ij")
    case("Shrink", 9, [np.array([-3, -1, 0, 2, 3], np.int32)],
         np.array([-3, 0, 0, 2, 3], np.int32), lambd=1.5)
    case("Shrink", 9, [np.array([250, 1, 3], np.uint8)], np.array([249, 0, 2], np.uint8),
         lambd=1.5, bias=1.0)


# --- Fourier transforms

def pairs(spectrum):
    return np.stack([spectrum.real, spectrum.imag], -1).astype(np.float32)


def fourier_cases():
    x = floats(2, 5, 6, 2)
    values = x[..., 0] + 1j * x[..., 1]
    for axis in (0, 1, 2, -2, -4):
        along = axis if axis >= 0 else axis + 4
        case("DFT", 20, [x, None, i64(axis)], pairs(np.fft.fft(values, axis=along)))
        case("DFT", 20, [x, i64(4), i64(axis)], pairs(np.fft.ifft(values, 4, axis=along)),
             inverse=1)
        real = floats(2, 5, 6, 1)
        case("DFT", 20, [real, i64(9), i64(axis)],
             pairs(np.fft.rfft(real[..., 0], 9, axis=along)), onesided=1)
    # One side of a spectrum to the real signal that has it, shorter and longer than its own.
    for length in (None, 4, 5, 8, 9, 13):
        given = None if length is None else i64(length)
        want = np.fft.irfft(values, length, axis=1)[..., None].astype(np.float32)
        case("DFT", 20, [x, given, i64(1)], want, inverse=1, onesided=1)
    case("DFT", 20, [x, i64(-3), i64(1)], "expected", inverse=1)
    case("DFT", 20, [x, i64(0), i64(-2)], "expected")


# --- quantized products and pools

def product_cases():
    a, b = RANDOM.integers(0, 256, (3, 4)), RANDOM.integers(0, 256, (4, 3))
    zeros = [np.array(values, np.uint8) for values in (113, 114, 118)]

    def want(a_scale, b_scale, y_scale):
        sums = (a - 113) @ (b - 114)
        return np.clip(np.rint(sums * (a_scale * b_scale / y_scale)) + 118, 0, 255).astype(np.uint8)
    rows, columns = f32([0.0066, 0.01, 0.004]), f32([0.007, 0.003, 0.011])
    for a_scale, b_scale, dtype in ((f32(0.0066), f32(0.00705), np.float16),
                                    (f32(0.0066), columns, np.float32),
                                    (rows, f32(0.00705), np.float32), (rows, columns, np.float32)):
        a_scale, b_scale = a_scale.astype(dtype), b_scale.astype(dtype)
        y_scale = np.array(0.0107, dtype)
        exact = [values.astype(np.float32) for values in (a_scale, b_scale, y_scale)]
        if exact[0].ndim:
            exact[0] = exact[0][:, None]
        case("QLinearMatMul", 21, [a.astype(np.uint8), a_scale, zeros[0], b.astype(np.uint8),
                                   b_scale, zeros[1], y_scale, zeros[2]], want(*exact))
    x = floats(2, 3, 4, 5)
    for p in (1, 2, 3):
        norm = (np.abs(x) ** p).sum((2, 3), keepdims=True) ** (1 / p)
        case("GlobalLpPool", 2, [x], norm.astype(np.float32), p=p)
    case("GlobalLpPool", 2, [x], "at least 1", p=0)


# --- types that are less common

def texts(values):
    return np.array(values, object)


def text_cases():
    x = texts([["b", "a", "c"], ["a", "b", "a"]])
    case("Unique", 11, [x], [texts(["a", "b", "c"]), i64([1, 0, 2]), i64([1, 0, 2, 0, 1, 0]),
                             i64([3, 2, 1])])
    case("Unique", 11, [x], [texts(["b", "a", "c"]), i64([0, 1, 2]), i64([0, 1, 2, 1, 0, 1]),
                             i64([2, 3, 1])], sorted=0)
    case("Unique", 11, [x], [x[:, [1, 0, 2]], i64([1, 0, 2]), i64([1, 0, 2]), i64([1, 1, 1])],
         axis=1)
    case("Unique", 11, [texts([])], [texts([]), i64([]), i64([]), i64([])])
    image = x.reshape(1, 1, 2, 3)
    twice = f32([1, 1, 2, 1])
    case("Resize", 19, [image, None, twice], np.repeat(image, 2, 2), mode="nearest")
    case("Resize", 19, [image, None, twice], "texts cannot be mixed", mode="linear")
    case("Upsample", 9, [image, twice], np.repeat(image, 2, 2))
    case("OneHot", 11, [i64([1, 0]), i64(2), texts(["off", "on"])],
         texts([["off", "on"], ["on", "off"]]))


def number_cases():
    x = RANDOM.integers(0, 100, (1, 1, 3, 4))
    centers = np.stack(np.meshgrid((np.arange(4) + 0.5) / 2 - 1, (np.arange(3) + 0.5) / 1.5 - 1),
                       -1)[None].astype(np.float32)
    columns = RANDOM.integers(0, 9, (1, 4, 4))
    folded = np.zeros((1, 1, 3, 3), int)
    for place, (row, column) in enumerate(np.ndindex(2, 2)):
        folded[0, 0, row:row + 2, column:column + 2] += columns[0, :, place].reshape(2, 2)
    for dtype in (np.uint8, np.int8, np.int16):
        case("GridSample", 20, [x.astype(dtype), centers], x.astype(dtype), mode="nearest")
        case("GridSample", 20, [x.astype(dtype), centers], "grid_sample", mode="linear")
        case("Col2Im", 18, [columns.astype(dtype), i64([3, 3]), i64([2, 2])],
             folded.astype(dtype))
    for number, dtype in ((7, np.int64), (3, np.int8), (10, np.float16)):
        case("HammingWindow", 17, [i64(5)],
             (25 / 46 - 21 / 46 * np.cos(np.pi / 2 * np.arange(5))).astype(dtype),
             output_datatype=number, periodic=0)
        case("MelWeightMatrix", 17, [i64(1), i64(4), i64(8), f32(0), f32(8)],
             f32([[0], [1], [0.5]]).astype(dtype), output_datatype=number)


# --- the same bits as another type

def bits_cases():
    numbers = {"float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7,
               "bool": 9, "float16": 10, "float64": 11, "uint32": 12, "uint64": 13}
    kinds = [(1, np.int8, np.uint8), (1, np.bool_, np.uint8), (2, np.float16, np.int16),
             (4, np.float32, np.uint32), (4, np.int32, np.float32), (8, np.float64, np.uint64),
             (8, np.int64, np.float64)]
    for size, source, to in kinds:
        raw = RANDOM.integers(0, 2 if source is np.bool_ else 60, (2, 3 * size)).astype(np.uint8)
        x = raw.view(source)
        case("BitCast", 26, [x], x.view(to), to=numbers[np.dtype(to).name])
    case("BitCast", 26, [f32(1)], np.array(0x3F800000, np.int32), to=6)
    case("BitCast", 26, [f32([1])], "64", to=11)
    case("BitCast", 26, [f32([1])], "texts", to=8)
    case("BitCast", 26, [f32([1])], "'to'", to=0)
    case("BitCast", 26, [f32([1])], "'to'")


# --- running products

def running_product(x, axis, exclusive, reverse):
    x = np.flip(x, axis) if reverse else x
    products = np.cumprod(x, axis=axis, dtype=x.dtype)
    if exclusive:
        ones = np.ones_like(np.take(x, [0], axis))
        products = np.concatenate([ones, np.delete(products, -1, axis)], axis)
    return np.flip(products, axis) if reverse else products


def running_cases():
    x = np.array([[[1, 2, 3], [4, 5, 6]], [[2, 0, 1], [3, 1, 2]]])
    for dtype in (np.float32, np.float64, np.float16, np.int32, np.int64, np.uint32, np.uint64):
        for exclusive, reverse, axis in ((0, 0, 0), (1, 0, 1), (0, 1, -1), (1, 1, 2)):
            want = running_product(x.astype(dtype), axis, exclusive, reverse)
            case("CumProd", 26, [x.astype(dtype), np.array(axis, np.int32)], want,
                 exclusive=exclusive, reverse=reverse)
    large = np.full(5, 70000, np.int32)
    case("CumProd", 26, [large, i64(0)], running_product(large, 0, 0, 0))
    case("CumProd", 26, [floats(0, 3), i64(0)], floats(0, 3))
    case("CumProd", 26, [f32([1, 2]), i64(1)], " 1 ")
    case("CumProd", 26, [f32([1, 2]), f32(0)], "axis")
    case("CumProd", 26, [np.array([True]), i64(0)], "bool")
    case("CumProd", 25, [f32([1, 2]), i64(0)], "CumProd")


# --- what onnxruntime and random nodes showed to be wrong

def cubic_weight(distance, a=-0.75):
    d = abs(distance)
    if d <= 1:
        return ((a + 2) * d - (a + 3)) * d * d + 1
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a


def cubic_at_border(image, grid):
    """GridSample of one image [h, w], corners aligned: each of the 16 taps is clamped."""
    result = np.zeros(grid.shape[:2])
    for place in np.ndindex(*result.shape):
        taps = []
        for extent, at in zip(image.shape, reversed(grid[place])):
            at = (at + 1) / 2 * (extent - 1)
            base = int(np.floor(at))
            taps.append([(min(max(base + i, 0), extent - 1), cubic_weight(at - base - i))
                         for i in range(-1, 3)])
        result[place] = sum(image[y, x] * wy * wx for y, wy in taps[0] for x, wx in taps[1])
    return result.astype(np.float32)


def causal_scores(query, key, value, past):
    """One head [sequence, size]; query i sees the past and keys up to its own place, the last one
    everything."""
    scores = query @ key.T / np.sqrt(query.shape[1])
    unseen = np.arange(len(key)) > past + np.arange(len(query))[:, None]
    unseen[-1] = False
    weights = np.exp(np.where(unseen, -np.inf, scores))
    return (weights / weights.sum(1, keepdims=True) @ value).astype(np.float32)


def found_cases():
    image, grid = floats(4, 5), RANDOM.uniform(-1.5, 1.5, (3, 4, 2)).astype(np.float32)
    case("GridSample", 16, [image[None, None], grid[None]],
         cubic_at_border(image, grid)[None, None], mode="bicubic", padding_mode="border",
         align_corners=1)
    x = floats(2, 3, 4)
    case("ReduceMax", 18, [x, i64([])], x.max(), keepdims=0)
    case("ReduceSum", 13, [x, i64([])], x.sum(), keepdims=0)
    case("ReduceSum", 13, [x, i64([])], x, keepdims=0, noop_with_empty_axes=1)
    # Pads of SAME are never negative: three pixels of one tap, three apart, are seven.
    line, one = floats(1, 1, 3), f32([[[2]]])
    spread = np.zeros((1, 1, 7), np.float32)
    spread[0, 0, ::3] = line[0, 0] * 2
    for way in ("SAME_UPPER", "SAME_LOWER"):
        case("ConvTranspose", 11, [line, one], spread, strides=[3], auto_pad=way)
    for queries, keys in ((2, 3), (4, 3), (1, 3)):
        q, k, v = floats(queries, 4), floats(keys, 4), floats(keys, 4)
        case("MultiHeadAttention", 17, [q[None], k[None], v[None]],
             causal_scores(q, k, v, 0)[None], "com.microsoft", num_heads=1, unidirectional=1)
    old_k, old_v = floats(2, 4), floats(2, 4)
    want = causal_scores(q, np.concatenate([old_k, k]), np.concatenate([old_v, v]), 2)
    inputs = [q[None], k[None], v[None], None, None, None, old_k[None, None], old_v[None, None]]
    case("MultiHeadAttention", 17, inputs, want[None], "com.microsoft", num_heads=1,
         unidirectional=1)


# --- heads whose size only a run tells

def split_heads(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def join_heads(x):
    x = x.transpose(0, 2, 1, 3)
    return x.reshape(*x.shape[:2], -1)


def attend(q, k, v, is_causal=False):
    """[batch, heads, sequence, size]; a head of k serves several of q."""
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1]).astype(q.dtype)
    if is_causal:
        scores = np.where(np.tri(*scores.shape[2:], dtype=bool), scores, -np.inf)
    chances = np.exp(scores - scores.max(-1, keepdims=True))
    return (chances / chances.sum(-1, keepdims=True)) @ v


def rotate(x, cos, sin, interleaved):
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else np.split(x, 2, -1)
    turned = [cos * a - sin * b, sin * a + cos * b]
    return np.stack(turned, -1).reshape(x.shape) if interleaved else np.concatenate(turned, -1)


def modifier(op, number, outputs=1):
    """A graph that applies op to scores and a number."""
    names = [f"y{i}" for i in range(outputs)]
    nodes = [onnx.node(op, ["x", "number"], [name]) for name in names]
    return ("graph", onnx.graph("modifier", nodes, [onnx.tensor("number", "f32", [], [number])],
                                [onnx.value_info("x", "f32", ["?"] * 4)],
                                [onnx.value_info(name, "f32", ["?"] * 4) for name in names]))


def flex_cases():
    def flex(inputs, expected, **attributes):
        open_case("FlexAttention", 26, inputs, expected, "ai.onnx.preview", **attributes)
    q, k, v = floats(2, 4, 3, 6), floats(2, 2, 5, 6), floats(2, 2, 5, 7)
    case("FlexAttention", 26, [q, k, v], attend(q, k, v), "ai.onnx.preview")
    case("FlexAttention", 26, [q, k, v], attend(q * 2, k, v), "ai.onnx.preview",
         score_mod=modifier("Mul", 2.0))
    k, v = floats(2, 4, 5, 6), floats(2, 4, 5, 7)
    flex([q, k, v], attend(q, k, v))
    wide = [x.astype(np.float64) for x in (q, k, v)]
    flex(wide, attend(*wide))
    flex([q, k, v], attend(q * 2, k, v), score_mod=modifier("Mul", 2.0))
    flex([q, k, v], attend(q, k, v) * 3, prob_mod=modifier("Mul", 3.0),
         score_mod=modifier("Add", 0.5), softmax_precision=1)
    flex([q, k, v], attend(q, k, v), scale=float(1 / np.sqrt(6)))
    case("FlexAttention", 26, [q[0], k, v], "its input 0 has rank 3", "ai.onnx.preview")
    case("FlexAttention", 26, [q, k, v], "a graph of 1 inputs and 2 outputs", "ai.onnx.preview",
         score_mod=modifier("Mul", 2.0, 2))
    case("FlexAttention", 26, [q, k, v], "gives another type or rank", "ai.onnx.preview",
         prob_mod=modifier("Less", 2.0))


def gated_cases():
    gate, value = floats(2, 3), floats(2, 3)
    for alpha in (1.0, 0.5):
        swish = gate / (1 + np.exp(-np.float32(alpha) * gate))
        open_case("SwiGLU", 28, [gate, value], swish * value, alpha=alpha)
    case("SwiGLU", 28, [gate, value[:, :1]], "its inputs differ in axis 1: 3 and 1")
    case("SwiGLU", 28, [gate, value[0]], "its inputs have ranks 2 and 1")
    case("SwiGLU", 27, [gate, value], "SwiGLU")


def wide_integer_cases():
    """Operators that compute in f32, with integers that it does not hold."""
    wide = np.array([[[[2**40 + 3, -5], [-2**62 + 1, 7]]]])
    corners = np.array([[[[-1, -1], [1, -1], [-1, 1], [1, 1], [9, 9]]]], np.float32)
    picked = np.append(wide.reshape(-1), 0).reshape(1, 1, 1, 5)
    for dtype in (np.int64, np.uint64, np.int32):
        case("GridSample", 16, [wide.astype(dtype), corners], picked.astype(dtype), mode="nearest",
             align_corners=1)
    blocks = np.array([[[2**40, -3, 5, -2**50], [1, 2, 3, 4]]])
    added = np.array([[[[2**40, -3 + 1, 2], [5, -2**50 + 3, 4]]]])
    case("Col2Im", 18, [blocks, np.array([2, 3]), np.array([1, 2])], added)


def head_size_cases():
    q, k, v = floats(2, 4, 3, 6), floats(2, 4, 5, 6), floats(2, 4, 5, 6)
    open_case("Attention", 23, [q, k, v], attend(q, k, v))
    wide = [x.astype(np.float64) for x in (q, k, v)]
    open_case("Attention", 23, wide, attend(*wide))
    half = [x.astype(np.float16) for x in (q[:1, :1, :1], k[:1, :1, :1], v[:1, :1, :1])]
    open_case("Attention", 23, half, half[2])  # one key: what it holds
    flat = [join_heads(x) for x in (q, k[:, :2], v[:, :2])]
    open_case("Attention", 23, flat, join_heads(attend(q, k[:, :2], v[:, :2])), q_num_heads=4,
              kv_num_heads=2)
    flat = [join_heads(x) for x in (q, k, v)]
    open_case("MultiHeadAttention", 17, flat, join_heads(attend(q, k, v)), "com.microsoft",
              num_heads=4)
    open_case("MultiHeadAttention", 17, flat, "'num_heads' is 0", "com.microsoft", num_heads=0)
    x, places = floats(1, 4, 3, 6), np.arange(3)
    for interleaved in (0, 1):
        angles = floats(7, 3)
        cos, sin = np.cos(angles), np.sin(angles)
        want = rotate(x, cos[:3], sin[:3], interleaved)
        open_case("RotaryEmbedding", 23, [x, cos[None, :3], sin[None, :3]], want,
                  interleaved=interleaved)
        inputs = [x, places[None], cos, sin]
        open_case("RotaryEmbedding", 17, inputs, want, "com.microsoft", interleaved=interleaved)
        inputs = [join_heads(x), places[None], cos, sin]
        open_case("RotaryEmbedding", 17, inputs, join_heads(want), "com.microsoft", num_heads=4,
                  interleaved=interleaved)
        case("RotaryEmbedding", 17, inputs, join_heads(want), "com.microsoft",
             interleaved=interleaved)
        packed = floats(1, 3, 8 * 6)
        q, k, v = (split_heads(part, part.shape[2] // 6) for part in np.split(packed, [24, 36], 2))
        q, k = (rotate(part, cos[:3], sin[:3], interleaved) for part in (q, k))
        last, total = np.array([[2]], np.int32), np.array(3, np.int32)
        open_case("GroupQueryAttention", 17,
                  [packed, None, None, None, None, last, total, cos, sin],
                  join_heads(attend(q, k, v, True)), "com.microsoft", num_heads=4, kv_num_heads=2,
                  do_rotary=1, rotary_interleaved=interleaved)


def head_size_refusals():
    """Only a run tells that these do not fit."""
    x, angles = floats(1, 2, 3, 7), floats(1, 3, 3)
    for interleaved in (0, 1):
        OPEN_CASES.append(("RotaryEmbedding", 23, [x, angles, angles], "not twice the width", "",
                           {"interleaved": interleaved}))
    OPEN_CASES.append(("RotaryEmbedding", 23, [x[..., :6], angles[..., :1], angles[..., :1]],
                       "not twice the width", "", {}))
    OPEN_CASES.append(("GroupQueryAttention", 17,
                       [floats(1, 3, 10), None, None, None, None, np.array([[2]], np.int32),
                        np.array(3, np.int32)], "10", "com.microsoft",
                       {"num_heads": 2, "kv_num_heads": 1}))


# --- states of fixed size

def causal(x, weight, bias, past, activates):
    count = weight.shape[2] - 1
    before = np.zeros((*x.shape[:2], count), np.float32) if past is None else past
    line = np.concatenate([before, x], 2)
    y = sum(line[:, :, i:i + x.shape[2]] * weight[None, :, 0, i:i + 1] for i in range(count + 1))
    y = y if bias is None else y + bias[:, None]
    return y / (1 + np.exp(-y)) if activates else y, line[:, :, line.shape[2] - count:]


def causal_cases():
    for channels, length, kernel in ((3, 5, 4), (2, 1, 3), (1, 4, 2), (2, 3, 1)):
        x, weight, bias = floats(2, channels, length), floats(channels, 1, kernel), floats(channels)
        for past in (None, floats(2, channels, kernel - 1)):
            want = list(causal(x, weight, None, past, False))
            case("CausalConvWithState", 27, [x, weight, None, past], want)
            want = list(causal(x, weight, bias, past, True))
            case("CausalConvWithState", 27, [x, weight, bias, past], want, activation="silu")
    x, weight = floats(1, 2, 3), floats(2, 1, 3)
    half = causal(x.astype(np.float16), weight.astype(np.float16), None, None, False)
    case("CausalConvWithState", 27, [x.astype(np.float16), weight.astype(np.float16)],
         [a.astype(np.float16) for a in half])
    case("CausalConvWithState", 27, [x, floats(3, 1, 3)], "channels")
    case("CausalConvWithState", 27, [x, floats(2, 2, 3)], "expected 1")
    case("CausalConvWithState", 27, [x, weight, None, floats(1, 2, 3)], "expected 2")
    case("CausalConvWithState", 27, [x[0], weight], "rank 2")
    case("CausalConvWithState", 27, [x, weight], "known are", activation="relu")


def linear_attention(q, k, v, state, decay, beta, heads, group, scale):
    batch, count = q.shape[:2]
    q, k, v = (a.reshape(batch, count, n, -1) for a, n in ((q, heads * group), (k, heads),
                                                           (v, heads)))
    scale = scale or 1 / np.sqrt(k.shape[3])
    state = np.zeros((batch, heads, k.shape[3], v.shape[3])) if state is None else state
    out = np.zeros((batch, count, heads * group, v.shape[3]))
    for b, t, h in np.ndindex(batch, count, heads):
        own, written = state[b, h].copy(), v[b, t, h]
        if decay is not None:
            own *= np.exp(decay.reshape(batch, count, heads, -1)[b, t, h])[:, None]
        if beta is not None:
            written = beta[b, t, h % beta.shape[2]] * (written - own.T @ k[b, t, h])
        own += np.outer(k[b, t, h], written)
        state = state.copy()
        state[b, h] = own
        for g in range(group):
            out[b, t, h * group + g] = scale * q[b, t, h * group + g] @ own
    return [out.reshape(batch, count, -1).astype(np.float32), state.astype(np.float32)]


def linear_attention_cases():
    heads, key, value = 2, 3, 4
    for rule, group, count, scale in (("linear", 1, 3, 0), ("gated", 2, 4, 0.5), ("delta", 3, 1, 0),
                                      ("gated_delta", 2, 3, 0)):
        q, k = floats(2, count, heads * group * key), floats(2, count, heads * key)
        v, past = floats(2, count, heads * value), floats(2, heads, key, value)
        for columns in (heads, heads * key):
            decay = -np.abs(floats(2, count, columns)) if "gated" in rule else None
            beta = np.abs(floats(2, count, 1 if columns > heads else heads))
            beta = beta if "delta" in rule else None
            for state in (None, past):
                want = linear_attention(q, k, v, state, decay, beta, heads, group, scale)
                case("LinearAttention", 27, [q, k, v, state, decay, beta], want, update_rule=rule,
                     scale=float(scale), q_num_heads=heads * group, kv_num_heads=heads)
    half = [a.astype(np.float16) for a in (q, k, v)]
    want = linear_attention(*(a.astype(np.float32) for a in half), past, None, None, 2, 2, 0)
    case("LinearAttention", 27, [*half, past], [want[0].astype(np.float16), want[1]],
         update_rule="linear", q_num_heads=4, kv_num_heads=2)
    case("LinearAttention", 27, [q[:, :0], k[:, :0], v[:, :0], past],
         [np.zeros((2, 0, 16), np.float32), past], update_rule="linear", q_num_heads=4,
         kv_num_heads=2)
    case("LinearAttention", 27, [q, k, v], "a decay", q_num_heads=4, kv_num_heads=2)
    case("LinearAttention", 27, [q, k, v, None, decay], "no decay", update_rule="linear",
         q_num_heads=4, kv_num_heads=2)
    case("LinearAttention", 27, [q, k, v, None, decay, decay], "its beta has 6 columns",
         q_num_heads=4, kv_num_heads=2)
    case("LinearAttention", 27, [q, k, v], "a multiple", update_rule="linear", q_num_heads=3,
         kv_num_heads=2)
    case("LinearAttention", 27, [q, q, v], "as wide as keys", update_rule="linear", q_num_heads=4,
         kv_num_heads=2)
    case("LinearAttention", 27, [q, k, v], "'kv_num_heads'", update_rule="linear", q_num_heads=4)
    case("LinearAttention", 27, [q, k, v], "known are", update_rule="other", q_num_heads=4,
         kv_num_heads=2)


# --- mixtures of experts

def activated(y, name):
    if name == "gelu":
        return 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y ** 3)))
    return {"relu": np.maximum(y, 0), "silu": y / (1 + np.exp(-y)), "identity": y}[name]


def gated(gate, line, limit=np.inf, alpha=1.0, beta=0.0):
    gate, line = np.minimum(gate, limit), np.clip(line, -limit, limit)
    return gate / (1 + np.exp(-alpha * gate)) * (line + beta)


def mixture(x, router, expert, k, normalizes):
    """expert(e, row): what an expert makes of a token."""
    rows = x.reshape(-1, x.shape[-1])
    out = []
    for row, scores in zip(rows, router):
        best = np.argsort(-scores)[:k]
        shares = np.exp(scores[best]) / np.exp(scores[best]).sum() if normalizes else scores[best]
        out.append(sum(share * expert(e, row) for e, share in zip(best, shares)))
    return np.array(out, np.float32).reshape(x.shape)


def expert_cases():
    x, router = floats(2, 3, 8), floats(6, 4)
    up, up_bias, down, down_bias = floats(4, 5, 8), floats(4, 5), floats(4, 8, 5), floats(4, 8)
    gate, gate_bias = floats(4, 5, 8), floats(4, 5)
    for name, k, normalizes in (("relu", 1, 0), ("gelu", 2, 1), ("silu", 3, 1),
                                ("identity", 4, 0)):
        def plain(e, row, name=name):
            return down[e] @ activated(up[e] @ row + up_bias[e], name) + down_bias[e]

        def both(e, row, name=name):
            return down[e] @ (activated(up[e] @ row, name) * (gate[e] @ row + gate_bias[e]))
        attributes = {"activation_type": name, "k": k, "normalize_routing_weights": normalizes}
        case("MoE", 17, [x, router, up, up_bias, down, down_bias],
             mixture(x, router, plain, k, normalizes), "com.microsoft", **attributes)
        case("MoE", 17, [x, router, up, None, down, None, gate, gate_bias],
             mixture(x, router, both, k, normalizes), "com.microsoft", **attributes)
    two = np.concatenate([up, gate], 1)
    shape = {"swiglu_limit": 0.7, "activation_alpha": 1.702, "activation_beta": 1.0}

    def fused(e, row):
        return down[e] @ gated(up[e] @ row, gate[e] @ row, 0.7, 1.702, 1.0)
    want = mixture(x, router, fused, 2, 1)
    attributes = {"activation_type": "swiglu", "k": 2, "normalize_routing_weights": 1, **shape}
    case("MoE", 17, [x, router, two, None, down], want, "com.microsoft", swiglu_fusion=2,
         **attributes)
    mixed = np.stack([up, gate], 2).reshape(4, 10, 8)
    case("MoE", 17, [x, router, mixed, None, down], want, "com.microsoft", swiglu_fusion=1,
         **attributes)
    case("MoE", 17, [x, router, up, None, down, None, gate], want, "com.microsoft", **attributes)
    case("MoE", 17, [x, router, up, None, down], "takes the weights of a gate", "com.microsoft",
         **attributes)
    case("MoE", 17, [x, router, two, None, down, None, gate], "says that they are among",
         "com.microsoft", swiglu_fusion=2, **attributes)
    case("MoE", 17, [x, router, up, None, down], "use_sparse_mixer=1", "com.microsoft",
         use_sparse_mixer=1)
    case("MoE", 17, [x, router, up, None, down], "expected at least 1", "com.microsoft", k=0)
    case("MoE", 17, [x, router, up, None, down], "k is 5, but axis 1", "com.microsoft",
         k=5)


def pack(numbers, bits):
    if bits == 8:
        return numbers.astype(np.uint8)
    return (numbers[..., 0::2] | numbers[..., 1::2] << 4).astype(np.uint8)


def quantized(shape, bits, block, has_zeros):
    """Bytes, scales, zero points and what they stand for; block 0: a scale for an output."""
    experts, rows, columns = shape
    numbers = RANDOM.integers(0, 1 << bits, shape)
    blocks = columns // block if block else 1
    scales = (RANDOM.random((experts, rows, blocks)) * 0.1 + 0.01).astype(np.float32)
    middle = np.full((experts, rows, blocks), 1 << (bits - 1))
    zeros = RANDOM.integers(0, 1 << bits, middle.shape) if has_zeros else middle
    wide = [np.repeat(values, columns // blocks, 2) for values in (zeros, scales)]
    given = zeros if block else zeros[..., 0]
    return (pack(numbers, bits), scales if block else scales[..., 0],
            pack(given, bits) if has_zeros else None, (numbers - wide[0]) * wide[1])


def quantized_expert_cases():
    x, router, other = floats(5, 32), floats(5, 3), np.abs(floats(5, 3))
    for bits, block, has_zeros in ((4, 0, False), (4, 16, False), (4, 16, True), (8, 0, True),
                                   (8, 16, False), (8, 32, True), (4, 0, True)):
        up, up_scales, up_zeros, up_values = quantized((3, 64, 32), bits, block, has_zeros)
        down, down_scales, down_zeros, down_values = quantized((3, 32, 32), bits, block, has_zeros)
        bias = floats(3, 32)

        def expert(e, row, first=up_values, second=down_values, bias=bias):
            y = first[e] @ row
            return second[e] @ gated(y[0::2], y[1::2], 7.0, 1.702, 1.0) + bias[e]
        attributes = {"activation_type": "swiglu", "swiglu_fusion": 1, "swiglu_limit": 7.0,
                      "activation_alpha": 1.702, "activation_beta": 1.0, "k": 2,
                      "expert_weight_bits": bits, "normalize_routing_weights": 1}
        if block:
            attributes["block_size"] = block
        inputs = [x, router, up, up_scales, None, down, down_scales, bias, None, None, None,
                  up_zeros, down_zeros]
        case("QMoE", 17, inputs, mixture(x, router, expert, 2, 1), "com.microsoft", **attributes)
    best = np.argsort(-router, 1)[:, :2]
    shares = np.take_along_axis(other, best, 1)
    shares = shares / shares.sum(1, keepdims=True)
    want = np.array([sum(s * expert(e, row) for e, s in zip(*picks))
                     for row, picks in zip(x, zip(best, shares))], np.float32)
    case("QMoE", 17, inputs + [None, other], want, "com.microsoft", **attributes)
    case("QMoE", 17, inputs, "weights of 3 bits", "com.microsoft",
         **{**attributes, "expert_weight_bits": 3})
    case("QMoE", 17, inputs, "quant_type=fp4", "com.microsoft", quant_type="fp4", **attributes)


# --- running them

def named(values, name):
    dtype = NAMES.get(values.dtype.name, "string")
    content = list(values.ravel()) if dtype == "string" else np.ascontiguousarray(values).tobytes()
    return onnx.tensor(name, dtype, values.shape, content)


def info(values, name, symbols=False):
    extents = [f"{name}_{axis}" for axis in range(values.ndim)] if symbols else values.shape
    return onnx.value_info(name, NAMES.get(values.dtype.name, "string"), extents)


def attribute_of(value):
    return ("tensor", named(value, "")) if isinstance(value, np.ndarray) else value


def model_of(op, opset, inputs, outputs, domain, attributes, form):
    """outputs: arrays, or None where the node does not have to give one."""
    names = ["" if values is None else f"x{i}" for i, values in enumerate(inputs)]
    results = ["" if values is None else f"y{i}" for i, values in enumerate(outputs)]
    given = [(values, name) for values, name in zip(inputs, names) if name]
    passed = given[:1] if form == "constants" else given
    symbols = form == "symbols"
    fixed = {name: attribute_of(value) for name, value in attributes.items()}
    node = onnx.node(op, names, results, "node", domain, **fixed)
    graph = onnx.graph("case", [node], [named(*item) for item in given[len(passed):]],
                       [info(*item, symbols) for item in passed],
                       [info(values, name, symbols)
                        for values, name in zip(outputs, results) if name])
    return onnx.model({"": opset, **({domain: 1} if domain else {})}, graph), passed


def run(command, item, form, folder):
    """None, or what is wrong."""
    op, opset, inputs, expected, domain, attributes = item
    refused = isinstance(expected, (str, tuple))
    expected, count = expected if isinstance(expected, tuple) else (expected, 1)
    outputs = expected if isinstance(expected, list) else [expected]
    if refused:
        outputs = [np.zeros(())] * count
    outputs = [None if values is None else np.asarray(values) for values in outputs]
    model, passed = model_of(op, opset, inputs, outputs, domain, attributes, form)
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data)
    path = os.path.join(folder, "model.onnx")
    asked = [values for values in outputs if values is not None]
    files = {path: model}
    for kind, arrays in (("input", [values for values, _ in passed]), ("output", asked)):
        for i, values in enumerate(arrays):
            files[os.path.join(data, f"{kind}_{i}.pb")] = named(values, "")
    for name, content in files.items():
        with open(name, "wb") as file:
            file.write(content)
    done = subprocess.run(command + ["check", path, "--against", folder, "--atol", "1e-5"],
                          capture_output=True, text=True, check=False)
    said = (done.stdout + done.stderr).strip()
    if refused:
        fits = done.returncode > 0 and expected in said
        return None if fits else f"not refused, exit {done.returncode}: {said}"
    return f"exit {done.returncode}: {said}" if done.returncode else None


ADDERS = (resize_cases, reduce_cases, fourier_cases, product_cases, text_cases, number_cases,
          bits_cases, running_cases, found_cases, head_size_cases, flex_cases, gated_cases,
          wide_integer_cases, head_size_refusals,
          causal_cases,
          linear_attention_cases, expert_cases, quantized_expert_cases)


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    for add in ADDERS:
        add()
    for add in contributed_cases.ADDERS:
        add(case)
    for add in contributed_cases.OPEN_ADDERS + attention_cases.ADDERS:
        add(case, open_case)
    passed = failed = 0
    runs = [(item, form) for item in CASES for form in FORMS[:2]]
    for item, form in runs + [(item, FORMS[2]) for item in OPEN_CASES]:
        with tempfile.TemporaryDirectory() as folder:
            problem = run(command, item, form, folder)
        passed, failed = passed + (problem is None), failed + (problem is not None)
        if problem:
            print(f"FAIL {item[0]} {item[5]}, {form}: {problem}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
