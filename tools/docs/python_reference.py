# SPDX-License-Identifier: Apache-2.0
"""The reference of the Python package: what `tern.__all__` lists, with signatures and documentation
strings, read from the sources without importing them."""
import ast
import os

from headers import escaped


def said(node):
    text = ast.get_docstring(node)
    return escaped(text) + "\n\n" if text else ""


def signature(function):
    """A function's head as it would be written, without its decorators."""
    args = ast.unparse(function.args).removeprefix("self, ").removeprefix("cls, ")
    args = "" if args in ("self", "cls") else args
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    decorators = {ast.unparse(decorator) for decorator in function.decorator_list}
    if "property" in decorators:
        return f"{function.name}{returns.replace(' ->', ':')}"
    return f"{function.name}({args}){returns}"


def is_public(member):
    return (isinstance(member, ast.FunctionDef) and
            (not member.name.startswith("_") or member.name == "__call__"))


def describe(name, node):
    if isinstance(node, ast.FunctionDef):
        return f"### `{name}`\n\n```python\ntern.{signature(node)}\n```\n\n{said(node)}"
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    head = f"class tern.{name}({bases})" if bases else f"class tern.{name}"
    text = f"### `{name}`\n\n```python\n{head}\n```\n\n{said(node)}"
    for member in filter(is_public, node.body):
        text += f"#### `{name}.{member.name}`\n\n```python\n{signature(member)}\n```\n\n"
        text += said(member)
    return text


def definitions(folder):
    """{name: node} of the classes and functions of all modules."""
    found = {}
    for file in sorted(os.listdir(folder)):
        if file.endswith(".py"):
            with open(os.path.join(folder, file), encoding="utf-8") as source:
                tree = ast.parse(source.read())
            found.update((node.name, node) for node in tree.body
                         if isinstance(node, (ast.ClassDef, ast.FunctionDef)))
            if file == "__init__.py":
                [names] = [ast.literal_eval(node.value) for node in tree.body
                           if isinstance(node, ast.Assign) and
                           any(ast.unparse(target) == "__all__" for target in node.targets)]
    return names, found


def page(folder):
    names, found = definitions(folder)
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(f"python reference: __all__ has {', '.join(missing)}, which no module of "
                         f"{folder} defines")
    text = ("# The Python package\n\nEverything that `import tern` gives. "
            "[Using Tern from Python](../using-from-python.md) shows how it goes together.\n\n")
    errors = [name for name in names if name == "Error" or name.endswith("Error")]
    classes = [name for name in names
               if isinstance(found[name], ast.ClassDef) and name not in errors]
    functions = [name for name in names if isinstance(found[name], ast.FunctionDef)]
    for title, group in (("Functions", functions), ("Classes", classes), ("Errors", errors)):
        text += f"## {title}\n\n" + "".join(describe(name, found[name]) for name in group)
    return text
