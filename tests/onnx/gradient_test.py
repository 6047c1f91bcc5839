# SPDX-License-Identifier: Apache-2.0
"""Gradient (ai.onnx.preview.training) against differences: every rule of core/onnx/gradient.

usage: gradient_test.py COMMAND…                   ends with `N passed, N failed`
COMMAND runs the command line, such as build/host/tern or qemu-aarch64 build/aarch64/tern.

A case is an operator with inputs. y is the sum of the sines of its result, so that each element has
another share. The gradient times a random direction must be what y grows by along it.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "models"))
import onnx_writer as onnx  # noqa: E402

COMMAND = []
RULES = os.path.join(ROOT, "core", "onnx", "gradient", "rules.def")
TRAINING = "ai.onnx.preview.training"
DTYPES = {"f32": numpy.float32, "f64": numpy.float64, "i64": numpy.int64, "bool": bool}

ANY = (-2.0, 2.0)
POSITIVE = (0.3, 2.0)
UNIT = (-0.9, 0.9)


def case(rule, op, *inputs, opset=18, dtype="f64", range=ANY, fixed=(), outputs=1, dims=None,
         **attributes):
    """inputs: shapes of what is differentiated. fixed: (dtype, values) of the inputs behind them.
    dims: what the inputs are declared as, if not their extents."""
    return {"rule": rule, "op": op, "inputs": inputs, "opset": opset, "dtype": dtype,
            "range": range, "fixed": fixed, "outputs": outputs, "attributes": attributes,
            "dims": dims or inputs}


def unary(rule, op, **more):
    return case(rule, op, (2, 3), **more)


CASES = [
    unary("identity", "Identity"), unary("abs", "Abs"), unary("neg", "Neg"),
    unary("sqrt", "Sqrt", range=POSITIVE), unary("reciprocal", "Reciprocal", range=POSITIVE),
    unary("exp", "Exp"), unary("log", "Log", range=POSITIVE), unary("sin", "Sin"),
    unary("cos", "Cos"), unary("tan", "Tan", range=UNIT), unary("asin", "Asin", range=UNIT),
    unary("acos", "Acos", range=UNIT), unary("atan", "Atan"), unary("sinh", "Sinh"),
    unary("cosh", "Cosh"), unary("asinh", "Asinh"), unary("acosh", "Acosh", range=(1.2, 3.0)),
    unary("atanh", "Atanh", range=UNIT), unary("tanh", "Tanh"), unary("erf", "Erf"),
    unary("sigmoid", "Sigmoid"), unary("relu", "Relu"), unary("softplus", "Softplus"),
    unary("softsign", "Softsign"), unary("mish", "Mish"), unary("hard_swish", "HardSwish"),
    unary("gelu", "Gelu", opset=20), unary("gelu_tanh", "Gelu", opset=20, approximate="tanh"),
    unary("silu", "Swish", opset=24), unary("leaky_relu", "LeakyRelu", alpha=0.3),
    unary("elu", "Elu", alpha=0.7), unary("selu", "Selu"), unary("celu", "Celu", alpha=0.6),
    unary("hard_sigmoid", "HardSigmoid", alpha=0.4), unary("shrink", "Shrink", bias=0.2),
    unary("thresholded_relu", "ThresholdedRelu", alpha=0.5),
    unary("cast", "Cast", to=1), unary("floor", "Floor"), unary("sign", "Sign"),
    unary("clip", "Clip", fixed=(("f64", -0.5), ("f64", 0.8))),
    unary("clamp", "Clip", dtype="f32", fixed=(("f32", -0.5), ("f32", 0.8))),
    case("clip", "Clip", (2, 3), (), ()),
    case("add", "Add", (2, 3), (3,)), case("sub", "Sub", (2, 1), (1, 3)),
    case("mul", "Mul", (2, 3), (2, 1)), case("div", "Div", (4,), (2, 4), range=POSITIVE),
    case("add", "Add", (2, 3), (1, 3), dims=(("n", "m"), ("k", "m"))),
    case("mul", "Mul", (2, 3), (3,), dims=(("n", "m"), ("k",))),
    case("pow", "Pow", (2, 3), (3,), range=POSITIVE), case("fmod", "Mod", (2, 3), (3,), fmod=1),
    case("mod", "Mod", (2, 3), (3,), dtype="f32", fmod=0),
    unary("pow", "Pow", fixed=(("f64", 3.0),)), unary("pow", "Pow", fixed=(("f64", 0.0),)),
    case("min", "Min", (2, 3), (3,)), case("max", "Max", (2, 3), (3,), (2, 1)),
    case("prelu", "PRelu", (2, 3), (3,)),
    case("where", "Where", (3,), (2, 3), fixed=(("bool", [True, False, True]),)),
    case("einsum", "MatMul", (2, 3), (3, 4)), case("einsum", "MatMul", (2, 2, 3), (3, 4)),
    case("einsum", "MatMul", (3,), (2, 3, 4)), case("einsum", "Gemm", (3, 2), (4, 3), (4,),
                                                    transA=1, transB=1, alpha=0.5, beta=2.0),
    case("einsum", "Einsum", (2, 3), (3,), equation="ij,j->i"),
    case("einsum", "Einsum", (2, 3, 4), equation="...jk->...j"),
    case("einsum", "Einsum", (2, 3), (4, 3), equation="ij,kj"),
    case("matmul", "MatMul", (2, 3), (3, 4), dtype="f32"),
    case("matmul", "MatMul", (2, 2, 3), (1, 3, 4), dtype="f32"),
    case("matmul", "MatMul", (3,), (2, 3, 4), dtype="f32"),
    case("matmul", "MatMul", (2, 3), (3,), dtype="f32"),
    case("matmul", "MatMul", (3,), (3,), dtype="f32"),
    case("matmul", "Gemm", (3, 2), (4, 3), (4,), dtype="f32", transA=1, transB=1, alpha=0.5,
         beta=2.0),
    case("softmax", "Softmax", (2, 3), dtype="f32", axis=1),
    case("log_softmax", "LogSoftmax", (2, 3), dtype="f32", axis=0),
    case("reduce_sum", "ReduceSum", (2, 3), fixed=(("i64", [1]),), keepdims=0),
    case("reduce_mean", "ReduceMean", (2, 3), keepdims=0),
    case("reduce_mean", "ReduceMean", (2, 3), fixed=(("i64", [0]),)),
    case("reduce_max", "ReduceMax", (2, 3), fixed=(("i64", [-1]),), keepdims=0),
    case("reduce_min", "ReduceMin", (2, 3), fixed=(("i64", [0]),)),
    case("reduce_sum_square", "ReduceSumSquare", (2, 3), fixed=(("i64", [1]),)),
    case("reduce_l1", "ReduceL1", (2, 3), fixed=(("i64", [1]),)),
    case("reduce_l2", "ReduceL2", (2, 3), fixed=(("i64", [1]),), keepdims=0),
    case("reduce_log_sum", "ReduceLogSum", (2, 3), fixed=(("i64", [1]),), range=POSITIVE),
    case("reduce_log_sum_exp", "ReduceLogSumExp", (2, 3), fixed=(("i64", [1]),)),
    case("cumsum", "CumSum", (2, 3), fixed=(("i64", 1),), exclusive=1),
    case("global_average_pool", "GlobalAveragePool", (1, 2, 3, 3), dtype="f32"),
    case("reshape", "Reshape", (2, 3), fixed=(("i64", [3, 2]),)),
    case("flatten", "Flatten", (2, 3, 2)),
    case("transpose", "Transpose", (2, 3, 4), perm=[2, 0, 1]),
    case("transpose", "Transpose", (2, 3)),
    case("squeeze", "Squeeze", (2, 1), fixed=(("i64", [1]),)),
    case("unsqueeze", "Unsqueeze", (2, 3), fixed=(("i64", [0]),)),
    case("expand", "Expand", (2, 1), fixed=(("i64", [2, 2, 3]),)),
    case("tile", "Tile", (2, 3), fixed=(("i64", [2, 3]),)),
    case("concat", "Concat", (2, 3), (2, 1), axis=-1),
    case("split", "Split", (4, 2), outputs=2, num_outputs=2),
    case("slice", "Slice", (4, 5), fixed=(("i64", [3, 1]), ("i64", [0, 9]), ("i64", [0, -1]),
                                          ("i64", [-2, 2]))),
    case("slice", "Slice", (4, 5), dims=(("n", "m"),), fixed=(("i64", [-3]), ("i64", [-1]))),
    case("pad", "Pad", (2, 3), fixed=(("i64", [1, 0, 2, 1]),)), case("trilu", "Trilu", (3, 3)),
    case("gather", "Gather", (3, 4), fixed=(("i64", [[0, 1], [1, -1]]),), axis=1),
    case("gather", "Gather", (3, 2), fixed=(("i64", 2),)),
    case("gather_elements", "GatherElements", (3, 2), fixed=(("i64", [[0, 1], [0, 0]]),)),
    case("gather_nd", "GatherND", (3, 2), fixed=(("i64", [[0, 1], [0, 1], [2, 0]]),)),
    case("topk", "TopK", (2, 4), fixed=(("i64", [2]),), outputs=2),
]


# --- models

def sum_of_sines(values, dtype):
    """Nodes that add values up to y."""
    nodes, parts = [], []
    for i, value in enumerate(values):
        nodes += [onnx.node("Sin", [value], [f"sin{i}"]),
                  onnx.node("ReduceSum", [f"sin{i}"], [f"part{i}"], keepdims=0)]
        parts.append(f"part{i}")
    return nodes + [onnx.node("Sum", parts, ["y"])]


def constants_of(item):
    arrays = [(dtype, numpy.array(values, DTYPES[dtype])) for dtype, values in item["fixed"]]
    return [onnx.tensor(f"fixed{i}", dtype, array.shape, array.tobytes())
            for i, (dtype, array) in enumerate(arrays)]


def model_of(item):
    """y and its gradients by the inputs x0, x1, …"""
    names = [f"x{i}" for i in range(len(item["inputs"]))]
    fixed = [f"fixed{i}" for i in range(len(item["fixed"]))]
    inputs = fixed + names if item["op"] == "Where" else names + fixed
    results = [f"r{i}" for i in range(item["outputs"])]
    nodes = [onnx.node(item["op"], inputs, results, "op", **item["attributes"])]
    floats = results[:1] if item["op"] == "TopK" else results
    if item["op"] == "Cast":
        nodes.append(onnx.node("Cast", ["r0"], ["back"], to=11))
        floats = ["back"]
    nodes += sum_of_sines(floats, item["dtype"])
    nodes.append(onnx.node("Gradient", names, ["d" + name for name in names], "gradient",
                           TRAINING, xs=names, y="y"))
    values = [onnx.value_info(name, item["dtype"], dims)
              for name, dims in zip(names, item["dims"])]
    outputs = [onnx.value_info("y", item["dtype"], ())]
    outputs += [onnx.value_info("d" + name, item["dtype"], dims)
                for name, dims in zip(names, item["dims"])]
    graph = onnx.graph("case", nodes, constants_of(item), values, outputs)
    return onnx.model({"": item["opset"], TRAINING: 1}, graph)


def simple_model(nodes, inputs, outputs, constants=()):
    values = [onnx.value_info(name, "f32", dims) for name, dims in inputs]
    results = [onnx.value_info(name, "f32", dims) for name, dims in outputs]
    return onnx.model({"": 18, TRAINING: 1}, onnx.graph("g", nodes, constants, values, results))


class Runner:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run(self, model, values, outputs):
        """Arrays by name; the text of the error where it fails."""
        with open(self.path("model.onnx"), "wb") as file:
            file.write(model)
        arguments = []
        for name, value in values.items():
            numpy.save(self.path(name + ".npy"), value)
            arguments += ["-i", f"{name}=@{self.path(name)}.npy"]
        for name in outputs:
            arguments += ["--output", f"{name}=@{self.path('out.' + name)}.npy"]
        result = subprocess.run(COMMAND + ["run", self.path("model.onnx")] + arguments,
                                capture_output=True, text=True, check=False)
        if result.returncode:
            return result.stderr
        return {name: numpy.load(self.path(f"out.{name}.npy")) for name in outputs}


class GradientTest(unittest.TestCase):
    def setUp(self):
        self.runner = Runner()
        self.random = numpy.random.default_rng(5)

    def run_model(self, *arguments):
        result = self.runner.run(*arguments)
        self.assertNotIsInstance(result, str, result)
        return result

    def check(self, item):
        dtype = DTYPES[item["dtype"]]
        step, tolerance = (1e-6, 1e-6) if item["dtype"] == "f64" else (1e-2, 2e-3)
        if item["op"] == "Cast":
            step, tolerance = 1e-2, 2e-3
        model = model_of(item)
        names = [f"x{i}" for i in range(len(item["inputs"]))]
        point = {name: self.random.uniform(*item["range"], shape).astype(dtype)
                 for name, shape in zip(names, item["inputs"])}
        along = {name: self.random.uniform(-1, 1, value.shape) for name, value in point.items()}
        result = self.run_model(model, point, ["y"] + ["d" + name for name in names])
        expected = 0.0
        for side in (1, -1):
            moved = {name: (value + side * step * along[name]).astype(dtype)
                     for name, value in point.items()}
            expected += side * float(self.run_model(model, moved, ["y"])["y"]) / (2 * step)
        actual = sum(float((result["d" + name].astype(float) * along[name]).sum())
                     for name in names)
        for name in names:
            self.assertEqual(result["d" + name].shape, point[name].shape)
        self.assertLess(abs(actual - expected), tolerance * (1 + abs(expected)),
                        f"{actual} by the rule, {expected} by differences")

    def test_rules(self):
        for item in CASES:
            with self.subTest(item["rule"], op=item["op"], inputs=item["dims"]):
                self.check(item)

    def test_every_rule_has_a_case(self):
        with open(RULES, encoding="utf-8") as file:
            rules = re.findall(r"^TERN_(?:GRADIENT|DERIVATIVE)\((\w+),", file.read(), re.M)
        # What no ONNX operator becomes by itself.
        untold = {"rsqrt"}
        self.assertEqual(set(rules) - {item["rule"] for item in CASES} - untold, set())

    def test_other_values_for_xs_and_zs(self):
        """dy/da of a * b * b where a and b are not what the graph has."""
        nodes = [onnx.node("Mul", ["a", "b"], ["ab"]), onnx.node("Mul", ["ab", "b"], ["y"]),
                 onnx.node("Gradient", ["c", "d"], ["dc"], "", TRAINING, xs=["a"], zs=["b"],
                           y="y")]
        model = simple_model(nodes, [(name, (1,)) for name in "abcd"],
                             [("y", (1,)), ("dc", (1,))])
        values = {name: numpy.array([value], numpy.float32)
                  for name, value in zip("abcd", (2, 3, 5, 7))}
        result = self.run_model(model, values, ["y", "dc"])
        self.assertEqual((result["y"][0], result["dc"][0]), (18, 49))

    def test_a_gradient_of_a_gradient(self):
        nodes = [onnx.node("Mul", ["x", "x"], ["xx"]), onnx.node("Mul", ["xx", "x"], ["y"]),
                 onnx.node("Gradient", ["x"], ["dy"], "", TRAINING, xs=["x"], y="y"),
                 onnx.node("Gradient", ["x"], ["ddy"], "", TRAINING, xs=["x"], y="dy")]
        model = simple_model(nodes, [("x", (2,))], [("dy", (2,)), ("ddy", (2,))])
        result = self.run_model(model, {"x": numpy.array([2, 3], numpy.float32)}, ["dy", "ddy"])
        self.assertEqual(result["dy"].tolist(), [12, 27])
        self.assertEqual(result["ddy"].tolist(), [12, 18])

    def test_a_value_that_y_does_not_need(self):
        nodes = [onnx.node("Neg", ["a"], ["y"]),
                 onnx.node("Gradient", ["a", "b"], ["da", "db"], "", TRAINING, xs=["a", "b"],
                           y="y")]
        model = simple_model(nodes, [("a", (2,)), ("b", ("n",))], [("da", (2,)), ("db", ("n",))])
        values = {name: numpy.ones(2, numpy.float32) for name in "ab"}
        result = self.run_model(model, values, ["da", "db"])
        self.assertEqual((result["da"].tolist(), result["db"].tolist()), ([-1, -1], [0, 0]))

    def refuse(self, expected, nodes, constants=()):
        model = simple_model(nodes, [("x", (1, 1, 3, 3))], [("dx", (1, 1, 3, 3))], constants)
        result = self.runner.run(model, {"x": numpy.ones((1, 1, 3, 3), numpy.float32)}, ["dx"])
        self.assertIsInstance(result, str)
        self.assertIn(expected, result)

    def gradient(self, **attributes):
        return onnx.node("Gradient", ["x"], ["dx"], "g", TRAINING, **attributes)

    def test_what_is_refused(self):
        pool = onnx.node("MaxPool", ["x"], ["y"], "pool", kernel_shape=[2, 2])
        self.refuse("no derivative is known of max_pool, which node 'pool'",
                    [pool, self.gradient(xs=["x"], y="y")])
        self.refuse("'y' is missing", [pool, self.gradient(xs=["x"])])
        self.refuse("takes 'z', which nothing makes", [pool, self.gradient(xs=["x"], y="z")])
        self.refuse("it has 1 inputs, expected 2",
                    [pool, self.gradient(xs=["x"], zs=["z"], y="y")])
        self.refuse("expected 2", [pool, self.gradient(xs=["x", "x"], y="y")])

    def test_a_gradient_that_needs_itself(self):
        self.refuse("depends on it", [onnx.node("Add", ["dx", "x"], ["y"]),
                                      onnx.node("Gradient", ["x"], ["dx"], "g", TRAINING,
                                                xs=["x"], y="y")])


def main():
    COMMAND.extend(sys.argv[1:])
    if not COMMAND:
        sys.exit(__doc__)
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(GradientTest)
    result = unittest.TextTestRunner(verbosity=0).run(suite)
    failed = len(result.failures) + len(result.errors)
    print(f"{len(CASES) + result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
