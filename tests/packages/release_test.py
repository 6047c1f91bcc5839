# SPDX-License-Identifier: Apache-2.0
"""tools/release.sh: what it hands out, and what it refuses to.

Usage: release_test.py [PRESET…]     host and aarch64 by default; ends with `N passed, N failed`
"""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SCRIPT = os.path.join(ROOT, "tools", "release.sh")
PRESETS = sys.argv[1:] or ["host", "aarch64"]


def release(*arguments, root=ROOT):
    return subprocess.run([os.path.join(root, "tools", "release.sh"), *arguments], cwd=root,
                          capture_output=True, text=True, check=False)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class ReleaseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = os.path.join(tempfile.mkdtemp(prefix="tern-release-"), "out")
        result = release("--allow-changes", "--targets", " ".join(PRESETS), cls.folder)
        if result.returncode != 0:
            raise AssertionError(result.stdout + result.stderr)
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            cls.version = re.search(r"project\(tern VERSION ([\d.]+)", file.read())[1]
        cls.names = sorted(os.listdir(cls.folder))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(os.path.dirname(cls.folder))

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_every_package_of_every_target(self):
        endings = {".deb": 3 * len(PRESETS), ".whl": len(PRESETS), ".tgz": 3,
                   ".tar.gz": len(PRESETS) + 1, ".spdx.json": 1, ".md": 1}
        for ending, count in endings.items():
            found = [name for name in self.names if name.endswith(ending)]
            self.assertEqual(len(found), count, found)
            for name in found:
                self.assertIn(self.version, name)
        self.assertEqual(len(self.names), sum(endings.values()) + 1)

    def test_the_page_has_the_documentation_beside_it(self):
        with tarfile.open(self.path(f"tern-page-{self.version}.tar.gz")) as archive:
            names = {name.split("/", 1)[-1] for name in archive.getnames()}
        for name in ("index.html", "docs/index.html", "docs/reference/c.html",
                     "docs/search/search_index.json"):
            self.assertIn(name, names)

    def test_checksums_hold(self):
        subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"],
                       cwd=self.folder, check=True)
        with open(self.path("SHA256SUMS"), encoding="utf-8") as file:
            named = [line.split()[1] for line in file]
        self.assertEqual(sorted(named + ["SHA256SUMS"]), self.names)

    def test_contents_are_listed_as_spdx_wants_it(self):
        with open(self.path(f"tern-{self.version}.spdx.json"), encoding="utf-8") as file:
            spdx = json.load(file)
        self.assertEqual((spdx["spdxVersion"], spdx["dataLicense"], spdx["SPDXID"]),
                         ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"))
        self.assertRegex(spdx["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        packages = {package["SPDXID"]: package for package in spdx["packages"]}
        self.assertEqual(len(packages), len(spdx["packages"]))
        for identifier, package in packages.items():
            self.assertRegex(identifier, r"^SPDXRef-[A-Za-z0-9.-]+$")
            for member in ("name", "versionInfo", "downloadLocation", "licenseConcluded",
                           "licenseDeclared", "copyrightText"):
                self.assertTrue(package[member], (identifier, member))
        artefacts = {package["packageFileName"]: package["checksums"][0]["checksumValue"]
                     for package in spdx["packages"] if "packageFileName" in package}
        handed_out = [name for name in self.names if name.endswith((".gz", ".deb", ".whl", ".tgz"))]
        self.assertEqual(artefacts, {name: digest(self.path(name)) for name in handed_out})
        for relation in spdx["relationships"]:
            self.assertIn(relation["spdxElementId"], {*packages, "SPDXRef-DOCUMENT"})
            self.assertIn(relation["relatedSpdxElement"], packages)
        inside = {relation["relatedSpdxElement"] for relation in spdx["relationships"]}
        self.assertEqual(inside, set(packages))
        for name in ("preact", "Highway", "Emscripten"):
            version = packages["SPDXRef-component-" + name]["versionInfo"]
            self.assertRegex(version, r"^\d+\.\d+\.\d+$")

    def test_every_package_of_the_page_is_listed(self):
        """What the lock file says is in the page, but for types and tools."""
        with open(os.path.join(ROOT, "web/package-lock.json"), encoding="utf-8") as file:
            lock = json.load(file)["packages"]
        with open(os.path.join(ROOT, "tools/release/components.txt"), encoding="utf-8") as file:
            listed = set(re.findall(r"npm:(\S+)", file.read()))
        used = {path.removeprefix("node_modules/") for path, package in lock.items()
                if path.startswith("node_modules/") and not package.get("dev")
                and not package.get("link") and not package.get("peer")}
        of_others = {"@lezer/lr", "@preact/signals-core"}  # come with one that is listed
        self.assertEqual(used - listed - of_others, set())
        self.assertEqual(listed - used, set())

    def test_the_page_is_whole(self):
        [name] = glob.glob(self.path("tern-page-*.tar.gz"))
        with tarfile.open(name) as archive:
            members = archive.getmembers()
        names = {member.name.split("/", 1)[1] for member in members if "/" in member.name}
        self.assertIn("index.html", names)
        self.assertEqual({(member.uid, member.gid) for member in members}, {(0, 0)})

    def test_changes_are_those_of_this_version(self):
        with open(self.path(f"CHANGES-{self.version}.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith(f"## {self.version}\n"))
        self.assertEqual(text.count("\n## "), 0)


class RefusalTest(unittest.TestCase):
    def test_options_and_folders(self):
        result = release("--fast")
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown option '--fast'", result.stderr)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "thesis.txt"), "w", encoding="utf-8") as file:
                file.write("mine")
            result = release("--allow-changes", folder)
            self.assertEqual(result.returncode, 1)
            self.assertIn("holds files that are no release", result.stderr)
            self.assertEqual(os.listdir(folder), ["thesis.txt"])

    def test_trees_that_are_not_ready(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = os.path.join(folder, "tree")
            shutil.copytree(ROOT, tree, symlinks=True, ignore=shutil.ignore_patterns(
                "build", "node_modules", "dist", "tests", "core"))
            subprocess.run(["git", "checkout", "-q", "--", "."], cwd=tree, check=True)
            for name in ("tools/release.sh", "tools/check/check_versions", "CHANGELOG.md"):
                shutil.copy(os.path.join(ROOT, name), os.path.join(tree, name))
            with open(os.path.join(tree, "new.txt"), "w", encoding="utf-8") as file:
                file.write("not committed")
            result = release(root=tree)
            self.assertEqual(result.returncode, 1)
            self.assertIn("new.txt", result.stderr)
            self.assertIn("commit these changes first", result.stderr)
            with open(os.path.join(tree, "CHANGELOG.md"), "w", encoding="utf-8") as file:
                file.write("# Changes\n")
            result = release("--allow-changes", root=tree)
            self.assertEqual(result.returncode, 1)
            self.assertIn("CHANGELOG.md: begins with no version", result.stderr)
            self.assertFalse(os.path.exists(os.path.join(tree, "build")))


if __name__ == "__main__":
    outcome = unittest.main(argv=sys.argv[:1], exit=False, verbosity=0).result
    bad = len(outcome.failures) + len(outcome.errors)
    print(f"{outcome.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad else 0)
