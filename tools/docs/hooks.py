# SPDX-License-Identifier: Apache-2.0
"""What mkdocs' Markdown leaves to do: whatever may be wider than a phone scrolls by itself, and can
be scrolled by keys. And the list of pages, by which the menu of another version finds its way
here (theme/version-menu.js)."""
import json
import os
import re


def on_page_content(html, **unused):
    html = re.sub(r"<pre>", '<pre tabindex="0">', html)
    html = html.replace("<table>", '<div class="wide" role="group" aria-label="Table" tabindex="0">'
                        "<table>")
    return html.replace("</table>", "</table></div>")


def on_post_build(config, **unused):
    site = config["site_dir"]
    names = sorted(os.path.relpath(os.path.join(base, name), site).replace(os.sep, "/")
                   for base, _, names in os.walk(site) for name in names if name.endswith(".html"))
    with open(os.path.join(site, "pages.js"), "w", encoding="utf-8") as file:
        file.write(f"var ternPages = {json.dumps(names)};\n")
