# SPDX-License-Identifier: Apache-2.0
"""Cases of variants_test.py: operators of com.microsoft and ai.onnx.ml that its file has no room
for. Each function gets `case` of that file, which adds one."""
import numpy as np

RANDOM = np.random.default_rng(16)
MICROSOFT, ML = "com.microsoft", "ai.onnx.ml"


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


# --- what has the standard's operator under another name

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


# --- what was learned, and unpooling

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


ADDERS = (early_cases, unpooling_cases)
