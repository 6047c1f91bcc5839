# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, as exceptions, and the frames of Tern's programs in tracebacks."""
from __future__ import annotations

import json
import linecache
import types
from typing import Any


class Error(Exception):
    """Something that Tern could not do. str() is the whole message with notes and help.

    code: "E0203", stable; `tern explain CODE` and docs/errors.md say more. message: one line.
    diagnostics: what docs/errors.md describes, as dicts.
    """

    def __init__(self, text: str, *, code: str = "", message: str = "",
                 diagnostics: list[dict[str, Any]] | None = None):
        super().__init__(text)
        self.code = code
        self.message = message or text
        self.diagnostics = diagnostics or []


class ArgumentError(Error, ValueError):
    """An argument, shape, name or option that cannot be."""


class KindError(Error, TypeError):
    """A value of the wrong kind or data type."""


class NotFoundError(Error, LookupError):
    """A name or file that is not there."""


class CorruptError(Error, ValueError):
    """Bytes that are not what they claim to be."""


class MemoryLimitError(Error, MemoryError):
    """More memory than a run may have, or than there is."""


class StoppedError(Error):
    """A limit or a cancel ended a run; the program may be run again."""


class FailedError(Error):
    """The program itself said that it failed."""


# The kinds of core/base/status.h; others are plain errors.
_CLASSES = {1: ArgumentError, 2: KindError, 3: ArgumentError, 4: NotFoundError, 7: CorruptError,
            8: MemoryLimitError, 10: StoppedError, 11: FailedError}
MEMORY, STOPPED, FAILED = 8, 10, 11  # of these, what a host function's exception becomes


def error_of(*, code: str, kind: int, message: str, text: str, json_text: str) -> Error:
    try:
        diagnostics = json.loads(json_text).get("diagnostics", [])
    except ValueError:
        diagnostics = []
    return _CLASSES.get(kind, Error)(text.rstrip("\n"), code=code, message=message,
                                     diagnostics=diagnostics)


def kind_of(exception: BaseException) -> int:
    """The kind of failure that a host function's exception is to Tern."""
    if isinstance(exception, MemoryError):
        return MEMORY
    return FAILED if isinstance(exception, Exception) else STOPPED


def with_frames(error: Error, frames: list[dict[str, Any]], file: str, listing: list[str]) -> Error:
    """The error with a traceback that goes through the frames of a program, outermost first in
    `frames` of {"function", "pc"}. Python shows line pc + 1 of `listing` as their source, and
    takes the line from the code: it is compiled behind that many empty lines."""
    linecache.cache[file] = (len(listing), None, [line + "\n" for line in listing], file)
    trace = None
    for frame in reversed(frames):
        code = compile("\n" * frame["pc"] + "raise SystemError", file, "exec")
        code = code.replace(co_name=f"@{frame['function']}")
        try:
            exec(code, {"__name__": "tern"})  # gives a frame of that name, which Python shows
        except SystemError as raised:
            inner = raised.__traceback__.tb_next
            trace = types.TracebackType(trace, inner.tb_frame, inner.tb_lasti, frame["pc"] + 1)
    return error.with_traceback(trace)
