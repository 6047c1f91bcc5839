# SPDX-License-Identifier: Apache-2.0
"""Reads what a suite left behind: how many tests passed, which failed, and which took how long."""
import json
import os
import re
import xml.etree.ElementTree as ElementTree

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


class Unreadable(Exception):
    """The suite left no result that can be counted."""


def load(report):
    try:
        with open(report, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        raise Unreadable(f"its JSON report: {error}") from error


def results_folder(preset):
    """Where the GoogleTest binaries of a preset leave NAME.json."""
    return os.path.join(ROOT, "build", preset, "test-results")


def ctest_tests(report):
    """The tests of ctest's report."""
    try:
        return list(ElementTree.parse(report).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        raise Unreadable(f"ctest's report: {error}") from error


# ---- how many passed and failed

def parse_line(log, _report, _argument):
    matches = re.findall(r"^(\d+) passed, (\d+) failed\b", log, re.M)
    if not matches:
        raise Unreadable("its output has no line `N passed, N failed`")
    return int(matches[-1][0]), int(matches[-1][1])


def count_google_test(path):
    report = load(path)
    skipped = sum(case.get("result") == "SKIPPED"
                  for suite in report["testsuites"] for case in suite["testsuite"])
    failed = report["failures"] + report.get("errors", 0)
    return report["tests"] - failed - skipped - report.get("disabled", 0), failed


def parse_ctest(_log, report, preset):
    """Every ctest test counts its GoogleTest cases, the totals it prints, or one."""
    passed = failed = 0
    for test in ctest_tests(report):
        path = os.path.join(results_folder(preset), test.get("name") + ".json")
        good, bad = (1, 0) if test.get("status") == "run" else (0, 1)
        output = test.findtext("system-out") or ""
        totals = re.findall(r"^(\d+) passed, (\d+) failed$", output, re.M)
        if os.path.exists(path) or totals:
            cases, broken = (count_google_test(path) if os.path.exists(path)
                             else map(int, totals[-1]))
            # A binary that fails after its cases passed (a leak, an exit code) is one failure more.
            good, bad = cases, broken or bad
        passed, failed = passed + good, failed + bad
    return passed, failed


def parse_vitest(_log, report, _argument):
    result = load(report)
    # A file that does not even load has no tests, and fails as a suite.
    broken = sum(not file["assertionResults"] and file["status"] == "failed"
                 for file in result["testResults"])
    return result["numPassedTests"], result["numFailedTests"] + broken


def parse_playwright(_log, report, _argument):
    result = load(report)
    stats = result["stats"]
    return stats["expected"] + stats["flaky"], stats["unexpected"] + len(result.get("errors", []))


def parse_node(log, _report, _argument):
    counts = [re.findall(rf"^(?:#|ℹ) {word} (\d+)", log, re.M) for word in ("pass", "fail")]
    if not all(counts):
        raise Unreadable("its output has no `# pass N` and `# fail N`")
    return int(counts[0][-1]), int(counts[1][-1])


PARSERS = {"line": parse_line, "models": parse_line, "ctest": parse_ctest, "vitest": parse_vitest,
           "playwright": parse_playwright, "node": parse_node}


def judge(kind, code, log, report):
    """(passed, failed, what is wrong) of a suite that has run."""
    kind, _, argument = kind.partition(":")
    if kind == "build":
        return (0, 0, None) if code == 0 else (0, 1, f"exit code {code}")
    try:
        passed, failed = PARSERS[kind](log, report, argument)
    except (Unreadable, KeyError) as error:
        return 0, 1, f"exit code {code}; cannot tell what passed: {error}"
    if failed == 0 and code != 0:
        return passed, 1, f"exit code {code} although no test failed"
    if passed + failed == 0:
        return 0, 1, "it ran no test"
    return passed, failed, None if failed == 0 else "tests failed"


# ---- which tests failed, and why: pairs of a name and what its report says, which may be nothing

def failed_of_ctest(_log, report, preset):
    for test in ctest_tests(report):
        path = os.path.join(results_folder(preset), test.get("name") + ".json")
        suites = load(path)["testsuites"] if os.path.exists(path) else []
        cases = [(f"{suite['name']}.{case['name']}", case["failures"][0].get("failure", ""))
                 for suite in suites for case in suite["testsuite"] if case.get("failures")]
        if cases:
            names = ", ".join(name for name, _ in cases)
            yield f"{test.get('name')}: {names}", cases[0][1]
        elif test.get("status") != "run":
            yield test.get("name"), (test.findtext("system-out") or "")


def failed_of_vitest(_log, report, _argument):
    for file in load(report)["testResults"]:
        failed = [test for test in file["assertionResults"] if test["status"] == "failed"]
        for test in failed:
            yield test.get("fullName") or test["title"], "\n".join(test.get("failureMessages", []))
        if not failed and file["status"] == "failed":
            yield file["name"], file.get("message", "")


def playwright_specs(report):
    """The tests of Playwright's report, each with its file's name."""
    suites = list(load(report).get("suites", []))
    while suites:
        suite = suites.pop()
        suites += suite.get("suites", [])
        for spec in suite.get("specs", []):
            yield spec.get("file", suite["title"]), spec


def failed_of_playwright(_log, report, _argument):
    for file, spec in playwright_specs(report):
        if not spec["ok"]:
            errors = [result.get("error", {}).get("message", "")
                      for test in spec["tests"] for result in test["results"]]
            yield f"{file}: {spec['title']}", "\n".join(errors)


def failed_of_node(log, _report, _argument):
    """From TAP, whose tests are followed by what went wrong, or from the reporter `spec`."""
    tap = r"^( *)not ok \d+ - (.*)\n(?:\1  ---\n((?:\1  .*\n)*?)\1  \.\.\.$)?"
    for _, name, said in re.findall(tap, log, re.M):
        if not re.search("^ *failureType: 'subtestsFailed'", said, re.M):
            yield name, re.sub(r"(?m)^ *(duration_ms|location|type|failureType):.*\n", "", said)
    for name in dict.fromkeys(re.findall(r"^ *✖ (.*?)(?: \([\d.]+ms\))?$", log, re.M)):
        if name != "failing tests:":
            yield name, ""


FAILED = {"ctest": failed_of_ctest, "vitest": failed_of_vitest, "playwright": failed_of_playwright,
          "node": failed_of_node}


def failed_tests(kind, log, report):
    """(name, why) of the tests that failed; nothing where the report cannot be read."""
    return read_names(FAILED, kind, log, report)


# ---- which test took how long: pairs of seconds and name

def times_of_ctest(_log, report, preset):
    for test in ctest_tests(report):
        path = os.path.join(results_folder(preset), test.get("name") + ".json")
        if not os.path.exists(path):
            yield float(test.get("time") or 0), test.get("name")
            continue
        for suite in load(path)["testsuites"]:
            for case in suite["testsuite"]:
                yield float(case["time"].rstrip("s")), f"{suite['name']}.{case['name']}"


def times_of_vitest(_log, report, _argument):
    for file in load(report)["testResults"]:
        for test in file["assertionResults"]:
            yield (test.get("duration") or 0) / 1000, test.get("fullName") or test["title"]


def times_of_playwright(_log, report, _argument):
    for file, spec in playwright_specs(report):
        results = [result for test in spec["tests"] for result in test["results"]]
        yield sum(result["duration"] for result in results) / 1000, f"{file}: {spec['title']}"


def times_of_node(log, _report, _argument):
    """From TAP or from the reporter `spec`; a group, whose time is its tests' sum, is left out."""
    tap = r"^ *(?:not )?ok \d+ - (.*)\n +---\n +duration_ms: ([\d.]+)\n(?! +type: 'suite')"
    for name, milliseconds in re.findall(tap, log, re.M):
        yield float(milliseconds) / 1000, name.replace("\\#", "#")
    tests = log.partition("\n✖ failing tests:")[0]  # which come a second time there
    lines = re.findall(r"^( *)([✔✖▶]) (.*?)(?: \(([\d.]+)ms\))?$", tests, re.M)
    groups = {(indent, name) for indent, mark, name, _ in lines if mark == "▶"}
    for indent, _, name, milliseconds in lines:
        if milliseconds and (indent, name) not in groups:
            yield float(milliseconds) / 1000, name


TIMES = {"ctest": times_of_ctest, "vitest": times_of_vitest, "playwright": times_of_playwright,
         "node": times_of_node}


def test_times(kind, log, report):
    """(seconds, name) of the tests of a suite; nothing where its report cannot be read."""
    return read_names(TIMES, kind, log, report)


def read_names(readers, kind, log, report):
    kind, _, argument = kind.partition(":")
    if kind not in readers:
        return []
    try:
        return list(readers[kind](log, report, argument))
    except (Unreadable, KeyError, TypeError, ValueError, AttributeError):
        return []
