# SPDX-License-Identifier: Apache-2.0
"""Models and tensors from the JSON in golden files of the command line (golden.py says how).

  {"opsets": {"": 17}, "producer": "…", "doc": "…", "metadata": {"key": "value"},
   "inputs": ["x f32 [n, 2]"], "outputs": ["y f32 [n, 2] text of its doc string"],
   "initializers": {"w": ["f32", [2], [1, 2]]},
   "nodes": [{"op": "Add", "in": ["x", "w"], "out": ["y"], "name": "add",
              "attributes": {"axis": 1}, "graphs": {"then_branch": {"nodes": …, "outputs": …}}}],
   "functions": [{"name": "f", "domain": "d", "in": ["a"], "out": ["b"], "nodes": […]}],
   "values": {"in": ["f32", [2], [1, 2]], "list": [["f32", [1], [1]], …], "none": null}}
An input that begins with `sequence ` or `optional ` is one.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "models"))
import onnx_writer as onnx  # noqa: E402


def value_info(text):
    match = re.fullmatch(r"(?:(sequence|optional) )?(\S+)(?: (\w+))?(?: \[(.*?)\])?(?: (.*))?",
                         text)
    kind, name, dtype, dims, doc = match.groups()
    if dtype is None:
        return onnx.data(1, name)
    if dims is not None:
        dims = [int(dim) if dim.lstrip("-").isdigit() else dim
                for dim in filter(None, dims.split(", "))]
    return onnx.value_info(name, dtype, dims, doc or "", kind or "tensor")


def node(item):
    attributes = dict(item.get("attributes", {}))
    for name, graph in item.get("graphs", {}).items():
        attributes[name] = ("graph", graph_of(graph))
    for name, tensor in item.get("tensors", {}).items():
        attributes[name] = ("tensor", onnx.tensor("", *tensor))
    return onnx.node(item["op"], item.get("in", []), item.get("out", []), item.get("name", ""),
                     item.get("domain", ""), **attributes)


def initializer(name, content):
    if isinstance(content, dict):
        return onnx.external_tensor(name, content["type"], content["dims"], content["location"],
                                    content.get("offset", 0), content["length"])
    return onnx.tensor(name, *content)


def graph_of(item):
    return onnx.graph(
        item.get("name", "g"), [node(one) for one in item.get("nodes", [])],
        [initializer(name, content) for name, content in item.get("initializers", {}).items()],
        [value_info(text) for text in item.get("inputs", [])],
        [value_info(text) for text in item.get("outputs", [])], item.get("graph_doc", ""))


def function(item):
    return onnx.function(item["name"], item["domain"], item["in"], item["out"],
                         [node(one) for one in item["nodes"]], item.get("opsets", {}).items())


def value(content):
    """TensorProto, SequenceProto (its elem_type says that they are tensors), or an empty one."""
    if content is None:
        return b""
    if content and isinstance(content[0], list):
        return onnx.number(2, 1) + b"".join(onnx.data(3, onnx.tensor("", *one)) for one in content)
    return onnx.tensor("", *content)


def model(item):
    return onnx.model(item["opsets"], graph_of(item),
                      [function(one) for one in item.get("functions", [])], item.get("metadata"),
                      producer=item.get("producer", ""), version=item.get("version", ""),
                      doc=item.get("doc", ""))
