# SPDX-License-Identifier: Apache-2.0
"""The Python package as its users get it: wheels of tools/python.sh, installed into environments
of their own, outside of this tree.

Usage: run.py      ends with `N passed, N failed`
test_package.py runs three times: in an environment without any other package, in one with NumPy,
and by a Python for AArch64, under qemu, with the wheel for that. Here: what the wheels hold, what
is said where one does not fit, and the examples of the documents.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
HERE = os.path.join(ROOT, "tests", "python")
MODEL = os.path.join(ROOT, "tests", "models", "digits", "model.onnx")
WORK = tempfile.TemporaryDirectory(prefix="tern-python-")  # pylint: disable=consider-using-with
with open(os.path.join(ROOT, "docs", "using-from-python.md"), encoding="utf-8") as guide:
    USING = guide.read()
DOCUMENTS = ("README.md", "python/README.md", "docs/using-from-python.md", "docs/guide-python.md")


def wheel(preset):
    [found] = glob.glob(os.path.join(ROOT, "build", preset, "packages-python", "*.whl"))
    return found


def call(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=WORK.name,
                          **options)


def environment(name, with_system):
    """The Python of a new environment that has the wheel."""
    folder = os.path.join(WORK.name, name)
    venv.create(folder, with_pip=True, system_site_packages=with_system)
    python = os.path.join(folder, "bin", "python")
    installed = call(python, "-m", "pip", "install", "--no-index", "--quiet", wheel("host"))
    if installed.returncode != 0:
        raise SystemExit(f"python: {installed.stderr}")
    return python


class Wheels(unittest.TestCase):
    def test_are_as_large_as_the_pages_say(self):
        size = os.path.getsize(wheel("host"))
        for name in ("README.md", "docs/using-from-python.md", "python/README.md"):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                [said] = re.findall(r"[Ww]heel .*?(\d\.\d) MB", file.read())
            self.assertLess(abs(float(said) * 1e6 - size), 0.1e6, f"{name}: {size} bytes")

    def test_hold_one_library_each_of_their_processor(self):
        for preset, processor, machine in (("host", os.uname().machine, None),
                                           ("aarch64", "aarch64", 0xB7)):
            name = os.path.basename(wheel(preset))
            self.assertRegex(name, rf"^tern-[\d.]+-py3-none-manylinux_2_\d+_{processor}\.whl$")
            with zipfile.ZipFile(wheel(preset)) as archive:
                names = archive.namelist()
                library = archive.read("tern/libtern.so.0")
                facts = archive.read(next(n for n in names if n.endswith("/WHEEL"))).decode()
            self.assertEqual([n for n in names if n.endswith(".so.0")], ["tern/libtern.so.0"])
            self.assertIn("Root-Is-Purelib: false", facts)
            self.assertTrue(any(n.endswith("LICENSE") for n in names), names)
            self.assertTrue(any(n.endswith("third-party-notices.txt") for n in names), names)
            self.assertIn("tern/py.typed", names)
            if machine is not None:
                self.assertEqual(int.from_bytes(library[18:20], "little"), machine)
            self.assertLess(os.path.getsize(wheel(preset)), 4 << 20)

    def test_the_library_of_the_other_processor_classifies(self):
        """By a program in C: what Python does with it is run_package_tests()."""
        folder = os.path.join(WORK.name, "under-qemu")
        with zipfile.ZipFile(wheel("aarch64")) as archive:
            library = archive.extract("tern/libtern.so.0", folder)
        program = os.path.join(folder, "digit")
        include = os.path.join(ROOT, "build/aarch64/include")
        built = call("aarch64-linux-gnu-gcc", "-std=c11", "-I" + include, "-o", program,
                     os.path.join(ROOT, "examples/library/digit.c"), library)
        self.assertEqual(built.returncode, 0, built.stderr)
        ran = call("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "-E",
                   "LD_LIBRARY_PATH=" + os.path.dirname(library), program, MODEL,
                   os.path.join(os.path.dirname(MODEL), "inputs/drawn3.s0.image.u8"))
        self.assertRegex(ran.stdout, r"^digit 3 \(9\d\.", ran.stderr)

    def test_another_processor_is_refused_with_what_to_do(self):
        refused = call(PLAIN, "-m", "pip", "install", "--no-index", wheel("aarch64"))
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("not a supported wheel on this platform", refused.stderr)
        with zipfile.ZipFile(wheel("aarch64")) as archive:
            other = archive.extract("tern/libtern.so.0", os.path.join(WORK.name, "other"))
        failed = call(PLAIN, "-c", "import tern", env={**os.environ, "TERN_LIBRARY": other})
        self.assertIn("ImportError", failed.stderr)
        self.assertIn("The library is for aarch64", failed.stderr)
        self.assertIn("install the wheel for this processor", failed.stderr)

    def test_pip_refuses_what_the_wheel_is_not_for(self):
        """As pip of another Python, system or C library decides, from the wheel's own facts."""
        folder = os.path.dirname(wheel("host"))
        processor = os.uname().machine
        newest = int(re.search(r"manylinux_2_(\d+)_", wheel("host"))[1])

        def asked(*target):
            return call(PLAIN, "-m", "pip", "download", "--no-index", "--no-deps", "--quiet",
                        "--only-binary=:all:", "--find-links", folder, "--dest", WORK.name + "/got",
                        *target, "tern")

        def linux(glibc):
            return "--platform", f"manylinux_2_{glibc}_{processor}"

        self.assertEqual(asked("--python-version", "3.9", *linux(newest)).returncode, 0)
        self.assertEqual(os.listdir(WORK.name + "/got"), [os.path.basename(wheel("host"))])
        for target, expected in ((("--python-version", "3.8", *linux(newest)),
                                  "requires a different Python: 3.8.0 not in '>=3.9'"),
                                 (linux(newest - 1), "No matching distribution found for tern"),
                                 (("--platform", "win_amd64"), "No matching distribution"),
                                 (("--platform", "macosx_14_0_arm64"), "No matching distribution")):
            refused = asked(*target)
            self.assertNotEqual(refused.returncode, 0, target)
            self.assertIn(expected, refused.stderr)
            # What it means and what to do stands in the guide.
            self.assertIn(expected.split(":")[0].split(" found")[0], USING)

    def test_a_missing_or_damaged_library_is_an_import_error(self):
        for path, expected in ((os.path.join(WORK.name, "nothing.so"), "cannot be read"),
                               (MODEL, "no library for x86_64 or aarch64")):
            failed = call(PLAIN, "-c", "import tern", env={**os.environ, "TERN_LIBRARY": path})
            self.assertIn("ImportError", failed.stderr)
            self.assertIn(expected, failed.stderr)

    def test_a_library_of_another_release_says_what_to_do(self):
        other = os.path.join(WORK.name, "libother.so")
        built = call("cc", "-shared", "-x", "c", "-o", other, "-",
                     input="int tern_version(void) { return 1; }\n")
        self.assertEqual(built.returncode, 0, built.stderr)
        failed = call(PLAIN, "-c", "import tern", env={**os.environ, "TERN_LIBRARY": other})
        self.assertRegex(failed.stderr, r"ImportError: .*libother\.so has no tern_\w+: it is older "
                                        "than this package; install both from one release")
        # The package as if it were of the next release, over the library of this one.
        failed = call(PLAIN, "-c", "import importlib.util as u, os, sys\n"
                      "folder = os.path.dirname(u.find_spec('tern').origin)\n"
                      "found = u.spec_from_file_location('tern._abi', folder + '/_abi.py')\n"
                      "abi = sys.modules['tern._abi'] = u.module_from_spec(found)\n"
                      "found.loader.exec_module(abi)\n"
                      "abi.HEADER_VERSION += 0x100\n"
                      "import tern")
        self.assertIn("E0704", failed.stderr)
        self.assertIn("install a library that is at least as new", failed.stderr)

    def test_two_builds_give_the_same_bytes(self):
        with open(wheel("host"), "rb") as file:
            before = file.read()
        built = subprocess.run([os.path.join(ROOT, "tools", "python.sh"), "host"], check=False,
                               capture_output=True, text=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        with open(wheel("host"), "rb") as file:
            self.assertEqual(file.read(), before)


class Documents(unittest.TestCase):
    def test_examples_run(self):
        os.symlink(MODEL, os.path.join(WORK.name, "model.onnx"))
        for document in DOCUMENTS:
            with open(os.path.join(ROOT, document), encoding="utf-8") as file:
                examples = re.findall(r"```python\n(.*?)```", file.read(), re.S)
            self.assertGreater(len(examples), 0, document)
            for number, example in enumerate(examples):
                with self.subTest(document=document, number=number):
                    ran = call(WITH_NUMPY, "-c", example)
                    self.assertEqual(ran.returncode, 0, ran.stderr + example)


def unpacked(preset):
    """A folder with what the wheel would install."""
    folder = os.path.join(WORK.name, "unpacked-" + preset)
    with zipfile.ZipFile(wheel(preset)) as archive:
        archive.extractall(folder)
    return folder


def python_for_aarch64():
    made = call(os.path.join(ROOT, "tools", "setup", "python_aarch64.sh"))
    sys.stderr.write(made.stderr)
    return made.stdout.strip() or "/no/python/for/aarch64"


def run_package_tests(python, processor=os.uname().machine, **variables):
    """(tests, failures) of test_package.py under one Python, which must be of that processor."""
    try:
        found = call(python, "-c", "import platform; print(platform.machine())").stdout.strip()
        ran = call(python, os.path.join(HERE, "test_package.py"),
                   env={**os.environ, "TERN_TEST_MODEL": MODEL, "PYTHONDONTWRITEBYTECODE": "1",
                        **variables})
    except OSError as error:
        sys.stderr.write(f"python: {error}\n")
        return 1, 1
    if found != processor:
        sys.stderr.write(f"python: {python} runs on '{found}', expected {processor}\n")
        return 1, 1
    sys.stderr.write(ran.stderr)
    try:
        counts = json.loads(ran.stdout.strip().split("\n")[-1])
    except ValueError:
        return 1, 1
    return counts["tests"], counts["failed"]


if __name__ == "__main__":
    PLAIN = environment("plain", with_system=False)
    WITH_NUMPY = environment("numpy", with_system=True)
    result = unittest.TextTestRunner(verbosity=1).run(
        unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]))
    tests, failed = result.testsRun, len(result.failures) + len(result.errors)
    for interpreter in (PLAIN, WITH_NUMPY):
        more, broken = run_package_tests(interpreter)
        tests, failed = tests + more, failed + broken
    more, broken = run_package_tests(python_for_aarch64(), "aarch64",
                                     PYTHONPATH=unpacked("aarch64"))
    tests, failed = tests + more, failed + broken
    print(f"{tests - failed} passed, {failed} failed")
    sys.exit(failed != 0)
