# SPDX-License-Identifier: Apache-2.0
"""GreedySearch, Sampling and BeamSearch against NumPy, with small decoders of seeded weights.

usage: search_test.py [--write DIR] COMMAND…       ends with `N passed, N failed`
COMMAND runs the command line, such as build/host/tern or qemu-aarch64 build/aarch64/tern. --write
leaves the models and their data sets in DIR, where another runtime can be asked, too.

A decoder is written twice: as ONNX, and as a function of all tokens so far. Its scores depend on
every token, its position and what counts, so a cache of another row shows at once.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "models"))
import onnx_writer as onnx  # noqa: E402

WIDTH, TOKENS, PLACES, END, PAD, START = 4, 13, 40, 1, 0, 2
NEVER = np.float32(np.finfo(np.float32).min)
NAMES = {"int32": "i32", "float32": "f32"}


def weights(seed):
    random = np.random.default_rng(seed)
    return {name: random.standard_normal(shape).astype(np.float32) * scale
            for name, shape, scale in (("tokens", (TOKENS, WIDTH), 1.5),
                                       ("places", (PLACES, WIDTH), 0.5),
                                       ("out", (WIDTH, TOKENS), 2))}


# --- decoders as functions: logits of the next token for each row

def causal_logits(parts, ids, mask, counts):
    positions = (np.cumsum(counts, 1) - 1) * counts
    hidden = parts["tokens"][ids] + parts["places"][positions]
    total = np.sum(hidden * mask[..., None], axis=1)
    return (hidden[:, -1] + np.tanh(total)) @ parts["out"]


def encoded_logits(parts, across, ids):
    """across: the sum of what the encoder gives for each row."""
    hidden = parts["tokens"][ids]
    return (hidden[:, -1] + np.tanh(hidden.sum(axis=1)) + np.sin(across)) @ parts["out"]


# --- the same as graphs

def constant(name, values):
    return onnx.tensor(name, "i64", [len(values)], values)


def causal_graph(parts, name="decoder", scale=1.0):
    """past_0 is (2, rows, 1, positions, WIDTH): what each position adds, and half of it."""
    nodes = [
        onnx.node("Gather", ["tokens", "input_ids"], ["of_token"]),
        onnx.node("Gather", ["places", "position_ids"], ["of_place"]),
        onnx.node("Add", ["of_token", "of_place"], ["hidden"]),
        onnx.node("Unsqueeze", ["hidden", "front"], ["key"]),
        onnx.node("Mul", ["key", "half"], ["value"]),
        onnx.node("Concat", ["key", "value"], ["now"], axis=0),
        onnx.node("Concat", ["past_0", "now"], ["present_0"], axis=3),
        onnx.node("Split", ["present_0", "ones"], ["keys", "values"], axis=0),
        onnx.node("Cast", ["attention_mask"], ["counts"], to=1),
        onnx.node("Unsqueeze", ["counts", "around"], ["weights"]),
        onnx.node("Add", ["values", "values"], ["doubled"]),
        onnx.node("Mul", ["doubled", "weights"], ["counted"]),
        onnx.node("ReduceSum", ["counted", "summed"], ["total"], keepdims=0),
        onnx.node("Unsqueeze", ["total", "one"], ["row"]),
        onnx.node("Tanh", ["row"], ["bent"]),
        onnx.node("Add", ["hidden", "bent"], ["last"]),
        onnx.node("MatMul", ["last", "out"], ["raw"]),
        onnx.node("Mul", ["raw", "scale"], ["logits"]),
    ]
    constants = [onnx.tensor(key, "f32", value.shape, value.tobytes())
                 for key, value in parts.items()]
    constants += [constant("front", [0, 2]), constant("ones", [1, 1]),
                  constant("around", [0, 2, 4]), constant("summed", [0, 2, 3]),
                  constant("one", [1]),
                  onnx.tensor("half", "f32", [], [0.5]), onnx.tensor("scale", "f32", [], [scale])]
    rows = [onnx.value_info("input_ids", "i32", ["n", "s"]),
            onnx.value_info("position_ids", "i32", ["n", "s"]),
            onnx.value_info("attention_mask", "i32", ["n", "t"]),
            onnx.value_info("past_0", "f32", [2, "n", 1, "p", WIDTH])]
    outputs = [onnx.value_info("logits", "f32", ["n", "s", TOKENS]),
               onnx.value_info("present_0", "f32", [2, "n", 1, "t", WIDTH])]
    return onnx.graph(name, nodes, constants, rows, outputs)


def self_nodes(ids):
    """Of (rows, positions): the sum of the tokens so far, kept in (rows, 1, positions, WIDTH)."""
    return [
        onnx.node("Gather", ["tokens", ids], ["hidden"]),
        onnx.node("Unsqueeze", ["hidden", "one"], ["head"]),
        onnx.node("Concat", ["past_key_self_0", "head"], ["present_key_self_0"], axis=2),
        onnx.node("Neg", ["head"], ["minus"]),
        onnx.node("Concat", ["past_value_self_0", "minus"], ["present_value_self_0"], axis=2),
        onnx.node("Neg", ["present_value_self_0"], ["plus"]),
        onnx.node("ReduceSum", ["plus", "two"], ["total"], keepdims=0),
        onnx.node("Tanh", ["total"], ["bent"]),
        onnx.node("Add", ["hidden", "bent"], ["mine"]),
    ]


def encoder_nodes():
    return [
        onnx.node("Gather", ["tokens", "encoder_input_ids"], ["source"]),
        onnx.node("Cast", ["encoder_attention_mask"], ["counts"], to=1),
        onnx.node("Unsqueeze", ["counts", "last"], ["column"]),
        onnx.node("Mul", ["source", "column"], ["encoder_hidden_states"]),
        onnx.node("Unsqueeze", ["encoder_hidden_states", "one"], ["present_key_cross_0"]),
        onnx.node("Neg", ["present_key_cross_0"], ["present_value_cross_0"]),
    ]


def sound_nodes():
    return [
        onnx.node("Transpose", ["encoder_input_ids"], ["encoder_hidden_states"], perm=[0, 2, 1]),
        onnx.node("Unsqueeze", ["encoder_hidden_states", "one"], ["present_key_cross_0"]),
        onnx.node("Neg", ["present_key_cross_0"], ["present_value_cross_0"]),
    ]


def score_nodes(cross):
    return [
        onnx.node("Neg", [cross], ["back"]),
        onnx.node("ReduceSum", ["back", "two"], ["across"], keepdims=0),
        onnx.node("Sin", ["across"], ["wave"]),
        onnx.node("Add", ["mine", "wave"], ["ending"]),
        onnx.node("MatMul", ["ending", "out"], ["logits"]),
    ]


def kinds(pattern, positions):
    return [onnx.value_info(pattern.format(kind), "f32", ["n", 1, positions, WIDTH])
            for kind in ("key", "value")]


def first_step(nodes, constants, inputs):
    """An encoder of these nodes that makes the decoder's first step, too."""
    empty = [onnx.tensor(f"nothing_{kind}", "f32", [1, 1, 0, WIDTH], b"")
             for kind in ("key", "value")]
    nodes = nodes + [
        onnx.node("Shape", ["decoder_input_ids"], ["rows"], end=1),
        onnx.node("Concat", ["rows", "rest"], ["extents"], axis=0),
        onnx.node("Expand", ["nothing_key", "extents"], ["past_key_self_0"]),
        onnx.node("Expand", ["nothing_value", "extents"], ["past_value_self_0"]),
    ] + self_nodes("decoder_input_ids") + score_nodes("present_value_cross_0")
    rest = constant("rest", [1, 0, WIDTH])
    outputs = [onnx.value_info("logits", "f32", ["n", "s", TOKENS]),
               onnx.value_info("encoder_hidden_states", "f32", ["n", "m", WIDTH])]
    return onnx.graph("encoder", nodes, constants + empty + [rest],
                      inputs + [onnx.value_info("decoder_input_ids", "i32", ["n", "s"])],
                      outputs + kinds("present_{}_self_0", "now") +
                      kinds("present_{}_cross_0", "m"))


def encoded_graphs(parts, form):
    """form: "begins", the encoder makes the decoder's first step, too; "sounds", so it does, of
    features; "plain"."""
    constants = [onnx.tensor(key, "f32", parts[key].shape, parts[key].tobytes())
                 for key in ("tokens", "out")]
    constants += [constant("one", [1]), constant("two", [2]), constant("last", [-1])]
    mask = [onnx.value_info("encoder_attention_mask", "i32", ["n", "m"])]
    source = [onnx.value_info("encoder_input_ids", "i32", ["n", "m"])] + mask
    if form == "sounds":
        features = [onnx.value_info("encoder_input_ids", "f32", ["n", WIDTH, "m"])]
        encoder = first_step(sound_nodes(), constants, features)
    elif form == "begins":
        encoder = first_step(encoder_nodes(), constants, source)
    else:
        encoder = onnx.graph("encoder", encoder_nodes(), constants, source,
                             kinds("present_{}_cross_0", "m"))
    inputs = [onnx.value_info("input_ids", "i32", ["n", 1])] + (mask if form != "sounds" else [])
    if form != "plain":
        inputs.append(onnx.value_info("encoder_hidden_states", "f32", ["n", "m", WIDTH]))
    inputs += kinds("past_{}_self_0", "before") + kinds("past_{}_cross_0", "m")
    nodes = self_nodes("input_ids") + score_nodes("past_value_cross_0")
    logits = onnx.value_info("logits", "f32", ["n", 1, TOKENS])
    return encoder, onnx.graph("decoder", nodes, constants, inputs,
                               [logits] + kinds("present_{}_self_0", "now"))


# --- the search

def log_softmax(x):
    shifted = x - x.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def change_scores(scores, rows, turn, beams, options):
    length = rows.shape[1]
    penalty = options.get("repetition_penalty", 1.0)
    for row, tokens in enumerate(rows):
        for token in set(tokens):
            score = scores[row, token]
            scores[row, token] = score * penalty if score < 0 else score / penalty
        size = options.get("no_repeat_ngram_size", 0)
        for at in range(length - size + 1 if size else 0):
            if list(tokens[at:at + size - 1]) == list(tokens[length - size + 1:]):
                scores[row, tokens[at + size - 1]] = NEVER
        if "vocab_mask" in options:
            scores[row, options["vocab_mask"] == 0] = NEVER
        if "prefix_vocab_mask" in options and turn == 0:
            scores[row, options["prefix_vocab_mask"][row // beams] == 0] = NEVER
        if length < options.get("min_length", 0):
            scores[row, END] = NEVER


def shuffled(bits):
    bits = bits ^ bits >> np.uint32(16)
    bits = bits * np.uint32(0x85EBCA6B)
    bits = bits ^ bits >> np.uint32(13)
    bits = bits * np.uint32(0xC2B2AE35)
    return bits ^ bits >> np.uint32(16)


def numbers(seed, turn, rows):
    """One number of [0, 1) for each row, as docs/onnx.md says."""
    bits = shuffled(np.array([(seed + 0x9E3779B9) % 2**32], np.uint32))
    bits = shuffled(bits + np.uint32(turn))
    return (shuffled(bits + np.arange(rows, dtype=np.uint32)) >> np.uint32(9)) / 2**23


def sampled(scores, turn, options):
    """The tokens drawn, and what they were drawn from."""
    scores = scores / np.float32(options.get("temperature", 1))
    if "presence_mask" in options:
        scores = scores - options["presence_mask"] * np.float32(options.get("presence_penalty", 0))
    most, custom = options.get("top_p", 0), options.get("custom", 0)
    drawn = numbers(options.get("seed", 0), turn, len(scores))
    tokens = np.zeros(len(scores), int)
    for row, of_row in enumerate(scores):
        order = np.argsort(-of_row, kind="stable")
        before = 0.0
        shares = np.exp(log_softmax(of_row.astype(np.float64)))
        for place, token in enumerate(order):
            kept = before <= most if custom else before < most
            kept |= place < (1 if custom else max(1, options.get("min_tokens_to_keep", 0)))
            before += shares[token]
            if not kept and most < 1:
                of_row[token] = options.get("filter_value", -1e20)
        shares = np.exp(log_softmax(of_row[order].astype(np.float64)))
        tokens[row] = order[np.sum(np.cumsum(shares) <= drawn[row] * shares.sum())]
    return tokens, scores


def greedy(logits_of, rows, options):
    most, finished = options["max_length"], np.zeros(len(rows), bool)
    for turn in range(most - rows.shape[1]):
        scores = logits_of(rows, turn)
        change_scores(scores, rows, turn, 1, options)
        if "top_p" in options:
            tokens, filtered = sampled(scores, turn, options)
        else:
            tokens = scores.argmax(-1)
        finished |= tokens == END
        rows = np.concatenate([rows, np.where(finished, PAD, tokens)[:, None]], 1)
        if finished.all():
            break
    rest = np.full((len(rows), most - rows.shape[1]), PAD)
    sequences = np.concatenate([rows, rest], 1).astype(np.int32)
    return [sequences, filtered.astype(np.float32)] if options.get("filtered") else [sequences]


class Found:
    """The best ended texts of one sequence of the batch."""

    def __init__(self, beams, penalty):
        self.beams, self.penalty, self.texts, self.done = beams, penalty, [], False

    def add(self, tokens, score):
        self.texts.append((score / len(tokens) ** self.penalty, list(tokens)))
        self.texts.sort(key=lambda text: -text[0])
        del self.texts[self.beams:]

    def check(self, best, length, early):
        if len(self.texts) == self.beams:
            self.done |= early or self.texts[-1][0] >= best / length ** self.penalty


def change_for_times(scores, rows, options):
    """The rules of texts with times in them, a row after the other."""
    begin = options["beginning_timestamp_token_id"]
    for of_row, tokens in zip(scores, rows):
        times = tokens >= begin
        begins = not times[:-1].any()
        of_row[[options["no_timestamps_token_id"], options["start_of_lm_token_id"]]] = NEVER
        if not begins:
            of_row[[START, options["translate_token_id"], options["transcribe_token_id"]]] = NEVER
        is_open = times[-1] and not begins and not times[-2]
        if is_open:
            of_row[:END] = NEVER
        elif times[-1]:
            of_row[begin:] = NEVER
        if times.any():
            of_row[begin:tokens[times][-1] + (not is_open)] = NEVER
        if begins:
            of_row[begin + 51:] = NEVER
        left = of_row[begin:][of_row[begin:] > NEVER]
        if len(left) and np.log(np.exp(left).sum()) > of_row[:begin].max():
            of_row[:begin] = NEVER


def beam_turn(totals, rows, found, beams, early):
    """What each row becomes: its score, its last token and the row that it continues."""
    count = len(found)
    scores, tokens = np.zeros(count * beams, np.float32), np.full(count * beams, PAD)
    sources = np.zeros(count * beams, int)
    for item, texts in enumerate(found):
        if texts.done:
            continue
        flat = totals[item].ravel()
        order = np.argsort(-flat, kind="stable")[:2 * beams]
        place = item * beams
        for rank, choice in enumerate(order):
            row, token = item * beams + choice // TOKENS, choice % TOKENS
            if token == END:
                if rank < beams:
                    texts.add(rows[row], flat[choice])
                continue
            scores[place], tokens[place], sources[place] = flat[choice], token, row
            place += 1
            if place == (item + 1) * beams:
                break
        texts.check(flat[order[0]], rows.shape[1], early)
    return scores, tokens, sources


def beam(logits_of, prompt, options):
    beams, most = options["num_beams"], options["max_length"]
    penalty, early = options.get("length_penalty", 1.0), options.get("early_stopping", 0)
    count, kept = len(prompt), options["num_return_sequences"]
    rows = np.repeat(prompt, beams, 0)
    scores = np.tile(np.where(np.arange(beams) == 0, 0, -1e9).astype(np.float32), count)
    found = [Found(beams, penalty) for _ in range(count)]
    steps = np.zeros((most - rows.shape[1], count, beams, TOKENS), np.float32)
    for turn in range(len(steps)):
        changed = log_softmax(logits_of(rows, turn)).astype(np.float32)
        change_scores(changed, rows, turn, beams, options)
        changed /= np.float32(options.get("temperature") or 1)
        if options.get("logits_processor") == 1:
            change_for_times(changed, rows, options)
        steps[turn] = (changed + scores[:, None]).reshape(count, beams, TOKENS)
        scores, tokens, sources = beam_turn(steps[turn], rows, found, beams, early)
        rows = np.concatenate([rows[sources], tokens[:, None]], 1)
        if all(texts.done for texts in found):
            break
    result = np.full((count, kept, most), PAD, np.int32)
    reached = np.zeros((count, kept), np.float32)
    for item, texts in enumerate(found):
        for row in range(item * beams, (item + 1) * beams):
            if not texts.done:
                texts.add(rows[row], scores[row])
        for place, (score, tokens) in enumerate(texts.texts[:kept]):
            result[item, place, :len(tokens)] = tokens
            reached[item, place] = score
    return [result, reached, steps]


# --- cases

GREEDY = ["input_ids", "max_length", "min_length", "repetition_penalty", "vocab_mask",
          "prefix_vocab_mask", "attention_mask"]
BEAM = ["input_ids", "max_length", "min_length", "num_beams", "num_return_sequences",
        "length_penalty", "repetition_penalty", "vocab_mask", "prefix_vocab_mask", "attention_mask",
        "decoder_input_ids", "logits_processor"]
WHISPER = BEAM + ["cross_qk_layer_head", "extra_decoding_ids", "temperature"]
SAMPLING = GREEDY + ["presence_mask", "seed"]
# The operator, its outputs, and its attributes but those of the decoder.
SHARED = ["no_repeat_ngram_size", "vocab_size"]
BEAM_OUTPUTS = ["sequences", "sequences_scores", "scores"]
KINDS = [
    (GREEDY, "GreedySearch", ["sequences"], SHARED),
    (BEAM, "BeamSearch", BEAM_OUTPUTS, SHARED + ["early_stopping"]),
    (WHISPER, "WhisperBeamSearch", BEAM_OUTPUTS + ["cross_qk", "non_speech_probs"],
     SHARED + ["early_stopping", "no_speech_token_id", "decoder_output_cross_qk",
               "no_timestamps_token_id", "beginning_timestamp_token_id", "start_of_lm_token_id",
               "translate_token_id", "transcribe_token_id"]),
    (SAMPLING, "Sampling", ["sequences", "filtered_logits"],
     SHARED + ["temperature", "top_p", "filter_value", "min_tokens_to_keep", "presence_penalty",
               "custom"]),
]
# What `constants` makes no input of the graph.
CONSTANTS = ("num_beams", "logits_processor")
FLOATS = ("length_penalty", "repetition_penalty", "temperature")


def as_input(name, value):
    if isinstance(value, np.ndarray):
        return value if value.dtype == np.float32 else value.astype(np.int32)
    return np.array([value], np.float32 if name in FLOATS else np.int32)


def write_case(folder, names, options, graphs, expected):
    given = {name: as_input(name, options[name]) for name in names if name in options}
    op, outputs, settings = next(kind[1:] for kind in KINDS if kind[0] is names)
    attributes = {"eos_token_id": END, "pad_token_id": PAD, **graphs}
    attributes.update({name: options[name] for name in settings if name in options})
    outputs = [name if values is not None else "" for name, values in zip(outputs, expected)]
    given_outputs = [(name, values) for name, values in zip(outputs, expected) if name]
    listed = [name if name in given else "" for name in names]
    node = onnx.node(op, listed, outputs, name="search", domain="com.microsoft", **attributes)
    constants = [onnx.tensor(name, NAMES[str(value.dtype)], value.shape, value.tobytes())
                 for name, value in given.items()
                 if name in CONSTANTS and options.get("constants")]
    inputs = {name: value for name, value in given.items()
              if not (name in CONSTANTS and options.get("constants"))}
    infos = [onnx.value_info(name, NAMES[str(value.dtype)],
                             [f"{name}_{axis}" if value.ndim > 1 else extent
                              for axis, extent in enumerate(value.shape)])
             for name, value in inputs.items()]
    results = [onnx.value_info(name, NAMES[str(value.dtype)], ["?"] * value.ndim)
               for name, value in given_outputs]
    graph = onnx.graph("main", [node], constants, infos, results)
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(onnx.model({"": 17, "com.microsoft": 1}, graph))
    for kind, values in (("input", inputs.items()), ("output", given_outputs)):
        for index, (name, value) in enumerate(values):
            with open(os.path.join(data, f"{kind}_{index}.pb"), "wb") as file:
                file.write(onnx.tensor(name, NAMES[str(value.dtype)], value.shape, value.tobytes()))
    return path, data


def causal_case(names, seed, options, first=False):
    parts = weights(seed)
    prompt = options["input_ids"]
    counts = (prompt != PAD).astype(int)
    mask = options.get("attention_mask", counts)

    def logits_of(rows, turn):
        grown = rows.shape[1] - prompt.shape[1]
        beams = len(rows) // len(prompt)

        def longer(flags):
            return np.concatenate([np.repeat(flags, beams, 0), np.ones((len(rows), grown), int)], 1)
        scale = 0.5 if first and turn == 0 else 1
        return (causal_logits(parts, rows, longer(mask), longer(counts)) * scale).astype(np.float32)
    graphs = {"decoder": ("graph", causal_graph(parts))}
    if first:
        graphs["init_decoder"] = ("graph", causal_graph(parts, "first", 0.5))
    search = beam if names is BEAM else greedy
    return names, options, graphs, search(logits_of, prompt, options)


def encoded_case(seed, options, form, names=None):
    parts = weights(seed)
    source, start = options["input_ids"], START
    mask = options.get("attention_mask", np.minimum(np.cumsum(source != PAD, 1), 1))
    sums = source.sum(-1) if form == "sounds" else (
        np.sum(parts["tokens"][source] * mask[..., None], axis=1))

    def logits_of(rows, _):
        beams = len(rows) // len(source)
        return encoded_logits(parts, np.repeat(sums, beams, 0), rows).astype(np.float32)
    encoder, decoder = encoded_graphs(parts, form)
    graphs = {"encoder": ("graph", encoder), "decoder": ("graph", decoder),
              "decoder_start_token_id": start}
    if names is not WHISPER:
        graphs["model_type"] = 2 if form == "sounds" else 1
    prompt = options.get("decoder_input_ids", np.full((len(source), 1), start))
    expected = beam(logits_of, prompt, options)
    if "no_speech_token_id" in options:
        shares = np.exp(log_softmax(logits_of(prompt, 0)))[:, options["no_speech_token_id"]]
        expected += [None, shares.astype(np.float32)]
    return names or BEAM, options, graphs, expected


def cases():
    random = np.random.default_rng(11)
    prompts = random.integers(2, TOKENS, (3, 5))
    padded = prompts.copy()
    padded[0, :2] = padded[2, :1] = PAD
    mask = np.ones_like(prompts)
    mask[1, :2] = 0
    vocabulary = np.ones(TOKENS, int)
    vocabulary[[3, 5, 8]] = 0
    prefix = random.integers(0, 2, (3, TOKENS))
    prefix[:, 6] = 1
    extras = [{}, {"input_ids": padded}, {"attention_mask": mask}, {"min_length": 9},
              {"repetition_penalty": 1.7}, {"repetition_penalty": 0.6}, {"vocab_mask": vocabulary},
              {"prefix_vocab_mask": prefix}, {"no_repeat_ngram_size": 1},
              {"no_repeat_ngram_size": 2}, {"no_repeat_ngram_size": 3},
              {"max_length": 6, "input_ids": padded[:1]},
              {"input_ids": prompts[:1, :1], "no_repeat_ngram_size": 2, "max_length": 20},
              {"vocab_mask": vocabulary, "prefix_vocab_mask": prefix, "repetition_penalty": 1.2,
               "min_length": 8, "no_repeat_ngram_size": 3, "attention_mask": mask}]
    for seed, extra in enumerate(extras):
        options = {"input_ids": prompts, "max_length": 14, **extra}
        yield causal_case(GREEDY, seed, options, seed == 4)
    beams = [{"length_penalty": 2.0}, {"length_penalty": 0.3, "early_stopping": 1},
             {"num_beams": 1, "num_return_sequences": 1}, {"num_beams": 5, "constants": True},
             {"early_stopping": 1, "num_return_sequences": 3}, {"max_length": 18}]
    for seed, extra in enumerate(extras + beams):
        options = {"input_ids": prompts, "max_length": 12, "num_beams": 3,
                   "num_return_sequences": 2, "length_penalty": 1.0, "min_length": 0, **extra}
        yield causal_case(BEAM, seed, options, seed == 4)
    for seed, extra in enumerate([{}, {"input_ids": padded}, {"attention_mask": mask},
                                  {"repetition_penalty": 1.5, "min_length": 6}]):
        for form in ("begins", "plain"):
            options = {"input_ids": prompts, "max_length": 9, "num_beams": 3,
                       "num_return_sequences": 2, "length_penalty": 1.0, "min_length": 0, **extra}
            yield encoded_case(seed, options, form)


def sampling_cases():
    random = np.random.default_rng(12)
    prompts = random.integers(2, TOKENS, (3, 5))
    present = random.integers(0, 2, (3, TOKENS))
    extras = [{"top_p": 0.9}, {"top_p": 0.9, "seed": 7}, {"top_p": 0.9, "seed": -3},
              {"top_p": 0.5, "temperature": 2.0, "min_tokens_to_keep": 3, "filtered": True},
              {"top_p": 0.6, "temperature": 0.5, "custom": 1, "min_tokens_to_keep": 9,
               "filtered": True},
              {"top_p": 1.0, "temperature": 3.0, "presence_mask": present, "presence_penalty": 2.5,
               "filtered": True},
              {"top_p": 0.0, "min_tokens_to_keep": 5, "temperature": 4.0},
              {"top_p": 0.7, "filter_value": -2.0, "filtered": True},
              {"top_p": 0.8, "repetition_penalty": 1.4, "min_length": 9, "no_repeat_ngram_size": 2}]
    for seed, extra in enumerate(extras):
        options = {"input_ids": prompts, "max_length": 14, **extra}
        yield causal_case(SAMPLING, seed, options, seed == 4)
    # No choice: what GreedySearch finds.
    for extra in ({"top_p": 0.0}, {"top_p": 1.0, "temperature": 1e-6}, {"top_p": 0.0, "custom": 1}):
        options = {"input_ids": prompts, "max_length": 14, "seed": 5}
        case = causal_case(SAMPLING, 3, {**options, **extra})
        assert np.array_equal(case[3][0], causal_case(GREEDY, 3, options)[3][0])
        yield case
    yield spread_case()


def spread_case():
    """Many rows of one prompt: each token is drawn as often as its share says."""
    rows = 6000
    options = {"input_ids": np.tile([[3, 4]], (rows, 1)), "max_length": 3, "top_p": 1.0,
               "temperature": 6.0, "seed": 99, "filtered": True}
    case = causal_case(SAMPLING, 5, options)
    tokens, scores = case[3]
    shares = np.exp(log_softmax(scores[0].astype(np.float64)))
    shares[PAD] += shares[END]  # the end is written as padding
    shares[END] = 0
    counts = np.bincount(tokens[:, 2], minlength=TOKENS)
    wanted = np.delete(shares * rows, END)
    # Chi-squared of 11 degrees of freedom: more than 31 once in a thousand seeds.
    assert np.sum((np.delete(counts, END) - wanted) ** 2 / wanted) < 31
    return case


def sound_cases():
    random = np.random.default_rng(13)
    sounds = random.standard_normal((3, WIDTH, 6)).astype(np.float32)
    prompts = random.integers(2, TOKENS, (3, 4))
    common = {"input_ids": sounds, "max_length": 12, "num_beams": 3, "num_return_sequences": 2,
              "length_penalty": 1.0, "min_length": 0}
    extras = [{}, {"decoder_input_ids": prompts}, {"no_repeat_ngram_size": 2, "min_length": 7},
              {"decoder_input_ids": prompts, "num_beams": 1, "num_return_sequences": 1,
               "repetition_penalty": 1.3}, {"logits_processor": 0}]
    for seed, extra in enumerate(extras):
        yield encoded_case(seed, {**common, **extra}, "sounds")
        yield encoded_case(seed, {**common, **extra}, "sounds", WHISPER)
    extras = [{"temperature": 0.7}, {"temperature": 0.0},
              {"decoder_input_ids": prompts, "no_speech_token_id": 3, "no_timestamps_token_id": 5},
              {"num_beams": 1, "num_return_sequences": 1, "no_speech_token_id": 7}]
    for seed, extra in enumerate(extras):
        yield encoded_case(seed, {**common, **extra}, "sounds", WHISPER)
    times = {"logits_processor": 1, "beginning_timestamp_token_id": 8, "no_timestamps_token_id": 7,
             "start_of_lm_token_id": 6, "translate_token_id": 4, "transcribe_token_id": 5}
    timed = np.array([[2, 8, 3], [3, 9, 9], [2, 3, 10]])
    extras = [{}, {"decoder_input_ids": prompts}, {"decoder_input_ids": timed},
              {"decoder_input_ids": np.array([[2, 9, 4, 10], [9, 3, 3, 3], [3, 3, 12, 12]])},
              {"temperature": 2.5, "max_length": 16}, {"logits_processor": 0},
              {"constants": True, "decoder_input_ids": timed, "repetition_penalty": 1.2},
              {"num_beams": 1, "num_return_sequences": 1, "max_length": 18},
              {"beginning_timestamp_token_id": 12, "min_length": 5}]
    for seed, extra in enumerate(extras):
        yield encoded_case(seed, {**common, **times, **extra}, "sounds", WHISPER)


def sound_refusals():
    parts = weights(0)
    encoder, decoder = encoded_graphs(parts, "sounds")
    other = encoded_graphs(parts, "begins")[0]
    graphs = {"encoder": ("graph", encoder), "decoder": ("graph", decoder)}
    start = {"decoder_start_token_id": 2}
    options = {"input_ids": np.ones((1, WIDTH, 6), np.float32), "max_length": 6, "num_beams": 2,
               "num_return_sequences": 1}
    text = {**options, "input_ids": np.array([[2, 3]])}
    yield WHISPER, options, graphs, "decoder_start_token_id"
    for wrong, said in (({"input_ids": np.ones((1, 6), np.float32)}, "rank 2, expected 3"),
                        ({"decoder_input_ids": np.array([2])}, "rank 1, expected 2"),
                        ({"logits_processor": 1}, "whose tokens no attribute names"),
                        ({"logits_processor": 1, "constants": True},
                         "'beginning_timestamp_token_id'"),
                        ({"logits_processor": 2, "constants": True},
                         "a logits_processor (input 11) of 2"),
                        ({"logits_processor": 2, "beginning_timestamp_token_id": 8,
                          "no_timestamps_token_id": 7, "start_of_lm_token_id": 6,
                          "translate_token_id": 4, "transcribe_token_id": 5},
                         "a logits_processor that is not supported"),
                        ({"cross_qk_layer_head": np.array([[0, 0]])}, "cross_qk"),
                        ({"extra_decoding_ids": np.array([[1]])}, "cross_qk"),
                        ({"decoder_output_cross_qk": 1}, "cross_qk"),
                        ({"decoder_input_ids": np.ones((1, 7))}, "max_length")):
        yield WHISPER, {**options, **wrong}, {**graphs, **start}, said
    yield WHISPER, options, {**graphs, **start, "model_type": 1}, "expected 2 (Whisper)"
    yield BEAM, text, {**graphs, **start, "model_type": 3}, "or 2 (Whisper)"
    forced = {**text, "decoder_input_ids": np.array([[1]])}
    yield BEAM, forced, {**graphs, **start, "model_type": 1}, "of a model of texts"
    yield WHISPER, options, {**graphs, **start, "encoder": ("graph", other)}, "expected 2: features"


def refusals():
    """(operator, options, graphs, what the message says)"""
    parts, prompt = weights(0), np.array([[2, 3]])
    options = {"input_ids": prompt, "max_length": 6, "num_beams": 2, "num_return_sequences": 1}
    decoder = ("graph", causal_graph(parts))
    encoder, other = encoded_graphs(parts, "begins")
    more = onnx.graph("decoder", [], [], [onnx.value_info(f"input{i}", "i32", [1])
                                          for i in range(5)],
                      [onnx.value_info(f"input{i}", "i32", [1]) for i in range(2)])
    for graphs, text in (({}, "'decoder'"), ({"decoder": ("graph", more)}, "not in one buffer"),
                         ({"decoder": decoder, "model_type": 2}, "rank 2, expected 3"),
                         ({"decoder": decoder, "model_type": 1}, "'encoder'"),
                         ({"decoder": ("graph", other), "encoder": ("graph", encoder),
                           "model_type": 1}, "decoder_start_token_id"),
                         ({"decoder": decoder, "no_repeat_ngram_size": -1}, "no_repeat_ngram")):
        yield BEAM, options, graphs, text
    decoders = {"decoder": decoder}
    yield BEAM, {**options, "max_length": 1}, decoders, "max_length"
    yield BEAM, {**options, "num_return_sequences": 3}, decoders, "num_return_sequences"
    options = {"input_ids": prompt, "max_length": 6, "top_p": 0.5}
    for wrong, text in (({"temperature": 0.0}, "'temperature' is 0, expected more than 0"),
                        ({"temperature": float("nan")}, "'temperature' is nan"),
                        ({"top_p": -0.5}, "'top_p' is -0.5, expected 0 or more"),
                        ({"filter_value": float("nan")}, "'filter_value'"),
                        ({"presence_penalty": float("inf")}, "'presence_penalty'"),
                        ({"min_tokens_to_keep": -1}, "'min_tokens_to_keep' is -1"),
                        ({"presence_mask": np.ones((5, TOKENS)), "presence_penalty": 1.0},
                         "the presence_mask of Sampling has not as many rows"),
                        ({"presence_mask": np.ones(TOKENS)}, "presence_mask has rank 1"),
                        ({"max_length": 1}, "max_length")):
        yield SAMPLING, {**options, **wrong}, decoders, text
    yield SAMPLING, options, {**decoders, "model_type": 2}, "'model_type' is 2"


def nothing(names):
    """Outputs of a model that is refused."""
    return [np.zeros((1, 6) if names is SAMPLING else (1, 1, 6), np.int32)]


def check(command, path, data):
    done = subprocess.run(command + ["check", path, "--against", os.path.dirname(data),
                                     "--atol", "2e-4", "--rtol", "2e-4"],
                          capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


def main():
    arguments = sys.argv[1:]
    kept = arguments[1] if arguments[:1] == ["--write"] else None
    command = arguments[2:] if kept else arguments
    if not command:
        sys.exit(__doc__)
    passed = failed = 0
    every = [(*item, None) for item in [*cases(), *sampling_cases(), *sound_cases()]]
    every += [(names, options, graphs, nothing(names), text)
              for names, options, graphs, text in [*refusals(), *sound_refusals()]]
    for number, (names, options, graphs, expected, refused) in enumerate(every):
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.join(kept, str(number)) if kept else folder
            status, said = check(command, *write_case(folder, names, options, graphs, expected))
        good = status > 0 and refused in said if refused else status == 0
        passed, failed = passed + good, failed + (not good)
        if not good:
            shown = {key: value for key, value in options.items() if key != "input_ids"}
            print(f"FAIL case {number} {len(names)} inputs, {shown}: exit {status}: {said}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
