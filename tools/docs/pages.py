# SPDX-License-Identifier: Apache-2.0
"""Where each text of the repository is on the site, and what its links become there. Pages are
those of docs/ and the table below; any other file that a page links to is shown as it is, under
source/."""
import html
import os
import posixpath
import re
import shutil

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

# Texts outside of docs/ that are pages.
ELSEWHERE = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "examples/README.md": "examples.md",
    "python/README.md": "python-package.md",
    "wasm/package/README.md": "npm-package.md",
}
# Files that are handed out as they are.
DATA = (".onnx", ".npy", ".u8", ".json")
LINK = re.compile(r"(\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^()\s]+)(\))")
SOURCE_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'">
<meta name="color-scheme" content="light dark">
<title>{name} – Tern</title>
<link rel="stylesheet" href="{root}site.css">
</head>
<body class="source">
<main>
<p><a href="{root}index.html">Tern</a></p>
<h1>{name}</h1>
{content}
</main>
</body>
</html>
"""


class BadLink(Exception):
    """A link to nothing."""


def place_of(path):
    """Where a file of the repository is on the site as a page or picture, or None."""
    if path in ELSEWHERE:
        return ELSEWHERE[path]
    if posixpath.dirname(path) == "docs" and path.endswith((".md", ".png")):
        return posixpath.basename(path)
    return None


class Site:
    def __init__(self, root, out):
        self.root, self.out = root, out
        self.sources = set()  # files and folders that pages link to

    def link(self, page, target):
        """What a link of the text `page` becomes; both are paths in the repository."""
        if re.match(r"[a-z]+:|#", target):
            return target
        path, mark, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if path.startswith("docs/reference/"):  # made here; the finished site's check looks for it
            return target
        if not os.path.exists(os.path.join(self.root, path)):
            raise BadLink(f"{page}: the link '{target}' leads to '{path}', which does not exist")
        place = place_of(path)
        if place is None:
            self.sources.add(path)
            place = f"source/{path}" + ("" if path.endswith(DATA) else ".html")
        return posixpath.relpath(place, posixpath.dirname(place_of(page)) or ".") + mark + anchor

    def links(self, page, text):
        """The text with all its links changed, but for what is code."""
        parts = re.split(r"(^```.*?^```|`[^`\n]+`)", text, flags=re.M | re.S)
        # Names of links may be code: `[`abi.txt`](…)`; then only what is behind counts.
        out, hidden = [], {}
        for number, part in enumerate(parts):
            if number % 2:
                hidden[f"\x00{number}\x00"] = part
                part = f"\x00{number}\x00"
            out.append(part)
        text = LINK.sub(lambda m: m[1] + self.link(page, m[2]) + m[3], "".join(out))
        return re.sub("\x00\\d+\x00", lambda m: hidden[m[0]], text)

    def write(self, place, text):
        path = os.path.join(self.out, place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def add(self, page):
        """A Markdown file of the repository."""
        with open(os.path.join(self.root, page), encoding="utf-8") as file:
            self.write(place_of(page), self.links(page, file.read()))

    def add_sources(self):
        """The files that pages have linked to, and those in folders that they have."""
        for path in sorted(self.sources):
            full = os.path.join(self.root, path)
            if os.path.isdir(full):
                names = sorted(name for name in os.listdir(full)
                               if os.path.isfile(os.path.join(full, name)))
                base = posixpath.basename(path)
                self.source_page(path, "<ul>" + "".join(
                    f'<li><a href="{base}/{name}{"" if name.endswith(DATA) else ".html"}">'
                    f'{html.escape(name)}</a></li>' for name in names) + "</ul>")
                for name in names:
                    self.source_file(f"{path}/{name}")
            else:
                self.source_file(path)

    def source_file(self, path):
        if path.endswith(DATA):
            target = os.path.join(self.out, "source", path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(os.path.join(self.root, path), target)
            return
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            text = file.read()
        try:
            lexer = get_lexer_for_filename(path)
        except ClassNotFound:
            lexer = TextLexer()
        shown = highlight(text, lexer, HtmlFormatter(cssclass="codehilite"))
        self.source_page(path, shown.replace("<pre>", '<pre tabindex="0">'))

    def source_page(self, path, content):
        self.write(f"source/{path}.html", SOURCE_PAGE.format(
            name=html.escape(path), content=content, root="../" * (path.count("/") + 1)))
