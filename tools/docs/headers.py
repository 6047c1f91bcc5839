# SPDX-License-Identifier: Apache-2.0
"""The reference of C and C++: a header's declarations in its order, each under its name with the
comment before it. Headings of a header (`/* -- Name */`, `// --- Name`, and the name of each part
that was joined) become those of the page; bodies of functions, private members and
`namespace internal` are left out."""
import re

COMMENT = re.compile(r"/\*.*?\*/|(?://[^\n]*\n[ \t]*)*//[^\n]*", re.S)
HEADING = re.compile(r"^-{2,4} (.*?)(?: -{4})?$", re.S)
TRANSPARENT = re.compile(r'extern "C" \{|(?:inline )?namespace (?!internal)\w+ \{|\}(?!\s*\w*;)')
TEXT_OR_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", re.S)


def comment_text(comment):
    """What a comment says, without its marks."""
    if comment.startswith("/*"):
        lines = comment[2:-2].split("\n")
        lines = [lines[0].strip()] + [re.sub(r"^ ?\* ?", "", line.strip()) if "*" in line[:4]
                                      else line.strip() for line in lines[1:]]
    else:
        lines = [re.sub(r"^//+ ?", "", line.strip()) for line in comment.split("\n")]
    return "\n".join(line.rstrip() for line in lines).strip()


def end_of(text, start, stops):
    """Behind the first of the characters `stops` outside of brackets, comments and strings."""
    depth, at = 0, start
    while at < len(text):
        skipped = TEXT_OR_COMMENT.match(text, at)
        if skipped:
            at = skipped.end()
            continue
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
            if depth < 0:
                raise ValueError(f"headers: a bracket closes nothing: {text[start:at + 1]!r}")
        at += 1
        if depth == 0 and text[at - 1] in stops:
            return at
    raise ValueError(f"headers: no end of the declaration {text[start:start + 60]!r}")


def declaration_end(text, start):
    """Behind a declaration: its semicolon, or the body of an inline function."""
    if text.startswith("#", start):
        return re.compile(r"(?:[^\n\\]|\\\n|\\.)*").match(text, start).end()
    end = end_of(text, start, ";}")
    if text[end - 1] == "}":
        tail = re.compile(r"[ \w]*;").match(text, end)
        end = tail.end() if tail else end
    same_line = re.compile(r"[ \t]*(?:/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)").match(text, end)
    return same_line.end() if same_line else end


def name_of(code):
    """What a declaration declares."""
    plain = TEXT_OR_COMMENT.sub("", code)
    patterns = (r"^#define (\w+)", r"^enum \{\s*(\w+)", r"\}\s*(\w+);$", r"^using (\w+) =",
                r"^(?:template <.*?>\s*)?(?:class|struct|enum)(?: \[\[\w+\]\])? (\w+)",
                r"^typedef [^(]*\(\*(\w+)\)", r"^typedef .*?(\w+);$", r"(\w+)\s*\(",
                r"(\w+)[^\w]*;$")
    for pattern in patterns:
        found = re.search(pattern, plain.strip(), re.S)
        if found:
            return found[1]
    raise ValueError(f"headers: what does this declare? {code!r}")


def without_bodies(text):
    """A class as its users see it: public members, functions without what they do."""
    text = re.sub(r"\s*\n private:.*?(?=\n\};$)", "", text, flags=re.S)
    text = re.sub(r" *// NOLINT[^\n]*", "", text)
    out, at, begin = "", text.index("{") + 1, 0
    while True:
        stop = re.compile(r"[;{}]").search(text, at)
        brace = text[stop.start()] if stop else ""
        skipped = TEXT_OR_COMMENT.search(text, at)
        if skipped and stop and skipped.start() < stop.start():
            at = skipped.end()
        elif brace == "{":
            head = text[begin:stop.start()]
            end = end_of(text, stop.start(), "}")
            # A class or a value in braces stays; what follows parentheses is a function's body.
            if re.search(r"\)[^()]*$|\)\s*:\s", TEXT_OR_COMMENT.sub("", head.split("\n\n")[-1])):
                start = body_start(text, at, stop.start())
                text = ended(text[:start]) + text[end_of_body(text, start):]
                at = start
            else:
                at = end
        elif stop:
            begin = at = stop.end()
        else:
            return out + text


def ended(declaration):
    """A function's head with a semicolon, which stands before the comment of its last line."""
    kept, comment = re.match(r"(.*?)(\s*//[^\n]*)?\s*$", declaration, re.S).groups()
    return kept.rstrip() + ";" + (comment or "")


def body_start(text, start, brace):
    """Where the body of a function begins, or the list of what its constructor sets before it."""
    depth = 0
    for at in range(start, brace):
        depth += (text[at] in "([") - (text[at] in ")]")
        if depth == 0 and re.match(r"\s:\s", text[at:at + 3]):
            return at
    return brace


def end_of_body(text, start):
    """Behind the body that begins there: the first brace outside of parentheses, and its end."""
    at = start
    while True:
        at = end_of(text, at, "}")
        if not re.match(r"\s*[,{]", text[at:]):
            return at


def entries(text):
    """('heading', text), ('prose', text) and ('declaration', name, code, comment)."""
    text = re.sub(r"#(?:if|else|endif|include|undef)[^\n]*(?:\n|$)", "", text)
    at, comment = 0, ""
    while True:
        gap = re.compile(r"\s*").match(text, at)
        if comment and gap[0].count("\n") > 1 or gap.end() == len(text):
            if comment:
                yield ("prose", comment)
            comment = ""
        at = gap.end()
        if at == len(text):
            return
        found = COMMENT.match(text, at)
        if found:
            at = found.end()
            said = comment_text(found[0])
            heading = HEADING.match(said)
            if heading:
                yield ("heading", heading[1])
            elif not said.startswith(("SPDX", "namespace", "[abi:")) or "\n" in said:
                said = re.sub(r"^\[abi:.*?\]\s*", "", said)
                comment = f"{comment}\n\n{said}" if comment else said
            continue
        through = TRANSPARENT.match(text, at)
        if through:
            at = through.end()
        elif text.startswith("namespace internal {", at):
            at = end_of(text, at, "}")
        else:
            end = declaration_end(text, at)
            yield ("declaration", name_of(text[at:end]), text[at:end], comment)
            at, comment = end, ""


def escaped(text):
    """Text whose characters mean themselves; code in backticks stays code."""
    parts = text.split("`")
    step = 2 if len(parts) % 2 else 1  # a backtick that is left over begins no code
    for at in range(0, len(parts), step):
        part = re.sub(r"([\\*_{}\[\]#])", r"\\\1", parts[at])
        parts[at] = part.replace("<", "&lt;").replace(">", "&gt;").replace("|", "&#124;")
    return ("`" if step == 2 else "\\`").join(parts)


def prose(text):
    """A comment as Markdown: lists stay lists, and what is laid out in columns stays so."""
    out = []
    for paragraph in text.split("\n\n"):
        if re.search(r"^ {2,}[^-\s].* {2}|^ {3,}\S", paragraph, re.M) and "- " not in paragraph:
            out.append(f"```text\n{paragraph}\n```")
        else:
            out.append(re.sub(r"(?<!\n)\n(?=\s*- )", "\n\n", escaped(paragraph)))
    return "\n\n".join(out)


def is_guard(name):
    return name.endswith("_H_") or name.endswith("_HPP_") or "INTERNAL" in name


def page(title, introduction, text, language):
    """The whole reference as one page."""
    out, seen = [f"# {title}\n\n{introduction}\n"], set()
    for kind, *rest in entries(text):
        if kind == "heading":
            heading, _, more = rest[0].partition(":")
            out += [f"## {escaped(heading)}\n", prose(more.strip()) + "\n" if more else ""]
        elif kind == "prose":
            out.append(prose(rest[0]) + "\n")
        else:
            name, code, comment = rest
            if is_guard(name):
                continue
            if name not in seen:
                out.append(f"### `{name}`\n")
            seen.add(name)
            if re.match(r"(template <.*?>\s*)?(class|struct)\b", code) and "{" in code:
                code = without_bodies(code)
            out.append(f"```{language}\n{code.replace('TERN_API ', '')}\n```\n")
            out.append(prose(comment) + "\n")
    return "\n".join(part for part in out if part)
