# SPDX-License-Identifier: Apache-2.0
"""The table of suites (suites.txt explains its columns): reads it, checks it, chooses from it."""
import fnmatch
from typing import NamedTuple, Optional

import suite_reports

KINDS = ("build", *suite_reports.PARSERS)
COLUMNS = "name | how it is read | needs | cores | command"


class Suite(NamedTuple):
    name: str
    kind: str
    needs: tuple
    cores: Optional[int]  # None: all of them
    command: str
    place: str  # FILE:LINE

    @property
    def preset(self):
        """The preset whose tests ctest runs; None for a suite of another kind."""
        kind, _, argument = self.kind.partition(":")
        return argument if kind == "ctest" else None


def refuse(place, wanted, found):
    raise SystemExit(f"{place}: wants {wanted}; found {found}")


def read_cores(text, place):
    if text == "all":
        return None
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        refuse(place, "cores to be `all` or a number from 1 on", f"'{text}'")
    return int(text)


def read_row(line, place):
    fields = [field.strip() for field in line.split("|", COLUMNS.count("|"))]
    if len(fields) <= COLUMNS.count("|"):
        refuse(place, COLUMNS, f"{len(fields)} columns")
    name, kind, needs, cores, command = fields
    if kind.partition(":")[0] not in KINDS:
        refuse(place, f"how it is read to be one of: {' '.join(KINDS)}", f"'{kind}'")
    if kind in ("ctest", "ctest:"):
        refuse(place, "the preset behind `ctest:`", f"'{kind}'")
    for column, value in zip(("a name", "needs, or `-` for none", "a command"),
                             (name, needs, command)):
        if not value:
            refuse(place, column, "nothing")
    needs = () if needs == "-" else tuple(needs.split())
    return Suite(name, kind, needs, read_cores(cores, place), command, place)


def find_circle(suites, name, path=()):
    """The names from `name` back to itself along the needs, or None."""
    if name in path:
        return path[path.index(name):] + (name,)
    for need in suites[name].needs:
        circle = find_circle(suites, need, path + (name,))
        if circle:
            return circle
    return None


def check_needs(suites):
    for suite in suites.values():
        for need in suite.needs:
            if need not in suites:
                refuse(suite.place, f"needs of {suite.name} to be names of suites", f"'{need}'")
    for suite in suites.values():
        circle = find_circle(suites, suite.name)
        if circle:
            refuse(suites[circle[0]].place, "needs that form no circle", " needs ".join(circle))


def read_table(path):
    """The suites by name, in the order of the table."""
    suites = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("#") or not line.strip():
                continue
            suite = read_row(line, f"{path}:{number}")
            if suite.name in suites:
                refuse(suite.place, "a name of its own", f"'{suite.name}' a second time")
            suites[suite.name] = suite
    check_needs(suites)
    return suites


def choose(suites, patterns, models):
    """What to run, in order: the suites that patterns name (all without any) and what they need.

    Real models run only where there is a folder of them.
    """
    possible = {name: suite for name, suite in suites.items()
                if models or not suite.kind.startswith("models:")}
    open_names = [name for name in possible
                  if not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
    chosen = set()
    while open_names:
        name = open_names.pop()
        if name in possible and name not in chosen:
            chosen.add(name)
            open_names += possible[name].needs
    return [suite for name, suite in possible.items() if name in chosen]
