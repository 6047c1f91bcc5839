# SPDX-License-Identifier: Apache-2.0
"""A folder with the files that the examples of `tern help` name, as a user would have them."""
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import onnx_text  # noqa: E402
from tern_cli import ROOT, text_of, write  # noqa: E402

IMAGE = [1, 1, 28, 28]
SOURCE = "fn main(x: f32[n]) -> f32[n] {\n  x + x\n}\n"
ASSEMBLY = (".func @main(x: f32[n]) -> f32[n]\n"
            "  call  neg in: %0 dst: %1\n"
            "  call  exp in: %1 dst: %1\n"
            "  ret   ret %1\n")
STEPS = 24


def chain(operators, inputs="x f32 [1, 1, 28, 28]", outputs="y f32 [1, 1, 28, 28]"):
    """A model of operators behind each other."""
    names = ["x"] + [f"t{i}" for i in range(1, len(operators))] + ["y"]
    nodes = [{"op": op, "in": [names[i]], "out": [names[i + 1]]}
             for i, op in enumerate(operators)]
    return onnx_text.model({"opsets": {"": 17}, "inputs": [inputs], "outputs": [outputs],
                            "nodes": nodes})


def make_files(folder):
    write(folder, "model.onnx", chain(["Softmax"] * STEPS))
    write(folder, "program.tn", SOURCE)
    write(folder, "program.tasm", ASSEMBLY)
    write(folder, "commands.txt", "step 2\nregisters\nquit\n")
    for number, name in enumerate(("add.tloop", "other.tloop")):
        shutil.copy(os.path.join(ROOT, "web/examples", ("vector_add", "relu")[number] + ".tloop"),
                    os.path.join(folder, name))
    commands = (
        ("compile", "model.onnx", "-o", "model.tern"),
        ("asm", "program.tasm", "-o", "a.tern"),
        ("asm", "program.tasm", "-o", "new.tern"),
        ("compile", "program.tn", "-o", "old.tern"),
        ("convert", "x=f32[1,1,28,28]:random(seed=1)", "x.npy"),
        ("run", "model.tern", "-i", "x=@x.npy", "--output", "y=@y.npy", "--trace",
         "run.terntrace"))
    for command in commands:
        text_of(*command, cwd=folder)
    for copy, name in (("run.terntrace", "a.terntrace"), ("run.terntrace", "b.terntrace"),
                       ("y.npy", "expected.npy")):
        shutil.copy(os.path.join(folder, copy), os.path.join(folder, name))
    image = ["f32", IMAGE, [0.5] * 784]
    flat = ["f32", IMAGE, [1 / 28] * 784]
    write(folder, "input_0.pb", onnx_text.value(image))
    write(folder, "model/test_data_set_0/input_0.pb", onnx_text.value(image))
    write(folder, "model/test_data_set_0/output_0.pb", onnx_text.value(flat))


def make_failing(folder):
    """What `tern reduce` is for: a model and a program that fail as its examples say."""
    write(folder, "model.onnx", onnx_text.model({
        "opsets": {"": 17}, "inputs": ["x f32 [2, 3]", "z f32 [2, 3]"], "outputs": ["y f32"],
        "nodes": [{"op": "Relu", "in": ["z"], "out": ["r"]},
                  {"op": "MatMul", "in": ["x", "r"], "out": ["y"]}]}))
    write(folder, "program.tn", "fn other(x: int) -> int { x }\n"
                                "fn main(x: int) -> int { y }\n")
