# SPDX-License-Identifier: Apache-2.0
"""What depends on what in a Ninja build folder: from build.ninja and the recorded headers.

All paths are absolute. Targets that are no files (phony ones) are nodes like any other.
"""
import os
import re
from collections import defaultdict
from typing import NamedTuple

TOKEN = re.compile(r"\|\||\|@|[|:]|(?:\$.|[^\s:|$])+")
ESCAPE = re.compile(r"\$(?:\{([\w.-]+)\}|([\w-]+)|(.))")


SOURCES = (".cc", ".c")


class BadGraph(Exception):
    """The files of the build folder are not what Ninja and CMake write."""


class Statement(NamedTuple):
    """`build OUTPUTS: RULE INPUTS | IMPLICIT || ORDER`. The last group is left out: it says what
    comes first, not what a change reaches."""
    outputs: list
    rule: str
    inputs: list
    implicit: list


def unescape(text, variables):
    return ESCAPE.sub(lambda match: match[3] or variables.get(match[1] or match[2], ""), text)


def logical_lines(text):
    """(number, line), with the lines that a `$` at the end continues put together."""
    first, line = 1, ""
    for number, part in enumerate(text.split("\n"), 1):
        first, line = (first, line + part.lstrip(" ")) if line else (number, part)
        if (len(part) - len(part.rstrip("$"))) % 2:  # a pair of them stands for one
            line = line[:-1]
            continue
        yield first, line
        line = ""


def parse_statement(line, number, variables):
    tokens = TOKEN.findall(line)
    colon = tokens.index(":") if ":" in tokens else 0
    if colon == 0 or colon + 1 == len(tokens):
        raise BadGraph(f"build.ninja:{number}: wants: build OUTPUT…: RULE INPUT…; found: {line}")
    groups = {"": [], "|": [], "||": [], "|@": []}
    group = groups[""]
    for token in tokens[colon + 2:]:
        if token in groups:
            group = groups[token]
        else:
            group.append(unescape(token, variables))
    outputs = [unescape(token, variables) for token in tokens[:colon] if token != "|"]
    return Statement(outputs, tokens[colon + 1], groups[""], groups["|"])


def parse_build_file(text):
    """The build statements of a build.ninja. Rules and what it includes have none."""
    variables, statements = {}, []
    for number, line in logical_lines(text):
        binding = re.match(r"([\w.-]+) *= *(.*)", line)
        if line.startswith("build "):
            statements.append(parse_statement(line[len("build "):], number, variables))
        elif binding:
            variables[binding[1]] = unescape(binding[2], variables)
    return statements


def parse_deps(text):
    """What `ninja -t deps` prints: the headers and included sources of each object."""
    deps, headers = {}, None
    for line in text.splitlines():
        if line.startswith("    ") and headers is not None:
            headers.append(line[4:])
        elif ": #deps " in line:
            headers = deps.setdefault(line.rpartition(": #deps ")[0], [])
    return deps


def is_inside(path, folder):
    return path.startswith(folder + os.sep)


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


class Graph:
    """The build folder `folder` of the repository `root`."""

    def __init__(self, root, folder, build_file, deps):
        self.root, self.folder = root, folder
        self.paths = {}
        self.users = defaultdict(set)  # file -> what is made of it
        self.inputs = {}  # output -> its explicit inputs
        self.headers = {self.path(name): [self.path(header) for header in headers]
                        for name, headers in parse_deps(deps).items()}
        self.programs, self.objects, self.description = set(), set(), set()
        for statement in parse_build_file(build_file):
            self.add(statement)
        for name, headers in self.headers.items():
            self.connect(headers, [name])
        self.recorded = set(self.headers)
        self.read_generated()

    def path(self, name):
        """The absolute path of a name in build.ninja."""
        if name not in self.paths:
            self.paths[name] = os.path.normpath(os.path.join(self.folder, name))
        return self.paths[name]

    def add(self, statement):
        outputs, inputs, implicit = ([self.path(name) for name in names] for names in
                                     (statement.outputs, statement.inputs, statement.implicit))
        if statement.rule == "RERUN_CMAKE":
            self.description |= {*inputs, *implicit}
            return
        self.connect(inputs + implicit, outputs)
        self.inputs.update((output, inputs) for output in outputs)
        if "_EXECUTABLE_LINKER_" in statement.rule:
            self.programs.update(outputs)
        if "_COMPILER_" in statement.rule:
            self.objects.update(outputs)

    def connect(self, inputs, outputs):
        for path in inputs:
            self.users[path].update(outputs)

    def read_generated(self):
        """A generated source may be newer than its object, or never have been compiled: what it
        includes stands in itself."""
        for name in self.objects:
            for source in self.inputs[name]:
                if is_inside(source, self.folder) and os.path.isfile(source):
                    included = re.findall(r'^#include "([^"]+)"', read_text(source), re.M)
                    paths = [os.path.normpath(os.path.join(self.root, path)) for path in included]
                    self.connect(paths, [name])
                    self.headers[name] = self.headers.get(name, []) + paths

    def affected_by(self, paths):
        """The paths and all that is made of them, directly or not."""
        found, open_paths = set(), list(paths)
        while open_paths:
            path = open_paths.pop()
            if path not in found:
                found.add(path)
                open_paths += self.users.get(path, ())
        return found

    def affected_by_file(self, path):
        """The same for one file; one that CMake reads reaches what its folder, or all folders,
        compile."""
        if path not in self.description:
            return self.affected_by([path])
        prefix = ""
        if os.path.basename(path) == "CMakeLists.txt":
            place = os.path.relpath(os.path.dirname(path), self.root)
            if place != ".":
                prefix = os.path.join(self.folder, place, "CMakeFiles", "")
        return self.affected_by([path, *(name for name in self.objects if name.startswith(prefix))])

    def knows(self, path):
        return path in self.users or path in self.inputs or path in self.description

    def sources_of(self, program):
        """The C and C++ sources of the program's own objects."""
        return {source for name in self.inputs.get(program, ())
                for source in self.inputs.get(name, []) + self.headers.get(name, [])
                if source.endswith(SOURCES)}

    def readers_of(self, name):
        """Sources with a string that ends in the file's name from the root, or in a folder of it
        that is not on top: what a test only reads is in no record of the build."""
        if self.knows(os.path.join(self.root, name)):
            return set()
        parts = name.split("/")
        names = [name, *("/".join(parts[:end]) for end in range(2, len(parts)))]
        pattern = re.compile(r'"(?:[^"\n]*[^"\n\w./-])?/?(?:' + "|".join(map(re.escape, names)) +
                             r')[/ ]*"')
        return {path for path in self.users if path.endswith(SOURCES) and
                is_inside(path, self.root) and not is_inside(path, self.folder) and
                os.path.isfile(path) and pattern.search(read_text(path))}

    def never_compiled(self):
        """Programs with objects whose headers are not recorded."""
        return self.affected_by(self.objects - self.recorded) & self.programs
