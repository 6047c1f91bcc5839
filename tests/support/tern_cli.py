# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program `tern` that are written in Python share: running it, files for it
to work on, and the last line `N passed, N failed`.
"""
import json
import os
import pty
import signal
import subprocess
import sys
import time
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DIGITS = os.path.join(ROOT, "tests", "models", "digits", "model.onnx")
TERN = os.path.join(ROOT, "build", "host", "tern")


def tern(*arguments, cwd=None, **environment):
    """The finished process; nothing is read from standard input."""
    return subprocess.run([TERN, *arguments], capture_output=True, text=True, check=False, cwd=cwd,
                          stdin=subprocess.DEVNULL, timeout=300,
                          env={**os.environ, **environment})


def is_caught(process, number):
    """Whether the process has a handler for the signal."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        caught = next((line.split()[1] for line in file if line.startswith("SigCgt:")), "0")
    return int(caught, 16) >> (number - 1) & 1 == 1


def serve(command, cwd, env=None):
    """The finished process of a `tern play`, ended as a user would once it can be. It takes the
    signal after it has said where it serves. No browser is opened."""
    quiet = {name: value for name, value in (env or os.environ).items()
             if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    with subprocess.Popen(command, cwd=cwd, env=quiet, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        deadline = time.monotonic() + 60
        while (server.poll() is None and not is_caught(server, signal.SIGINT)
               and time.monotonic() < deadline):
            time.sleep(0.01)
        server.send_signal(signal.SIGINT)
        try:
            out, errors = server.communicate(timeout=60)
        finally:
            server.kill()
        return subprocess.CompletedProcess(command, server.returncode, out, errors)


def text_of(*arguments, **options):
    result = tern(*arguments, **options)
    if result.returncode != 0:
        raise AssertionError(f"tern {' '.join(arguments)}: {result.returncode}\n{result.stderr}")
    return result.stdout


def json_of(*arguments, **options):
    return json.loads(text_of(*arguments, "--format", "json", **options))


def error_of(*arguments, **options):
    """(exit code, standard error) of what has to be refused without a result."""
    result = tern(*arguments, **options)
    if result.returncode == 0 or result.stdout:
        raise AssertionError(f"tern {' '.join(arguments)} was not refused: {result.stdout}")
    return result.returncode, result.stderr


def on_terminal(*arguments, stdout=False):
    """(exit code, what a terminal at standard error, or at standard output, is sent)"""
    mine, other = pty.openpty()
    ends = {"stdout": other if stdout else subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL if stdout else other}
    process = subprocess.Popen([TERN, *arguments], stdin=subprocess.DEVNULL, **ends)
    os.close(other)
    said = b""
    try:
        while part := os.read(mine, 65536):
            said += part
    except OSError:  # the other end is closed
        pass
    os.close(mine)
    return process.wait(timeout=60), said.decode()


def write(folder, name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    """Runs the tests of the calling file against the program that is its first argument."""
    global TERN  # pylint: disable=global-statement
    TERN = os.path.abspath(sys.argv[1])
    run = unittest.main(module="__main__", argv=sys.argv[:1], exit=False, verbosity=0).result
    # A test counts once, however many of its rows fail.
    bad = len({getattr(test, "test_case", test).id() for test, _ in run.failures + run.errors})
    print(f"{run.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad else 0)
