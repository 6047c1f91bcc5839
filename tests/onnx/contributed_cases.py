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


ADDERS = (early_cases,)
