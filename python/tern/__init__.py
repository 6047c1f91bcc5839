# SPDX-License-Identifier: Apache-2.0
"""Tern: machine-learning programs, whole programs with control flow, from one small runtime.

    import tern
    program = tern.load("model.onnx")
    probabilities = program.run(image=array).numpy()
"""
from ._library import version as _version
from .errors import (ArgumentError, CorruptError, Error, FailedError, KindError, MemoryLimitError,
                     NotFoundError, StoppedError)
from .functions import function, function_names, get_function, remove_function
from .program import Profile, Program, compile, info, load  # pylint: disable=redefined-builtin
from .values import Data, Function, Tensor, Value, tensor

__version__ = _version()
__all__ = ["ArgumentError", "CorruptError", "Data", "Error", "FailedError", "Function", "KindError",
           "MemoryLimitError", "NotFoundError", "Profile", "Program", "StoppedError", "Tensor",
           "Value", "compile", "function", "function_names", "get_function", "info", "load",
           "profile", "remove_function", "tensor"]


def profile(program: Program, *args: object, **inputs: object) -> Profile:
    """program.profile(...), for those who look for it here."""
    return program.profile(*args, **inputs)
