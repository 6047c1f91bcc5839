# SPDX-License-Identifier: Apache-2.0
"""Chooses the tests of one preset that changed files can touch, the nearest ones first."""
import os
from typing import NamedTuple

from build_graph import is_inside

WEB = ("web/", "wasm/package/", "wasm/package-debug/", "wasm/package-inline/", "tests/web/")


class Test(NamedTuple):
    """A test of ctest's list."""
    name: str
    paths: tuple  # absolute: what its command and its environment may name


def is_for_web(name):
    """Whether a file, named from the root, is the page's or the package's and not C++'s."""
    return name.startswith(WEB) or name.endswith(".mjs")


def read_tests(document):
    """The tests in what `ctest --show-only=json-v1` prints."""
    tests = []
    for test in document["tests"]:
        values = {item["name"]: item["value"] for item in test.get("properties", ())}
        words = [*test.get("command", ()),
                 *(setting.partition("=")[2] for setting in values.get("ENVIRONMENT", ()))]
        folder = values.get("WORKING_DIRECTORY", "/")
        paths = {os.path.normpath(os.path.join(folder, word)) for word in words}
        tests.append(Test(test["name"], tuple(sorted(paths))))
    return tests


def programs_of(test, graph):
    """What the test runs: programs that it names, and those in the folders that it names."""
    found = {program for program in graph.programs
             if program in test.paths or os.path.dirname(program) in test.paths}
    # ctest knows no command of a program that was never built; the program is named like the test.
    return found or {program for program in graph.programs
                     if os.path.basename(program) == test.name}


def names_source(test, path, graph):
    """Whether the test's command names the file, or a source folder that contains it."""
    return path in test.paths or any(
        is_inside(path, folder) for folder in test.paths
        if is_inside(folder, graph.root) and not is_inside(folder + os.sep, graph.folder))


def test_folders(name):
    """Folders of a file's own tests, best first. A folder of core has its tests in tests/unit:
    core/a/b in a_b, else in a; some have others beside them, in tests/a."""
    parts = os.path.dirname(name).split("/")
    if parts[0] == "tests":
        return [["/".join(parts)]]
    if parts[0] == "native":
        return [["tests/native"]]
    if parts[0] != "core":
        return []
    return [[f"tests/unit/{'_'.join(parts[1:end])}", f"tests/{'_'.join(parts[1:end])}"]
            for end in range(len(parts), 1, -1)]


def nearest_tests(name, tests, graph, readers):
    """Those of the tests that read the file, or else have sources in its best folder of tests."""
    path = os.path.join(graph.root, name)
    sources = {test: {source for program in programs_of(test, graph)
                      for source in graph.sources_of(program)} for test in tests}
    found = [test for test in tests
             if names_source(test, path, graph) or not readers.isdisjoint(sources[test])]
    if found:
        return found
    for folders in test_folders(name):
        found = [test for folder in folders for test in tests
                 if os.path.join(graph.root, folder) in map(os.path.dirname, sources[test])]
        if found:
            return found
    return []


def choose(name, tests, graph):
    """(nearest tests, other tests) that a file, named from the root, can touch."""
    path = os.path.join(graph.root, name)
    readers = graph.readers_of(name)
    affected = graph.affected_by_file(path) | graph.affected_by(readers)
    touched = [test for test in tests
               if names_source(test, path, graph) or not affected.isdisjoint(test.paths)
               or not affected.isdisjoint(programs_of(test, graph))]
    nearest = nearest_tests(name, touched, graph, readers)
    return nearest, [test for test in touched if test not in nearest]
