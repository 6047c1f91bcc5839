# SPDX-License-Identifier: Apache-2.0
"""What mkdocs' Markdown leaves to do: whatever may be wider than a phone scrolls by itself, and can
be scrolled by keys."""
import re


def on_page_content(html, **unused):
    html = re.sub(r"<pre>", '<pre tabindex="0">', html)
    html = html.replace("<table>", '<div class="wide" role="group" aria-label="Table" tabindex="0">'
                        "<table>")
    return html.replace("</table>", "</table></div>")
