# SPDX-License-Identifier: Apache-2.0
"""C35: projects of others that use the packages of tools/package.sh, and nothing of this tree.

Usage: packages_test.py      ends with `N passed, N failed`
Each package is unpacked into a folder of its own. The examples that lie in it are built there by
find_package and by pkg-config, as C11, C++17 and C++20, with gcc and clang, against both libraries,
and classify a drawn digit. Those for AArch64 run under qemu. What does not fit (versions,
processors, missing files, sizes of structs) must be said in words that tell what to do.
"""
import atexit
import ctypes
import glob
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import urllib.request

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DIGITS = os.path.join(ROOT, "tests", "models", "digits")
WORK = tempfile.mkdtemp(prefix="tern-packages-")
atexit.register(shutil.rmtree, WORK, ignore_errors=True)
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror"]


class Target:
    """A processor, its packages, and how one compiles for it and runs what comes out."""

    def __init__(self, preset, processor, debian, prefix, clang, run):
        self.packages = os.path.join(ROOT, "build", preset, "packages")
        self.build = os.path.join(ROOT, "build", preset)
        self.processor, self.debian = processor, debian
        self.compilers = {"gcc": ([prefix + "gcc"], [prefix + "g++"]),
                          "clang": (["clang-19", *clang], ["clang++-19", *clang])}
        self.run = run

    def unpack(self, form):
        """The folder that holds lib, include and so on."""
        folder = os.path.join(WORK, self.processor, form)
        if not os.path.isdir(folder):
            os.makedirs(folder)
            if form == "tarball":
                [archive] = glob.glob(os.path.join(self.packages, "*.tar.gz"))
                call("tar", "-xzf", archive, "-C", folder)
            for deb in self.debs() if form == "deb" else []:
                call("dpkg-deb", "-x", deb, folder)
        return os.path.join(folder, "usr") if form == "deb" else glob.glob(folder + "/*")[0]

    def debs(self):
        return sorted(glob.glob(os.path.join(self.packages, "*.deb")))

    def toolchain(self, compiler):
        """What CMake is told about this target."""
        c, cc = self.compilers[compiler]
        return ["-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={self.processor}",
                "-DCMAKE_C_COMPILER=" + c[0], "-DCMAKE_CXX_COMPILER=" + cc[0],
                "-DCMAKE_C_FLAGS=" + " ".join(c[1:]), "-DCMAKE_CXX_FLAGS=" + " ".join(cc[1:])]


HOST = Target("host", "x86_64", "amd64", "", [], [])
ARM = Target("aarch64", "aarch64", "arm64", "aarch64-linux-gnu-",
             ["--target=aarch64-linux-gnu"],
             ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"])


def attempt(*command, cwd=None, env=None):
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd,
                          env={**os.environ, **(env or {})})


def call(*command, cwd=None, env=None):
    result = attempt(*command, cwd=cwd, env=env)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
    return result.stdout


def fresh(name):
    folder = tempfile.mkdtemp(prefix=name + "-", dir=WORK)
    return folder


def examples(prefix, folder):
    """A copy of the project that lies in the package."""
    source = os.path.join(prefix, "share/doc/libtern-dev/examples")
    return shutil.copytree(source, os.path.join(folder, "source"))


def one_line(text):
    return re.sub(r"\s+", " ", text)


class PackagesTest(unittest.TestCase):
    def classify(self, target, program, libraries=None, image="drawn3", digit=3):
        env = {"LD_LIBRARY_PATH": libraries} if libraries else {}
        run = target.run
        if run and libraries:
            run, env = [*run, "-E", f"LD_LIBRARY_PATH={libraries}"], {}
        out = call(*run, program, os.path.join(DIGITS, "model.onnx"),
                   os.path.join(DIGITS, "inputs", image + ".s0.image.u8"), env=env)
        self.assertRegex(out, rf"^digit {digit} \(9\d\.\d\d %\), f32\[1, 10\]\n$")

    def by_cmake(self, target, form, compiler, library):
        prefix, folder = target.unpack(form), fresh("cmake")
        call("cmake", "-G", "Ninja", "-S", examples(prefix, folder), "-B", folder + "/build",
             "-DCMAKE_PREFIX_PATH=" + prefix, "-DTERN_LIBRARY=tern::" + library,
             *target.toolchain(compiler))
        call("cmake", "--build", folder + "/build")
        for program in ("digit_c", "digit_cc"):
            self.classify(target, os.path.join(folder, "build", program))

    def by_pkg_config(self, target, form, compiler, module, standards):
        prefix, folder = target.unpack(form), fresh("pkg")
        source = examples(prefix, folder)
        flags = call("pkg-config", "--cflags", "--libs", module,
                     env={"PKG_CONFIG_LIBDIR": os.path.join(prefix, "lib/pkgconfig")}).split()
        for standard in standards:
            plus = standard.startswith("c++")
            command = target.compilers[compiler][plus]
            program = os.path.join(folder, standard)
            call(*command, "-std=" + standard, *STRICT,
                 os.path.join(source, "digit.cc" if plus else "digit.c"), "-o", program, *flags)
            self.classify(target, program, os.path.join(prefix, "lib"))

    # --- projects that build

    def test_find_package_of_the_tarball(self):
        self.by_cmake(HOST, "tarball", "gcc", "tern")
        self.by_cmake(HOST, "tarball", "clang", "tern_static")

    def test_find_package_of_the_debian_packages(self):
        self.by_cmake(HOST, "deb", "clang", "tern")
        self.by_cmake(HOST, "deb", "gcc", "tern_static")

    def test_pkg_config_of_the_tarball(self):
        self.by_pkg_config(HOST, "tarball", "gcc", "tern", ("c11", "c++17"))
        self.by_pkg_config(HOST, "tarball", "clang", "tern-static", ("c11", "c++20"))

    def test_pkg_config_of_the_debian_packages(self):
        self.by_pkg_config(HOST, "deb", "clang", "tern", ("c11", "c++17"))
        self.by_pkg_config(HOST, "deb", "gcc", "tern-static", ("c11", "c++20"))

    def test_aarch64_by_find_package(self):
        self.by_cmake(ARM, "tarball", "gcc", "tern")
        self.by_cmake(ARM, "deb", "clang", "tern_static")

    def test_aarch64_by_pkg_config(self):
        self.by_pkg_config(ARM, "deb", "gcc", "tern", ("c11",))
        self.by_pkg_config(ARM, "tarball", "clang", "tern-static", ("c++17",))

    def test_every_digit_is_known(self):
        prefix, folder = HOST.unpack("tarball"), fresh("digits")
        program = os.path.join(folder, "digit")
        call("gcc", os.path.join(examples(prefix, folder), "digit.c"), "-I" + prefix + "/include",
             "-o", program, prefix + "/lib/libtern.so.0")
        for digit in (3, 5, 8):
            self.classify(HOST, program, prefix + "/lib", f"drawn{digit}", digit)

    def test_the_page_shows_the_examples_as_they_are(self):
        with open(os.path.join(ROOT, "docs/using-from-c.md"), encoding="utf-8") as file:
            page = file.read()
        for language, name in (("c", "digit.c"), ("cpp", "digit.cc")):
            with open(os.path.join(ROOT, "examples/library", name), encoding="utf-8") as file:
                self.assertIn(re.search(rf"```{language}\n(.*?)```", page, re.S)[1], file.read())

    def test_the_library_can_be_opened_at_run_time(self):
        library = ctypes.CDLL(os.path.join(HOST.unpack("tarball"), "lib/libtern.so.0"))
        library.tern_version.restype = ctypes.c_uint32
        self.assertEqual(library.tern_version(), 0x000100)
        library.tern_runtime_create.restype = ctypes.c_void_p
        library.tern_runtime_free.argtypes = [ctypes.c_void_p]
        runtime = ctypes.c_void_p()
        self.assertIsNone(library.tern_runtime_create(None, ctypes.byref(runtime)))
        library.tern_runtime_free(runtime)
        with self.assertRaises(AttributeError):
            library.tern_not_there

    def test_versions_agree(self):
        for form in ("tarball", "deb"):
            prefix = HOST.unpack(form)
            with open(os.path.join(prefix, "include/tern/tern.h"), encoding="utf-8") as file:
                header = file.read()
            numbers = [re.search(rf"#define TERN_VERSION_{part} (\d+)", header)[1]
                       for part in ("MAJOR", "MINOR", "PATCH")]
            env = {"PKG_CONFIG_LIBDIR": os.path.join(prefix, "lib/pkgconfig")}
            for module in ("tern", "tern-static"):
                version = call("pkg-config", "--modversion", module, env=env).strip()
                self.assertEqual(version, ".".join(numbers))
            self.assertEqual(call(os.path.join(prefix, "bin/tern"), "--version").strip(),
                             "tern " + ".".join(numbers))

    def test_a_program_without_shared_libraries(self):
        """pkg-config --static, as other libraries have it, beside the module tern-static."""
        prefix, folder = HOST.unpack("tarball"), fresh("static")
        flags = call("pkg-config", "--static", "--cflags", "--libs", "tern",
                     env={"PKG_CONFIG_LIBDIR": os.path.join(prefix, "lib/pkgconfig")}).split()
        program = os.path.join(folder, "digit")
        call("gcc", "-std=c11", "-static", os.path.join(examples(prefix, folder), "digit.c"), "-o",
             program, *flags)
        self.assertNotIn("NEEDED", call("llvm-readelf-19", "-d", program))
        self.classify(HOST, program)

    # --- what is in a package

    def files(self, prefix):
        found = []
        for folder, _, names in os.walk(prefix):
            found += [os.path.relpath(os.path.join(folder, name), prefix) for name in names]
        return sorted(found)

    def test_packages_of_all_forms_and_processors_hold_the_same_files(self):
        files = self.files(HOST.unpack("tarball"))
        self.assertEqual(self.files(HOST.unpack("deb")), files)
        self.assertEqual(self.files(ARM.unpack("tarball")), files)
        self.assertEqual(self.files(ARM.unpack("deb")), files)
        for name in ("bin/tern", "include/tern/tern.h", "include/tern/tern.hpp", "lib/libtern.a",
                     "lib/libtern.so", "lib/libtern.so.0", "lib/cmake/tern/tern-config.cmake",
                     "lib/pkgconfig/tern.pc", "share/man/man1/tern.1.gz",
                     "share/man/man1/tern-run.1.gz", "share/doc/tern/changelog.gz",
                     "share/bash-completion/completions/tern", "share/doc/tern/LICENSE",
                     "share/doc/tern/schemas/run.json", "share/tern/page/index.html",
                     "share/tern/page/service-worker.js",
                     "share/doc/libtern0/copyright", "share/doc/libtern0/changelog.gz",
                     "share/doc/libtern-dev/changelog.gz", "share/doc/libtern-dev/LICENSE"):
            self.assertIn(name, files)
        headers = [name for name in files if name.startswith("include/")]
        self.assertEqual(headers, ["include/tern/tern.h", "include/tern/tern.hpp"])

    def test_no_file_names_the_folder_it_was_built_in(self):
        for target in (HOST, ARM):
            prefix = target.unpack("tarball")
            for name in self.files(prefix):
                path = os.path.join(prefix, name)
                if not os.path.islink(path):
                    with open(path, "rb") as file:
                        self.assertNotIn(ROOT.encode() + b"/", file.read(), name)

    def test_debian_packages_say_what_they_need(self):
        for target in (HOST, ARM):
            fields = {}
            for deb in target.debs():
                text = call("dpkg-deb", "-f", deb)
                field = dict(re.findall(r"^(\S+): (.*)", text, re.M))
                fields[field["Package"]] = field
                self.assertEqual(field["Architecture"], target.debian)
            self.assertEqual(sorted(fields), ["libtern-dev", "libtern0", "tern"])
            self.assertEqual(fields["libtern-dev"]["Depends"], "libtern0 (= 0.1.0)")
            [runtime] = [deb for deb in target.debs() if "libtern0_" in deb]
            self.assertEqual(call("dpkg-deb", "-I", runtime, "triggers").strip(),
                             "activate-noawait ldconfig")
            self.assertEqual(call("dpkg-deb", "-I", runtime, "shlibs"),
                             "libtern 0 libtern0 (>= 0.1.0)\n")
            stated = re.search(r"libc6 \(>= ([\d.]+)\)", fields["libtern0"]["Depends"])[1]
            used = re.findall(r"GLIBC_([\d.]+)", call(
                "llvm-readelf-19", "-V", os.path.join(target.unpack("deb"), "lib/libtern.so.0")))
            order = [tuple(map(int, version.split("."))) for version in [*used, stated]]
            self.assertGreater(len(order), 1)
            self.assertEqual(max(order), order[-1])

    def test_debian_packages_say_who_made_them_and_what_they_are(self):
        with open(os.path.join(HOST.build, "CMakeCache.txt"), encoding="utf-8") as file:
            maintainer = re.search(r"^TERN_MAINTAINER:STRING=(.*)", file.read(), re.M)[1]
        self.assertRegex(maintainer, r"^\w[^<>]* <[^<>@ ]+@[^<>@ ]+\.[a-z]+>$")
        titles = set()
        for deb in HOST.debs():
            field = dict(re.findall(r"^(\S+): ?((?:.*\n)(?: .*\n)*)", call("dpkg-deb", "-f", deb),
                                    re.M))
            self.assertEqual(field["Maintainer"].strip(), maintainer)
            title, *more = field["Description"].splitlines()
            titles.add(title)
            self.assertLess(len(title), 80)
            self.assertGreaterEqual(len(more), 3, deb)
        self.assertEqual(len(titles), 3)

    def unpacked_gzip(self, path):
        """The text, of a file that says neither when it was made nor how it was called."""
        with open(path, "rb") as file:
            packed = file.read()
        self.assertEqual(packed[:9], b"\x1f\x8b\x08\0\0\0\0\0\x02", path)
        return gzip.decompress(packed).decode()

    def test_changes_stand_where_debian_looks_for_them(self):
        with open(os.path.join(ROOT, "CHANGELOG.md"), encoding="utf-8") as file:
            versions = re.findall(r"^## (\S+)", file.read(), re.M)
        texts = {self.unpacked_gzip(os.path.join(target.unpack(form), "share/doc", package,
                                                 "changelog.gz"))
                 for target in (HOST, ARM) for form in ("tarball", "deb")
                 for package in ("tern", "libtern0", "libtern-dev")}
        [text] = texts
        path = os.path.join(fresh("changes"), "changelog")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        parsed = attempt("dpkg-parsechangelog", "--all", "-l", path)
        self.assertEqual((parsed.returncode, parsed.stderr), (0, ""))
        self.assertEqual(re.findall(r"^ tern \((\S+)\) ", parsed.stdout, re.M), versions)
        self.assertIn(" * Command line tern (docs/cli.md): run, check,", one_line(text))
        self.assertLess(max(map(len, text.splitlines())), 80)

    def changelog_of(self, markdown, now="Thu, 01 Jan 1970 00:00:00 +0000"):
        path = os.path.join(fresh("changes"), "CHANGELOG.md")
        with open(path, "w", encoding="utf-8") as file:
            file.write(markdown)
        return call("awk", "-v", "package=p", "-v", "maintainer=M <m@e.org>", "-v", "now=" + now,
                    "-f", os.path.join(ROOT, "tools/cmake/package/debian_changelog.awk"), path)

    def test_a_version_that_was_released_keeps_its_date(self):
        text = self.changelog_of(
            "# Changes\n\nOf all.\n\n## 0.2.0\n\nNew.\n\n## 0.1.0 (2024-02-29)\n\n"
            "- **A.** b; `c` [d](e.md#f)\n  g.\n- h\n\n## 0.0.1 (1999-12-31)\n- i\n")
        head = "%s unstable; urgency=medium\n\n%s\n -- M <m@e.org>  %s\n\n"
        self.assertEqual(text, "".join([
            head % ("p (0.2.0)", "  * New.\n", "Thu, 01 Jan 1970 00:00:00 +0000"),
            head % ("p (0.1.0)", "  * A. b; c d g.\n  * h\n", "Thu, 29 Feb 2024 12:00:00 +0000"),
            head % ("p (0.0.1)", "  * i\n", "Fri, 31 Dec 1999 12:00:00 +0000")]))
        self.assertEqual(self.changelog_of("# Changes\n\nnone yet\n"), "")

    def test_manual_pages_are_packed_and_can_be_read(self):
        folder = os.path.join(HOST.unpack("deb"), "share/man/man1")
        names = os.listdir(folder)
        self.assertGreater(len(names), 20)
        for name in names:
            self.assertTrue(name.endswith(".1.gz"), name)
            self.assertTrue(self.unpacked_gzip(os.path.join(folder, name)).startswith(".TH"), name)

    def test_packing_twice_gives_the_same_bytes(self):
        def digests():
            return {os.path.basename(path): call("sha256sum", path).split()[0]
                    for path in glob.glob(HOST.packages + "/*.*")}
        first = digests()
        self.assertEqual(len(first), 4)
        for name in ("share/man1/tern.1.gz", "lib/libtern.a", "include/tern/tern.h", "tern"):
            os.utime(os.path.join(HOST.build, name))  # as if it was built now
        call(os.path.join(ROOT, "tools/package.sh"), "host")
        self.assertEqual(digests(), first)

    def test_libraries_export_what_is_promised(self):
        for target in (HOST, ARM):
            out = call(os.path.join(ROOT, "tools/check/check_abi"), "--build", target.build)
            self.assertRegex(out, r"^[1-9]\d+ passed, 0 failed\n$")

    def test_the_program_runs_where_it_was_unpacked(self):
        for target in (HOST, ARM):
            tern = [*target.run, os.path.join(target.unpack("deb"), "bin/tern")]
            out = call(*tern, "run", os.path.join(DIGITS, "model.onnx"), "-i",
                       "image=@" + os.path.join(DIGITS, "inputs/batch10.s0.image.npy"), "--expect",
                       "probabilities=@" + os.path.join(DIGITS, "expected",
                                                        "batch10.s0.probabilities.npy"))
            self.assertIn("f32[10, 10]", out)

    def test_the_program_serves_the_page_that_was_unpacked_with_it(self):
        model = os.path.join(DIGITS, "model.onnx")
        for form in ("tarball", "deb"):
            program = os.path.join(HOST.unpack(form), "bin/tern")
            with subprocess.Popen([program, "play", model, "--no-open"], stdout=subprocess.PIPE,
                                  text=True) as server:
                try:
                    url = server.stdout.readline().split()[0]
                    page = urllib.request.urlopen(url).read().decode()
                    name = re.search(r'src="(\./assets/[^"]+\.js)"', page)[1]
                    script = urllib.parse.urljoin(url, name)
                    kind = urllib.request.urlopen(script).headers["Content-Type"]
                    self.assertIn("javascript", kind)
                    query = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
                    file = urllib.parse.urljoin(url, query["src"][0])
                    with open(model, "rb") as same:
                        self.assertEqual(urllib.request.urlopen(file).read(), same.read())
                finally:
                    # Without it an error would wait for the server's end.
                    server.terminate()
                self.assertEqual(server.wait(30), 0)

    # --- what does not fit

    def configure(self, line, prefix, *options):
        """What CMake says of a project that has this line."""
        folder = fresh("bad")
        with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write("cmake_minimum_required(VERSION 3.20)\nproject(bad LANGUAGES C)\n" + line +
                       "\nmessage(STATUS \"found: ${tern_FOUND}\")\n")
        result = attempt("cmake", "-G", "Ninja", "-S", folder, "-B", folder + "/build",
                         "-DCMAKE_PREFIX_PATH=" + prefix, *options)
        return result.returncode, one_line(result.stdout + result.stderr)

    def refused(self, message, line, prefix, *options):
        code, text = self.configure(line, prefix, *options)
        self.assertEqual(code, 1, text)
        self.assertIn(message, text)

    def test_other_versions_are_refused(self):
        prefix = HOST.unpack("tarball")
        for version in ("0.2", "1.0", "0.1.1", "0.0...<0.1", "0.2...<1"):
            self.refused("tern-config.cmake, version: 0.1.0",
                         f"find_package(tern {version} CONFIG REQUIRED)", prefix)
        for version in ("", "0.1", "0.1.0 EXACT", "0.1...<1", "0.0"):
            code, text = self.configure(f"find_package(tern {version} CONFIG REQUIRED)", prefix)
            self.assertEqual(code, 0, text)

    def test_packages_for_another_processor_are_refused(self):
        line = "find_package(tern CONFIG REQUIRED)"
        self.refused("which is for Linux aarch64, but this project is built for Linux x86_64: "
                     "install the package for that one and name its folder in CMAKE_PREFIX_PATH",
                     line, ARM.unpack("tarball"))
        self.refused("which is for Linux x86_64, but this project is built for Linux aarch64",
                     line, HOST.unpack("deb"), *ARM.toolchain("gcc")[:3])

    def test_components(self):
        prefix = HOST.unpack("deb")
        line = "find_package(tern CONFIG REQUIRED COMPONENTS %s)"
        code, text = self.configure(line % "runtime development tools", prefix)
        self.assertEqual(code, 0, text)
        self.refused("there is no component 'python': runtime, development and tools can be asked",
                     line % "python", prefix)

    def test_missing_parts_are_named_with_their_package(self):
        def without(name):
            copy = os.path.join(fresh("part"), "usr")
            shutil.copytree(HOST.unpack("deb"), copy, symlinks=True)
            os.remove(os.path.join(copy, name))
            return copy
        line = "find_package(tern CONFIG REQUIRED COMPONENTS development tools)"
        for name, package in (("lib/libtern.so.0.1.0", "runtime (Debian package libtern0)"),
                              ("include/tern/tern.h", "development (Debian package libtern-dev)"),
                              ("bin/tern", "tools (Debian package tern)")):
            self.refused(f"{name} is missing: install the component {package} of tern 0.1.0 beside",
                         line, without(name))
        code, text = self.configure("find_package(tern CONFIG)", without("lib/libtern.so.0.1.0"))
        self.assertEqual((code, "-- found: 0" in text), (0, True), text)

    def compile(self, prefix, text, change=lambda header: header):
        """A program in C against the package's header, changed, and its library."""
        folder = fresh("program")
        os.makedirs(os.path.join(folder, "tern"))
        with open(os.path.join(prefix, "include/tern/tern.h"), encoding="utf-8") as file:
            header = file.read()
        with open(os.path.join(folder, "tern/tern.h"), "w", encoding="utf-8") as file:
            file.write(change(header))
        with open(os.path.join(folder, "main.c"), "w", encoding="utf-8") as file:
            file.write("#include <stdio.h>\n#include <tern/tern.h>\nint main(void) {\n"
                       "  tern_status* status = NULL;\n" + text +
                       '\n  if (status) fputs(tern_status_text(status), stdout);\n'
                       "  tern_status_free(status);\n  return status != NULL;\n}\n")
        program = os.path.join(folder, "main")
        call("gcc", "-std=c11", "-I" + folder, os.path.join(folder, "main.c"), "-o", program,
             os.path.join(prefix, "lib/libtern.so"))
        return attempt(program, env={"LD_LIBRARY_PATH": os.path.join(prefix, "lib")})

    def test_a_header_of_another_version_is_told(self):
        check = "  status = TERN_ABI_CHECK();"
        prefix = HOST.unpack("tarball")
        self.assertEqual(self.compile(prefix, check).returncode, 0)
        newer, other = "install a library that is at least as new", "another major version means"
        changes = {r"(TERN_VERSION_MINOR) 1": (r"\1 9", newer),
                   r"(TERN_ABI_MAJOR) 1": (r"\1 2", other)}
        for old, (new, message) in changes.items():
            result = self.compile(prefix, check, lambda text: re.sub(old, new, text))
            self.assertEqual(result.returncode, 1)
            self.assertIn("error[E0704]", result.stdout)
            self.assertIn(message, one_line(result.stdout))

    def test_structs_of_a_wrong_size_are_told(self):
        prefix = HOST.unpack("tarball")
        text = ("  tern_runtime_options options = {0};\n  tern_runtime* runtime;\n"
                "  options.struct_size = %s;\n  status = tern_runtime_create(&options, &runtime);")
        self.assertEqual(self.compile(prefix, text % "sizeof options").returncode, 0)
        result = self.compile(prefix, text % "0")
        self.assertEqual(result.returncode, 1)
        self.assertIn("struct_size of tern_runtime_options is 0", result.stdout)

    def test_fields_of_a_newer_header_are_told_where_they_are_used(self):
        def newer(header):
            return header.replace("} tern_runtime_options;",
                                  "  uint64_t new_field;\n} tern_runtime_options;")
        text = ("  tern_runtime* runtime;\n  tern_runtime_options options = "
                "{.struct_size = sizeof options, .new_field = %d};\n"
                "  status = tern_runtime_create(&options, &runtime);")
        prefix = HOST.unpack("tarball")
        self.assertEqual(self.compile(prefix, text % 0, newer).returncode, 0)
        result = self.compile(prefix, text % 1, newer)
        self.assertEqual(result.returncode, 1)
        self.assertIn("a field behind them is not 0", one_line(result.stdout))

    def test_a_model_that_is_not_there_is_told(self):
        prefix = HOST.unpack("tarball")
        result = self.compile(
            prefix, "  tern_runtime* runtime;\n  tern_program* program;\n"
            "  status = tern_runtime_create(NULL, &runtime);\n"
            '  if (!status) status = tern_program_load_file(runtime, "no.onnx", NULL, &program);')
        self.assertEqual(result.returncode, 1)
        self.assertIn("error[E0101]: cannot open 'no.onnx'", result.stdout)


if __name__ == "__main__":
    outcome = unittest.main(exit=False, verbosity=0).result
    bad = len(outcome.failures) + len(outcome.errors)
    print(f"{outcome.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad else 0)
