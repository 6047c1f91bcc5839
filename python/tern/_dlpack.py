# SPDX-License-Identifier: Apache-2.0
"""Memory of other libraries as tensors and back, without copying: DLPack and NumPy's interface.

Imports are DLManagedTensorVersioned structs of our own, whose deleter drops what keeps the memory
alive. Exports are capsules, for which Python's own functions do the counting.
"""
from __future__ import annotations

import ctypes
import itertools
import sys
from ctypes import CFUNCTYPE, POINTER, byref, c_int64, c_void_p, cast
from typing import Any

from . import _abi
from ._library import check, lib, made
from .errors import ArgumentError, KindError

# NumPy's type codes: the number of bytes follows them.
_CODES = {"i": _abi.TERN_DTYPE_INT, "u": _abi.TERN_DTYPE_UINT, "f": _abi.TERN_DTYPE_FLOAT,
          "b": _abi.TERN_DTYPE_BOOL}
_ORDERS = "<|" if sys.byteorder == "little" else ">|"  # "|": of one byte
_LETTERS = {"i": "i", "u": "u", "f": "f", "bool": "b"}


def _python(name: str, result: Any, *parameters: Any) -> Any:
    """A function of Python's own C interface, which runs with the interpreter's lock."""
    return ctypes.PYFUNCTYPE(result, *parameters)((f"PyCapsule_{name}", ctypes.pythonapi))


_new_capsule = _python("New", ctypes.py_object, c_void_p, ctypes.c_char_p, c_void_p)
_get_name = _python("GetName", ctypes.c_char_p, ctypes.py_object)
_set_name = _python("SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_get_pointer = _python("GetPointer", c_void_p, ctypes.py_object, ctypes.c_char_p)
# Of a capsule that ends: counting references to it again would bring it back.
_is_valid = _python("IsValid", ctypes.c_int, c_void_p, ctypes.c_char_p)
_get_pointer_of = _python("GetPointer", c_void_p, c_void_p, ctypes.c_char_p)

_numbers = itertools.count(1)
_alive: dict[int, tuple[Any, ...]] = {}  # what imports that still live need


class _Managed(ctypes.Structure):
    """DLManagedTensor of DLPack before 1.0, which most libraries still give and take."""
    _fields_ = [("dl_tensor", _abi.TernDLTensor), ("manager_ctx", c_void_p), ("deleter", c_void_p)]


_Deleter = CFUNCTYPE(None, c_void_p)
_Destructor = CFUNCTYPE(None, c_void_p)


@_Deleter
def _forget(managed: int) -> None:
    """The library has no use for an import any more."""
    number = cast(managed, POINTER(_abi.TernDLManagedTensorVersioned))[0].manager_ctx
    kept = _alive.pop(number, None)
    if kept is not None and kept[-1] is not None:
        kept[-1]()


def _import(tensor: _abi.TernDLTensor, read_only: bool, keep: Any, release: Any) -> _abi.TernAny:
    """A tensor over foreign memory. `keep` lives as long as it, `release` is called at its end."""
    managed = _abi.TernDLManagedTensorVersioned()
    managed.version.major, managed.version.minor = 1, 0
    number = next(_numbers)
    managed.manager_ctx = number
    managed.deleter = cast(_forget, c_void_p)
    managed.flags = _abi.TERN_DLPACK_READ_ONLY if read_only else 0
    managed.dl_tensor = tensor
    _alive[number] = (managed, keep, release)
    result = _abi.TernAny()
    try:
        check(lib.tern_tensor_from_dlpack(
            cast(ctypes.pointer(managed), lib.tern_tensor_from_dlpack.argtypes[0]), byref(result)))
    except BaseException:
        _alive.pop(number, None)
        if release is not None:
            release()
        raise
    return result


def import_interface(value: Any) -> _abi.TernAny:
    """From an object with __array_interface__ (NumPy's arrays and scalars)."""
    facts = value.__array_interface__
    order, letter = facts["typestr"][:2]
    if letter not in _CODES or order not in _ORDERS:
        raise KindError(f"an array of {facts['typestr']} is no tensor: expected ints, floats or "
                        "bools in this machine's byte order; convert it with .astype()")
    size = int(facts["typestr"][2:])
    shape, strides = facts["shape"], facts.get("strides")
    extents = (c_int64 * max(len(shape), 1))(*shape)
    steps = None
    if strides is not None:
        if any(step % size for step in strides):
            raise ArgumentError("the array's strides are no multiples of its elements; copy it "
                                "with numpy.ascontiguousarray()")
        steps = (c_int64 * max(len(shape), 1))(*(step // size for step in strides))
    data, read_only = facts["data"]
    tensor = _abi.TernDLTensor(
        data=data, device=_abi.TernDLDevice(_abi.TERN_DEVICE_CPU, 0), ndim=len(shape),
        dtype=_abi.TernDLDataType(_CODES[letter], 8 * size, 1),
        shape=cast(extents, POINTER(c_int64)),
        strides=cast(steps, POINTER(c_int64)) if steps is not None else None)
    return _import(tensor, read_only, (value, extents, steps, facts), None)


def import_capsule(value: Any) -> _abi.TernAny:
    """From an object with __dlpack__."""
    try:
        capsule = value.__dlpack__(max_version=(1, 0))
    except TypeError:  # of before DLPack 1.0
        capsule = value.__dlpack__()
    kind = _get_name(capsule)
    if kind not in _USED:
        raise KindError(f"{type(value).__name__}.__dlpack__() gave a capsule named {kind!r}: "
                        "expected 'dltensor' or 'dltensor_versioned'")
    pointer = _get_pointer(capsule, kind)
    _set_name(capsule, _USED[kind])  # it is ours from here on
    versioned = kind == b"dltensor_versioned"
    struct = _abi.TernDLManagedTensorVersioned if versioned else _Managed
    managed = cast(pointer, POINTER(struct))[0]
    delete = _Deleter(managed.deleter) if managed.deleter else None
    read_only = versioned and bool(managed.flags & _abi.TERN_DLPACK_READ_ONLY)
    return _import(managed.dl_tensor, read_only, value,
                   (lambda: delete(pointer)) if delete is not None else None)


# Names of capsules, and what DLPack renames them to when somebody takes what is in them.
_USED = {b"dltensor": b"used_dltensor", b"dltensor_versioned": b"used_dltensor_versioned"}


def array_interface(tensor: _abi.TernDLTensor, read_only: bool) -> dict[str, Any]:
    """NumPy's description of a tensor's memory."""
    name, size = dtype_name(tensor.dtype), tensor.dtype.bits // 8
    letter = _LETTERS.get(name.rstrip("0123456789"))
    if letter is None or size == 0:
        raise KindError(f"NumPy has no type for {name}: cast it to f32 in the program")
    rank = tensor.ndim
    order = "|" if size == 1 else _ORDERS[0]
    strides = tuple(tensor.strides[i] * size for i in range(rank)) if tensor.strides else None
    return {"version": 3, "typestr": f"{order}{letter}{size}", "strides": strides,
            "shape": tuple(tensor.shape[i] for i in range(rank)),
            "data": ((tensor.data or 0) + tensor.byte_offset, read_only)}


def dtype_name(dtype: _abi.TernDLDataType) -> str:
    """"f32", "i64", "bool", "bf16": as docs/language.md writes data types."""
    names = {_abi.TERN_DTYPE_INT: "i", _abi.TERN_DTYPE_UINT: "u", _abi.TERN_DTYPE_FLOAT: "f",
             _abi.TERN_DTYPE_BFLOAT: "bf"}
    if dtype.code == _abi.TERN_DTYPE_BOOL:
        return "bool"
    return f"{names.get(dtype.code, f'type {dtype.code} of ')}{dtype.bits}"


def export_capsule(value: _abi.TernAny, versioned: bool) -> Any:
    """A capsule that shares a tensor's memory."""
    managed = made(lib.tern_tensor_to_dlpack, byref(value)).value
    pointer = managed if versioned else _old_form(managed)
    name = b"dltensor_versioned" if versioned else b"dltensor"
    return _new_capsule(pointer, name, cast(_drop_new if versioned else _drop_old, c_void_p))


_old_forms: dict[int, tuple[_Managed, int]] = {}  # by address: what we made, and what it stands for


def _old_form(managed: int) -> int:
    source = cast(managed, POINTER(_abi.TernDLManagedTensorVersioned))[0]
    old = _Managed(source.dl_tensor, None, cast(_delete_old, c_void_p))
    address = ctypes.addressof(old)
    _old_forms[address] = (old, managed)
    return address


@_Deleter
def _delete_old(address: int) -> None:
    _, managed = _old_forms.pop(address)
    _delete_new(managed)


def _delete_new(managed: int) -> None:
    _Deleter(cast(managed, POINTER(_abi.TernDLManagedTensorVersioned))[0].deleter)(managed)


def _drop(capsule: int, name: bytes, delete: Any) -> None:
    """A capsule ends: unless somebody took what is in it, that ends too."""
    if _is_valid(capsule, name):
        delete(_get_pointer_of(capsule, name))


@_Destructor
def _drop_old(capsule: int) -> None:
    _drop(capsule, b"dltensor", _delete_old)


@_Destructor
def _drop_new(capsule: int) -> None:
    _drop(capsule, b"dltensor_versioned", _delete_new)
