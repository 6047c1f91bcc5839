# SPDX-License-Identifier: Apache-2.0
"""What suites have passed before, of the very same sources: such a suite is not run again.

A suite's key covers every file that git sees (tracked, or new and not ignored), the further models,
the packages of the system and the suite's own row; whatever changes any of them, every suite runs
again. Without git there is no key and everything runs.
"""
import hashlib
import json
import os
import subprocess

PACKAGES = "/var/lib/dpkg/status"


def add_file(digest, path):
    digest.update(path.encode("utf-8", "surrogateescape") + b"\0")
    if os.path.islink(path):
        digest.update(os.readlink(path).encode("utf-8", "surrogateescape"))
    elif os.path.isfile(path):
        digest.update(os.stat(path).st_mode.to_bytes(4, "little"))
        with open(path, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())


def add_times(digest, folder):
    """Names, sizes and times: the models are large, and no tool of ours writes them."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            about = os.stat(os.path.join(parent, name))
            digest.update(f"{parent}/{name} {about.st_size} {about.st_mtime_ns}\n".encode())


def key_of_sources(root, models):
    """A key of all that suites have in common; None where git does not tell the files."""
    listed = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard"], cwd=root,
                            capture_output=True, check=False)
    if listed.returncode != 0:
        return None
    digest = hashlib.sha256()
    for name in sorted(set(listed.stdout.split(b"\0")) - {b""}):
        add_file(digest, os.path.join(root, os.fsdecode(name)))
    add_file(digest, PACKAGES)
    add_times(digest, models)
    return digest.hexdigest()


class PassedBefore:
    """The record at `path`: suite -> key and number of tests. An unreadable one is empty."""

    def __init__(self, path, sources):
        self.path, self.sources = path, sources
        try:
            with open(path, encoding="utf-8") as file:
                self.suites = dict(json.load(file))
        except (OSError, ValueError, TypeError):
            self.suites = {}

    def key(self, suite):
        row = f"{self.sources} {suite.kind} {suite.command}"
        return hashlib.sha256(row.encode()).hexdigest()

    def count(self, suite):
        """How many tests the suite passed when it ran on these sources; 0: it has to run."""
        entry = self.suites.get(suite.name)
        if self.sources is None or not isinstance(entry, dict):
            return 0
        return entry.get("passed", 0) if entry.get("key") == self.key(suite) else 0

    def forget(self):
        """Nothing has passed."""
        self.suites = {}
        self.write()

    def note(self, suite, passed):
        """0: it has failed, and what it did before counts no more."""
        self.suites.pop(suite.name, None)
        if passed and self.sources is not None:
            self.suites[suite.name] = {"key": self.key(suite), "passed": passed}
        self.write()

    def write(self):
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.suites, file, indent=1, sort_keys=True)
        os.replace(self.path + ".new", self.path)
