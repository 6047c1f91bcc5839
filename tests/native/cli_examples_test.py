# SPDX-License-Identifier: Apache-2.0
"""K1: the examples that `tern help` and the manual pages show are commands that work, run as they
stand by a shell, in a folder that has the files they name.

Usage: cli_examples_test.py TERN      ends with `N passed, N failed`
"""
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import tern_cli  # noqa: E402
from cli_files import make_failing, make_files  # noqa: E402
from tern_cli import json_of, main, serve, text_of, write  # noqa: E402

# Comparisons of files that differ end with 3.
ALLOWED = {"tern diff old.tern new.tern": 3}
# Cycles of a processor that is not here are counted by a tool that not every machine has.
NEEDS = {"--target neoverse-v1": "llvm-mca-19"}


def shorter(line):
    """The same with the times that people give replaced: what is tested is that the line works."""
    return line.replace("--min-time 3", "--min-time 0.05").replace("--trials 16", "--trials 2")


def can_run(line):
    return all(subprocess.run(["which", tool], capture_output=True, check=False).returncode == 0
               for option, tool in NEEDS.items() if option in line)


class ExamplesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.verbs = json_of("help", "--agents")["verbs"]
        cls.programs = tempfile.TemporaryDirectory()
        os.symlink(tern_cli.TERN, os.path.join(cls.programs.name, "tern"))
        # `man` is on every desktop and on no server; what it is given is read by groff elsewhere.
        os.symlink("/bin/cat", os.path.join(cls.programs.name, "man"))

    @classmethod
    def tearDownClass(cls):
        cls.programs.cleanup()

    def environment(self, folder):
        path = self.programs.name + os.pathsep + os.environ["PATH"]
        return {**os.environ, "PATH": path, "HOME": folder, "DISPLAY": "", "WAYLAND_DISPLAY": ""}

    def folder_of(self, verb):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        if verb == "reduce":
            make_failing(folder.name)
        else:
            make_files(folder.name)
        os.makedirs(os.path.join(folder.name, ".local/share/bash-completion/completions"))
        return folder.name

    def play(self, line, folder):
        """It serves until somebody ends it, at a port that may be another one's here."""
        write(folder, "page/index.html", "<!doctype html>")
        line = line.replace("--port 8080", "--port 0") + " --page page"
        served = serve(shlex.split(line), folder, self.environment(folder))
        self.assertRegex(served.stdout, r"^http://127\.0\.0\.1:\d+/\?src=open/")
        self.assertEqual((served.returncode, served.stderr), (0, ""))

    def test_every_example_works(self):
        for verb in self.verbs:
            folder = self.folder_of(verb["name"])
            for line in verb["examples"]:
                with self.subTest(line):
                    if not can_run(line):
                        continue
                    if verb["name"] == "play":
                        self.play(line, folder)
                        continue
                    result = subprocess.run(
                        ["bash", "-o", "pipefail", "-c", shorter(line)], cwd=folder, text=True,
                        env=self.environment(folder), stdin=subprocess.DEVNULL,
                        capture_output=True, check=False, timeout=300)
                    self.assertEqual(result.returncode, ALLOWED.get(line, 0),
                                     result.stdout[-500:] + result.stderr)

    def test_every_verb_has_examples_and_a_help_that_fits(self):
        for verb in self.verbs:
            with self.subTest(verb["name"]):
                self.assertGreaterEqual(len(verb["examples"]), 2)
                self.assertTrue(all("tern " + verb["name"] in line for line in verb["examples"]))
                self.assertLessEqual(len(text_of(verb["name"], "--help").splitlines()), 100)

    def test_the_manual_page_has_the_same_examples(self):
        for verb in self.verbs:
            page = text_of("man", verb["name"]).replace("\\-", "-").replace("\\e", "\\")
            for line in verb["examples"]:
                self.assertIn("\n" + line + "\n", page)


if __name__ == "__main__":
    main()
