#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a built site: every link within it leads to a file and an anchor that are there, and pages
have no scripts or styles inside of them and fetch nothing from elsewhere.

Usage: check_links.py FOLDER
Links with data-playground lead out of the folder on purpose: the site lies beside the playground.
Prints each fault as PAGE: what is wrong, then how much was looked at. Exit 1 where one is found.
"""
import argparse
import html.parser
import os
import re
import sys
import urllib.parse

FETCHED = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"),
           ("form", "action"), ("source", "src"), ("video", "src"), ("object", "data")}


class Page(html.parser.HTMLParser):
    """Anchors, links and faults of one page."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.faults = set(), [], []
        self.script = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        for name in ("id", "name"):
            if found.get(name) and (name == "id" or tag == "a"):
                self.anchors.add(found[name])
        for name, value in attrs:
            if name == "style" or name.startswith("on"):
                self.faults.append(f"<{tag}> has the attribute '{name}', which the policy refuses")
            if (tag, name) in FETCHED and re.match(r"(?:[a-z]+:)?//", value or ""):
                self.faults.append(f"<{tag}> fetches '{value}' from elsewhere")
            elif (tag, name) in FETCHED or (tag == "a" and name == "href" and
                                            "data-playground" not in found):
                self.links.append(value or "")
        self.script = tag == "script" and "src" not in found
        if tag == "style":
            self.faults.append("<style> stands in the page, which the policy refuses")

    def handle_data(self, data):
        if self.script and data.strip():
            self.faults.append("<script> stands in the page, which the policy refuses")

    def handle_endtag(self, tag):
        self.script = False


def read_pages(folder):
    pages = {}
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(at, name)
                with open(path, encoding="utf-8") as file:
                    pages[os.path.relpath(path, folder)] = Page(file.read())
    return pages


def fault_of_link(folder, pages, page, link):
    """What is wrong with a link, or None."""
    if re.match(r"[a-z]+:", link):
        return None
    path, _, anchor = link.partition("#")
    path = urllib.parse.unquote(path.partition("?")[0])
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if target.startswith("..") or os.path.isabs(path):
        return f"the link '{link}' leads out of the site"
    if not os.path.isfile(os.path.join(folder, target)):
        return f"the link '{link}' leads to '{target}', which is not there"
    if anchor and target in pages and urllib.parse.unquote(anchor) not in pages[target].anchors:
        return f"the link '{link}' leads to an anchor that '{target}' does not have"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder")
    options = parser.parse_args()
    pages = read_pages(options.folder)
    if "index.html" not in pages:
        sys.exit(f"links: '{options.folder}' holds no index.html; tools/build_docs.sh makes a site")
    faults, links = [], 0
    for name, page in sorted(pages.items()):
        links += len(page.links)
        found = [fault_of_link(options.folder, pages, name, link) for link in page.links]
        faults += [f"{name}: {fault}" for fault in page.faults + found if fault]
    print("\n".join(faults + [f"{len(pages)} pages, {links} links, {len(faults)} faults"]))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
