# SPDX-License-Identifier: Apache-2.0
"""Functions of Python that programs call by name, and functions of Tern that Python calls."""
from __future__ import annotations

import json
from ctypes import byref
from typing import Any, Callable

from . import _abi
from ._library import check, lib, made, take_text
from .values import Function, host_function, to_python


def function(name: str, *, signature: str | None = None,
             replace: bool = False) -> Callable[[Callable[..., Any]], Function]:
    """Puts a function of Python into the process's table, where programs find it when they are
    loaded:

        @tern.function("py.twice")
        def twice(x): return 2 * x

    signature: a text for people. A name that is taken is an error unless `replace`. What the
    function raises ends the run, and is the cause of the error that the caller gets."""
    def register(target: Callable[..., Any]) -> Function:
        wrapped = Function(host_function(target, name, signature))
        check(lib.tern_function_register(byref(wrapped._any), int(replace)))
        return wrapped
    return register


def get_function(name: str) -> Function:
    """A function by name, with attributes where it is an operator: "softmax{axis=1}"."""
    any_ = _abi.TernAny()
    check(lib.tern_function_find(name.encode(), byref(any_)))
    return to_python(any_)


def remove_function(name: str) -> None:
    """Takes a function out of the table. Programs that were loaded before keep it."""
    check(lib.tern_function_remove(name.encode()))


def function_names() -> list[str]:
    return json.loads(take_text(made(lib.tern_function_names)))
