# SPDX-License-Identifier: Apache-2.0
"""The runtime that everything in this process shares."""
from __future__ import annotations

import ctypes
import os
import threading
from ctypes import byref, c_void_p

from . import _abi
from ._library import lib, made, options_of
from .errors import ArgumentError

_lock = threading.Lock()
_default: list[tuple[c_void_p, c_void_p]] = []  # the runtime and its platform, once made


def default_runtime() -> c_void_p:
    """The runtime of this process: the best kernels of this machine, a thread for each processor
    unless TERN_THREADS says how many. It lives as long as the process."""
    with _lock:
        if not _default:
            threads = os.environ.get("TERN_THREADS", "0")
            if not threads.isdigit():
                raise ArgumentError(f"TERN_THREADS is {threads!r}: expected a number of threads, "
                                    "or 0 for one for each processor")
            platform = made(lib.tern_platform_create, byref(options_of(
                _abi.tern_platform_options, threads=int(threads))))
            options = options_of(_abi.tern_runtime_options)
            options.platform = ctypes.cast(lib.tern_platform_get(platform),
                                           type(options.platform))
            _default.append((made(lib.tern_runtime_create, byref(options)), platform))
        return _default[0][0]
