#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts together what mkdocs makes the site of: the texts of the repository with links that hold on
the site, and the references.

Usage: collect.py --cli TERN --headers DIR --javascript DIR --out DIR
--headers: the folder of the two public headers; --javascript: what TypeDoc has written.
"""
import argparse
import os
import shutil
import sys

import command_reference
import headers
import pages
import python_reference

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
HEADERS = (
    ("c", "C: &lt;tern/tern.h&gt;", "tern.h",
     "The whole C interface, in the order of the header. [Using Tern from C, C++ and CMake]"
     "(../using-from-c.md) shows how it goes together."),
    ("cpp", "C++: &lt;tern/tern.hpp&gt;", "tern.hpp",
     "Owners and results in C++17 over [the C interface](c.md). [Using Tern from C, C++ and CMake]"
     "(../using-from-c.md) shows how they go together."),
)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def add_texts(site):
    for name in sorted(os.listdir(os.path.join(ROOT, "docs"))):
        if name.endswith(".md"):
            site.add(f"docs/{name}")
        elif name.endswith(".png"):
            shutil.copyfile(os.path.join(ROOT, "docs", name), os.path.join(site.out, name))
    for page in pages.ELSEWHERE:
        site.add(page)
    site.add_sources()


def add_references(site, options):
    for name, title, header, introduction in HEADERS:
        text = read(os.path.join(options.headers, header))
        site.write(f"reference/{name}.md", headers.page(title, introduction, text, name))
    site.write("reference/python.md", python_reference.page(os.path.join(ROOT, "python", "tern")))
    site.write("reference/commands.md", command_reference.verbs_page(options.cli))
    site.write("reference/error-codes.md", command_reference.codes_page(
        os.path.join(ROOT, "core", "text", "codes.def")))
    shutil.copytree(options.javascript, os.path.join(site.out, "reference", "javascript"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for name in ("cli", "headers", "javascript", "out"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    os.makedirs(options.out)
    site = pages.Site(ROOT, options.out)
    try:
        add_texts(site)
        add_references(site, options)
    except (pages.BadLink, ValueError) as error:
        sys.exit(f"docs: {error}")
    shutil.copyfile(os.path.join(ROOT, "web", "public", "icon.svg"),
                    os.path.join(options.out, "icon.svg"))


if __name__ == "__main__":
    main()
