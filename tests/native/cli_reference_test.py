# SPDX-License-Identifier: Apache-2.0
"""Manual pages, completions, docs/cli.md and explanations of `tern` against its help, which CLI11
prints by itself, and against the table of error codes.

Usage: cli_reference_test.py TERN      ends with `N passed, N failed`
Every verb and option that the help shows is in the pages and in each shell's script, and nothing
else is; groff finds no fault with a page; bash completes as a user expects.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tools", "docs"))
sys.dont_write_bytecode = True
import command_reference  # noqa: E402

TERN = ""
SHELLS = ("bash", "zsh", "fish")


def tern(*arguments):
    return subprocess.run([TERN, *arguments], capture_output=True, text=True, check=False)


def text_of(*arguments):
    result = tern(*arguments)
    if result.returncode != 0:
        raise AssertionError(f"tern {' '.join(arguments)}: {result.stderr}")
    return result.stdout


def verbs():
    return re.findall(r"^  (\w+) +\S", text_of("--help").split("Subcommands:\n")[1], re.M)


def options(*verb):
    """{name: the choices of its value} by the help."""
    found = {}
    for line in text_of(*verb, "--help").splitlines():
        match = re.match(r"  (-\S+)(.*)", line)
        if not match:
            continue
        choices = re.search(r"TEXT:\{([^}]*)\}", line)
        for name in re.findall(r"--?[\w-]+", re.sub(r"\{.*", "", match[1])):
            found[name] = choices[1].split(",") if choices else []
    return found


def page_options(page):
    """The names that stand bold behind .TP, dashes as they are typed."""
    names = set()
    for line in re.findall(r"^\.TP\n(.*)", page, re.M):
        names.update(re.findall(r"\\fB(-[\w-]*)", line.replace("\\-", "-")))
    return names


class ReferenceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.verbs = {verb: options(verb) for verb in verbs()}
        cls.everywhere = options()
        cls.scripts = {shell: text_of("completion", shell) for shell in SHELLS}

    def test_help_was_understood(self):
        self.assertGreater(len(self.verbs), 15)
        self.assertIn("--max-steps", self.verbs["run"])
        self.assertEqual(self.everywhere["--format"], ["text", "json", "jsonl"])

    def test_the_help_of_every_verb_names_the_options_of_all(self):
        for verb in self.verbs:
            line = re.search(r"^Options of every verb.*", text_of(verb, "--help"), re.M)[0]
            longs = {name for name in self.everywhere if name.startswith("--")}
            self.assertEqual(set(re.findall(r"--[\w-]+", line)), longs, verb)
            self.assertIn(line, text_of("help", verb))

    def test_the_short_help_has_every_name_and_the_examples(self):
        for verb, names in self.verbs.items():
            with self.subTest(verb):
                short, long = text_of(verb, "-h"), text_of(verb, "--help")
                options = short.split("Options, which")[1].split("\n\n")[0]
                self.assertEqual(set(re.findall(r"(?<![\w-])-[\w-]+", options)) - {"--help"},
                                 set(names) - {"--help"})
                self.assertEqual(short.split("Examples:\n")[1].strip(),
                                 long.split("Examples:\n")[1].strip())
                self.assertLess(len(short.splitlines()), 25)
                self.assertLessEqual(max(map(len, options.splitlines()[1:])), 80)
        self.assertIn("Usage: tern diff a b [OPTIONS]\n", text_of("diff", "-h"))
        self.assertIn("Usage: tern play [program] [trace] [OPTIONS]\n", text_of("play", "-h"))
        # With both, the long one; behind `--` it is a file's name.
        self.assertEqual(text_of("run", "-h", "--help"), text_of("run", "--help"))
        self.assertEqual(tern("run", "--", "-h").returncode, 5)

    # What each verb does to a program. Those that look at bytes, text or records take none.
    RUN = {"run", "bench", "debug", "diff", "profile", "replay", "check"}
    COMPILE = {"compile", "lower", "inspect", "dis", "convert"}
    NEITHER = {"fmt", "trace", "reduce", "play", "tune", "asm", "info", "explain", "help", "man",
               "completion"}

    def test_every_verb_has_the_limits_of_what_it_does(self):
        self.assertEqual(set(self.verbs), self.RUN | self.COMPILE | self.NEITHER)
        of_a_run = {"--max-steps", "--max-memory", "--max-depth", "--timeout"}
        for verb, names in self.verbs.items():
            expected = of_a_run if verb in self.RUN else set()
            if verb in self.COMPILE:
                expected = {"--max-memory"}
            self.assertEqual(of_a_run & set(names), expected, verb)

    def test_every_verb_that_compiles_holds_its_memory_limit(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "a.tn")
            with open(program, "w", encoding="utf-8") as file:
                file.write("fn main(x: int) -> int { x + 1 }\n")
            trace = os.path.join(folder, "a.terntrace")
            text_of("run", program, "-i", "x=1", "--trace", trace)
            more = {"diff": [program, program, "-i", "x=1"], "replay": [trace, program],
                    "convert": [program, os.path.join(folder, "a.tern")]}
            for verb in sorted(self.RUN | self.COMPILE):
                with self.subTest(verb):
                    files = more.get(verb, [program])
                    result = tern(verb, *files, "--max-memory", "2000", "--format", "json")
                    self.assertEqual(result.returncode, 4, result.stderr)
                    self.assertIn("E0302", result.stderr + result.stdout)

    def test_every_page_has_the_options_of_its_verb_and_of_all(self):
        for verb, names in self.verbs.items():
            with self.subTest(verb):
                page = text_of("man", verb)
                self.assertEqual(page_options(page), set(names) | set(self.everywhere))
                self.assertIn(f".TH TERN\\-{verb.upper()} 1", page)
                self.assertIn(".SH EXAMPLES", page)

    def test_the_first_page_has_every_verb(self):
        page = text_of("man")
        self.assertEqual(re.findall(r"^\\fBtern\\-(\w+)\\fR\(1\)$", page, re.M), list(self.verbs))
        self.assertEqual(page_options(page), set(self.everywhere))

    def test_all_writes_the_same_pages_into_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.join(folder, "man1")
            text_of("man", "--all", folder)
            self.assertEqual(sorted(os.listdir(folder)),
                             sorted(["tern.1"] + [f"tern-{verb}.1" for verb in self.verbs]))
            answer = json.loads(text_of("man", "--all", folder, "--format", "json"))
            self.assertEqual(answer, {"schema": 1, "folder": folder, "pages": len(self.verbs) + 1})
            with open(os.path.join(folder, "tern-run.1"), encoding="utf-8") as file:
                self.assertEqual(file.read(), text_of("man", "run"))

    def test_the_page_of_the_command_line_tells_of_every_verb(self):
        with open(os.path.join(ROOT, "docs", "cli.md"), encoding="utf-8") as file:
            page = file.read()
        for head in ("verb | does", "verb | members"):
            table = page.split(f"| {head} |\n")[1].split("\n\n")[0]
            cells = " ".join(row.split(" |")[0] for row in table.splitlines())
            told = set(re.findall(r"`(\w+)", cells))
            self.assertEqual(set(self.verbs) - told, set(), head)

    def test_the_page_of_the_command_line_lists_every_name(self):
        with open(os.path.join(ROOT, "docs", "cli.md"), encoding="utf-8") as file:
            page = file.read()
        listed = command_reference.OPTIONS_BLOCK.search(page)[0]
        self.assertEqual(listed, command_reference.options_block(TERN),
                         "run tools/docs/command_reference.py build/host/tern")
        rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", listed, re.M))
        self.assertEqual(set(rows), set(self.verbs))
        for verb, names in self.verbs.items():
            self.assertEqual(set(re.findall(r"`(--?[\w-]+)`", rows[verb])),
                             set(names) - {"-h", "--help"}, verb)

    def test_every_error_code_is_explained(self):
        with open(os.path.join(ROOT, "core", "text", "codes.def"), encoding="utf-8") as file:
            codes = re.findall(r'^TERN_CODE\("(\w+)"', file.read(), re.M)
        self.assertGreater(len(codes), 100)
        for code in codes:
            with self.subTest(code):
                answer = json.loads(text_of("explain", code, "--format", "json"))
                self.assertEqual(answer["code"], code)
                self.assertGreater(len(answer["explanation"]), 20)
        self.assertEqual(tern("explain", "E9999").returncode, 2)
        listed = json.loads(text_of("explain", "--format", "json"))["codes"]
        self.assertEqual([row["code"] for row in listed], codes)
        self.assertEqual(re.findall(r"^(\w\d{4})  \S", text_of("explain"), re.M), codes)
        self.assertTrue(text_of("explain", "e0203").startswith("E0203: "))

    def test_groff_has_no_complaint(self):
        for verb in ["", *self.verbs]:
            page = text_of("man", *filter(None, [verb]))
            result = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, text=True,
                                    capture_output=True, check=False)
            self.assertEqual((result.returncode, result.stderr), (0, ""), verb)

    def test_every_script_has_every_verb_and_option(self):
        for shell, script in self.scripts.items():
            for verb, names in self.verbs.items():
                part = self.part(shell, script, verb)
                for name in names:
                    with self.subTest(f"{shell} {verb} {name}"):
                        self.assertRegex(part, self.option(shell, name))
            for name in self.everywhere:
                self.assertRegex(script, self.option(shell, name))

    @staticmethod
    def part(shell, script, verb):
        """The lines of a script that are about a verb."""
        if shell == "fish":
            return "\n".join(line for line in script.splitlines()
                             if f"'__fish_seen_subcommand_from {verb}'" in line)
        start = re.search(rf"^ +{verb}\) (names=|_arguments)", script, re.M).start()
        return script[start:script.index(";;", start)]

    @staticmethod
    def option(shell, name):
        if shell == "fish":
            return rf"-{'l' if name.startswith('--') else 's'} {name.lstrip('-')} "
        return rf"(?<![\w-]){re.escape(name)}(?![\w-])"

    def test_scripts_parse(self):
        for shell in SHELLS:
            if shutil.which(shell):
                result = subprocess.run([shell, "-n"], input=self.scripts[shell], text=True,
                                        capture_output=True, check=False)
                self.assertEqual((result.returncode, result.stderr), (0, ""), shell)

    def complete(self, *words):
        """What bash offers for the last word."""
        script = (self.scripts["bash"] + 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tern; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        out = subprocess.run(["bash", "-c", script, "bash", "tern", *words], capture_output=True,
                             text=True, check=True)
        self.assertEqual(out.stderr, "")
        return out.stdout.split()

    def test_bash_completes(self):
        self.assertEqual(self.complete("comp"), ["compile", "completion"])
        self.assertEqual(self.complete(""), list(self.verbs))
        self.assertEqual(self.complete("run", "--max-s"), ["--max-steps"])
        self.assertEqual(self.complete("run", "--kernels", "int"), ["interpreter"])
        self.assertEqual(self.complete("run", "--format", "json"), ["json", "jsonl"])
        self.assertEqual(self.complete("--threads", "2", "run", "--tra"), ["--trace"])
        self.assertEqual(self.complete("completion", ""), list(SHELLS))
        for verb, names in self.verbs.items():
            self.assertEqual(set(self.complete(verb, "-")), set(names) | set(self.everywhere))

    def test_bash_leaves_files_to_the_shell(self):
        self.assertEqual(self.complete("run", ""), [])
        self.assertEqual(self.complete("run", "--trace", ""), [])
        self.assertEqual(self.complete("nonsense", "--x"), [])

    def test_what_is_not_there_is_refused(self):
        self.assertEqual(tern("man", "rnu").returncode, 2)
        self.assertIn("did you mean 'run'", tern("man", "rnu").stderr)
        self.assertEqual(tern("completion", "tcsh").returncode, 2)
        self.assertEqual(tern("completion").returncode, 2)
        result = tern("man", "--all", "/no/such/folder")
        self.assertEqual(result.returncode, 5)
        self.assertIn("E0102", result.stderr)


if __name__ == "__main__":
    TERN = os.path.abspath(sys.argv[1])
    run = unittest.main(argv=sys.argv[:1], exit=False, verbosity=0).result
    bad = len(run.failures) + len(run.errors)
    print(f"{run.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad else 0)
