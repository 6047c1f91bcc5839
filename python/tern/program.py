# SPDX-License-Identifier: Apache-2.0
"""Programs: loading, compiling, running, profiling."""
from __future__ import annotations

import contextlib
import ctypes
import json
import os
from ctypes import byref, c_void_p
from functools import cached_property
from typing import Any, Iterable, Iterator, Mapping

from . import _abi
from ._library import check, lib, made, options_of, take_bytes, take_text, text_of
from ._runtime import default_runtime
from .errors import ArgumentError, Error, with_frames
from .values import Arguments, Value, run, tensor, to_python


class Program:
    """A program that is ready to run. May be shared by threads: each run has a machine of its own.

    functions: its functions' names. Calling the program runs `main`."""

    def __init__(self, handle: c_void_p, name: str, limits: Mapping[str, int]):
        self._handle, self.name, self._limits = handle, name, dict(limits)
        self._idle: list[c_void_p] = []  # machines that nobody uses
        self._info = json.loads(take_text(made(lib.tern_program_info, handle)))

    def __del__(self) -> None:
        if lib is None or getattr(self, "_handle", None) is None:
            return
        for machine in getattr(self, "_idle", []):
            lib.tern_vm_free(machine)
        lib.tern_program_free(self._handle)

    @property
    def functions(self) -> list[str]:
        return [function["name"] for function in self._info["functions"]]

    def inputs(self, function: str = "main") -> dict[str, str]:
        """{name: type} of its parameters: {"image": "f32[batch, 1, 28, 28]"}."""
        return {p["name"] or f"%{i}": p.get("type") or "any"
                for i, p in enumerate(self._function(function)["params"])}

    def outputs(self, function: str = "main") -> dict[str, str]:
        return {r["name"] or str(i): r.get("type") or "any"
                for i, r in enumerate(self._function(function)["results"])}

    def _function(self, name: str) -> dict[str, Any]:
        for function in self._info["functions"]:
            if function["name"] == name:
                return function
        raise ArgumentError(f"the program has no function '{name}': it has "
                            f"{', '.join(self.functions)}")

    def run(self, *args: Any, function: str = "main", **inputs: Any) -> Any:
        """Calls a function. Arguments by position, by name, or both. Numbers and nested lists
        become tensors where the function wants tensors. Several results are a tuple."""
        with self._running(function, args, inputs) as (machine, given):
            result = _abi.TernAny()
            try:
                run(lambda: lib.tern_vm_call(machine, function.encode(), given.array, given.count,
                                             byref(result)))
            except Error as error:
                raise self._traced(error, machine) from error.__cause__
            return to_python(result)

    __call__ = run

    def profile(self, *args: Any, function: str = "main", repeat: int = 10,
                **inputs: Any) -> Profile:
        """Runs a function `repeat` times and says where the time went."""
        with self._running(function, args, inputs) as (machine, given):
            profile = c_void_p()
            run(lambda: lib.tern_vm_profile(machine, function.encode(), given.array, given.count,
                                            repeat, byref(profile)))
            return Profile(profile)

    @contextlib.contextmanager
    def _running(self, function: str, args: tuple[Any, ...],
                 inputs: dict[str, Any]) -> Iterator[tuple[c_void_p, Arguments]]:
        """A machine that nobody else uses, and the arguments of a call on it."""
        with Arguments(self._arguments(function, args, inputs)) as given:
            try:  # one operation each, so that threads need no lock
                machine = self._idle.pop()
            except IndexError:
                machine = made(lib.tern_vm_create, self._handle,
                               byref(options_of(_abi.tern_vm_options, **self._limits)))
            try:
                yield machine, given
            finally:
                self._idle.append(machine)

    def _arguments(self, function: str, args: tuple[Any, ...],
                   inputs: dict[str, Any]) -> list[Any]:
        params = self._function(function)["params"]
        names = [p["name"] or f"%{i}" for i, p in enumerate(params)]
        given = dict(zip(names, args))
        if len(args) > len(params):
            raise ArgumentError(f"@{function} takes {len(params)} arguments, got {len(args)}",
                                code="E0201")
        for name, value in inputs.items():
            if name not in names:
                raise ArgumentError(f"@{function} has no input '{name}': it has "
                                    f"{', '.join(names) or 'none'}")
            if name in given:
                raise ArgumentError(f"input '{name}' of @{function} is given twice")
            given[name] = value
        missing = [name for name in names if name not in given]
        if missing:
            raise ArgumentError(f"@{function} needs {', '.join(missing)}", code="E0201")
        return [_as_wanted(given[name], param) for name, param in zip(names, params)]

    def _traced(self, error: Error, machine: c_void_p) -> Error:
        """The error with the program's frames in its traceback."""
        try:
            state = json.loads(take_text(made(lib.tern_vm_state, machine)))
        except (Error, ValueError):
            return error
        frames = list(reversed(state.get("frames", [])))
        if not frames:
            return error
        return with_frames(error, frames, f"<tern: {self.name}>", self._instructions)

    @cached_property
    def _instructions(self) -> list[str]:
        """The text of each instruction, by its number."""
        texts: str = self._info["code"]["texts"]
        return texts.split("\n")[:-1]  # each ends with a line break

    def disassemble(self) -> str:
        """Assembly text; tern.compile(text=..., language="assembly") gives the program back."""
        return take_text(made(lib.tern_program_disassemble, self._handle))

    def inspect(self, format: str = "text") -> str:  # pylint: disable=redefined-builtin
        """What `tern inspect` prints; formats as in docs/isa.md."""
        return take_text(made(lib.tern_program_inspect, self._handle, format.encode()))

    def kernels(self) -> list[dict[str, Any]]:
        """Its loop kernels, what runs each of them here, and why."""
        return json.loads(take_text(made(lib.tern_program_kernels, self._handle)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the executable: the same file runs on every target."""
        buffer = made(lib.tern_program_save_with_kernels, self._handle, *_own_kernels(self))
        try:
            check(lib.tern_buffer_write_file(buffer, os.fsencode(path)))
        finally:
            lib.tern_buffer_free(buffer)

    def __repr__(self) -> str:
        signatures = ", ".join(f"{f['name']}{f.get('signature') or ''}"
                               for f in self._info["functions"])
        return f"<tern.Program {self.name}: {signatures}>"

    def _repr_html_(self) -> str:
        from .html import program_html  # pylint: disable=import-outside-toplevel

        return program_html(self)


def _own_kernels(program: Program) -> tuple[Any, int]:
    """The kernels that the executable has, as tern_program_save_with_kernels takes them."""
    rows = [(info["name"].encode(), form.encode()) for info in program.kernels()
            for form in info["formats"]]
    kernels = (_abi.tern_kernel * max(len(rows), 1))()
    for kernel, (name, form) in zip(kernels, rows):
        data, size = c_void_p(), ctypes.c_size_t()
        check(lib.tern_program_kernel_bytes(program._handle, name, form, byref(data),
                                            byref(size)))
        kernel.name, kernel.format, kernel.bytes, kernel.size = name, form, data, size
    return kernels, len(rows)


def _as_wanted(value: Any, param: dict[str, Any]) -> Any:
    """Numbers and lists of them as a tensor, where the parameter is one."""
    dtype = param.get("dtype")
    if dtype is None or isinstance(value, Value) or not isinstance(value, (int, float, list,
                                                                           tuple)):
        return value
    return tensor(value, dtype)


class Profile:
    """Where the time of some runs went. str() is a table."""

    def __init__(self, handle: c_void_p):
        self._handle = handle

    def __del__(self) -> None:
        if lib is not None:
            lib.tern_profile_free(self._handle)

    def export(self, format: str) -> str:  # pylint: disable=redefined-builtin
        """format: "table", "json", "chrome" (trace events) or "speedscope"."""
        return take_text(made(lib.tern_profile_export, self._handle, format.encode()))

    def json(self) -> Any:
        return json.loads(self.export("json"))

    def __str__(self) -> str:
        return self.export("table")

    def _repr_html_(self) -> str:
        from .html import page  # pylint: disable=import-outside-toplevel

        return page("Profile", [("", str(self))])


# --- Making programs


def _limits(max_instructions: int, max_bytes: int, max_depth: int,
            max_seconds: float) -> dict[str, int]:
    return {"max_instructions": max_instructions, "max_bytes": max_bytes, "max_depth": max_depth,
            "max_time_ms": int(max_seconds * 1000 + 0.999)}


def _program(handle: c_void_p, name: str, kernels: str, allow_native_code: bool,
             limits: dict[str, int]) -> Program:
    program = Program(handle, name, limits)
    check(lib.tern_program_prepare_kernels(handle, byref(options_of(
        _abi.tern_kernel_options, policy=kernels.encode(),
        allow_native_code=int(allow_native_code), look_for_llvm=1))))
    return program


_keep: dict[int, bytes] = {}  # bytes of programs that were loaded from memory


@ctypes.CFUNCTYPE(None, c_void_p)
def _release_bytes(context: int) -> None:
    _keep.pop(context, None)


def _load_bytes(data: bytes) -> c_void_p:
    pointer = ctypes.cast(ctypes.c_char_p(data), c_void_p)
    key = pointer.value or 0
    _keep[key] = data
    return made(lib.tern_program_load, default_runtime(), pointer, len(data),
                ctypes.cast(_release_bytes, c_void_p), key)


def load(source: str | os.PathLike[str] | bytes, *, kernels: str = "auto",
         allow_native_code: bool = False, max_instructions: int = 0, max_bytes: int = 0,
         max_depth: int = 0, max_seconds: float = 0,
         kernel_libraries: Iterable[str | os.PathLike[str]] = ()) -> Program:
    """The program of a file, or of an executable's bytes. Executables (.tern) are mapped; models
    (.onnx), programs (.tn) and assembly (.tasm) are compiled first.

    kernels: "auto", "operators", "interpreter" or "compiled" (docs/cli.md). allow_native_code: run
    native code that the file brings along, which can do anything that you can. max_…: limits of
    each run; 0 is none, and for bytes three quarters of what the process may have.
    kernel_libraries: shared libraries whose kernels this program, and what is loaded later, finds
    by name; they need allow_native_code."""
    for library in kernel_libraries:
        check(lib.tern_runtime_load_kernels(default_runtime(), os.fsencode(library),
                                            int(allow_native_code)))
    limits = _limits(max_instructions, max_bytes, max_depth, max_seconds)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _program(_load_bytes(bytes(source)), "program", kernels, allow_native_code, limits)
    path = os.fsencode(source)
    handle = made(lib.tern_program_load_file, default_runtime(), path, None)
    return _program(handle, os.fsdecode(os.path.basename(path)), kernels, allow_native_code, limits)


# pylint: disable-next=redefined-builtin
def compile(source: str | os.PathLike[str] | bytes | None = None, *,
            text: str | None = None, language: str = "tern", name: str | None = None,
            disabled_passes: Iterable[str] = (), relaxed_math: bool = False,
            exact_convolutions: bool = False, kernels: str = "auto", **limits: Any) -> Program:
    """Compiles an ONNX model (a path, or its bytes), or a program as `text`, in the language
    (docs/language.md) or as language="assembly". Limits as load has them."""
    if (source is None) == (text is None):
        raise ArgumentError("compile takes a model or a text: give one of them")
    bounds = _limits(**{"max_instructions": 0, "max_bytes": 0, "max_depth": 0, "max_seconds": 0,
                        **limits})
    options = options_of(_abi.tern_compile_options, source_name=text_of(name),
                         disabled_passes=text_of(",".join(disabled_passes)) or None,
                         relaxed_math=int(relaxed_math),
                         exact_convolutions=int(exact_convolutions),
                         max_bytes=bounds["max_bytes"])
    runtime = default_runtime()
    if text is None and not isinstance(source, (bytes, bytearray, memoryview)):
        path = os.fsencode(source)
        handle = made(lib.tern_program_load_file, runtime, path, byref(options))
        return _program(handle, name or os.fsdecode(os.path.basename(path)), kernels, False, bounds)
    if text is None:
        data = bytes(source)
        executable = c_void_p()
        check(lib.tern_compile_onnx(runtime, data, len(data), byref(options), byref(executable),
                                    None))
    elif language == "tern":
        data, executable = text.encode(), c_void_p()
        check(lib.tern_compile_source(runtime, data, len(data), byref(options), byref(executable),
                                      None))
    elif language == "assembly":
        data = text.encode()
        executable = made(lib.tern_assemble, runtime, data, len(data), text_of(name))
    else:
        raise ArgumentError(f"no language '{language}': expected 'tern' or 'assembly'")
    return _program(_load_bytes(take_bytes(executable)), name or "program", kernels, False, bounds)


def info() -> dict[str, Any]:
    """What this build and machine have: {"version", "target", "targets", "operators"}."""
    return json.loads(take_text(made(lib.tern_runtime_info, default_runtime())))
