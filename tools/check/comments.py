# SPDX-License-Identifier: Apache-2.0
"""Where the comments of a source file are: of C, C++ and TypeScript, of Python with its
documentation strings, of CMake and shell scripts."""
import io
import re
import tokenize

BRACED = re.compile(r"\.(h|c|cc|def|ts|tsx|mjs)$")
SOURCE = re.compile(r"\.(h|c|cc|def|ts|tsx|mjs|py|sh|cmake)$|(^|/)CMakeLists\.txt$")
# Comments first: an apostrophe in one begins no string. Digits may be parted by apostrophes.
TOKEN = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"(\w*)\(.*?\)\2"|"(?:\\.|[^"\\\n])*"'
                   r"|(?<![0-9])'(?:\\.|[^'\\\n])*'", re.S)
# A slash after one of these characters begins a regular expression.
SCRIPT_TOKEN = re.compile(TOKEN.pattern + r"|`(?:\\.|[^`\\])*`"
                          r"|(?<=[(,=:!&|?])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+/",
                          re.S)
HASH = re.compile(r"""(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^#"'\\]|(?<=\S)#)*?"""
                  r"(?P<comment>(?<!\S)#.*)")


def is_source(path, first_line=""):
    """Whether a file is one whose comments are known, by its name or its first line."""
    return bool(SOURCE.search(path)) or ("." not in path.rsplit("/", 1)[-1] and
                                         bool(re.match(r"#!.*\b(python3|bash|sh)\b", first_line)))


def braced_spans(text, script):
    for match in (SCRIPT_TOKEN if script else TOKEN).finditer(text):
        if match["comment"]:
            yield match.span()


def python_spans(text):
    """Comments, and strings that are statements of their own."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (begins and token.type == tokenize.STRING):
            yield (starts[token.start[0] - 1] + token.start[1],
                   starts[token.end[0] - 1] + token.end[1])
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def hash_spans(text):
    """Line by line: a string over several lines with ` # ` in it would be taken for a comment."""
    start = 0
    for line in text.splitlines(keepends=True):
        match = HASH.match(line)
        if match:
            yield start + match.start("comment"), start + match.end("comment")
        start += len(line)


def comment_spans(path, text):
    """(begin, end) of each comment, in order."""
    if BRACED.search(path):
        return braced_spans(text, script=bool(re.search(r"\.(ts|tsx|mjs)$", path)))
    if path.endswith(".py") or re.match(r"#!.*python3", text):
        return python_spans(text)
    return hash_spans(text)
