# SPDX-License-Identifier: Apache-2.0
"""Values of Python as values of Tern, and back.

| Python | Tern |
|---|---|
| None, bool, int, float, str, bytes | the same |
| tuple, list, dict | tuple, list, map |
| what has __array_interface__ or __dlpack__ | a tensor over the same memory |
| Tensor, Data, Function | themselves |
| any other callable | a function, called back |
"""
from __future__ import annotations

import array
import ctypes
import itertools
import json
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_void_p, cast
from typing import Any, Sequence

from . import _abi, _dlpack
from ._library import check, lib, made, take_text
from ._runtime import default_runtime
from .errors import ArgumentError, Error, KindError, kind_of

# What array.array calls the elements of a data type; half floats it has none for.
_ELEMENTS = {"f32": "f", "f64": "d", "i8": "b", "u8": "B", "bool": "B", "i16": "h", "u16": "H",
             "i32": "i", "u32": "I", "i64": "q", "u64": "Q"}


class Value:
    """A reference to a value of Tern. Values that have a form of their own in Python are never
    seen as this."""

    def __init__(self, any_: _abi.TernAny):
        self._any = any_  # owned

    def __del__(self) -> None:
        release = getattr(lib, "tern_any_release", None) if lib is not None else None
        if release is not None and self._any.type_code > 0:
            release(byref(self._any))

    def __repr__(self) -> str:
        return take_text(made(lib.tern_any_text, byref(self._any)))

    @property
    def type_name(self) -> str:
        return lib.tern_any_type_name(byref(self._any)).decode()


class Tensor(Value):
    """A tensor. numpy.asarray(t), numpy.from_dlpack(t) and the like share its memory, as long as
    they live; Tern's constants are read-only there."""

    def _view(self) -> _abi.TernDLTensor:
        return cast(self._any.v.object, POINTER(_abi.TernTensor))[0].dl.tensor

    @property
    def shape(self) -> tuple[int, ...]:
        view = self._view()
        return tuple(view.shape[i] for i in range(view.ndim))

    @property
    def dtype(self) -> str:
        return _dlpack.dtype_name(self._view().dtype)

    @property
    def read_only(self) -> bool:
        flags = cast(self._any.v.object, POINTER(_abi.TernTensor))[0].flags
        return bool(flags & _abi.TERN_TENSOR_READ_ONLY)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return _dlpack.array_interface(self._view(), self.read_only)

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: Any = None, copy: bool | None = None) -> Any:
        if stream is not None:
            raise ArgumentError("a tensor in the processor's memory has no streams: stream=None")
        if copy:
            raise ArgumentError("Tern lends its memory and does not copy: copy it at the consumer")
        versioned = max_version is not None and max_version[0] >= 1
        if self.read_only and not versioned:
            raise ArgumentError("the tensor is read-only, which DLPack before 1.0 cannot say: "
                                "copy it with numpy.array(tensor)")
        return _dlpack.export_capsule(self._any, versioned)

    def __dlpack_device__(self) -> tuple[int, int]:
        device = self._view().device
        return device.device_type, device.device_id

    def numpy(self) -> Any:
        """A numpy.ndarray over the same memory."""
        import numpy  # pylint: disable=import-outside-toplevel

        return numpy.asarray(self)

    def tolist(self) -> Any:
        """Nested lists of its elements; the element itself where the rank is 0."""
        view = self._view()
        kind = _ELEMENTS.get(self.dtype)
        if kind is None:
            raise KindError(f"elements of {self.dtype} have no type in Python: cast the tensor to "
                            "f32 in the program")
        size = view.dtype.bits // 8
        element = {"f": ctypes.c_float, "d": ctypes.c_double}.get(kind) or getattr(
            ctypes, f"c_{'u' if kind.isupper() else ''}int{8 * size}")
        start = (view.data or 0) + view.byte_offset
        strides = ([view.strides[i] for i in range(view.ndim)] if view.strides
                   else _contiguous(self.shape))

        def part(axis: int, offset: int) -> Any:
            if axis == view.ndim:
                item = element.from_address(start + offset * size).value
                return bool(item) if self.dtype == "bool" else item
            return [part(axis + 1, offset + i * strides[axis]) for i in range(self.shape[axis])]

        return part(0, 0)

    def item(self) -> Any:
        """The only element."""
        if any(extent != 1 for extent in self.shape):
            raise ArgumentError(f"a tensor of shape {self.shape} is no single number")
        nested = self.tolist()
        while isinstance(nested, list):
            nested = nested[0]
        return nested

    def __len__(self) -> int:
        if not self.shape:
            raise KindError("a tensor of rank 0 has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"tern.Tensor({super().__repr__()})"


class Data(Value):
    """A value of a data type that a program declares: its constructor's number and its fields."""

    @property
    def tag(self) -> int:
        tag = c_int32()
        check(lib.tern_adt_tag(byref(self._any), byref(tag)))
        return tag.value

    @property
    def fields(self) -> tuple[Any, ...]:
        return tuple(_fields(self._any))


class Function(Value):
    """A packed function: one of Tern's, or one of Python's inside of Tern."""

    @property
    def name(self) -> str:
        return json.loads(take_text(made(lib.tern_function_info, byref(self._any))))["name"]

    def __call__(self, *args: Any) -> Any:
        with Arguments(args) as given:
            result = _abi.TernAny()
            run(lambda: lib.tern_function_call(default_runtime(), byref(self._any), given.array,
                                               given.count, byref(result)))
        return to_python(result)


def _contiguous(shape: Sequence[int]) -> list[int]:
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return strides


def _fields(value: _abi.TernAny) -> Any:
    for index in range(lib.tern_tuple_size(byref(value))):
        item = _abi.TernAny()
        check(lib.tern_tuple_get(byref(value), index, byref(item)))
        yield to_python(item)


# --- From Python


def tensor(data: Any, dtype: str | None = None) -> Tensor:
    """A new tensor of nested lists of numbers, or a view of what has memory of its own.

    dtype: "f32", "i64", "bool", …; by default f32 where a float is among the numbers, bool where
    all are bools, i64 else."""
    if not isinstance(data, (list, tuple, int, float, bool)):
        if dtype is not None:
            raise ArgumentError("dtype is for lists of numbers: convert the array before")
        return to_python(to_tern(data))
    shape, numbers = _flatten(data)
    if dtype is None:
        dtype = ("bool" if numbers and all(isinstance(n, bool) for n in numbers)
                 else "f32" if any(isinstance(n, float) for n in numbers) else "i64")
    if dtype not in _ELEMENTS:
        raise ArgumentError(f"no tensor of {dtype} can be made of lists: expected one of "
                            f"{', '.join(_ELEMENTS)}")
    try:
        elements = array.array(_ELEMENTS[dtype], numbers)
    except (TypeError, OverflowError) as why:
        raise KindError(f"the numbers do not fit into {dtype}: {why}") from why
    return _new_tensor(dtype, shape, elements)


def _flatten(data: Any) -> tuple[list[int], list[Any]]:
    """Extents of nested lists, and their numbers in order."""
    shape, level = [], [data]
    while any(isinstance(item, (list, tuple)) for item in level):
        lengths = {len(item) if isinstance(item, (list, tuple)) else -1 for item in level}
        if len(lengths) != 1:
            raise ArgumentError("the lists are not of one length at each depth, so they are no "
                                "tensor")
        shape.append(lengths.pop())
        level = list(itertools.chain.from_iterable(level))
    for item in level:
        if not isinstance(item, (int, float)):
            raise KindError(f"{type(item).__name__} is no number: {item!r}")
    return shape, level


def _new_tensor(dtype: str, shape: list[int], elements: array.array) -> Tensor:
    any_ = _abi.TernAny()
    check(lib.tern_tensor_new(default_runtime(), dtype.encode(), len(shape),
                              (c_int64 * max(len(shape), 1))(*shape), byref(any_)))
    result = Tensor(any_)
    data, size = c_void_p(), c_size_t()
    check(lib.tern_tensor_view(byref(any_), byref(data), byref(size), None, None, None))
    source = elements.tobytes()
    ctypes.memmove(data.value or 0, source, len(source))
    return result


def _object(function: Any, *args: Any) -> _abi.TernAny:
    any_ = _abi.TernAny()
    check(function(*args, byref(any_)))
    return any_


def _number(code: int, **payload: Any) -> _abi.TernAny:
    any_ = _abi.TernAny(type_code=code)
    for name, value in payload.items():
        setattr(any_.v, name, value)
    return any_


def to_tern(value: Any) -> _abi.TernAny:
    """An owned TernAny of a value of Python."""
    if isinstance(value, Value):
        lib.tern_any_retain(byref(value._any))
        return _abi.TernAny.from_buffer_copy(value._any)
    if value is None:
        return _abi.TernAny()
    if isinstance(value, bool):
        return _number(_abi.TERN_TYPE_BOOL, i=int(value))
    if isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 63:
            raise ArgumentError(f"{value} is no 64-bit integer")
        return _number(_abi.TERN_TYPE_INT, i=value)
    if hasattr(value, "__array_interface__"):  # before float: NumPy's f64 scalars are both
        return _dlpack.import_interface(value)
    if isinstance(value, float):
        return _number(_abi.TERN_TYPE_FLOAT, f=value)
    if isinstance(value, str):
        text = value.encode("utf-8", "surrogateescape")
        return _object(lib.tern_string_new, text, len(text))
    if isinstance(value, (bytes, bytearray, memoryview)):
        data = bytes(value)
        return _object(lib.tern_bytes_new, data, len(data))
    if isinstance(value, tuple):
        with Arguments(value) as items:
            return _object(lib.tern_adt_new, 0, items.array, items.count)
    if isinstance(value, list):
        with Arguments(value) as items:
            return _object(lib.tern_list_new, items.array, items.count)
    if isinstance(value, dict):
        return _map_of(value)
    if hasattr(value, "__dlpack__"):
        return _dlpack.import_capsule(value)
    if callable(value):
        return host_function(value, getattr(value, "__name__", "function"), None)
    raise KindError(f"a {type(value).__name__} is no value of Tern's: expected a number, text, "
                    "bytes, a tuple, list or dict of such, an array, a tern.Tensor or a callable")


def _map_of(entries: dict[Any, Any]) -> _abi.TernAny:
    any_ = _object(lib.tern_map_new)
    try:
        for entry in entries.items():
            with Arguments(entry) as pair:
                check(lib.tern_map_set(byref(any_), byref(pair.array[0]), byref(pair.array[1])))
    except BaseException:
        lib.tern_any_release(byref(any_))
        raise
    return any_


class Arguments:
    """Values as an array for a call; released when the block ends."""

    def __init__(self, values: Sequence[Any]):
        self.count = 0
        self.array = (_abi.TernAny * max(len(values), 1))()
        try:
            for index, value in enumerate(values):
                self.array[index] = to_tern(value)
                self.count += 1
        except BaseException:
            self._release()
            raise

    def _release(self) -> None:
        for index in range(self.count):
            lib.tern_any_release(byref(self.array[index]))

    def __enter__(self) -> Arguments:
        return self

    def __exit__(self, *unused: Any) -> None:
        self._release()


# --- To Python


def _view_of(function: Any, any_: _abi.TernAny) -> bytes:
    data, size = (c_char_p if function is lib.tern_string_view else c_void_p)(), c_size_t()
    check(function(byref(any_), byref(data), byref(size)))
    return ctypes.string_at(data, size.value) if size.value else b""


def _text(any_: _abi.TernAny) -> str:
    return _view_of(lib.tern_string_view, any_).decode("utf-8", "surrogateescape")


def _list(any_: _abi.TernAny) -> list[Any]:
    size = c_size_t()
    check(lib.tern_list_size(byref(any_), byref(size)))
    return [to_python(_object(lib.tern_list_get, byref(any_), index))
            for index in range(size.value)]


def _map(any_: _abi.TernAny) -> dict[Any, Any]:
    keys = to_python(_object(lib.tern_map_keys, byref(any_)))
    return dict(zip(keys, to_python(_object(lib.tern_map_values, byref(any_)))))


def _shape(any_: _abi.TernAny) -> tuple[int, ...]:
    extents, rank = c_void_p(), c_size_t()
    check(lib.tern_shape_view(byref(any_), cast(byref(extents), POINTER(c_void_p)), byref(rank)))
    values = cast(extents, POINTER(c_int64))
    return tuple(values[i] for i in range(rank.value))


# Kinds that become a value of Python, and how; the reference is released afterwards.
_READERS = {
    _abi.TERN_TYPE_NONE: lambda a: None,
    _abi.TERN_TYPE_INT: lambda a: a.v.i,
    _abi.TERN_TYPE_FLOAT: lambda a: a.v.f,
    _abi.TERN_TYPE_BOOL: lambda a: bool(a.v.i),
    _abi.TERN_TYPE_SMALL_STRING: _text, _abi.TERN_TYPE_RAW_STRING: _text,
    _abi.TERN_TYPE_STRING: _text,
    _abi.TERN_TYPE_BYTES: lambda a: _view_of(lib.tern_bytes_view, a),
    _abi.TERN_TYPE_SHAPE: _shape, _abi.TERN_TYPE_LIST: _list, _abi.TERN_TYPE_MAP: _map,
    _abi.TERN_TYPE_DTYPE: lambda a: _dlpack.dtype_name(a.v.dtype),
}
# Kinds that stay what they are, as a class of their own.
_CLASSES = {_abi.TERN_TYPE_TENSOR: Tensor, _abi.TERN_TYPE_FUNCTION: Function,
            _abi.TERN_TYPE_ADT: Data}


def to_python(any_: _abi.TernAny, *, borrowed: bool = False) -> Any:
    """The value of a TernAny, whose reference is taken over unless it is borrowed."""
    if borrowed:
        lib.tern_any_retain(byref(any_))
        any_ = _abi.TernAny.from_buffer_copy(any_)
    reader = _READERS.get(any_.type_code)
    is_tuple = False
    if any_.type_code == _abi.TERN_TYPE_ADT:
        is_tuple = cast(any_.v.object, POINTER(_abi.TernAdt))[0].tag == 0
    if reader is None and not is_tuple:
        return _CLASSES.get(any_.type_code, Value)(any_)
    try:
        return tuple(_fields(any_)) if is_tuple else reader(any_)
    finally:
        lib.tern_any_release(byref(any_))


# --- Functions of Python inside of Tern

_Call = ctypes.CFUNCTYPE(c_int32, c_void_p, POINTER(_abi.TernAny), c_int32, POINTER(_abi.TernAny))
_Release = ctypes.CFUNCTYPE(None, c_void_p)
_functions: dict[int, Any] = {}  # by number: those that some value of Tern refers to
_numbers = itertools.count(1)
_raised: list[BaseException] = []  # by the host functions of the call that is going on


@_Call
def _call_host(self: int, args: Any, count: int, result: Any) -> int:
    try:
        function = _functions[lib.tern_function_data(self)]
        values = [to_python(args[i], borrowed=True) for i in range(count)]
        result[0] = to_tern(function(*values))
        return 0
    except BaseException as why:  # pylint: disable=broad-except
        _raised.append(why)
        return lib.tern_fail(result, kind_of(why), f"{type(why).__name__}: {why}".encode())


@_Release
def _release_host(number: int) -> None:
    _functions.pop(number, None)


def host_function(function: Any, name: str, signature: str | None) -> _abi.TernAny:
    number = next(_numbers)
    _functions[number] = function
    try:
        return _object(lib.tern_function_new, name.encode(), signature.encode() if signature
                       else None, cast(_call_host, c_void_p), number,
                       cast(_release_host, c_void_p))
    except BaseException:
        _functions.pop(number, None)
        raise


def run(call: Any) -> None:
    """Checks the status of a call that may come back to Python: what was raised there is the cause
    of the error, or goes on as it is where it is no error (KeyboardInterrupt)."""
    mark = len(_raised)
    try:
        check(call())
    except Error as error:
        cause = _raised[mark] if len(_raised) > mark else None
        if cause is not None and not isinstance(cause, Exception):
            raise cause from None
        raise error from cause
    finally:
        del _raised[mark:]
