#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts a built site of the documentation beside those of other versions, as any web server, or
none, can serve them: FOLDER/X.Y.Z for each, FOLDER/index.html, which leads to the newest.

Usage: add_version.py SITE FOLDER
SITE is build/docs-site (tools/build_docs.sh), which knows its version; one of the same version in
FOLDER is replaced. Every version in FOLDER gets a menu of all of them.
"""
import json
import os
import re
import shutil
import sys

LIST = "versions.js"
NAME = re.compile(r"\d+\.\d+\.\d+")
INDEX = """<!doctype html>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Tern</title>
    <meta http-equiv="refresh" content="0; url={0}/index.html">
  </head>
  <body><p><a href="{0}/index.html">The documentation of Tern {0}</a></p></body>
</html>
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def version_of(site):
    """As its first page says."""
    try:
        found = re.search(r'data-version="([^"]*)"', read(os.path.join(site, "index.html")))
    except FileNotFoundError:
        found = None
    if not found or not NAME.fullmatch(found[1]):
        raise ValueError(f"{site}: expected a site of the documentation, whose index.html names "
                         "its version; tools/build_docs.sh makes one")
    return found[1]


def versions_in(folder):
    """The newest first, by number."""
    names = [name for name in os.listdir(folder) if NAME.fullmatch(name)]
    return sorted(names, key=lambda name: [int(part) for part in name.split(".")], reverse=True)


def add(site, folder):
    version = version_of(site)
    os.makedirs(folder, exist_ok=True)
    place = os.path.join(folder, version)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(site, place)
    versions = versions_in(folder)
    for name in versions:
        path = os.path.join(folder, name, LIST)
        text = read(path)
        changed = re.sub(r"^var ternVersions = .*;$", f"var ternVersions = {json.dumps(versions)};",
                         text, flags=re.M)
        write(path, changed)
    write(os.path.join(folder, "index.html"), INDEX.format(versions[0]))
    return versions


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    try:
        print("versions: " + ", ".join(add(*sys.argv[1:])))
    except ValueError as error:
        sys.exit(f"add_version: {error}")


if __name__ == "__main__":
    main()
