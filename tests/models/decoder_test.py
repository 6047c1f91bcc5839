# SPDX-License-Identifier: Apache-2.0
"""The decoder of tools/models/write_decoder.py against a reference in NumPy: both its ONNX forms,
and examples/lang/generate.tn and examples/generate.mjs, which sample from it.

usage: decoder_test.py COMMAND…                    ends with `N passed, N failed`
       decoder_test.py --javascript COMMAND…
COMMAND runs the command line, such as build/host/tern or qemu-aarch64 build/aarch64/tern, or else
examples/generate.mjs.
"""
import math
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WRITER = os.path.join(ROOT, "tools", "models", "write_decoder.py")
GENERATE = os.path.join(ROOT, "examples", "lang", "generate.tn")
LAYERS, HEADS, WIDTH = 3, 4, 32
SIZES = ["--layers", str(LAYERS), "--heads", str(HEADS), "--width", str(WIDTH), "--hidden", "48",
         "--vocabulary", "97", "--context", "64", "--seed", "5"]
PROMPT = [3, 14, 15, 92, 65]
GROUPED = ["--form", "grouped", "--kv-heads", "2"]
COMMAND = []
CHOICES = ({"temperature": 1.0, "seed": 7}, {"temperature": 0.7, "top_k": 5, "seed": 3},
           {"temperature": 1.3, "top_p": 0.6, "seed": 11},
           {"temperature": 0.9, "top_k": 20, "top_p": 0.8, "seed": 123456789})


# --- the reference

class Decoder:
    def __init__(self, path):
        self.weights = {name: array.astype(numpy.float64)
                        for name, array in numpy.load(path).items()}

    def norm(self, x, scale):
        return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * scale

    def rotate(self, x, places):
        half = x.shape[-1] // 2
        turned = numpy.concatenate([-x[..., half:], x[..., :half]], -1)
        return x * self.weights["cosines"][places] + turned * self.weights["sines"][places]

    def logits(self, tokens):
        """Of every token, all seen at once."""
        w = self.weights
        places = numpy.arange(len(tokens))
        x = w["embedding"][tokens]
        split = lambda y: y.reshape(len(tokens), HEADS, -1).transpose(1, 0, 2)
        for i in range(LAYERS):
            inner = self.norm(x, w["norm1"][i])
            q, k = (self.rotate(split(inner @ w[name][i]), places) for name in "qk")
            v = split(inner @ w["v_"][i])
            scores = q @ k.transpose(0, 2, 1) / math.sqrt(WIDTH // HEADS)
            scores = numpy.where(places <= places[:, None], scores, -1e30)
            scores = numpy.exp(scores - scores.max(-1, keepdims=True))
            mixed = scores / scores.sum(-1, keepdims=True) @ v
            x = x + mixed.transpose(1, 0, 2).reshape(len(tokens), -1) @ w["o"][i]
            inner = self.norm(x, w["norm2"][i])
            gate = inner @ w["gate"][i]
            x = x + (gate / (1 + numpy.exp(-gate)) * (inner @ w["up"][i])) @ w["down"][i]
        return self.norm(x, w["norm"]) @ w["head"]

    def generate(self, prompt, count, temperature=0.0, top_k=0, top_p=1.0, seed=1):
        tokens, state = list(prompt), step(seed)
        for _ in range(count):
            logits = self.logits(tokens)[-1]
            tokens.append(choose(logits, temperature, top_k, top_p, (state // 256) / 2 ** 24))
            state = step(state)
        return tokens[len(prompt):]


def step(state):
    return (state * 1664525 + 1013904223) % 2 ** 32


def choose(logits, temperature, top_k, top_p, random):
    order = numpy.argsort(-logits, kind="stable")
    if temperature <= 0:
        return int(order[0])
    order = order[:top_k] if top_k else order
    chances = numpy.exp((logits[order] - logits[order[0]]) / temperature)
    chances /= chances.sum()
    sums = numpy.cumsum(chances)
    if top_p < 1:
        count = max(1, int((sums < top_p).sum()) + (1 if sums[-1] >= top_p else 0))
        sums = sums[:count]
    return int(order[min(int((sums <= random * sums[-1]).sum()), len(sums) - 1)])


# --- the tests

class WithModel(unittest.TestCase):
    FORM = []

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.npz, cls.model = cls.path("decoder.npz"), cls.path("decoder.onnx")
        subprocess.run([sys.executable, WRITER, cls.model, "--npz", cls.npz, *SIZES, *cls.FORM],
                       check=True)
        cls.reference = Decoder(cls.npz)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)


class JavaScriptTest(WithModel):
    def generate(self, *options, prompt=PROMPT):
        return subprocess.run([*COMMAND, self.model, ",".join(map(str, prompt)), *options],
                              capture_output=True, text=True, check=False)

    def tokens(self, count, **choice):
        options = [word for name, value in choice.items()
                   for word in ("--" + name.replace("_", "-"), str(value))]
        done = self.generate("--count", str(count), *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [int(line) for line in done.stdout.split()]

    def test_greedy_tokens(self):
        self.assertEqual(self.tokens(8), self.reference.generate(PROMPT, 8))

    def test_tokens_that_are_drawn(self):
        for choice in CHOICES:
            with self.subTest(choice):
                self.assertEqual(self.tokens(6, **choice),
                                 self.reference.generate(PROMPT, 6, **choice))

    def test_a_token_that_is_none_is_refused(self):
        done = self.generate("--count", "1", prompt=[1000])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("1000", done.stderr)


class GroupedJavaScriptTest(JavaScriptTest):
    FORM = GROUPED


class WithCommandLine(WithModel):
    def tern(self, *arguments):
        done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


class GenerateTest(WithCommandLine):
    """The program in the language has the weights of the plain form, whatever the model is."""

    def generate(self, count, **choice):
        settings = {"temperature": 0.0, "top_k": 0, "top_p": 1.0, "seed": 1, **choice}
        inputs = [word for name, value in settings.items() for word in ("-i", f"{name}={value}")]
        text = self.tern("run", GENERATE, "-i", "@" + self.npz, "-i", f"heads={HEADS}", "-i",
                         f"prompt=i64[{len(PROMPT)}]:{','.join(map(str, PROMPT))}", "-i",
                         f"count={count}", *inputs)
        *lines, result = text.splitlines()
        tokens = [int(line) for line in lines]
        self.assertEqual(result, f"output0: list[{', '.join(map(str, tokens))}]")
        return tokens

    def test_greedy_tokens(self):
        self.assertEqual(self.generate(8), self.reference.generate(PROMPT, 8))

    def test_tokens_that_are_drawn(self):
        for choice in CHOICES:
            with self.subTest(choice):
                self.assertEqual(self.generate(6, **choice),
                                 self.reference.generate(PROMPT, 6, **choice))

    def test_another_seed_gives_other_tokens(self):
        drawn = {tuple(self.generate(6, temperature=1.5, seed=seed)) for seed in range(4)}
        self.assertGreater(len(drawn), 1)

    def test_one_token_of_the_likeliest_is_the_greedy_one(self):
        self.assertEqual(self.generate(4, temperature=1.0, top_k=1), self.generate(4))


class DecoderTest(WithCommandLine):
    KEY_HEADS = HEADS

    def places(self, tokens, start):
        """What the model wants to know of where the tokens stand."""
        return {"position_ids": numpy.arange(start, start + len(tokens))[None]}

    def run_model(self, model, tokens, start, caches):
        """Logits and the caches with these tokens."""
        arrays = {"input_ids": numpy.array([tokens], numpy.int64),
                  **self.places(tokens, start), **caches}
        numpy.savez(self.path("in.npz"), **arrays)
        outputs = ["logits"] + [f"present.{i}.{part}" for i in range(LAYERS)
                                for part in ("key", "value")]
        options = [word for name in outputs
                   for word in ("--output", f"{name}=@{self.path(name + '.npy')}")]
        self.tern("run", model, "-i", "@" + self.path("in.npz"), *options)
        results = [numpy.load(self.path(name + ".npy")) for name in outputs]
        return results[0][0], {name.replace("present", "past_key_values"): array
                               for name, array in zip(outputs[1:], results[1:])}

    def empty(self):
        shape = (1, self.KEY_HEADS, 0, WIDTH // HEADS)
        return {f"past_key_values.{i}.{part}": numpy.zeros(shape, numpy.float32)
                for i in range(LAYERS) for part in ("key", "value")}

    def test_the_logits_of_a_prompt(self):
        logits, _ = self.run_model(self.model, PROMPT, 0, self.empty())
        numpy.testing.assert_allclose(logits, self.reference.logits(PROMPT), atol=2e-4)

    def test_the_logits_of_tokens_behind_a_cache(self):
        _, caches = self.run_model(self.model, PROMPT[:3], 0, self.empty())
        _, caches = self.run_model(self.model, PROMPT[3:4], 3, caches)
        logits, _ = self.run_model(self.model, PROMPT[4:], 4, caches)
        numpy.testing.assert_allclose(logits[0], self.reference.logits(PROMPT)[-1], atol=2e-4)

    def test_weights_in_a_file_beside_the_model(self):
        model = self.path("beside.onnx")
        subprocess.run([sys.executable, WRITER, model, "--external", *SIZES, *self.FORM],
                       check=True)
        self.assertLess(os.path.getsize(model), os.path.getsize(self.model) * 0.6)
        inside, _ = self.run_model(self.model, PROMPT, 0, self.empty())
        beside, _ = self.run_model(model, PROMPT, 0, self.empty())
        numpy.testing.assert_array_equal(inside, beside)

    def test_the_compiled_model_is_the_same(self):
        compiled = self.path("decoder.tern")
        self.tern("compile", self.model, "-o", compiled)
        straight, _ = self.run_model(self.model, PROMPT, 0, self.empty())
        loaded, _ = self.run_model(compiled, PROMPT, 0, self.empty())
        numpy.testing.assert_array_equal(straight, loaded)

    def test_a_prompt_of_no_place_is_refused(self):
        done = subprocess.run([*COMMAND, "run", self.model, "-i", "input_ids=i64[1,1]:1"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "position_ids|attention_mask")

    def test_a_token_that_is_none_ends_the_run(self):
        caches = self.empty()
        numpy.savez(self.path("bad.npz"), input_ids=numpy.array([[1000]], numpy.int64),
                    **self.places([1000], 0), **caches)
        done = subprocess.run([*COMMAND, "run", self.model, "-i", "@" + self.path("bad.npz")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("1000", done.stderr)


class GroupedDecoderTest(DecoderTest):
    """Two heads of queries for each of keys, weights of 4 bits in blocks that do not fill up."""
    FORM, KEY_HEADS = GROUPED, 2

    def places(self, tokens, start):
        return {"attention_mask": numpy.ones((1, start + len(tokens)), numpy.int64)}


class RotatedOutsideTest(GroupedDecoderTest):
    FORM = GROUPED + ["--rotary", "outside"]

    def places(self, tokens, start):
        return {**super().places(tokens, start), **DecoderTest.places(self, tokens, start)}


def main():
    in_javascript = sys.argv[1] == "--javascript"
    COMMAND.extend(sys.argv[2 if in_javascript else 1:])
    cases = ([JavaScriptTest, GroupedJavaScriptTest] if in_javascript else
             [GenerateTest, DecoderTest, GroupedDecoderTest, RotatedOutsideTest])
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    suite = unittest.TestSuite(load(case) for case in cases)
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    failed = len({str(test) for test, _ in result.failures + result.errors})
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main()
