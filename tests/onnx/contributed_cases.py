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


ADDERS = (early_cases, learned_cases, unpooling_cases)
