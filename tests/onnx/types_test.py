# SPDX-License-Identifier: Apache-2.0
"""Every type of elements that the standard lists for operators on numbers and what moves them runs.

usage: types_test.py COMMAND…                      ends with `N passed, N failed`
COMMAND runs the command line, such as build/host/tern or qemu-aarch64 build/aarch64/tern.

A case is an operator with one type. Its inputs are small whole numbers, which every type can hold;
what comes of them must be what the same operator gives for f32 or i64, within three hundredths:
the model casts and compares both. Texts and bools only have to run.
"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "models"))
import onnx_writer as onnx  # noqa: E402

FLOATS = ("f16", "bf16", "f32", "f64")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
INTEGERS = SIGNED + UNSIGNED
NUMBERS = FLOATS + INTEGERS
ANY = NUMBERS + ("bool", "string")
# Of reductions and products: not the small integers.
WIDE = FLOATS + ("i32", "i64", "u32", "u64")

# (operator, types, inputs, attributes, outputs). An input is the values of the type that is tested,
# in rows, or ("i64"|"bool", values) of a type of its own.
A, B = [[1, 2, 3], [4, 0, 2]], [[3, 1, 1], [2, 1, 2]]
ROW, ONE = [1, 0, 2], 1
IMAGE = [[[[1, 2, 3, 0], [4, 5, 1, 2], [0, 3, 2, 1], [5, 1, 0, 2]]]]


def i64(values):
    return ("i64", values)


def flags(values):
    return ("bool", values)


OPERATORS = [
    ("Add", NUMBERS, [A, ROW]), ("Mul", NUMBERS, [A, B]), ("Sub", NUMBERS, [[[5, 6]], [[1, 2]]]),
    ("Div", NUMBERS, [[[4, 6]], [[2, 3]]]), ("Mod", INTEGERS, [A, B]),
    ("Mod", FLOATS + INTEGERS, [A, B], {"fmod": 1}),
    ("Pow", ("f16", "bf16", "f32", "f64", "i32", "i64"), [A, i64(2)]),
    ("Abs", NUMBERS, [A]), ("Neg", FLOATS + SIGNED, [A]), ("Sign", NUMBERS, [A]),
    ("Max", NUMBERS, [A, B]), ("Min", NUMBERS, [A, B, ROW]), ("Clip", NUMBERS, [A, ONE, 2]),
    ("Equal", ANY, [A, B]), ("Less", NUMBERS, [A, B]), ("Greater", NUMBERS, [A, B]),
    ("LessOrEqual", NUMBERS, [A, B]), ("GreaterOrEqual", NUMBERS, [A, B]),
    ("BitShift", UNSIGNED, [A, B], {"direction": "LEFT"}), ("BitwiseAnd", INTEGERS, [A, B]),
    ("BitwiseOr", INTEGERS, [A, B]), ("BitwiseXor", INTEGERS, [A, B]),
    ("Where", ANY, [flags([1, 0, 1]), A, B]), ("Identity", ANY, [A]),
    ("Relu", FLOATS + SIGNED, [A]), ("PRelu", FLOATS + ("i32", "i64", "u32", "u64"), [A, ROW]),
    ("Sum", FLOATS, [A, B]), ("Mean", FLOATS, [A, B]), ("Sqrt", FLOATS, [A]),
    ("Exp", FLOATS, [ROW]), ("Sigmoid", FLOATS, [ROW]), ("Tanh", FLOATS, [ROW]),
    ("Erf", NUMBERS[:4], [ROW]), ("Floor", FLOATS, [A]), ("Reciprocal", FLOATS, [B]),
    ("Softmax", FLOATS, [A]), ("LogSoftmax", FLOATS, [A]), ("HardSigmoid", FLOATS, [A]),
    ("IsNaN", FLOATS, [A]), ("IsInf", FLOATS, [A]),
    ("MatMul", WIDE, [A, [[1, 2], [0, 1], [2, 1]]]),
    ("Gemm", WIDE, [A, [[1, 2], [0, 1], [2, 1]], [1, 2]]),
    ("Einsum", NUMBERS, [A, [[1, 2], [0, 1], [2, 1]]], {"equation": "ij,jk->ik"}),
    ("ReduceSum", WIDE, [A, i64([1])]), ("ReduceMean", WIDE, [[[1, 3], [2, 4]], i64([1])]),
    ("ReduceProd", WIDE, [A, i64([1])]), ("ReduceSumSquare", WIDE, [A, i64([1])]),
    ("ReduceL1", WIDE, [A, i64([1])]), ("ReduceL2", WIDE, [[[3, 4]], i64([1])]),
    ("ReduceLogSum", FLOATS, [A, i64([1])]), ("ReduceLogSumExp", FLOATS, [A, i64([1])]),
    ("ReduceMax", WIDE + ("i8", "u8", "bool"), [A, i64([1])]),
    ("ReduceMin", WIDE + ("i8", "u8", "bool"), [A, i64([1])]),
    ("ArgMax", NUMBERS, [A]), ("ArgMin", NUMBERS, [A]),
    ("CumSum", WIDE, [A, i64(1)]), ("CumProd", WIDE, [A, i64(1)]),
    ("TopK", NUMBERS, [A, i64([2])], {}, 2),
    ("Concat", ANY, [A, B], {"axis": 0}), ("Split", ANY, [A], {"num_outputs": 3, "axis": 1}, 3),
    ("Slice", ANY, [A, i64([0]), i64([2]), i64([1])]), ("Transpose", ANY, [A]),
    ("Reshape", ANY, [A, i64([3, 2])]), ("Flatten", ANY, [A]),
    ("Squeeze", ANY, [[[1, 2]], i64([0])]),
    ("Unsqueeze", ANY, [A, i64([0])]), ("Expand", ANY, [ROW, i64([2, 3])]),
    ("Tile", ANY, [A, i64([1, 2])]), ("Pad", ANY, [A, i64([0, 1, 1, 0])]),
    ("Pad", NUMBERS, [A, i64([0, 1, 1, 0]), ONE]), ("Pad", NUMBERS, [A, i64([0, 1, 1, 1])],
                                                    {"mode": "reflect"}),
    ("Gather", ANY, [A, i64([1, 0])]), ("GatherElements", ANY, [A, i64([[1, 0, 1]])]),
    ("GatherND", ANY, [A, i64([[1, 2], [0, 0]])]),
    ("ScatterElements", ANY, [A, i64([[1, 0, 1]]), [[3, 3, 3]]]),
    ("ScatterElements", NUMBERS, [A, i64([[1, 0, 1]]), [[3, 3, 3]]], {"reduction": "add"}),
    ("ScatterND", ANY, [A, i64([[1]]), [[3, 3, 3]]]),
    ("ScatterND", NUMBERS, [A, i64([[1]]), [[3, 3, 3]]], {"reduction": "max"}),
    ("Compress", ANY, [A, flags([1, 0])], {"axis": 0}),
    ("Unique", NUMBERS + ("string",), [ROW], {}, 4),
    ("NonZero", NUMBERS + ("bool",), [A]), ("Trilu", NUMBERS + ("bool",), [A]),
    ("ReverseSequence", ANY, [A, i64([1, 2, 1])]),
    ("OneHot", NUMBERS + ("string",), [i64([1, 0]), i64(2), [0, 1]]),
    ("Range", ("f32", "f64", "i16", "i32", "i64"), [0, 6, 2]),
    ("EyeLike", NUMBERS + ("bool",), [A]), ("Shape", ANY, [A]), ("Size", ANY, [A]),
    ("DepthToSpace", ANY, [[[[[1]], [[2]], [[3]], [[4]]]]], {"blocksize": 2}),
    ("SpaceToDepth", ANY, [IMAGE], {"blocksize": 2}),
    ("MaxPool", FLOATS[:1] + FLOATS[2:] + ("i8", "u8"), [IMAGE], {"kernel_shape": [2, 2]}),
    ("AveragePool", ("f16", "f32", "f64"), [IMAGE], {"kernel_shape": [2, 2]}),
    ("GlobalAveragePool", ("f16", "f32", "f64"), [IMAGE]),
    ("Conv", ("f16", "f32", "f64"), [IMAGE, [[[[1, 0], [1, 1]]]]]),
    ("Resize", NUMBERS + ("string",), [IMAGE, None, ("f32", [1, 1, 2, 2])], {"mode": "nearest"}),
    ("Dropout", FLOATS, [A]), ("CenterCropPad", ANY, [A, i64([2, 2])]),
    ("Acos", FLOATS, [[0, 1]]), ("Acosh", FLOATS, [B]), ("Asin", FLOATS, [[0, 1]]),
    ("Asinh", FLOATS, [A]), ("Atan", FLOATS, [A]), ("Atanh", FLOATS, [[0]]), ("Cos", FLOATS, [A]),
    ("Cosh", FLOATS, [[0, 1]]), ("Sin", FLOATS, [A]), ("Sinh", FLOATS, [[0, 1]]),
    ("Tan", FLOATS, [[0, 1]]), ("Ceil", FLOATS, [A]), ("Round", FLOATS, [A]), ("Log", FLOATS, [B]),
    ("Celu", FLOATS, [A]), ("Elu", FLOATS, [A]), ("Selu", FLOATS, [ROW]), ("Gelu", FLOATS, [ROW]),
    ("HardSwish", FLOATS, [A]), ("Mish", FLOATS, [ROW]), ("Swish", FLOATS, [ROW]),
    ("LeakyRelu", FLOATS, [A]), ("ThresholdedRelu", FLOATS, [A]), ("Softplus", FLOATS, [ROW]),
    ("Softsign", FLOATS, [A]), ("Hardmax", FLOATS, [A]), ("SwiGLU", FLOATS, [ROW, [1, 1, 2]]),
    ("Shrink", FLOATS[:1] + FLOATS[2:] + INTEGERS, [A]), ("BitwiseNot", SIGNED, [A]),
    ("Det", FLOATS, [[[1, 2], [3, 4]]]), ("LpNormalization", FLOATS, [[[3, 4]]]),
    ("LayerNormalization", FLOATS, [[[1, 3], [2, 4]], [1, 1]]),
    ("RMSNormalization", FLOATS, [[[1, 1], [2, 2]], [1, 1]]),
    ("BatchNormalization", FLOATS, [IMAGE, [1], [0], [2], [4]]),
    ("InstanceNormalization", FLOATS, [IMAGE, [1], [0]]),
    ("GroupNormalization", FLOATS, [IMAGE, [1], [0]], {"num_groups": 1}),
    ("MeanVarianceNormalization", FLOATS, [IMAGE]), ("LRN", FLOATS, [IMAGE], {"size": 1}),
    ("MaxPool", ("bf16",), [IMAGE], {"kernel_shape": [2, 2]}),
    ("AveragePool", ("bf16",), [IMAGE], {"kernel_shape": [2, 2]}),
    ("GlobalAveragePool", ("bf16",), [[[[[1, 3], [4, 0]]]]]), ("GlobalMaxPool", FLOATS, [IMAGE]),
    ("GlobalLpPool", FLOATS, [[[[[3, 4], [0, 0]]]]]),
    ("LpPool", FLOATS, [[[[[3, 4], [0, 0]]]]], {"kernel_shape": [2, 2]}),
    ("Conv", ("bf16",), [IMAGE, [[[[1, 0], [1, 1]]]]]),
    ("ConvTranspose", FLOATS, [IMAGE, [[[[1, 0], [1, 1]]]]]),
    ("MaxUnpool", FLOATS, [[[[[4]]]], i64([[[[3]]]])], {"kernel_shape": [2, 2]}),
    ("DeformConv", FLOATS, [[[[[1, 2], [3, 4]]]], [[[[1]]]], [[[[0, 0], [0, 0]]] * 2]]),
    ("AffineGrid", FLOATS, [[[[1, 0, 0], [0, 1, 0]]], i64([1, 1, 2, 2])], {"align_corners": 1}),
    ("GridSample", NUMBERS, [IMAGE, ("f32", [[[[0, 0], [1, 1]]]])], {"mode": "nearest"}),
    ("RoiAlign", FLOATS, [IMAGE, [[0, 0, 2, 2]], i64([0])], {"output_height": 1,
                                                              "output_width": 1}),
    ("MaxRoiPool", FLOATS, [IMAGE, [[0, 0, 0, 2, 2]]], {"pooled_shape": [1, 1]}),
    ("DFT", FLOATS, [[[[1], [2], [0], [1]]]]),
    ("STFT", FLOATS, [[[[1], [2], [0], [1]]], i64(2), [1, 1]]),
    ("RNN", FLOATS, [[[[1]]], [[[1]]], [[[1]]]], {"hidden_size": 1}, 2),
    ("GRU", FLOATS, [[[[1]]], [[[1]] * 3], [[[1]] * 3]], {"hidden_size": 1}, 2),
    ("LSTM", FLOATS, [[[[1]]], [[[1]] * 4], [[[1]] * 4]], {"hidden_size": 1}, 2),
    ("Attention", FLOATS, [[[[[1, 0], [0, 1]]]], [[[[1, 1], [0, 1]]]], [[[[1, 0], [1, 2]]]]]),
    ("RotaryEmbedding", FLOATS[:3], [[[[[1, 2]]]], [[[1]]], [[[0]]]]),
    ("TensorScatter", ANY, [[[[1, 2], [3, 4]]], [[[5, 6]]], i64([1])]),
    ("SoftmaxCrossEntropyLoss", FLOATS, [A, i64([0, 2])]),
    ("NegativeLogLikelihoodLoss", FLOATS, [A, i64([0, 2])]),
    ("Col2Im", NUMBERS, [[[[1], [2], [3], [4]]], i64([2, 2]), i64([2, 2])]),
    ("NonZero", ("string",), [A]), ("Trilu", ("string",), [A]), ("Unique", ("bool",), [ROW], {}, 4),
    ("Resize", ("bool",), [IMAGE, None, ("f32", [1, 1, 2, 2])], {"mode": "nearest"}),
    ("Range", ("f16", "bf16"), [0, 6, 2]),
    ("ReduceLogSum", WIDE[4:], [[[1], [1]], i64([1])]),
    ("ReduceLogSumExp", WIDE[4:], [[[1], [2]], i64([1])]),
]


def shape_of(values):
    return [len(values)] + shape_of(values[0]) if isinstance(values, list) else []


def flat(values):
    return [x for item in values for x in flat(item)] if isinstance(values, list) else [values]


def tensor_of(name, dtype, values):
    numbers = flat(values)
    if dtype == "string":
        return onnx.tensor(name, dtype, shape_of(values), [f"t{x}" for x in numbers])
    if dtype == "bool":
        numbers = [int(x != 0) for x in numbers]
    if dtype == "bf16":
        numbers = [int.from_bytes(onnx.raw("f32", [x])[2:], "little") for x in numbers]
    if dtype in ("f16", "f32", "f64"):
        numbers = [float(x) for x in numbers]
    return onnx.tensor(name, dtype, shape_of(values), onnx.raw(dtype, numbers))


class Case:
    def __init__(self, dtype, op, types, inputs, attributes=None, outputs=1):
        del types
        self.name = f"{op}.{dtype}" + "".join(f".{v}" for v in (attributes or {}).values())
        self.dtype, self.op, self.inputs = dtype, op, inputs
        self.attributes, self.outputs = attributes or {}, outputs

    def nodes(self, dtype, prefix):
        """The operator on inputs of one type; constants go through the graph's inputs."""
        names = []
        for i, values in enumerate(self.inputs):
            own = isinstance(values, tuple) and values[0]
            names.append("" if values is None else f"in{i}" if own else f"in{i}.{dtype}")
        outputs = [f"{prefix}{i}" for i in range(self.outputs)]
        return [onnx.node(self.op, names, outputs, self.name, **self.attributes)]

    def inputs_of(self, dtype):
        found = {}
        for i, values in enumerate(self.inputs):
            if values is None:
                continue
            if isinstance(values, tuple):
                found[f"in{i}"] = (values[0], values[1])
            else:
                found[f"in{i}.{dtype}"] = (dtype, values)
        return found

    def reference(self):
        if self.dtype in ("string", "bool"):
            return None
        return "f32" if self.dtype in FLOATS else "i64" if self.op not in UNSIGNED_ONLY else "u64"

    def model(self):
        """all: whether the results are those of the reference."""
        nodes = self.nodes(self.dtype, "a")
        constants = self.inputs_of(self.dtype)
        reference = self.reference()
        if reference is None or reference == self.dtype:
            outputs = ["a0"]
        else:
            nodes += self.nodes(reference, "b")
            constants.update(self.inputs_of(reference))
            nodes += [onnx.node("Cast", ["a0"], ["ca"], to=11),
                      onnx.node("Cast", ["b0"], ["cb"], to=11),
                      onnx.node("Sub", ["ca", "cb"], ["d"]), onnx.node("Abs", ["d"], ["e"]),
                      onnx.node("Less", ["e", "limit"], ["ok"]),
                      onnx.node("Cast", ["ok"], ["ok32"], to=6),
                      onnx.node("ReduceMin", ["ok32"], ["all"], keepdims=0)]
            constants["limit"] = ("f64", 0.03)
            outputs = ["all"]
        tensors = [tensor_of(name, dtype, values) for name, (dtype, values) in constants.items()]
        values = [onnx.value_info(name, "f32", ()) for name in outputs]
        return onnx.model({"": 28}, onnx.graph("case", nodes, tensors, [], values)), outputs[0]


UNSIGNED_ONLY = ("BitShift",)

# Types below 16 bits, by their numbers in the standard, and numbers that each of them holds.
FLOATS_8 = (17, 18, 19, 20)
BELOW_8 = (21, 22, 23, 25, 26)
SMALL = {**{number: [[1, 0, 1], [0, 1, 1]] for number in FLOATS_8 + BELOW_8},
         24: [[1, 2, 4], [0.5, 1, 2]]}
EVERY = tuple(SMALL)
SMALL_OPERATORS = [
    ("Identity", EVERY, []), ("Transpose", EVERY, []), ("Reshape", EVERY, [i64([3, 2])]),
    ("Flatten", EVERY, []), ("Squeeze", EVERY, []), ("Unsqueeze", EVERY, [i64([0])]),
    ("Pad", EVERY, [i64([0, 1, 1, 0]), 1]), ("Shape", EVERY, []), ("Size", EVERY, []),
    ("IsNaN", FLOATS_8, []), ("IsInf", FLOATS_8, []), ("Dropout", FLOATS_8, []),
    ("TensorScatter", FLOATS_8 + (24,) + BELOW_8[:3], [[[1, 1, 1]], i64([0, 1])]),
    ("QLinearMatMul", FLOATS_8, [("f32", 0.5), 0, [[1, 0], [1, 1], [0, 1]], ("f32", 2), 0,
                                 ("f32", 1), 0]),
]


class SmallCase:
    """An operator on a type below 16 bits, whose values are cast to it in the model."""

    def __init__(self, number, op, inputs):
        self.name, self.number, self.op = f"{op}.{number}", number, op
        self.inputs = [SMALL[number]] + inputs
        if op == "TensorScatter":
            self.inputs = [[SMALL[number]] * 2, [inputs[0]] * 2, inputs[1]]

    def nodes(self, prefix, small):
        names, nodes = [], []
        for i, values in enumerate(self.inputs):
            name = f"in{i}"
            if small and not isinstance(values, tuple):
                nodes.append(onnx.node("Cast", [name], [f"small{i}"], to=self.number))
                name = f"small{i}"
            names.append(name)
        nodes.append(onnx.node(self.op, names, [prefix], self.name))
        return nodes + [onnx.node("Cast", [prefix], [f"{prefix}32"], to=1)]

    def model(self):
        tensors = []
        for i, values in enumerate(self.inputs):
            own = values if isinstance(values, tuple) else ("f32", values)
            tensors.append(tensor_of(f"in{i}", *own))
        if self.op == "QLinearMatMul":
            want = [onnx.node("MatMul", ["in0", "in3"], ["b32"])]
        else:
            want = self.nodes("b", False)
        nodes = self.nodes("a", True) + want + [
            onnx.node("Equal", ["a32", "b32"], ["ok"]), onnx.node("Cast", ["ok"], ["ok32"], to=6),
            onnx.node("ReduceMin", ["ok32"], ["all"], keepdims=0)]
        graph = onnx.graph("case", nodes, tensors, [], [onnx.value_info("all", "i32", ())])
        return onnx.model({"": 28}, graph), "all"

    @staticmethod
    def reference():
        return "f32"


class GatheringCase:
    """Rows of one of these types that a Scan cuts and gathers, or that a Loop gathers."""

    def __init__(self, number, op, opset):
        self.name, self.number, self.op, self.opset = f"{op}-{opset}.{number}", number, op, opset

    def model(self):
        rows = SMALL[self.number]
        item = onnx.value_info("item", "f32", (3,))
        copy = onnx.node("Identity", ["item"], ["copy"])
        outputs = [onnx.value_info("copy", "f32", (3,))]
        if self.op == "Scan":
            body = onnx.graph("body", [copy], [], [item], outputs)
            # Opset 8 has a batch axis in front, and lengths.
            inputs, backwards = (["", "small"], "directions") if self.opset == 8 else (
                ["small"], "scan_input_directions")
            loop = onnx.node("Scan", inputs, ["all_rows"], self.name, body=("graph", body),
                             num_scan_inputs=1, **{backwards: [1]})
            given = [rows[::-1]] if self.opset == 8 else rows[::-1]
            want = [rows] if self.opset == 8 else rows
        else:
            first = [onnx.value_info("turn", "i64", ()), onnx.value_info("go", "bool", ())]
            nodes = [onnx.node("Gather", ["rows32", "turn"], ["row"]),
                     onnx.node("Cast", ["row"], ["copy"], to=self.number),
                     onnx.node("Identity", ["go"], ["on"])]
            outputs = [onnx.value_info("on", "bool", ())] + outputs
            loop = onnx.node("Loop", ["two", ""], ["all_rows"], self.name, body=(
                "graph", onnx.graph("body", nodes, [], first, outputs)))
            given = want = rows
        nodes = [onnx.node("Cast", ["rows32"], ["small"], to=self.number), loop,
                 onnx.node("Cast", ["all_rows"], ["a32"], to=1),
                 onnx.node("Sub", ["a32", "want"], ["off"]),
                 onnx.node("ReduceL1", ["off"], ["distance"], keepdims=0),
                 onnx.node("Less", ["distance", "limit"], ["ok"]),
                 onnx.node("Cast", ["ok"], ["all"], to=6)]
        tensors = [tensor_of("rows32", "f32", given), tensor_of("want", "f32", want),
                   tensor_of("two", "i64", 2), tensor_of("limit", "f32", 0.01)]
        graph = onnx.graph("case", nodes, tensors, [], [onnx.value_info("all", "i32", ())])
        return onnx.model({"": self.opset}, graph), "all"

    @staticmethod
    def reference():
        return "f32"


def run(command, case, folder):
    """None, or what is wrong."""
    path = os.path.join(folder, "model.onnx")
    model, output = case.model()
    with open(path, "wb") as file:
        file.write(model)
    done = subprocess.run(command + ["run", path], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip().splitlines()[0] if done.stderr else f"exit {done.returncode}"
    if output == "all" and done.stdout.split()[-1] != "1":
        return "other results than " + case.reference() + ": " + done.stdout.strip()
    return None


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    passed = failed = 0
    cases = [Case(dtype, *row) for row in OPERATORS for dtype in row[1]]
    cases += [SmallCase(number, op, inputs)
              for op, numbers, inputs in SMALL_OPERATORS for number in numbers]
    cases += [GatheringCase(number, *kind) for number in EVERY
              for kind in (("Scan", 8), ("Scan", 21), ("Loop", 21))]
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            problem = run(command, case, folder)
            passed, failed = passed + (problem is None), failed + (problem is not None)
            if problem:
                print(f"FAIL {case.name}: {problem}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
