# SPDX-License-Identifier: Apache-2.0
"""check_versions on trees that are made for it."""
import json
import os
import subprocess
import tempfile
import unittest

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_versions")


class VersionsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\n"
                                     "project(tern VERSION 0.1.0 LANGUAGES C CXX)\n")
        self.write("CHANGELOG.md", "# Changes\n\n## 0.1.0\n\n- all\n")
        self.write("wasm/package/package.json", '{\n  "name": "tern-runtime",\n'
                   '  "version": "0.1.0",\n  "engines": {"node": ">=20"}\n}\n')
        self.write("wasm/package-debug/package.json", '{"name": "tern-runtime-debug", "version": '
                   '"0.1.0", "peerDependencies": {"tern-runtime": "0.1.0", "other": "0.1.0"}}\n')
        self.write("wasm/package/package-lock.json", json.dumps({
            "name": "tern-runtime", "version": "0.1.0", "packages": {
                "": {"name": "tern-runtime", "version": "0.1.0"},
                "node_modules/other": {"version": "0.1.0"}}}))

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(os.path.join(self.root, name), encoding="utf-8") as file:
            return file.read()

    def check(self, *options):
        result = subprocess.run([TOOL, "--root", self.root, *options], capture_output=True,
                                text=True, check=False)
        return result.returncode, result.stdout + result.stderr

    def test_one_version_everywhere(self):
        self.assertEqual(self.check(), (0, "4 passed, 0 failed\n"))

    def test_each_place_that_differs_is_named(self):
        self.write("wasm/package-debug/package.json", '{"name": "tern-runtime-debug", "version": '
                   '"0.1.1", "peerDependencies": {"tern-runtime": "0.0.9"}}\n')
        code, text = self.check()
        self.assertEqual((code, text.splitlines()[-1]), (1, "3 passed, 1 failed"))
        self.assertIn("wasm/package-debug/package.json: version is 0.1.1, CMakeLists.txt says "
                      "0.1.0", text)
        self.assertIn("peerDependencies.tern-runtime is 0.0.9", text)

    def test_a_version_without_changes_is_told(self):
        code, text = self.check("--set", "0.2.0")
        self.assertEqual(code, 1)
        self.assertIn("CHANGELOG.md: begins with 0.1.0, CMakeLists.txt says 0.2.0; write what has "
                      "changed under ## 0.2.0", text)
        self.write("CHANGELOG.md", "# Changes\n")
        self.assertIn("begins with no version", self.check()[1])

    def test_set_changes_versions_and_nothing_else(self):
        self.write("CHANGELOG.md", "# Changes\n\n## 0.2.0\n\n## 0.1.0\n")
        self.assertEqual(self.check("--set", "0.2.0"), (0, "4 passed, 0 failed\n"))
        self.assertEqual(self.read("wasm/package/package.json"), '{\n  "name": "tern-runtime",\n'
                         '  "version": "0.2.0",\n  "engines": {"node": ">=20"}\n}\n')
        self.assertIn('"other": "0.1.0"', self.read("wasm/package-debug/package.json"))
        lock = json.loads(self.read("wasm/package/package-lock.json"))
        self.assertEqual(lock["packages"][""]["version"], "0.2.0")
        self.assertEqual(lock["packages"]["node_modules/other"]["version"], "0.1.0")

    def test_what_is_no_version(self):
        for text in ("0.2", "v0.2.0", "0.2.0-rc1", ""):
            if text:
                self.assertEqual(self.check("--set", text)[0], 1, text)
        self.write("CMakeLists.txt", "project(other)\n")
        self.assertIn("there is no line project(tern", self.check()[1])
