# SPDX-License-Identifier: Apache-2.0
"""libtern.so: finding it, declaring its functions, and turning what they report into exceptions.

ctypes gives up the interpreter's lock while a function of the library runs, so other threads of
Python go on meanwhile.
"""
from __future__ import annotations

import ctypes
import os
import platform
from ctypes import byref, c_void_p
from typing import Any

from . import _abi
from .errors import error_of

_NAME = "libtern.so.0"


def _path() -> str:
    """The library in this package, or the one that TERN_LIBRARY names."""
    return os.environ.get("TERN_LIBRARY") or os.path.join(os.path.dirname(__file__), _NAME)


def _load() -> ctypes.CDLL:
    path = _path()
    try:
        library = ctypes.CDLL(path)
    except OSError as why:
        raise ImportError(f"cannot load {path}: {why}. {_reason(path)}; install the wheel for this "
                          "processor, or set TERN_LIBRARY to the libtern.so.0 to use") from why
    for name, (result, parameters) in _abi.FUNCTIONS.items():
        function = getattr(library, name, None)
        if function is None:
            raise ImportError(f"{path} has no {name}: it is older than this package; install both "
                              "from one release")
        function.restype, function.argtypes = result, parameters
    return library


def _reason(path: str) -> str:
    """What the library's ELF header says about a failure to load it."""
    machines = {0x3E: "x86_64", 0xB7: "aarch64"}
    try:
        with open(path, "rb") as file:
            header = file.read(20)
    except OSError:
        return "The file cannot be read"
    machine = machines.get(int.from_bytes(header[18:20], "little"))
    if header[:4] != b"\x7fELF" or machine is None:
        return "The file is no library for x86_64 or aarch64"
    return f"The library is for {machine}, and this Python runs on {platform.machine()}"


lib = _load()


def check(status: int | None) -> None:
    """Raises the exception that a tern_status stands for; None is success."""
    if status is None:
        return
    try:
        error = error_of(
            code=lib.tern_status_code(status).decode(),
            kind=lib.tern_status_kind(status),
            message=lib.tern_status_message(status).decode("utf-8", "replace"),
            text=lib.tern_status_text(status).decode("utf-8", "replace"),
            json_text=lib.tern_status_json(status).decode("utf-8", "replace"))
    finally:
        lib.tern_status_free(status)
    raise error


def take_bytes(buffer: c_void_p) -> bytes:
    """The contents of a tern_buffer, which is freed."""
    try:
        return ctypes.string_at(lib.tern_buffer_data(buffer), lib.tern_buffer_size(buffer))
    finally:
        lib.tern_buffer_free(buffer)


def take_text(buffer: c_void_p) -> str:
    return take_bytes(buffer).decode("utf-8", "replace")


def made(function: Any, *args: Any) -> c_void_p:
    """Calls a function whose last parameter is where it puts a handle, and gives the handle."""
    handle = c_void_p()
    check(function(*args, byref(handle)))
    return handle


def text_of(value: str | None) -> bytes | None:
    return None if value is None else value.encode()


def options_of(struct: type, **values: Any) -> Any:
    """A struct of options of this library's size, with some of its fields set."""
    options = struct()
    options.struct_size = ctypes.sizeof(struct)
    for name, value in values.items():
        setattr(options, name, value)
    return options


def version() -> str:
    number = lib.tern_version()
    return f"{number >> 16}.{number >> 8 & 255}.{number & 255}"


check(lib.tern_abi_check(_abi.HEADER_VERSION, _abi.HEADER_ABI))
