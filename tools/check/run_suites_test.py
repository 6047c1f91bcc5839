# SPDX-License-Identifier: Apache-2.0
"""Tests of run_suites with made-up tables; checks_test.py runs them."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from base64 import b64encode

HERE = os.path.dirname(os.path.abspath(__file__))
GOOD = "echo 1 passed, 0 failed"
JUNIT = '<testsuite><testcase name="g" status="run" time="0.5"/></testsuite>'
IN_LOGS = "cd $(dirname $REPORT)"


def row(name, command=GOOD, kind="line", needs="-", cores=1):
    return f"{name} | {kind} | {needs} | {cores} | {command}\n"


def says(text):
    """A command that prints lines: a row of the table has but one."""
    return f"echo {b64encode(text.encode()).decode()} | base64 -d"


def step(name, then=GOOD, until="", **columns):
    """A row whose suite writes down when it starts and ends, not before those of `until` start.

    The wait has an end for a schedule that is wrong alone: a loaded machine takes seconds for a
    start.
    """
    wait = "".join(f"for i in $(seq 2400); do grep -q +{other} events && break; sleep 0.05; done; "
                   for other in until)
    return row(name, f"{IN_LOGS}; echo +{name} >>events; {wait}sleep 0.1; "
               f"echo -{name} >>events; {then}", **columns)


def ctest_step(name, preset, until=""):
    return step(name, f"echo '{JUNIT}' >$REPORT", until, kind=f"ctest:{preset}")


def overlaps(events):
    """Which pairs of suites ran at the same time."""
    running, found = set(), set()
    for event in events:
        name = event[1:]
        if event[0] == "+":
            found |= {frozenset((name, other)) for other in running}
            running.add(name)
        else:
            running.remove(name)
    return found


class TableRunner(unittest.TestCase):
    """Runs a table in a folder of its own; `events` is what its steps wrote down."""

    def run_table(self, table, *arguments, tool=os.path.join(HERE, "run_suites")):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "suites.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write(table)
            command = [sys.executable, tool, "--table", path, "--logs", folder, *arguments]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            self.events = []
            if os.path.exists(os.path.join(folder, "events")):
                with open(os.path.join(folder, "events"), encoding="utf-8") as file:
                    self.events = file.read().split()
        return result.returncode, result.stdout + result.stderr

    def expect(self, table, code, last, message="", *arguments):
        got, output = self.run_table(table, *arguments)
        self.assertEqual((got, output.splitlines()[-1]), (code, last), output)
        self.assertIn(message, output)


class RunSuitesTest(TableRunner):
    LIMIT_WANTED = "run_suites: error: argument --limit: wants a number from 1 on; found '0'"

    def test_adds_up(self):
        self.expect(row("a", "echo 2 passed, 0 failed") + row("b", "echo 3 passed, 0 failed"),
                    0, "5 passed, 0 failed")

    def test_one_failure_fails_all(self):
        table = row("a", "echo 2 passed, 1 failed; exit 1") + row("b", "echo 3 passed, 0 failed")
        self.expect(table, 1, "5 passed, 1 failed")

    def test_shows_the_log_of_a_failure(self):
        self.expect(row("a", "echo broken here; echo 1 passed, 1 failed; exit 1"),
                    1, "1 passed, 1 failed", "| broken here")

    def test_no_tests_is_a_failure(self):
        self.expect(row("a", "echo 0 passed, 0 failed"), 1, "0 passed, 1 failed", "ran no test")

    def test_no_result_is_a_failure(self):
        for kind, command, message in (("line", "true", "cannot tell what passed"),
                                       ("ctest:none", "true", "ctest's report"),
                                       ("vitest", "echo '{}' >$REPORT", "cannot tell")):
            self.expect(row("a", command, kind), 1, "0 passed, 1 failed", message)

    def test_exit_code_without_failed_test_is_a_failure(self):
        self.expect(row("a", "echo 2 passed, 0 failed; exit 3"), 1, "2 passed, 1 failed",
                    "exit code 3 although")

    def test_reads_the_totals_a_ctest_test_prints(self):
        report = ('<testsuite><testcase name="g" status="run"><system-out>3 passed, 0 failed\\n'
                  '</system-out></testcase><testcase name="p" status="fail"/></testsuite>')
        self.expect(row("a", f"printf '{report}' >$REPORT; exit 1", "ctest:none"),
                    1, "3 passed, 1 failed")

    def test_failed_build(self):
        self.expect(row("a", "false", "build") + row("b"), 1, "1 passed, 1 failed")

    def test_a_suite_that_hangs_is_stopped_and_others_go_on(self):
        table = row("a", "echo so far; sleep 300") + row("b") + row("c", kind="build", needs="a")
        self.expect(table, 1, "1 passed, 2 failed", "does a test hang?", "--limit", "1")
        self.expect(table, 1, "1 passed, 2 failed", "| so far", "--limit", "1")
        self.expect(table, 2, self.LIMIT_WANTED, "", "--limit", "0")

    def test_missing_command(self):
        self.expect(row("a", "tools/does_not_exist"), 1, "0 passed, 1 failed", "127")

    def test_reads_tap(self):
        self.expect(row("a", "printf '# pass 4\\n# fail 1\\n'; exit 1", "node"),
                    1, "4 passed, 1 failed")

    def test_reads_playwright(self):
        stats = {"stats": {"expected": 2, "flaky": 0, "unexpected": 1}, "errors": []}
        self.expect(row("a", f"echo '{json.dumps(stats)}' >$REPORT; exit 1", "playwright"),
                    1, "2 passed, 1 failed")

    def test_reads_vitest(self):
        report = {"numPassedTests": 3, "numFailedTests": 0, "testResults": [
            {"status": "failed", "assertionResults": []}]}
        self.expect(row("a", f"echo '{json.dumps(report)}' >$REPORT; exit 1", "vitest"),
                    1, "3 passed, 1 failed")

    def test_what_has_passed_on_the_same_sources_is_not_run_again(self):
        with tempfile.TemporaryDirectory() as logs, tempfile.TemporaryDirectory() as models:
            runs = os.path.join(logs, "runs")
            table = (row("a", f"echo a >>{runs}; echo 2 passed, 0 failed", needs="b")
                     + row("b", f"echo b >>{runs}", "build")
                     + row("c", f"echo c >>{runs}; echo 1 passed, 1 failed; exit 1"))

            def ran(*arguments):
                code, output = self.run_table(table, "--logs", logs, "--models", models, *arguments)
                self.assertEqual((code, output.splitlines()[-1]), (1, "3 passed, 1 failed"), output)
                with open(runs, encoding="utf-8") as file:
                    names = sorted(file.read().split())
                os.remove(runs)
                return names

            self.assertEqual(ran(), ["a", "b", "c"])
            self.assertEqual(ran(), ["b", "c"])
            self.assertEqual(ran("--again"), ["a", "b", "c"])
            with open(os.path.join(models, "new"), "w", encoding="utf-8"):
                pass
            self.assertEqual(ran(), ["a", "b", "c"])
            with open(os.path.join(logs, "passed.json"), "w", encoding="utf-8") as file:
                file.write("[1, {")
            self.assertEqual(ran(), ["a", "b", "c"])

    def test_names_and_patterns(self):
        table = row("aa") + row("b", "echo 5 passed, 0 failed")
        self.expect(table, 0, "1 passed, 0 failed", "", "a*")
        code, output = self.run_table(table, "c")
        self.assertEqual(code, 1)
        self.assertIn("no such suite: c", output)

    def test_models_only_where_there_are_some(self):
        table = row("a") + row("m", "echo 2 passed, 0 failed", "models:")
        self.expect(table, 0, "1 passed, 0 failed")
        self.expect(table, 0, "3 passed, 0 failed", "", "--models", "/none")


class ScheduleTest(TableRunner):
    def test_suites_run_side_by_side(self):
        self.expect(step("a", until="b") + step("b"), 0, "2 passed, 0 failed", "", "--jobs", "2")
        self.assertEqual(overlaps(self.events), {frozenset("ab")})

    def test_one_job_runs_one_at_a_time_in_the_order_of_the_table(self):
        self.expect(step("a") + step("b") + step("c"), 0, "3 passed, 0 failed", "", "--jobs", "1")
        self.assertEqual(self.events, ["+a", "-a", "+b", "-b", "+c", "-c"])

    def test_what_is_needed_ends_first_wherever_it_stands(self):
        self.expect(step("a", needs="b c") + step("b") + step("c", until="b"),
                    0, "3 passed, 0 failed", "", "--jobs", "3")
        self.assertEqual(self.events[-2:], ["+a", "-a"])

    def test_suites_of_a_preset_never_overlap_and_keep_no_slot_idle(self):
        table = (ctest_step("a", "none", until="cd") + ctest_step("b", "none") +
                 ctest_step("c", "other") + step("d"))
        self.expect(table, 0, "4 passed, 0 failed", "", "--jobs", "3")
        found = overlaps(self.events)
        self.assertNotIn(frozenset("ab"), found)
        self.assertIn(frozenset("ac"), found)
        self.assertIn(frozenset("ad"), found)

    def test_a_suite_that_takes_all_is_alone(self):
        table = step("a") + step("b", cores="all") + step("c", until="d") + step("d")
        self.expect(table, 0, "4 passed, 0 failed", "", "--jobs", "2")
        self.assertEqual(overlaps(self.events), {frozenset("cd")})

    def test_a_suite_that_waits_for_slots_is_not_starved(self):
        table = (step("a", until="b") + step("b") + step("x", cores="all") + step("c") +
                 step("d"))
        self.expect(table, 0, "5 passed, 0 failed", "", "--jobs", "2")
        self.assertLess(self.events.index("+x"), min(map(self.events.index, ("+c", "+d"))))

    def test_while_the_needs_of_it_are_not_met_others_run(self):
        table = step("a", until="c") + step("x", cores="all", needs="a") + step("c")
        self.expect(table, 0, "3 passed, 0 failed", "", "--jobs", "2")
        self.assertEqual(overlaps(self.events), {frozenset("ac")})

    def test_more_cores_than_there_are(self):
        self.expect(step("a", cores=64) + step("b"), 0, "2 passed, 0 failed", "", "--jobs", "2")
        self.assertEqual(overlaps(self.events), set())

    def test_a_suite_sees_its_slots_and_the_last_one_gets_the_rest(self):
        def prints(name, **columns):
            return row(name, f"[ $TERN_JOBS = {columns.pop('want')} ] && {GOOD}", **columns)
        table = (prints("a", want=3, cores="all") + prints("b", want=1) +
                 prints("c", want=3, needs="b"))
        self.expect(table, 0, "3 passed, 0 failed", "", "--jobs", "3")

    def test_what_needs_a_failed_suite_is_not_run_and_fails(self):
        table = (step("b", "exit 1", kind="build") + step("a", needs="b") + step("c", needs="a") +
                 step("d"))
        self.expect(table, 1, "1 passed, 3 failed", "a: not run, as it needs b, which failed")
        self.expect(table, 1, "1 passed, 3 failed", "c: not run, as it needs a, which failed")
        self.assertEqual({event for event in self.events if event[0] == "+"}, {"+b", "+d"})

    def test_a_need_that_ran_no_test_has_failed(self):
        self.expect(row("b", "echo 0 passed, 0 failed") + row("a", needs="b"),
                    1, "0 passed, 2 failed", "a: not run, as it needs b")

    def test_a_name_runs_what_it_needs_too(self):
        table = (step("build-a", "true", kind="build") + step("build-b", "true", kind="build") +
                 step("web", "true", kind="build", needs="build-a") + step("t", needs="web") +
                 step("u"))
        self.expect(table, 0, "1 passed, 0 failed", "", "t")
        self.assertEqual(self.events, ["+build-a", "-build-a", "+web", "-web", "+t", "-t"])

    def test_a_need_that_is_no_suite_of_this_run_is_met(self):
        table = row("m", kind="models:") + row("a", needs="m")
        self.expect(table, 0, "1 passed, 0 failed")

    def test_bad_number_of_jobs(self):
        for jobs in ("0", "-1", "two", "1.5", ""):
            code, output = self.run_table(row("a"), "--jobs", jobs)
            self.assertEqual(code, 2)
            self.assertIn("--jobs", output)

    def test_interrupt_ends_the_suites_and_all_they_started(self):
        with tempfile.TemporaryDirectory() as folder:
            table, started = os.path.join(folder, "t"), os.path.join(folder, "pid")
            with open(table, "w", encoding="utf-8") as file:
                file.write(row("a", f"{IN_LOGS}; (trap '' TERM; exec sleep 100) & echo $! >p; "
                               f"mv p pid; wait; {GOOD}"))
            with subprocess.Popen([sys.executable, os.path.join(HERE, "run_suites"), "--table",
                                   table, "--logs", folder], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True) as process:
                while not os.path.exists(started) and process.poll() is None:
                    time.sleep(0.05)
                process.send_signal(signal.SIGINT)
                output = process.communicate()[0]
            self.assertNotEqual(process.returncode, 0)
            self.assertIn("stopped while running: a", output)
            with open(started, encoding="utf-8") as file:
                self.assert_ends(int(file.read()))

    def assert_ends(self, process):
        for _ in range(100):
            try:
                with open(f"/proc/{process}/stat", encoding="utf-8") as file:
                    if file.read().rpartition(")")[2].split()[0] == "Z":  # ended, not yet collected
                        return
            except FileNotFoundError:
                return
            time.sleep(0.05)
        self.fail(f"process {process} still runs")


class SlowestTest(TableRunner):
    def slowest(self, table, *arguments, **options):
        """The (seconds, suite, test) lines below the heading."""
        output = self.run_table(table, *arguments, **options)[1].splitlines()
        heading = [i for i, line in enumerate(output) if line.endswith(" slowest tests:")]
        self.assertEqual(len(heading), 1, output)
        self.assertRegex(output[heading[0] - 1], "^total time: ")
        return output[heading[0]], [tuple(line.replace(" s ", " ").split(None, 2))
                                    for line in output[heading[0] + 1:-1]]

    def test_the_five_slowest_of_all_suites(self):
        vitest = {"numPassedTests": 1, "numFailedTests": 0, "testResults": [
            {"status": "passed", "assertionResults": [{"fullName": "v one", "duration": 2500},
                                                      {"fullName": "no time", "title": "t"}]}]}
        spec = {"title": "s", "file": "p.ts", "tests": [{"results": [{"duration": 3000},
                                                                     {"duration": 1500}]}]}
        page = {"stats": {"expected": 1, "flaky": 0, "unexpected": 0}, "suites": [
            {"title": "p.ts", "specs": [], "suites": [{"title": "in", "specs": [spec]}]}]}
        tap = ("    ok 1 - n \\# one\n      ---\n      duration_ms: 9500.5\n      ...\n"
               "not ok 2 - n two\n  ---\n  duration_ms: 800\n  ...\n"
               "ok 3 - group\n  ---\n  duration_ms: 99999\n  type: 'suite'\n# pass 1\n# fail 0\n")
        table = (row("c", f"echo '{JUNIT}' >$REPORT", "ctest:none") +
                 row("v", f"echo '{json.dumps(vitest)}' >$REPORT", "vitest") +
                 row("p", f"echo '{json.dumps(page)}' >$REPORT", "playwright") +
                 row("n", says(tap), "node"))
        heading, lines = self.slowest(table)
        self.assertEqual(heading, "the five slowest tests:")
        self.assertEqual(lines, [("9.5", "n", "n # one"), ("4.5", "p", "p.ts: s"),
                                 ("2.5", "v", "v one"), ("0.8", "n", "n two"), ("0.5", "c", "g")])

    def test_cases_of_google_test_before_the_next_suite_removes_them(self):
        def with_case(name, seconds):
            report = {"tests": 1, "failures": 0, "testsuites": [
                {"name": "S", "testsuite": [{"name": name, "time": f"{seconds}s"}]}]}
            return row(name, "mkdir -p build/p/test-results; "
                       f"echo '{json.dumps(report)}' >build/p/test-results/g.json; "
                       f"echo '{JUNIT}' >$REPORT", "ctest:p")
        with tempfile.TemporaryDirectory() as root:
            shutil.copytree(HERE, os.path.join(root, "tools", "check"))
            tool = os.path.join(root, "tools", "check", "run_suites")
            heading, lines = self.slowest(with_case("A", 1.25) + with_case("B", 7), tool=tool)
        self.assertEqual(heading, "the two slowest tests:")
        self.assertEqual(lines, [("7.0", "B", "S.B"), ("1.2", "A", "S.A")])

    def test_a_report_without_times_is_no_failure(self):
        vitest = {"numPassedTests": 1, "numFailedTests": 0, "testResults": []}
        page = {"stats": {"expected": 1, "flaky": 0, "unexpected": 0},
                "suites": [{"specs": [{"title": "x"}]}]}
        for kind, report in ("vitest", vitest), ("playwright", page):
            code, output = self.run_table(row("a", f"echo '{json.dumps(report)}' >$REPORT", kind))
            self.assertEqual((code, output.splitlines()[-1]), (0, "1 passed, 0 failed"), output)
            self.assertNotIn("slowest", output)


class FailedTest(TableRunner):
    def failed(self, table, **options):
        """The (suite, test) lines between `failed:` and the totals; `|` and why behind them."""
        code, output = self.run_table(table, **options)
        lines = output.splitlines()
        self.assertEqual(code, 1 if "failed:" in lines else 0, output)
        start = lines.index("failed:") + 1 if "failed:" in lines else len(lines) - 1
        return [tuple(line.split(None, 1)) for line in lines[start:-1]]

    def test_names_of_every_kind_of_suite(self):
        vitest = {"numPassedTests": 1, "numFailedTests": 1, "testResults": [
            {"status": "failed", "name": "v.ts", "assertionResults": [
                {"status": "passed", "title": "good"},
                {"status": "failed", "title": "v bad", "failureMessages": ["no v\n at"]}]},
            {"status": "failed", "name": "broken.ts", "assertionResults": []}]}
        spec = {"title": "p bad", "ok": False, "tests": [
            {"results": [{"duration": 1, "error": {"message": "no p"}}]}]}
        page = {"stats": {"expected": 1, "flaky": 0, "unexpected": 1}, "suites": [
            {"title": "p.ts", "specs": [spec, {**spec, "title": "good", "ok": True}]}]}
        spoken = ("✔ good (1ms)\n✖ n bad (2.5ms)\n✖ failing tests:\n✖ n bad (2.5ms)\n"
                  "# pass 1\n# fail 1")
        tap = ("    ok 1 - good\n      ---\n      duration_ms: 1\n      ...\n"
               "    not ok 2 - t bad\n      ---\n      duration_ms: 1\n      error: 'no t'\n"
               "      code: 'E'\n      ...\n    1..2\nnot ok 1 - group\n  ---\n"
               "  failureType: 'subtestsFailed'\n  ...\n# pass 1\n# fail 1")
        table = (row("v", f"echo '{json.dumps(vitest)}' >$REPORT; exit 1", "vitest") +
                 row("p", f"echo '{json.dumps(page)}' >$REPORT; exit 1", "playwright") +
                 row("n", f"{says(spoken)}; exit 1", "node") +
                 row("t", f"{says(tap)}; exit 1", "node") +
                 row("c", f"echo '{JUNIT.replace('run', 'fail')}' >$REPORT; exit 1", "ctest:none"))
        self.assertEqual(self.failed(table), [
            ("v", "v bad"), ("|", "no v"), ("|", "at"), ("v", "broken.ts"),
            ("p", "p.ts: p bad"), ("|", "no p"), ("n", "n bad"),
            ("t", "t bad"), ("|", "error: 'no t'"), ("|", "code: 'E'"), ("c", "g")])

    def test_cases_of_google_test(self):
        report = {"tests": 2, "failures": 1, "testsuites": [{"name": "S", "testsuite": [
            {"name": "Good", "time": "1s"}, {"name": "Bad", "time": "1s",
             "failures": [{"failure": "S.cc:3: no"}]}]}]}
        table = row("a", "mkdir -p build/p/test-results; "
                    f"echo '{json.dumps(report)}' >build/p/test-results/g.json; "
                    f"echo '{JUNIT.replace('run', 'fail')}' >$REPORT; exit 8", "ctest:p")
        with tempfile.TemporaryDirectory() as root:
            shutil.copytree(HERE, os.path.join(root, "tools", "check"))
            tool = os.path.join(root, "tools", "check", "run_suites")
            self.assertEqual(self.failed(table, tool=tool), [
                ("a", "g: S.Bad"), ("|", "S.cc:3: no")])

    def test_what_has_no_names_says_what_is_wrong(self):
        table = row("a", "echo 1 passed, 1 failed; exit 1") + row("b", needs="a")
        self.assertEqual(self.failed(table), [("a", "tests failed"),
                                              ("b", "not run, as it needs a")])

    def test_nothing_where_nothing_failed(self):
        self.assertEqual(self.failed(row("a")), [])


class TableTest(TableRunner):
    def expect_refused(self, table, line, *messages):
        code, output = self.run_table(table)
        self.assertEqual(code, 1, output)
        self.assertIn(f"suites.txt:{line}: wants ", output)
        self.assertIn("found", output)
        for message in messages:
            self.assertIn(message, output)
        self.assertEqual(self.events, [])

    def test_the_table_of_this_repository(self):
        command = [sys.executable, os.path.join(HERE, "run_suites"), "--list"]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertIn("checks", result.stdout.split())

    def test_comments_and_a_bar_in_the_command(self):
        self.expect("# a | b\n\n" + row("a", f"{GOOD} | cat"), 0, "1 passed, 0 failed")

    def test_too_few_columns(self):
        self.expect_refused("# note\na | line | true\n", 2, "| needs | cores |", "3 columns")

    def test_unknown_kind(self):
        self.expect_refused(step("a", kind="what"), 1, "'what'")
        self.expect_refused(step("a", kind="ctest"), 1, "preset", "'ctest'")

    def test_unknown_need(self):
        self.expect_refused(step("a") + step("b", needs="a build-c"), 2, "needs of b", "'build-c'")

    def test_needs_that_form_a_circle(self):
        self.expect_refused(step("a") + step("b", needs="c") + step("c", needs="a b"), 2,
                            "no circle", "b needs c needs b")
        self.expect_refused(step("a", needs="a"), 1, "a needs a")

    def test_cores_that_are_no_number(self):
        for cores in ("many", "0", "-1", "1.5", "", "²"):
            self.expect_refused(step("a", cores=cores), 1, "cores", f"'{cores}'")

    def test_nothing_where_something_is_wanted(self):
        self.expect_refused(row("a", ""), 1, "a command")
        self.expect_refused(row(""), 1, "a name")
        self.expect_refused(row("a", needs=""), 1, "needs")

    def test_a_name_twice(self):
        self.expect_refused(step("a") + step("a"), 2, "'a' a second time")
