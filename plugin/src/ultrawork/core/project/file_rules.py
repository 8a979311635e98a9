"""
Read rules files of a project: their heads, and whether one applies to a file.

Also finds comments that describe an edit instead of the code.
"""

import re
from typing import Any

_GLOBS = ("globs", "paths", "applyTo")


def parse(text: str) -> tuple[dict[str, Any], str]:
    """Return the relevant header fields of a rules file, and its body."""
    lines = text.replace("\r\n", "\n").split("\n")
    ends = [place for place, line in enumerate(lines) if line.rstrip() == "---"]
    if len(ends) < 2 or ends[0]:
        return {}, text
    head: dict[str, Any] = {}
    key = ""
    for line in lines[1 : ends[1]]:
        if line.strip().startswith("- ") and key in _GLOBS:
            head.setdefault("globs", []).extend(_globs(line.strip()[2:]))
        elif ":" in line and not line[:1].isspace():
            key, _, value = (part.strip() for part in line.partition(":"))
            _put(head, key, value)
    return head, "\n".join(lines[ends[1] + 1 :]).strip()


def _put(head: dict[str, Any], key: str, value: str) -> None:
    if key in _GLOBS and value:
        head.setdefault("globs", []).extend(_globs(value))
    elif key == "alwaysApply":
        head[key] = value.lower() == "true"
    elif key == "description" and value:
        head[key] = value.strip("\"'")


def _globs(value: str) -> list[str]:
    """Commas part patterns, but not inside braces."""
    parts, depth = [""], 0
    for letter in value.strip().strip("[]"):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [bare for part in parts if (bare := part.strip().strip("\"'").strip("[]"))]


def explain_match(head: dict[str, Any], path: str) -> str:
    """Return why a rule applies to the file at this path; empty if it does not."""
    if head.get("alwaysApply"):
        return "alwaysApply"
    return next((f"glob: {glob}" for glob in head.get("globs", ()) if is_match(glob, path)), "")


def is_match(pattern: str, path: str) -> bool:
    """`*` stays in its folder, `**` does not; `{a,b}` is one or the other."""
    return re.fullmatch(_expression(pattern.removeprefix("./")), path) is not None


def _expression(pattern: str) -> str:
    expression = re.sub(r"\\([*?{},])", r"\1", re.escape(pattern))
    expression = re.sub(r"\{([^{}]*)\}", lambda match: f"(?:{match[1].replace(',', '|')})", expression)
    expression = expression.replace("**/", "\0").replace("**", "\1").replace("*", "[^/]*").replace("?", "[^/]")
    expression = expression.replace("(?:", "\2").replace("([^/]:", "\2")
    return expression.replace("\0", "(?:.*/)?").replace("\1", ".*").replace("\2", "(?:")


_MOST = 3
_TELLS = (
    r"(?:added|removed|changed|updated|modified|fixed|renamed|moved|refactored|replaced|deleted)\b(?! (?:to|by|from) the\b)",
    r"new(?:ly)?:? (?:function|method|code|import|field|helper|logic)\b",
    r"(?:now|no longer|previously|formerly|used to|was originally)\b",
    r"(?:old|previous|original) (?:code|version|implementation|logic)\b",
    r"(?:this|the) (?:change|fix|edit|update)\b",
    r"\.\.\. ?(?:rest|existing|remaining) (?:of )?(?:the )?(?:code|file|implementation|function)",
)
_COMMENT = r"^\s*(?:#(?!!|\s*(?:type:|noqa|pragma|region))|//(?!/?\s*(?:eslint|ts-|@))|/\*+|\*|--|<!--)\s*(.*)$"
_WITHOUT = (".md", ".mdx", ".rst", ".txt", ".json", ".csv", ".html", ".svg", ".diff", ".patch")


def find_remarks(path: str, before: str, after: str) -> list[str]:
    """Return new comment lines that describe the change; a few are enough."""
    if path.lower().endswith(_WITHOUT) or "changelog" in path.lower():
        return []
    known = {line.strip() for line in before.splitlines()}
    remarks = []
    for line in after.splitlines():
        comment = re.match(_COMMENT, line)
        is_remark = comment is not None and any(re.match(tell, comment[1], re.IGNORECASE) for tell in _TELLS)
        if is_remark and line.strip() not in known:
            remarks.append(line.strip())
    return remarks[:_MOST]
