# SPDX-License-Identifier: Apache-2.0
"""Cases of variants_test.py: forms of com.microsoft's attention operators that graph optimizers
write for GPUs. Each function gets `case` and `open_case` of that file."""
import numpy as np

RANDOM = np.random.default_rng(23)
MICROSOFT = "com.microsoft"


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def counts(*values):
    return np.array(values, np.int32)


def heads_of(x, count):
    return np.ascontiguousarray(x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3))


def joined(x):
    x = x.transpose(0, 2, 1, 3)
    return x.reshape(*x.shape[:2], -1).astype(np.float32)


def shares_of(scores):
    parts = np.exp(scores - scores.max(-1, keepdims=True))
    return (parts / parts.sum(-1, keepdims=True)).astype(np.float32)


def scores_of(q, k, seen=True, bias=0):
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(np.float32(q.shape[-1])) + bias
    return np.where(seen, scores, -np.inf).astype(np.float32)


def attended(q, k, v, seen=True, bias=0):
    return joined(shares_of(scores_of(q, k, seen, bias)) @ v)


def turned(x, first, dim):
    """Pairs of columns that lie dim / 2 apart, by angles of the base 10000."""
    half = dim // 2
    places = (first + np.arange(x.shape[2]))[:, None]
    angles = (places * 10000.0 ** (-np.arange(0, dim, 2) / dim)).astype(np.float32)
    cos, sin = np.cos(angles), np.sin(angles)
    a, b, rest = x[..., :half], x[..., half:dim], x[..., dim:]
    return np.concatenate([a * cos - b * sin, a * sin + b * cos, rest], -1).astype(np.float32)


class Layer:
    """The first inputs of Attention, and query, key and value that they give."""

    def __init__(self, batch, length, heads, size):
        width = heads * size
        self.inputs = [floats(batch, length, 12), floats(12, 3 * width), floats(3 * width)]
        x, weights, bias = self.inputs
        self.heads = [heads_of(part, heads) for part in np.split(x @ weights + bias, 3, -1)]


def mask_cases(case, _):
    layer = Layer(2, 5, 3, 4)
    q, k, v = layer.heads
    places, lengths = np.arange(5), counts(4, 2)
    seen = (places < lengths[:, None])[:, None, None]
    # Lengths of keys, then where queries and keys of each row begin, and where the last ones end.
    derived = np.concatenate([lengths, counts(0, 5, 10), counts(0, 5, 10)]).astype(np.int32)
    want = attended(q, k, v, seen)
    case("Attention", 17, [*layer.inputs, derived], want, MICROSOFT, num_heads=3)
    case("Attention", 17, [*layer.inputs, derived[:7]], "7 numbers for a batch of 2", MICROSOFT,
         num_heads=3)
    flat = [joined(x) for x in layer.heads]
    case("MultiHeadAttention", 17, [*flat, None, derived], want, MICROSOFT, num_heads=3)
    # One mask for places up to the 8th.
    square = (RANDOM.random((2, 1, 8, 8)) > 0.3).astype(np.int32)
    square[..., 0] = 1
    case("Attention", 17, [*layer.inputs, square],
         attended(q, k, v, square[:, :, :5, :5] > 0), MICROSOFT, num_heads=3)
    past = floats(2, 2, 3, 2, 4)
    keys, values = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
    want = [attended(q, keys, values, square[:, :, 2:7, :7] > 0), np.stack([keys, values])]
    case("Attention", 17, [*layer.inputs, square, past], want, MICROSOFT, num_heads=3)
    case("Attention", 17, [*layer.inputs, square[None]], "rank 5", MICROSOFT, num_heads=3)
    for rows in (1, 2):
        case("Attention", 17, [*layer.inputs, np.zeros((rows, 1), np.int32)], attended(q, k, v),
             MICROSOFT, num_heads=3)


def rotary_cases(case, _):
    layer = Layer(2, 4, 2, 6)
    q, k, v = layer.heads
    ahead = np.arange(4) > np.arange(4)[:, None]
    for dim, attributes in ((6, {}), (4, {"rotary_embedding_dim": 4})):
        a, b = turned(q, 0, dim), turned(k, 0, dim)
        want = [attended(a, b, v, ~ahead), np.stack([b, v])]
        case("Attention", 17, layer.inputs, want, MICROSOFT, num_heads=2, unidirectional=1,
             do_rotary=1, **attributes)
    next_one = Layer(2, 1, 2, 6)
    q, k, v = next_one.heads
    past = floats(2, 2, 2, 3, 6)
    keys = np.concatenate([past[0], turned(k, 3, 6)], 2)
    values = np.concatenate([past[1], v], 2)
    want = [attended(turned(q, 3, 6), keys, values), np.stack([keys, values])]
    case("Attention", 17, [*next_one.inputs, None, past], want, MICROSOFT, num_heads=2,
         unidirectional=1, do_rotary=1)
    for dim in (3, 8):
        case("Attention", 17, layer.inputs, "cannot be turned in pairs", MICROSOFT, num_heads=2,
             do_rotary=1, rotary_embedding_dim=dim)
    # Past and present in one buffer, of which the first places are the past.
    buffer = np.concatenate([past, floats(2, 2, 2, 5, 6)], 3)
    present = buffer.copy()
    keys = np.concatenate([past[0], k], 2)
    present[:, :, :, :4] = np.stack([keys, values])
    inputs = [*next_one.inputs, None, buffer, None, counts(3)]
    shared = {"num_heads": 2, "unidirectional": 1, "past_present_share_buffer": 1}
    case("Attention", 17, inputs, [attended(q, keys, values), present], MICROSOFT, **shared)
    case("Attention", 17, inputs[:5], "past_sequence_length (input 6)", MICROSOFT, **shared)
    numbers = RANDOM.integers(-9, 9, (12, 36)).astype(np.int8)
    scale = np.array(0.1, np.float32)
    case("QAttention", 17, [inputs[0].astype(np.int8), numbers, floats(36), scale, scale, None,
                            None, None, buffer], "past and present in one", MICROSOFT, **shared)
    shared = {"num_heads": 2, "past_present_share_buffer": 1}
    case("DecoderMaskedSelfAttention", 17, inputs, [attended(q, keys, values), present], MICROSOFT,
         **shared)
    case("DecoderMaskedSelfAttention", 17, [*inputs, None, np.zeros((1, 2, 9), np.int32)],
         "cache_indirection", MICROSOFT, **shared)


def decoder_cases(case, open_case):
    name, heads, size = "DecoderMaskedMultiHeadAttention", 3, 4
    flat, bias = [floats(2, 1, heads * size) for _ in range(3)], floats(3 * heads * size)
    past = floats(2, 2, heads, 5, size)
    mask, added = counts([1, 0, 1, 1, 1, 1], [1, 1, 1, 1, 0, 1]), floats(1, heads, 1, 6)
    parts = np.split(bias, 3)
    for has_bias in (False, True):
        q, k, v = (heads_of(x + part * has_bias, heads) for x, part in zip(flat, parts))
        keys, values = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
        want = [attended(q, keys, values, mask[:, None, None] > 0, added), keys, values]
        rest = [mask, added, *past] + ([None] * 3 + [bias] if has_bias else [])
        # A bias is cut at widths that must be known.
        add = case if has_bias else open_case
        add(name, 17, [*flat, *rest], want, MICROSOFT, num_heads=heads)
        packed = np.concatenate(flat, -1)
        case(name, 17, [packed, None, None, *rest], want, MICROSOFT, num_heads=heads)
    keys, values = floats(2, heads, 7, size), floats(2, heads, 7, size)
    seen = counts([1] * 7, [1, 1, 0, 1, 1, 0, 1])
    q = heads_of(flat[0] + parts[0], heads)
    inputs = [flat[0], keys, values, seen, *[None] * 6, bias]
    open_case(name, 17, inputs,
              attended(q, keys, values, seen[:, None, None] > 0), MICROSOFT, num_heads=heads)
    want = [attended(q, keys, values), None, None, scores_of(q, keys)]
    case(name, 17, [flat[0], keys, values, *[None] * 7, bias], want,
         MICROSOFT, num_heads=heads, output_qk=1)
    # A buffer that holds the past in its first places, and the present afterwards.
    q, k, v = (heads_of(x, heads) for x in flat)
    buffer = np.concatenate([past, floats(2, 2, heads, 4, size)], 3)
    present = buffer.copy()
    present[:, :, :, 5] = np.stack([k[:, :, 0], v[:, :, 0]])
    want = [attended(q, present[0, :, :, :6], present[1, :, :, :6]), *present]
    inputs = [*flat, None, None, *buffer, counts(5)]
    open_case(name, 17, inputs, want, MICROSOFT, num_heads=heads, past_present_share_buffer=1)
    case(name, 17, inputs[:7], "one buffer, but past_value", MICROSOFT, num_heads=heads,
         past_present_share_buffer=1)
    case("MultiHeadAttention", 17, [*flat, None, None, None, *buffer, counts(5)],
         "past_sequence_length and", MICROSOFT, num_heads=heads)
    case(name, 17, [*flat, *[None] * 6, np.zeros((1, 2, 6), np.int32)], "cache_indirection",
         MICROSOFT, num_heads=heads)
    case(name, 17, [flat[0][..., :11]], "nor packed", MICROSOFT, num_heads=heads)
    case(name, 17, flat, "'num_heads'", MICROSOFT)


def root_mean(x, weights, epsilon):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(epsilon)) * weights


def grouped_cases(case, open_case):
    heads, groups, size, length = 4, 2, 8, 3
    q, k, v = floats(2, length, heads * size), *floats(2, 2, length, groups * size)
    places = [np.full(2, length - 1, np.int32), np.array(length, np.int32)]
    shape = {"num_heads": heads, "kv_num_heads": groups}
    seen = np.arange(length) <= np.arange(length)[:, None]
    keys, values = heads_of(k, groups), heads_of(v, groups)
    weights = floats(2, size)
    for epsilon in (None, 0.1):
        used = 1e-6 if epsilon is None else epsilon
        a = root_mean(heads_of(q, heads), weights[0], used)
        b = root_mean(keys, weights[1], used)
        wide = [np.repeat(x, 2, 1) for x in (b, values)]
        want = [attended(a, *wide, seen), b, values]
        given = {} if epsilon is None else {"qk_norm_epsilon": epsilon}
        inputs = [q, k, v, None, None, *places, *[None] * 7, *weights]
        open_case("GroupQueryAttention", 17, inputs, want, MICROSOFT, **shape, **given)
    case("GroupQueryAttention", 17, inputs[:15], "come together", MICROSOFT, **shape)
    wide = np.repeat(keys, 2, 1)
    added = floats(1, heads, length, length)
    plain = np.tanh(scores_of(heads_of(q, heads), wide) / np.float32(2)) * np.float32(2) + added
    shares = shares_of(np.where(seen, plain, -np.inf))
    inputs = [q, k, v, None, None, *places, None, None, None, added]
    want = joined(shares @ np.repeat(values, 2, 1))
    # What is not seen is 0 in both.
    for mode, shown in ((1, np.where(seen, plain, np.float32(0))), (2, shares)):
        case("GroupQueryAttention", 17, inputs, [want, keys, values, shown], MICROSOFT,
             qk_output=mode, softcap=2.0, **shape)
    inputs = inputs[:7]
    case("GroupQueryAttention", 17, inputs, ("'qk_output' is 0", 4), MICROSOFT, **shape)
    case("GroupQueryAttention", 17, inputs, "'qk_output' is 3", MICROSOFT, qk_output=3, **shape)
    case("GroupQueryAttention", 17, [*inputs, *[None] * 5, floats(1)], "scales of a quantized",
         MICROSOFT, **shape)


# --- states of fixed size instead of keys and values

def convolved(x, weight, bias, dilation, past):
    """Each channel of [batch, channels, length] by itself, with the state behind it."""
    taps = weight.shape[2]
    count = (taps - 1) * dilation
    whole = np.concatenate([np.zeros((*x.shape[:2], count)) if past is None else past, x], 2)
    y = sum(whole[:, :, j * dilation:j * dilation + x.shape[2]] * weight[:, 0, j:j + 1]
            for j in range(taps)) + bias[:, None]
    return [y.astype(np.float32), whole[:, :, whole.shape[2] - count:].astype(np.float32)]


def state_cases(case, _):
    x, weight, bias = floats(2, 3, 6), floats(3, 1, 3), floats(3)
    for dilation in (1, 2):
        for past in (None, floats(2, 3, 2 * dilation)):
            want = convolved(x, weight, bias, dilation, past)
            case("CausalConvWithState", 17, [x, weight, bias, past], want, MICROSOFT,
                 dilation=dilation)
            turned = [None if a is None else np.ascontiguousarray(a.transpose(0, 2, 1))
                      for a in (x, past, *want)]
            case("CausalConvWithState", 17, [turned[0], weight, bias, turned[1]], turned[2:],
                 MICROSOFT, dilation=dilation, channels_last=1)
    for attribute, value, said in (("dilation", 0, "'dilation'"), ("ndim", 2, "one axis is"),
                                   ("dilation", 1 << 40, "'dilation' is"),
                                   ("state_window", 2, "states after several")):
        case("CausalConvWithState", 17, [x, weight, bias], said, MICROSOFT, **{attribute: value})
    case("CausalConvWithState", 17, [x, weight, bias, floats(2, 3, 2)], "expected 4", MICROSOFT,
         dilation=2)
    # One head of queries for two of keys and values.
    q, k, v = floats(2, 3, 4), floats(2, 3, 8), floats(2, 3, 6)
    state, y = np.zeros((2, 2, 4, 3)), []
    for t in range(3):
        keys, values = k[:, t].reshape(2, 2, 4), v[:, t].reshape(2, 2, 3)
        state = state + keys[..., None] * values[:, :, None]
        y.append((q[:, t, None, None] @ state).reshape(2, 6) / 2)
    want = [np.stack(y, 1).astype(np.float32), state.astype(np.float32)]
    shape = {"q_num_heads": 1, "kv_num_heads": 2, "update_rule": "linear"}
    case("LinearAttention", 17, [q, k, v], want, MICROSOFT, **shape)
    case("LinearAttention", 17, [q, k, v], "states after several", MICROSOFT, state_window=1,
         **shape)
    case("LinearAttention", 27, [q, k, v], "a multiple", **shape)
    a, b, (shift, scale) = floats(2, 3, 4), floats(2, 3, 4), floats(2, 4)
    decay = (np.log1p(np.exp(a + shift)) * scale).astype(np.float32)
    case("LinearAttentionGate", 17, [a, shift, scale, b], [decay, 1 / (1 + np.exp(-b))], MICROSOFT)
    case("LinearAttentionGate", 17, [a, shift, scale], decay, MICROSOFT)
    case("LinearAttentionGate", 17, [a, shift, scale], ("input 3 (b) is left out", 2), MICROSOFT)


ADDERS = (mask_cases, rotary_cases, decoder_cases, grouped_cases, state_cases)
