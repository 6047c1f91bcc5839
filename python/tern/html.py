# SPDX-License-Identifier: Apache-2.0
"""How notebooks show programs and profiles: the page's fonts and calm colours, light and dark."""
from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .program import Program

_STYLE = """
.tern{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;color:#1f2933;max-width:64rem}
.tern h4{font:600 13px/1.5 system-ui,sans-serif;margin:0 0 .4rem}
.tern details{border:1px solid #d8dee6;border-radius:6px;margin:.3rem 0;background:#fbfcfd}
.tern summary{cursor:pointer;padding:.3rem .6rem}
.tern pre{margin:0;padding:.4rem .8rem;overflow:auto;border-top:1px solid #e7ebf0;background:none}
.tern .only{border-top:0}
@media (prefers-color-scheme:dark){.tern{color:#d7dde5}
.tern details{background:#171c22;border-color:#2c343e}.tern pre{border-color:#2c343e}}
"""


def page(title: str, parts: list[tuple[str, str]]) -> str:
    """A heading, and parts of (summary, text) that open; one without a summary is shown."""
    out = [f"<style>{_STYLE}</style><div class=tern><h4>{escape(title)}</h4>"]
    for summary, text in parts:
        body = f"<pre{'' if summary else ' class=only'}>{escape(text)}</pre>"
        out.append(f"<details><summary>{escape(summary)}</summary>{body}</details>" if summary
                   else body)
    return "".join(out) + "</div>"


def program_html(program: Program) -> str:
    """The program's functions with their instructions."""
    lines = program._instructions
    parts = []
    for function in program._info["functions"]:
        first = function["first"]
        body = "\n".join(f"{pc:5}  {lines[pc]}"
                         for pc in range(first, first + function["count"]))
        parts.append((f"{function['name']}{function.get('signature') or ''}", body))
    return page(f"Tern program {program.name}", parts)
