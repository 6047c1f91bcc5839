# SPDX-License-Identifier: Apache-2.0
"""Cases of variants_test.py: operators of com.microsoft and ai.onnx.ml that its file has no room
for. Each function gets `case` of that file, which adds one, those of OPEN_ADDERS also
`open_case`."""
import math

import numpy as np

RANDOM = np.random.default_rng(16)
MICROSOFT, ML = "com.microsoft", "ai.onnx.ml"


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def bytes_of(*shape):
    return RANDOM.integers(0, 256, shape).astype(np.uint8)


def scalar(value, dtype=np.float32):
    return np.array(value, dtype)


def quantized(y, scale, zero):
    return np.clip(np.rint(y / scale) + zero, 0, 255).astype(np.uint8)


def real(x, scale, zero):
    return ((x.astype(np.float32) - zero) * scale).astype(np.float32)


# --- weights of 2, 4 and 8 bits

def packed(numbers, bits):
    """Along the last axis, the first number in the lowest bits; what a byte lacks is 0."""
    each = 8 // bits
    missing = -numbers.shape[-1] % each
    wide = np.pad(numbers, [(0, 0)] * (numbers.ndim - 1) + [(0, missing)])
    parts = wide.reshape(*numbers.shape[:-1], -1, each) << (np.arange(each) * bits)
    return parts.sum(-1).astype(np.uint8)


def bits_case(case, bits, depth, columns, zeros, has_order, has_bias):
    block = 16
    blocks = -(-depth // block)
    numbers = RANDOM.integers(0, 1 << bits, (columns, blocks * block))
    scales = np.abs(floats(columns, blocks)) + np.float32(0.1)
    middle = np.full((columns, blocks), 1 << (bits - 1))
    points = {None: middle, "packed": RANDOM.integers(0, 1 << bits, middle.shape),
              "floats": floats(columns, blocks)}[zeros]
    given = {None: None, "packed": packed(points, bits) if zeros == "packed" else None,
             "floats": points}[zeros]
    order = np.arange(depth) // block
    if has_order:
        order = RANDOM.permutation(order)
    x, bias = floats(3, depth), floats(columns)
    weights = (numbers[:, :depth] - points[:, order]) * scales[:, order]
    want = x @ weights.T.astype(np.float32) + (bias if has_bias else 0)
    inputs = [x, packed(numbers, bits).reshape(columns, blocks, -1), scales, given,
              order.astype(np.int32) if has_order else None, bias if has_bias else None]
    while inputs[-1] is None:
        inputs.pop()
    case("MatMulNBits", 17, inputs, want.astype(np.float32), MICROSOFT, K=depth, N=columns,
         block_size=block, bits=bits)


def bits_cases(case):
    for bits in (2, 4, 8):
        for zeros in (None, "packed", "floats"):
            for depth in (32, 40):
                bits_case(case, bits, depth, 6, zeros, depth == 40, depth == 32)
    bits_case(case, 8, 40, 5, "packed", False, True)
    x, b, scales = floats(1, 32), bytes_of(2, 2, 16), floats(2, 2)
    for attributes, said in (({"bits": 3, "block_size": 16}, "weights of 3 bits"),
                             ({"bits": 8, "block_size": 24}, "a power of two"),
                             ({"bits": 8, "block_size": 8}, "a power of two"),
                             ({"bits": 8, "block_size": 16, "K": 0}, "'K' is 0")):
        case("MatMulNBits", 17, [x, b, scales], said, MICROSOFT,
             **{"K": 32, "N": 2, **attributes})


# --- quantized operators

def quantized_cases(case):
    a, b = bytes_of(3, 4), RANDOM.integers(-128, 128, (4, 5)).astype(np.int8)
    a_scale, y_scale = scalar(0.02), scalar(0.7)
    b_scale = np.array([0.03, 0.02, 0.01, 0.04, 0.05], np.float32)
    bias = RANDOM.integers(-999, 999, 5).astype(np.int32)
    zeros = [scalar(120, np.uint8), np.zeros(5, np.int8), scalar(90, np.uint8)]
    product = (a.astype(np.int64) - 120) @ b
    for alpha in (1.0, 0.5):
        y = (product + bias) * (a_scale * b_scale * np.float32(alpha))
        inputs = [a, a_scale, zeros[0], b, b_scale, zeros[1], bias]
        case("QGemm", 17, inputs, y.astype(np.float32), MICROSOFT, alpha=alpha)
        case("QGemm", 17, inputs + [y_scale, zeros[2]], quantized(y, y_scale, 90), MICROSOFT,
             alpha=alpha)
    turned = [np.ascontiguousarray(a.T), a_scale, zeros[0], np.ascontiguousarray(b.T), b_scale,
              zeros[1], None, y_scale, zeros[2]]
    case("QGemm", 17, turned, quantized(product * (a_scale * b_scale), y_scale, 90), MICROSOFT,
         transA=1, transB=1)
    case("QGemm", 17, [a[0]] + turned[1:], "expected 2", MICROSOFT)
    x, other, chosen = bytes_of(3, 4), bytes_of(4), RANDOM.random((3, 4)) > 0.5
    z = np.where(chosen, real(x, 0.02, 3), real(other, 0.05, 7))
    case("QLinearWhere", 17, [chosen, x, scalar(0.02), scalar(3, np.uint8), other, scalar(0.05),
                              scalar(7, np.uint8), scalar(0.04), scalar(9, np.uint8)],
         quantized(z, 0.04, 9), MICROSOFT)
    case("QLinearWhere", 17, [chosen, x, scalar(0.02)], "9", MICROSOFT)


def averages(x, size):
    """Of squares of pixels of [batch, height, width, channels]."""
    n, h, w, c = x.shape
    return x.reshape(n, h // size, size, w // size, size, c).mean((2, 4))


def channels_last_cases(case):
    x, scale, zero = bytes_of(2, 4, 6, 3), scalar(0.02), scalar(3, np.uint8)
    case("NhwcMaxPool", 17, [x], x.reshape(2, 2, 2, 3, 2, 3).max((2, 4)), MICROSOFT,
         kernel_shape=[2, 2], strides=[2, 2])
    case("NhwcMaxPool", 17, [x[0, 0]], "rank 2", MICROSOFT, kernel_shape=[2, 2])
    step = scalar(0.03)
    want = quantized(averages(real(x, scale, 3), 2), step, 9)
    case("QLinearAveragePool", 17, [x, scale, zero, step, scalar(9, np.uint8)], want, MICROSOFT,
         kernel_shape=[2, 2], strides=[2, 2], channels_last=1)
    weights = RANDOM.integers(-9, 9, (4, 3, 1, 1)).astype(np.int8)
    sums = (x.astype(np.int64) - 3) @ weights[:, :, 0, 0].T
    for is_last in (0, 1):
        image = x if is_last else np.ascontiguousarray(x.transpose(0, 3, 1, 2))
        y = quantized(sums * (scale * np.float32(0.04)), scalar(0.9), 100)
        case("QLinearConv", 17, [image, scale, zero, weights, scalar(0.04), scalar(0, np.int8),
                                 scalar(0.9), scalar(100, np.uint8)],
             y if is_last else y.transpose(0, 3, 1, 2), MICROSOFT, channels_last=is_last)
    line, kernel = floats(1, 5, 2), floats(3, 2, 1)
    case("NhwcConv", 17, [line, kernel], line @ kernel[:, :, 0].T, MICROSOFT)


# --- attention

def heads_of(x, count):
    return x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)


def attended(q, k, v, bias, sink):
    """[batch, heads, sequence, size]; sink: one more score of each head, for nothing."""
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(np.float32(q.shape[-1])) + bias
    shares = np.exp(scores)
    total = shares.sum(-1, keepdims=True)
    if sink is not None:
        total = total + np.exp(sink)[:, None, None]
    y = (shares / total @ v).transpose(0, 2, 1, 3)
    return y.reshape(*y.shape[:2], -1).astype(np.float32)


def attention_cases(case):
    heads, keys, size = 4, 2, 8
    for count, past in ((1, 3), (3, 2)):
        q, k, v = floats(2, count, heads * size), *floats(2, 2, count, keys * size)
        old_k, old_v = floats(2, 2, keys, past, size)
        total = past + count
        ahead = np.arange(total) > past + np.arange(count)[:, None]
        both = [np.concatenate([old, heads_of(new, keys)], 2)
                for old, new in ((old_k, k), (old_v, v))]
        inputs = [q, k, v, old_k, old_v, np.full(2, total - 1, np.int32), scalar(total, np.int32)]
        for sink, attributes in ((np.zeros(heads, np.float32), {"smooth_softmax": 1}),
                                 (floats(heads), {})):
            want = attended(heads_of(q, heads), *both, np.where(ahead, -np.inf, 0), sink)
            given = [] if attributes else [None, None, None, None, sink]
            case("GroupQueryAttention", 17, inputs + given, [want, *both], MICROSOFT,
                 num_heads=heads, kv_num_heads=keys, **attributes)
    q, k, v, bias = floats(2, 3, 32), floats(2, 4, 5, 8), floats(2, 4, 5, 8), floats(96)
    want = attended(heads_of(q + bias[:32], 4), k, v, 0, None)
    case("MultiHeadAttention", 17, [q, k, v, bias], want, MICROSOFT, num_heads=4)


def product_cases(case):
    a, b = floats(3, 2, 4), floats(2, 4, 5)
    want = np.float32(0.5) * (a.transpose(1, 0, 2) @ b)
    case("FusedMatMul", 17, [a, b], want, MICROSOFT, transBatchA=1, alpha=0.5)
    case("FusedMatMul", 17, [a, np.ascontiguousarray(b.transpose(2, 0, 1))], want, MICROSOFT,
         transBatchA=1, transBatchB=1, transB=1, alpha=0.5)
    case("TransposeMatMul", 17, [b[:, :2], a[:2]], b[:, :2].transpose(0, 2, 1) @ a[:2], MICROSOFT,
         transA=1)
    x, y = floats(3, 4), floats(5, 4)
    square = ((x[:, None] - y) ** 2).sum(-1)
    case("CDist", 17, [x, y], square, MICROSOFT)
    case("CDist", 17, [x, y], np.sqrt(square), MICROSOFT, metric="euclidean")
    case("CDist", 17, [x, y], "known are", MICROSOFT, metric="cosine")


# --- what has the standard's operator under another name

def renamed_cases(case):
    x = floats(3, 4)
    case("Trilu", 17, [x], np.tril(x), MICROSOFT, upper=0)
    case("Pad", 17, [x, np.array([1, 0, 0, 2])], np.pad(x, [(1, 0), (0, 2)]), MICROSOFT)
    case("Range", 17, [scalar(1), scalar(4), scalar(0.5)], np.arange(1, 4, 0.5, np.float32),
         MICROSOFT)
    case("GatherND", 17, [x, np.array([[1, 2], [0, 0]])], x[[1, 0], [2, 0]], MICROSOFT)
    case("ExpandDims", 17, [x, scalar(-1, np.int32)], x[..., None], MICROSOFT)
    case("BiasAdd", 17, [x[None], x[0], x[None]], (x + x[0] + x)[None], MICROSOFT)
    image = floats(1, 1, 3, 3)
    corners = np.array([[[[-1, -1], [1, 0]]]], np.float32)
    case("GridSample", 17, [image, corners], image[:, :, [0, 1], [0, 2]][:, :, None], MICROSOFT,
         mode="bilinear", align_corners=1)


def early_cases(case):
    """What the standard took in later than others wrote it."""
    x, scale, bias = floats(2, 3, 4), floats(4), floats(4)
    middle, spread = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    root = np.sqrt(spread + np.float32(1e-5))
    want = (x - middle) / root * scale + bias
    for opset in (7, 11, 16, 17):
        case("LayerNormalization", opset, [x, scale, bias], [want, middle, 1 / root], epsilon=1e-5)
    case("LayerNormalization", 11, [x], "2")
    case("ThresholdedRelu", 9, [x], np.where(x > 0.5, x, 0), alpha=0.5)


# --- layers of language models and of speech with weights of bytes

def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, w, r, bias, h, c):
    """One direction: w [4 hidden, inputs], bias of both products added; gates i, o, f, c."""
    steps = []
    for row in x:
        i, o, f, g = np.split(row @ w.T + h @ r.T + bias, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        steps.append(h)
    return np.array(steps), h, c


def recurrent_cases(case):
    hidden, size = 3, 4
    x, bias = floats(5, 2, size), floats(2, 8 * hidden)
    start = floats(2, 2, hidden), floats(2, 2, hidden)
    for shape in ((2,), (2, 4 * hidden)):
        weights, given, parts = [], [], []
        for columns in (size, hidden):
            numbers = RANDOM.integers(-128, 128, (2, columns, 4 * hidden)).astype(np.int8)
            scale = (RANDOM.random(shape) * 0.01 + 0.001).astype(np.float32)
            zero = RANDOM.integers(-9, 9, shape).astype(np.int8)
            steps = numbers - zero.reshape(2, 1, -1).astype(np.float32)
            weights.append((steps * scale.reshape(2, 1, -1)).transpose(0, 2, 1))
            given.append(numbers)
            parts += [scale, zero]
        for d in (0, 1):
            both = bias[d, :4 * hidden] + bias[d, 4 * hidden:]
            parts_of = lstm(x[::-1] if d else x, weights[0][d], weights[1][d], both,
                            start[0][d], start[1][d])
            weights.append([parts_of[0][::-1] if d else parts_of[0], *parts_of[1:]])
        first, second = weights[2:]
        want = [np.stack([a, b], axis).astype(np.float32)
                for a, b, axis in zip(first, second, (1, 0, 0))]
        case("DynamicQuantizeLSTM", 17, [x, *given, bias, None, *start, None, *parts], want,
             MICROSOFT, hidden_size=hidden, direction="bidirectional")
    case("DynamicQuantizeLSTM", 17, [x, *given], "input 8, a scale", MICROSOFT, hidden_size=hidden)


def embedding_cases(case):
    words, kinds = RANDOM.integers(0, 5, (2, 3)), RANDOM.integers(0, 2, (2, 3))
    words, kinds = words.astype(np.int32), kinds.astype(np.int32)
    tables = [bytes_of(*shape) for shape in ((5, 8), (4, 8), (2, 8), (8,), (8,))]
    scales = [scalar(0.01 * (i + 1)) for i in range(5)]
    zeros = [scalar(100 + i, np.uint8) for i in range(5)]
    word, place, kind, gamma, beta = (real(*item) for item in zip(tables, scales, zeros))
    total = word[words] + place[:3] + kind[kinds]
    middle, spread = total.mean(-1, keepdims=True), total.var(-1, keepdims=True)
    want = (total - middle) / np.sqrt(spread + np.float32(1e-5)) * gamma + beta
    mask = np.array([[1, 1, 0], [1, 1, 1]], np.int32)
    case("QEmbedLayerNormalization", 17, [words, kinds, *tables, mask, *scales, *zeros],
         [want, np.array([2, 3], np.int32)], MICROSOFT, epsilon=1e-5)
    case("QEmbedLayerNormalization", 17, [words, None, *tables, mask, *scales, *zeros],
         "come together", MICROSOFT)
    case("QEmbedLayerNormalization", 17, [words, kinds, *tables, mask, *scales[:4]],
         "input 12, a scale", MICROSOFT)


# --- texts

def text_cases(case):
    def texts(*values):
        return np.array(values, object)
    x = texts("Hello World_1", "a b-cc!", "")
    case("Tokenizer", 17, [x], texts(["Hello", "World_1", "#"], ["a", "b", "cc"], ["#"] * 3),
         MICROSOFT, tokenexp="[a-zA-Z0-9_]+", pad_value="#", mincharnum=1)
    case("Tokenizer", 17, [x[None]], texts(["Hello", "World_1"], ["cc", ""], ["", ""])[None],
         MICROSOFT, tokenexp="[a-zA-Z0-9_]+", pad_value="", mincharnum=2)
    case("Tokenizer", 17, [texts("Hello  World", "a b,cc!")],
         texts(["Hello", "World", "#"], ["a", "b", "cc!"]), MICROSOFT, separators=[" ", ","],
         pad_value="#", mincharnum=1)
    case("Tokenizer", 17, [texts("aé b")], texts(["a", "é", " ", "b"]), MICROSOFT,
         separators=[""], pad_value="#", mincharnum=1)
    case("Tokenizer", 17, [texts("!!", "?")], np.zeros((2, 0), object), MICROSOFT,
         tokenexp="[a-z]+", pad_value="#", mincharnum=1)
    case("Tokenizer", 17, [x], "either 'tokenexp' or", MICROSOFT, pad_value="#", mincharnum=1)
    first, last = "\x02", "\x03"
    marked = {"mark": 1, "pad_value": "#", "mincharnum": 1}
    for item in ({"tokenexp": "[a-z]+"}, {"separators": [" "]}):
        case("Tokenizer", 17, [texts("ab c", "d", "")],
             texts([first, "ab", "c", last], [first, "d", last, "#"], [first, last, "#", "#"]),
             MICROSOFT, **item, **marked)
        case("Tokenizer", 17, [texts("", "")], np.zeros((2, 0), object), MICROSOFT, **item,
             **marked)
    case("Tokenizer", 17, [texts("ab")[None]], texts([[first, "a", "b", last]]), MICROSOFT,
         separators=[""], **marked)
    case("Tokenizer", 17, [x], "'mark'", MICROSOFT, tokenexp="a", mark=1.5, pad_value="#")
    case("Tokenizer", 17, [x], "'(' without its ')'", MICROSOFT, tokenexp="(", pad_value="#")


# --- what was learned, and unpooling

def learned_cases(case):
    x = np.array([[1, 3], [2, 1]])
    rows = (x[..., None] == np.arange(1, 4)).astype(np.float32)
    texts = np.array(["b", "a"], object)
    for zeros in (0, 1):
        case("OneHotEncoder", 17, [x], rows, ML, cats_int64s=[1, 2, 3], zeros=zeros)
        case("OneHotEncoder", 17, [texts], np.eye(2, dtype=np.float32)[::-1], ML,
             cats_strings=["a", "b"], zeros=zeros)
    case("OneHotEncoder", 17, [x], "none of the categories", ML, cats_int64s=[1, 2], zeros=0)
    case("OneHotEncoder", 17, [texts], "none of the categories", ML, cats_strings=["a"], zeros=0)
    tree = {"nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0, 0, 0],
            "nodes_values": [0.5, 0.0, 0.0], "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
            "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0],
            "class_treeids": [0, 0], "class_nodeids": [1, 2], "class_ids": [0, 0],
            "classlabels_int64s": [7, 8]}
    rows = np.array([[0.0], [1.0]], np.float32)
    # Scores of both signs: what boosting gives without a function behind it.
    for weights, labels, scores in (
            ([-0.4, 0.3], [7, 8], [[0.4, -0.4], [-0.3, 0.3]]),
            ([0.4, 0.8], [7, 8], [[0.6, 0.4], [0.2, 0.8]])):
        case("TreeEnsembleClassifier", 17, [rows], [np.array(labels),
                                                    np.array(scores, np.float32)], ML,
             class_weights=weights, **tree)


def unpooling_cases(case):
    line, at = floats(1, 2, 3), np.array([[[0, 3, 5], [7, 8, 11]]])
    flat = np.zeros(12, np.float32)
    flat[at.reshape(-1)] = line.reshape(-1)
    want = flat.reshape(1, 2, 6)
    shape = {"kernel_shape": [2], "strides": [2]}
    case("MaxUnpool", 11, [line, at], want, **shape)
    longer = np.pad(want, [(0, 0), (0, 0), (0, 1)])
    case("MaxUnpool", 11, [line, at, np.array([1, 2, 7])], longer, **shape)
    block, places = floats(1, 1, 1, 1, 2), np.array([[[[[5, 14]]]]])
    cube = np.zeros(16, np.float32)
    cube[places.reshape(-1)] = block.reshape(-1)
    case("MaxUnpool", 11, [block, places], cube.reshape(1, 1, 2, 2, 4), kernel_shape=[2, 2, 2],
         strides=[2, 2, 2])
    case("MaxUnpool", 11, [line, at + 4], "outside of an image", **shape)


# --- norms, and what stable diffusion's optimizer writes

def normalized(x, epsilon=1e-5, rms=False):
    """Rows, means and inverse deviations."""
    wide = x.astype(np.float64)
    mean = wide.mean(-1, keepdims=True) * (not rms)
    inverse = 1 / np.sqrt(((wide - mean) ** 2).mean(-1, keepdims=True) + epsilon)
    return (wide - mean) * inverse, mean.astype(np.float32), inverse.astype(np.float32)


def norm_cases(case):
    x, skip, bias, gamma, beta = floats(2, 3, 8), floats(2, 3, 8), *floats(3, 8)
    for inputs, total in (([x, skip, gamma, beta], x + skip),
                          ([x, skip, gamma, beta, bias], x + skip + bias)):
        y, mean, inverse = normalized(total)
        want = (y * gamma + beta).astype(np.float32)
        for outputs in ([want, mean, inverse, total], [want, None, inverse], [want, mean]):
            case("SkipLayerNormalization", 17, inputs, outputs, MICROSOFT, epsilon=1e-5)
    y, _, inverse = normalized(x + skip, 1e-6, True)
    want = (y * gamma).astype(np.float32)
    case("SkipSimplifiedLayerNormalization", 17, [x, skip, gamma], [want, None, inverse, x + skip],
         MICROSOFT)
    case("SkipSimplifiedLayerNormalization", 17, [x, skip, gamma], ("a mean", 2), MICROSOFT)
    y, _, inverse = normalized(x, 1e-5, True)
    case("SimplifiedLayerNormalization", 17, [x, gamma], [(y * gamma).astype(np.float32), inverse])


def grouped(x, gamma, beta, groups):
    """x has its channels last."""
    parts = x.reshape(x.shape[0], -1, groups, x.shape[-1] // groups).astype(np.float64)
    mean = parts.mean((1, 3), keepdims=True)
    y = (parts - mean) / np.sqrt(parts.var((1, 3), keepdims=True) + 1e-5)
    return y.reshape(x.shape) * gamma + beta


def image_norm_cases(case):
    x, gamma, beta, bias = floats(2, 3, 5, 8), *floats(3, 8)
    for groups, activation in ((1, 0), (2, 1), (8, 1)):
        shape = {"groups": groups, "activation": activation}

        def result(image, activation=activation, groups=groups):
            y = grouped(image, gamma, beta, groups)
            return (y * sigmoid(y) if activation else y).astype(np.float32)
        case("GroupNorm", 17, [x, gamma, beta], result(x), MICROSOFT, **shape)
        first = np.ascontiguousarray(result(x).transpose(0, 3, 1, 2))
        case("GroupNorm", 17, [np.ascontiguousarray(x.transpose(0, 3, 1, 2)), gamma, beta], first,
             MICROSOFT, channels_last=0, **shape)
        for skip in (floats(2, 3, 5, 8), floats(2, 1, 1, 8), floats(2, 8)):
            wide = skip if skip.ndim == 4 else skip[:, None, None]
            case("SkipGroupNorm", 17, [x, gamma, beta, skip, bias],
                 [result(x + wide + bias), x + wide + bias], MICROSOFT, **shape)
            case("SkipGroupNorm", 17, [x, gamma, beta, skip], result(x + wide), MICROSOFT, **shape)
    case("GroupNorm", 17, [x, gamma, beta], "'activation' is 2", MICROSOFT, groups=2, activation=2)
    case("GroupNorm", 17, [x, gamma, beta], "'groups'", MICROSOFT, activation=0)
    case("GroupNorm", 17, [x[0], gamma, beta], "rank 3", MICROSOFT, groups=2, activation=0)
    case("GroupNorm", 17, [x, gamma, beta], "3", MICROSOFT, groups=3, activation=0)
    rows, shift = floats(2, 3, 8), floats(8)
    left, right = np.split(rows + shift, 2, 2)
    gate = np.array([0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in right.ravel()])
    want = (left * gate.reshape(right.shape)).astype(np.float32)
    case("BiasSplitGelu", 17, [rows, shift], want, MICROSOFT)
    case("BiasSplitGelu", 17, [rows[..., :7], shift[:7]], "no halves", MICROSOFT)


# --- matrices and sets

def matrix_cases(case):
    for n in (1, 2, 3, 5):
        x = floats(2, n, n) + 3 * np.eye(n, dtype=np.float32)
        case("Inverse", 17, [x], np.linalg.inv(x), MICROSOFT)
        case("Inverse", 17, [x[0].astype(np.float64)], np.linalg.inv(x[0].astype(np.float64)),
             MICROSOFT)
    case("Inverse", 17, [floats(2, 3)], "2 rows and 3 columns", MICROSOFT)
    case("Inverse", 17, [floats(3)], "rank 1", MICROSOFT)
    case("Inverse", 17, [floats(17, 17)], "1 to 16", MICROSOFT)
    x = np.array([2, 1, 1, 3, 4, 3], np.float32)
    case("Unique", 17, [x], [x[[0, 1, 3, 4]], np.array([0, 1, 1, 2, 3, 2]),
                             np.array([1, 2, 2, 1])], MICROSOFT)
    case("Unique", 17, [x], [x[[0, 1, 3, 4]], None, np.array([1, 2, 2, 1])], MICROSOFT)


# --- masks of ends and begins, and heads in one tensor

def seen_only(q, k, v, seen=True):
    """All are [batch, heads, sequence, size]."""
    scores = np.where(seen, q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[3]), -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    y = weights / weights.sum(-1, keepdims=True) @ v
    return y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1).astype(np.float32)


def packed_cases(case):
    x, weights, bias = floats(2, 5, 12), floats(12, 36), floats(36)
    q, k, v = np.split((x @ weights + bias).reshape(2, 5, 9, 4).transpose(0, 2, 1, 3), 3, 1)
    ends, begins, places = np.array([5, 3]), np.array([1, 0]), np.arange(5)
    seen = (places < ends[:, None]) & (places >= begins[:, None])
    mask = np.concatenate([ends, begins]).astype(np.int32)
    case("Attention", 17, [x, weights, bias, mask], seen_only(q, k, v, seen[:, None, None]),
         MICROSOFT, num_heads=3)
    case("Attention", 17, [x, weights, bias, mask[:3]], "3 numbers for a batch of 2", MICROSOFT,
         num_heads=3)
    flat = [np.ascontiguousarray(a.transpose(0, 2, 1, 3)).reshape(2, 5, 12) for a in (q, k, v)]
    counts = [None, None, np.array([4, 2], np.int32), np.array(5, np.int32)]
    case("GroupQueryAttention", 17, flat + counts,
         seen_only(q, k, v, (places <= counts[2][:, None])[:, None, None]), MICROSOFT, num_heads=3,
         kv_num_heads=3, causal=0)
    for attribute, message in (("local_window_size", "without 'causal'"),
                               ("sliding_window_cache", "as wide as the window")):
        case("GroupQueryAttention", 17, flat + counts, message, MICROSOFT, num_heads=3,
             kv_num_heads=3, causal=0, **{attribute: 2})
    whole, half = floats(2, 5, 3, 3, 4), floats(2, 6, 3, 2, 4)
    q, k, v = (whole[:, :, :, i].transpose(0, 2, 1, 3) for i in range(3))
    case("MultiHeadAttention", 17, [whole], seen_only(q, k, v), MICROSOFT, num_heads=3)
    k, v = (half[:, :, :, i].transpose(0, 2, 1, 3) for i in range(2))
    flat = np.ascontiguousarray(q.transpose(0, 2, 1, 3)).reshape(2, 5, 12)
    case("MultiHeadAttention", 17, [flat, half], seen_only(q, k, v), MICROSOFT, num_heads=3)
    case("MultiHeadAttention", 17, [flat], "nor packed", MICROSOFT, num_heads=3)
    case("MultiHeadAttention", 17, [flat, whole], "expected 2", MICROSOFT, num_heads=3)
    case("MultiHeadAttention", 17, [flat, flat], "value (input 2)", MICROSOFT, num_heads=3)
    case("MultiHeadAttention", 17, [whole, None, None, floats(36)], "a bias for packed", MICROSOFT,
         num_heads=3)


# --- experimental operators of the standard's first years

def experimental_cases(case):
    x = floats(2, 3, 4, 5)
    case("Affine", 1, [x], x * np.float32(2.5) + np.float32(0.5), alpha=2.5, beta=0.5)
    case("Affine", 9, [x], x)
    case("Scale", 1, [x], x * np.float32(3), scale=3.0)
    case("ParametricSoftplus", 1, [x], (2 * np.log1p(np.exp(x / 2))).astype(np.float32), alpha=2.0,
         beta=0.5)
    case("ScaledTanh", 1, [x], (2 * np.tanh(x / 2)).astype(np.float32), alpha=2.0, beta=0.5)
    bias = np.array([0.1, 0.2, 0.3], np.float32)
    case("ImageScaler", 1, [x], x * np.float32(2) + bias[:, None, None], scale=2.0,
         bias=[0.1, 0.2, 0.3])
    case("ImageScaler", 1, [x], x * np.float32(2), scale=2.0)
    case("Crop", 1, [x], x[:, :, 1:, 1:3], border=[1, 1, 2, 0])
    case("Crop", 1, [x], x[:, :, 2:3, 1:4], border=[1, 2, 0, 0], scale=[1, 3])
    case("Crop", 1, [x], "'border' has 3 values", border=[1, 2, 3])
    case("Crop", 1, [x], "negative", border=[-1, 0, 0, 0])
    case("Crop", 1, [x], "'scale' 1", border=[0, 0, 0, 0], scale=[1])
    case("ImageScaler", 1, [x], "add", bias=[0.1, 0.2])


# --- regions of images, and convolutions whose pads are an input

def places_of(begin, end, extent, count):
    """In floats of 32 bits, which decide what is nearest."""
    last = np.float32(extent - 1)
    if count == 1:
        return (begin + end) * np.float32(0.5) * last[None]
    step = (end - begin) * last / np.float32(count - 1)
    at = begin * last + np.arange(count, dtype=np.float32) * step
    at[-1] = end * last
    return at


def cropped(x, rois, which, size, mode):
    """What lies outside of the image is 0."""
    out = np.zeros((len(rois), x.shape[1], *size), np.float32)
    for r, (roi, image) in enumerate(zip(rois, which)):
        lines = [places_of(roi[i], roi[i + 2], x.shape[2 + i], size[i]) for i in (0, 1)]
        for i, j in np.ndindex(*size):
            y, z = lines[0][i], lines[1][j]
            if not (0 <= y <= x.shape[2] - 1 and 0 <= z <= x.shape[3] - 1):
                continue
            if mode == "nearest":
                out[r, :, i, j] = x[image, :, math.floor(y + 0.5), math.floor(z + 0.5)]
                continue
            for row, share in ((math.floor(y), 1 - y % 1), (math.ceil(y), y % 1)):
                for column, part in ((math.floor(z), 1 - z % 1), (math.ceil(z), z % 1)):
                    out[r, :, i, j] += x[image, :, row, column] * (share * part)
    return out


def region_cases(case, open_case):
    x, which = floats(2, 3, 5, 7), np.array([1, 0, 1, 1], np.int32)
    rois = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.8, 0.7], [-0.2, 0.3, 0.6, 1.3],
                     [0.9, 0.8, 0.2, 0.1]], np.float32)
    for mode in ("bilinear", "nearest"):
        for size in ((3, 4), (1, 5), (6, 1), (5, 7)):
            shape = np.array(size, np.int32)
            open_case("CropAndResize", 17, [x, rois, which, shape],
                      cropped(x, rois, which, size, mode), MICROSOFT, mode=mode)
    inside = cropped(np.ones_like(x), rois, which, (3, 4), "bilinear") > 0.5
    want = np.where(inside, cropped(x, rois, which, (3, 4), "bilinear"), np.float32(0.25))
    shape = np.array([3, 4], np.int32)
    case("CropAndResize", 17, [x, rois, which, shape], want, MICROSOFT, extrapolation_value=0.25)
    case("CropAndResize", 17, [x, rois, np.array([0, 1, 2, 0], np.int32), shape], "2", MICROSOFT)
    case("CropAndResize", 17, [x, rois[:, :3], which, shape], "3 numbers each", MICROSOFT)
    case("CropAndResize", 17, [x[0], rois, which, shape], "rank 3, expected 4", MICROSOFT)
    case("CropAndResize", 17, [x, rois, which, shape], "known are", MICROSOFT, mode="cubic")
    case("CropAndResize", 17, [x, rois, which, shape[:1]], "1 numbers, expected 2", MICROSOFT)


def spread(x, w, stride):
    """A transposed convolution of [n, c, h, w] without pads."""
    n, _, height, width = x.shape
    _, out, rows, columns = w.shape
    y = np.zeros((n, out, (height - 1) * stride + rows, (width - 1) * stride + columns), np.float32)
    for i, j in np.ndindex(height, width):
        part = np.einsum("nc,corl->norl", x[:, :, i, j], w)
        y[:, :, i * stride:i * stride + rows, j * stride:j * stride + columns] += part
    return y


def padded_cases(case, open_case):
    x, w, bias = floats(1, 2, 3, 4), floats(2, 3, 3, 3), floats(3)
    whole = spread(x, w, 2)
    for pads in ([0, 0, 0, 0], [1, 0, 2, 1]):
        rows, columns = (slice(pads[i], whole.shape[2 + i] - pads[2 + i]) for i in (0, 1))
        want = whole[:, :, rows, columns]
        for inputs, added in (([], 0), ([bias], bias[:, None, None])):
            open_case("ConvTransposeWithDynamicPads", 17, [x, w, np.array(pads), *inputs],
                      want + np.float32(added), MICROSOFT, strides=[2, 2])
    case("ConvTransposeWithDynamicPads", 17, [x, w], whole, MICROSOFT, strides=[2, 2])
    case("ConvTransposeWithDynamicPads", 17, [x, w, np.array([1, 1])], "no list of 4", MICROSOFT)
    case("ConvTransposeWithDynamicPads", 17, [x, w, np.array([0, 0, 0, 0])], "auto_pad beside",
         MICROSOFT, auto_pad="SAME_UPPER")
    line, kernel = floats(1, 2, 5), floats(2, 1, 3)
    want = spread(line[:, :, None], kernel[:, :, None], 1)[:, :, 0, 1:-1]
    case("ConvTransposeWithDynamicPads", 17, [line, kernel, np.array([1, 1])], want, MICROSOFT)


# --- n-grams that must not come again

def gram_cases(case, open_case):
    tokens = np.array([[1, 2, 3, 1, 2], [4, 4, 4, 4, 4], [0, 1, 2, 3, 4]])
    scores = floats(3, 6)
    for size, banned in ((3, [(0, 3), (1, 4)]), (2, [(0, 3), (1, 4)]), (6, []), (9, []),
                         (1, [(r, t) for r, row in enumerate(tokens) for t in row])):
        want = scores.copy()
        for place in banned:
            want[place] = -np.inf
        open_case("NGramRepeatBlock", 17, [tokens, scores], want, MICROSOFT, ngram_size=size)
    case("NGramRepeatBlock", 17, [tokens, scores], "'ngram_size'", MICROSOFT, ngram_size=0)
    case("NGramRepeatBlock", 17, [tokens, scores], "32 tokens are possible", MICROSOFT,
         ngram_size=1 << 40)
    case("NGramRepeatBlock", 17, [tokens[0], scores], "rank 1, expected 2", MICROSOFT,
         ngram_size=2)
    case("NGramRepeatBlock", 17, [tokens, scores[:, :3]], "3", MICROSOFT, ngram_size=1)


# --- what attention adds for the distance of a key

def bucket_of(gap, buckets, largest, has_sides):
    first = 0
    if has_sides:
        buckets //= 2
        first = buckets if gap > 0 else 0
    gap, exact = abs(gap), buckets // 2
    if gap < exact:
        return first + gap
    part = np.log(np.float32(gap / exact)) / np.log(np.float32(largest / exact))
    return first + min(exact + int(part * np.float32(buckets - exact)), buckets - 1)


def distance_cases(case, open_case):
    for has_sides, buckets, largest, queries, keys in (
            (1, 32, 128, 3, 5), (0, 32, 128, 200, 150), (1, 8, 20, 30, 30), (0, 2, 9, 4, 4)):
        table = floats(buckets, 3)
        heads = table.reshape(3, buckets)
        want = np.array([[[row[bucket_of(k - q, buckets, largest, has_sides)] for k in range(keys)]
                          for q in range(queries)] for row in heads])[None]
        case("RelativePositionBias", 17, [table, np.array([queries]), np.array([keys])], want,
             MICROSOFT, max_distance=largest, is_bidirectional=has_sides)
    counts = [np.array([3]), np.array([3])]
    for table, largest, said in ((floats(32, 3), 16, "expected more than 16"),
                                 (floats(1, 3), 128, "has 1 buckets"),
                                 (floats(32), 128, "rank 1, expected 2"),
                                 (floats(32, 3), 1 << 40, "65536 is possible")):
        case("RelativePositionBias", 17, [table, *counts], said, MICROSOFT, max_distance=largest)
    case("RelativePositionBias", 17, [floats(32, 3), *counts], "'max_distance'", MICROSOFT)
    query, bias, places = floats(2, 5, 12), floats(12), floats(1, 3, 5, 5)
    weight, shift, factor = floats(4, 8), floats(8), floats(1, 3, 1, 1)
    sums = heads_of(query + bias, 3) @ weight + shift
    gates = sigmoid(sums.reshape(2, 3, 5, 2, 4).sum(-1))
    want = (gates[..., :1] * (gates[..., 1:] * factor - 1) + 2) * places
    inputs = [query, bias, places, weight, shift, factor]
    open_case("GatedRelativePositionBias", 17, inputs, want.astype(np.float32), MICROSOFT,
              num_heads=3)
    case("GatedRelativePositionBias", 17, inputs + [np.zeros((2, 5), np.int32)], "token_offset",
         MICROSOFT, num_heads=3)
    case("GatedRelativePositionBias", 17, inputs, "'num_heads'", MICROSOFT)
    case("GatedRelativePositionBias", 17, [query, bias, places, weight[:, :7], shift[:7], factor],
         "no two halves", MICROSOFT, num_heads=3)


# --- weights of bitsandbytes

FP4 = np.array([0, 0.0625, 8, 12, 4, 6, 2, 3], np.float32) / np.float32(12)
NF4 = np.array([-1, -0.6961928, -0.52507305, -0.3949175, -0.28444138, -0.18477343, -0.09105004, 0,
                0.0795803, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1],
               np.float32)


def codes_case(open_case, kind, depth, columns, block, is_turned):
    count = depth * columns
    codes, blocks = RANDOM.integers(0, 16, count), -(-count // block)
    largest = np.abs(floats(blocks)) + np.float32(0.1)
    table = NF4 if kind else np.concatenate([FP4, -FP4])
    weights = (table[codes] * largest[np.arange(count) // block]).reshape(columns, depth)
    pairs = np.pad(codes, (0, count % 2)).reshape(-1, 2)
    x = floats(2, 3, depth if is_turned else columns)
    open_case("MatMulBnb4", 17, [x, (pairs[:, 0] << 4 | pairs[:, 1]).astype(np.uint8), largest],
         x @ (weights.T if is_turned else weights), MICROSOFT, K=depth, N=columns,
         block_size=block, quant_type=kind, **({} if is_turned else {"transB": 0}))


def codes_cases(case, open_case):
    for kind in (0, 1):
        codes_case(open_case, kind, 32, 4, 16, True)
        codes_case(open_case, kind, 9, 5, 16, True)
        codes_case(open_case, kind, 16, 6, 32, False)
    x, b, largest = floats(2, 16), bytes_of(16), floats(2)
    shape = {"K": 16, "N": 2, "block_size": 16, "quant_type": 1}
    for attribute, value, said in (("quant_type", 2, "expected 0 or 1"),
                                   ("block_size", 24, "a power of two"), ("K", 0, "'K' is 0"),
                                   ("N", 3, "16 elements, expected 24"),
                                   ("N", 1 << 40, "'N' and 'K'")):
        case("MatMulBnb4", 17, [x, b, largest], said, MICROSOFT, **{**shape, attribute: value})
    case("MatMulBnb4", 17, [x, b, largest[:1]], "1 elements, expected 2", MICROSOFT, **shape)


def filled_cases(case):
    values = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    numbers = [float(v) for v in values.ravel()]
    case("GivenTensorFill", 1, [], values, values=numbers, shape=[2, 3])
    case("GivenTensorFill", 1, [floats(2)], values, values=numbers, extra_shape=[3])
    case("GivenTensorFill", 1, [np.array([2, 3])], values, values=numbers, input_as_shape=1)
    case("GivenTensorFill", 1, [np.array([2, 3], np.float16)], values.astype(np.float16),
         values=numbers, input_as_shape=1)
    case("GivenTensorFill", 1, [], "6 ", values=numbers, shape=[2, 2])
    case("GivenTensorFill", 1, [], "either its input or", values=numbers)
    case("GivenTensorFill", 1, [floats(2, 3)], "either its input or", values=numbers, shape=[6])
    case("GivenTensorFill", 1, [], "negative", values=numbers, shape=[-1, 2])
    case("ConstantFill", 1, [], np.full((2, 3), 1.5, np.float32), value=1.5, shape=[2],
         extra_shape=[3])
    case("ConstantFill", 1, [floats(2, 3)], np.zeros((2, 3), np.float32))
    case("ConstantFill", 1, [np.array([4])], np.full(4, 7), value=7.0, input_as_shape=1, dtype=7)
    case("ConstantFill", 1, [], "'dtype' is 8", shape=[2], dtype=8)
    x = floats(4, 5)
    case("DynamicSlice", 1, [x, np.array([1, 0]), np.array([3, 5])], x[1:3])
    case("DynamicSlice", 1, [x, np.array([1]), np.array([-1]), np.array([1])], x[:, 1:-1])
    case("DynamicSlice", 1, [x, np.array([1])], "3")
    image = floats(2, 3, 4, 5)
    for across, axes in ((0, (0, 2, 3)), (1, (0, 1, 2, 3))):
        middle = image - image.mean(axes, keepdims=True)
        for opset in (1, 8):
            case("MeanVarianceNormalization", opset, [image],
                 middle / np.sqrt((middle ** 2).mean(axes, keepdims=True)), across_channels=across,
                 normalize_variance=1)
        case("MeanVarianceNormalization", 1, [image], middle, across_channels=across,
             normalize_variance=0)
    case("MeanVarianceNormalization", 1, [image[0]], "rank 3, expected 4")


ADDERS = (bits_cases, quantized_cases, channels_last_cases, attention_cases, product_cases,
          renamed_cases, early_cases, recurrent_cases, embedding_cases, text_cases, learned_cases,
          unpooling_cases, norm_cases, image_norm_cases, matrix_cases, packed_cases,
          experimental_cases, filled_cases)
OPEN_ADDERS = (region_cases, padded_cases, gram_cases, distance_cases, codes_cases)
