# SPDX-License-Identifier: Apache-2.0
"""The documentation as a site: it is built, its links hold, its guides do what they say, and a
browser shows and searches it.

Usage: site_test.py [--host DIR] [--built]      ends with `N passed, N failed`
--host: a finished build of the preset host (build/host); --built: the site is there already.
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import guides

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SITE = os.path.join(ROOT, "build", "docs-site")
TOOLS = os.path.join(ROOT, "tools", "docs")
DIGITS = os.path.join(ROOT, "tests", "models", "digits")
PAGE = "<!doctype html><title>x</title><h1 id='top'>x</h1>"
sys.path.insert(0, TOOLS)
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
sys.dont_write_bytecode = True
import add_version  # noqa: E402
import command_reference  # noqa: E402
import headers  # noqa: E402
import pages  # noqa: E402
from cli_files import make_files  # noqa: E402
from tern_cli import serve  # noqa: E402


def call(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


class Folders(unittest.TestCase):
    def folder(self, files=None):
        made = tempfile.TemporaryDirectory(prefix="tern-docs-")
        self.addCleanup(made.cleanup)
        for name, text in (files or {}).items():
            path = os.path.join(made.name, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return made.name


class Guides(Folders):
    """And README. What is in Python and JavaScript runs with their packages: tests/python,
    tests/npm."""

    @classmethod
    def setUpClass(cls):
        made = tempfile.TemporaryDirectory(prefix="tern-docs-")
        cls.addClassCleanup(made.cleanup)
        for component in ("runtime", "development", "tools"):
            installed = call("cmake", "--install", OPTIONS.host, "--prefix", made.name,
                             "--component", component)
            if installed.returncode != 0:
                raise AssertionError(installed.stderr)
        lib = os.path.join(made.name, "lib")
        cls.env = {**os.environ, "PKG_CONFIG_PATH": os.path.join(lib, "pkgconfig"),
                   "LD_LIBRARY_PATH": lib, "NO_COLOR": "1",
                   "PATH": os.path.join(made.name, "bin") + os.pathsep + os.environ["PATH"]}

    def follow(self, name):
        folder = self.folder()
        for file, to in (("model.onnx", "model.onnx"),
                         ("inputs/batch10.s0.image.npy", "images.npy"),
                         ("inputs/drawn3.s0.image.u8", "three.u8")):
            shutil.copyfile(os.path.join(DIGITS, file), os.path.join(folder, to))
        with open(os.path.join(ROOT, "docs", name), encoding="utf-8") as file:
            self.assertGreater(guides.follow(name, file.read(), folder, self.env), 2)

    def test_command_line(self):
        self.follow("guide-command-line.md")

    def test_c(self):
        self.follow("guide-c.md")

    def test_cpp(self):
        self.follow("guide-cpp.md")

    def block_of_readme(self, language):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            using = file.read().split("\n## Using it\n")[1].split("\n## ")[0]
        [block] = re.findall(rf"^```{language}\n(.*?)^```$", using, re.M | re.S)
        return block

    def test_readme_on_the_command_line(self):
        folder = self.folder()
        make_files(folder)
        os.makedirs(os.path.join(folder, "build"))
        os.symlink(OPTIONS.host, os.path.join(folder, "build", "host"))
        for name in ("examples", "web"):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        lines = self.block_of_readme("sh").splitlines()
        self.assertGreater(len(lines), 8)
        for line in lines:
            with self.subTest(line):
                self.assertTrue(line.startswith("build/host/tern "))
                words = shlex.split(line, comments=True)
                if words[1] == "play":
                    ran = serve(words, folder, self.env)
                    self.assertRegex(ran.stdout, r"^http://127\.0\.0\.1:\d+/")
                else:
                    ran = call("bash", "-c", line, cwd=folder, env=self.env,
                               stdin=subprocess.DEVNULL)
                self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_readme_in_cpp(self):
        folder = self.folder()
        shutil.copyfile(os.path.join(DIGITS, "model.onnx"), os.path.join(folder, "model.onnx"))
        include, body = self.block_of_readme("cpp").split("\n", 1)
        with open(os.path.join(folder, "readme.cpp"), "w", encoding="utf-8") as file:
            file.write(f"{include}\nint main() {{\n{body}(void)output;\n}}\n")
        ran = call("bash", "-euc", "c++ -std=c++17 readme.cpp -o readme $(pkg-config --cflags "
                   "--libs tern)\n./readme", cwd=folder, env=self.env)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def refused(self, expected, text):
        with self.assertRaisesRegex(guides.Mismatch, expected):
            guides.follow("page.md", text, self.folder(), self.env)

    def test_a_guide_that_is_wrong_is_found(self):
        run = "<!-- run -->\n```sh\necho one; echo two\n```\n"
        guides.follow("page.md", run + "<!-- prints -->\n```text\n…\nt…\n```\n", self.folder(),
                      self.env)
        self.refused("expected\none\nbut got\none\ntwo",
                     run + "<!-- prints -->\n```text\none\n```\n")
        self.refused("expected that this works, exit code 1",
                     "<!-- run -->\n```sh\nfalse | cat\n```\n")
        self.refused("expected that this fails, exit code 0", run.replace("run", "fails"))
        self.refused("nothing has run before", "<!-- prints -->\n```text\none\n```\n")
        self.refused("each of 1 marks, found 0", "<!-- run -->\nno code\n")
        self.refused("each of 0 marks, found 0", "no marks\n")


class Links(Folders):
    def check(self, files):
        checked = call(sys.executable, os.path.join(TOOLS, "check_links.py"), self.folder(files))
        return checked.returncode, checked.stdout + checked.stderr

    def test_good_links(self):
        code, said = self.check({
            "index.html": PAGE + '<a href="a/b.html#top">b</a><a href="#top">t</a>'
                                 '<a href="https://example.org/">e</a><img src="p.png" alt="">',
            "a/b.html": PAGE + '<a href="../index.html?q=1#top">back</a>', "p.png": ""})
        self.assertEqual((code, said), (0, "2 pages, 5 links, 0 faults\n"))

    def test_each_fault_is_named(self):
        for body, expected in (
                ('<a href="b.html">b</a>', "leads to 'b.html', which is not there"),
                ('<a href="#no">b</a>', "an anchor that 'index.html' does not have"),
                ('<a href="../x.html">b</a>', "leads out of the site"),
                ('<img src="no.png" alt="">', "leads to 'no.png', which is not there"),
                ('<script src="https://example.org/x.js"></script>', "from elsewhere"),
                ("<script>alert(1)</script>", "<script> stands in the page"),
                ("<style>p {}</style>", "<style> stands in the page"),
                ('<p style="color: red">x</p>', "<p> has the attribute 'style'"),
                ('<p onclick="x()">x</p>', "<p> has the attribute 'onclick'")):
            with self.subTest(body=body):
                code, said = self.check({"index.html": PAGE + body})
                self.assertEqual(code, 1)
                self.assertIn("index.html: ", said)
                self.assertIn(expected, said)

    def test_a_folder_without_a_site(self):
        code, said = self.check({})
        self.assertEqual(code, 1)
        self.assertIn("holds no index.html; tools/build_docs.sh makes a site", said)


class Texts(Folders):
    def test_links_become_those_of_the_site(self):
        site = pages.Site(ROOT, self.folder())
        self.assertEqual(
            site.links("docs/cli.md", "[a](language.md#loops) [b](../README.md) `[c](x.md)`"
                       " [`d`](../core/ops/ops.def) [e](https://example.org)"),
            "[a](language.md#loops) [b](readme.md) `[c](x.md)`"
            " [`d`](source/core/ops/ops.def.html) [e](https://example.org)")
        self.assertEqual(site.links("README.md", "```\n[a](no.md)\n```\n"),
                         "```\n[a](no.md)\n```\n")
        with self.assertRaisesRegex(pages.BadLink, r"docs/cli.md: the link 'no.md' leads to "
                                                   r"'docs/no.md', which does not exist"):
            site.links("docs/cli.md", "[a](no.md)")

    def test_a_header(self):
        page = headers.page("T", "I", """/* -- Values */

/* A size_t *
 * of b<c>. */
TERN_API int f(void); /* after */
#define X 1
enum { A, B };
""", "c")
        self.assertIn("## Values", page)
        self.assertIn("### `f`\n\n```c\nint f(void); /* after */\n```\n\nA size\\_t \\*\nof "
                      "b&lt;c&gt;.", page)
        self.assertIn("### `X`", page)
        self.assertIn("### `A`\n\n```c\nenum { A, B };", page)

    def test_a_class_shows_what_is_public(self):
        page = headers.page("T", "I", """// Owns.
class C {
 public:
  explicit C(int x = 1) : x_{x}, y_(F([] { return 2; })) {}  // takes it
  int x() const { return x_; }
  // Why.
  int y = 3;

 private:
  int secret_;
};
namespace internal {
struct Hidden { int x; };
}  // namespace internal
""", "cpp")
        self.assertIn("explicit C(int x = 1);  // takes it\n  int x() const;\n  // Why.\n"
                      "  int y = 3;\n};", page)
        self.assertNotIn("secret_", page)
        self.assertNotIn("Hidden", page)

    def test_a_header_without_an_end_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "no end of the declaration 'int f"):
            headers.page("T", "I", "int f(void)", "c")

    def test_every_error_code_has_its_text(self):
        table = os.path.join(ROOT, "core", "text", "codes.def")
        self.assertIn("## E0203\n\n**", command_reference.codes_page(table))
        broken = os.path.join(self.folder({"codes.def": 'TERN_CODE("E1", "t", f())\n'}),
                              "codes.def")
        with self.assertRaisesRegex(ValueError, "expected only rows TERN_CODE"):
            command_reference.codes_page(broken)


class Versions(Folders):
    def site(self, version):
        with open(os.path.join(TOOLS, "theme", "versions.js"), encoding="utf-8") as file:
            listed = file.read()
        return self.folder({"index.html": f'<b data-version="{version}" data-root="./">v</b>',
                            "versions.js": listed, "pages.js": 'var ternPages = ["index.html"];\n'})

    def test_each_learns_of_all(self):
        folder = os.path.join(self.folder(), "site")
        for version in ("0.9.0", "0.10.0", "0.2.1", "0.9.0"):
            versions = add_version.add(self.site(version), folder)
        self.assertEqual(versions, ["0.10.0", "0.9.0", "0.2.1"])
        for version in versions:
            with open(os.path.join(folder, version, "versions.js"), encoding="utf-8") as file:
                self.assertIn('\nvar ternVersions = ["0.10.0", "0.9.0", "0.2.1"];\n', file.read())
        with open(os.path.join(folder, "index.html"), encoding="utf-8") as file:
            self.assertIn('content="0; url=0.10.0/index.html"', file.read())

    def test_what_is_no_site_is_refused(self):
        for files in ({}, {"index.html": PAGE}, {"index.html": '<b data-version="new">'}):
            ran = call(sys.executable, os.path.join(TOOLS, "add_version.py"), self.folder(files),
                       self.folder())
            self.assertEqual(ran.returncode, 1)
            self.assertIn("expected a site of the documentation, whose index.html names its "
                          "version", ran.stderr)


class Built(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not OPTIONS.built:
            built = call(os.path.join(ROOT, "tools", "build_docs.sh"))
            if built.returncode != 0:
                raise AssertionError(built.stdout + built.stderr)

    def read(self, name):
        with open(os.path.join(SITE, name), encoding="utf-8") as file:
            return file.read()

    def test_every_text_is_there(self):
        for name in os.listdir(os.path.join(ROOT, "docs")):
            if name.endswith(".md"):
                self.assertIn("<h1", self.read(name[:-3] + ".html"), name)

    def test_references_hold_what_they_are_made_of(self):
        self.assertIn('id="tern_program_load_file"', self.read("reference/c.html"))
        self.assertIn("<code>Runtime</code>", self.read("reference/cpp.html"))
        self.assertIn("<code>Program.profile</code>", self.read("reference/python.html"))
        self.assertIn("--allow-native-code", self.read("reference/commands.html"))
        functions = "reference/javascript/functions/tern-runtime"
        self.assertIn("AsyncRuntime", self.read(functions + ".createRuntime.html"))
        self.assertIn("ThreadedOptions", self.read(functions + "_threads.createRuntime.html"))

    def test_in_a_browser(self):
        ran = call(os.path.join(ROOT, "tools", "node.sh"),
                   os.path.join(ROOT, "tests", "docs", "browse.mjs"), SITE)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--host", default=os.path.join(ROOT, "build", "host"))
    parser.add_argument("--built", action="store_true")
    OPTIONS = parser.parse_args()
    result = unittest.TextTestRunner(verbosity=1).run(
        unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed != 0)
