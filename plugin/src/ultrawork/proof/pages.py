"""A checked proof for a pull request: Markdown, workflow annotations, a badge."""

from collections.abc import Mapping

from ..core.verdict.summary import name_verdict
from ..core.verdict.verdict import FAIL, PASS
from ..core.wording import escape_html, escape_markdown, quote_code
from .checking import BAD, LOOK, OK, ProofAnswer, render_proof
from .statement import Document

_MARKS = {OK: "✓", LOOK: "look", BAD: "✗"}
_COLOURS = {PASS: "#2da44e", FAIL: "#cf222e"}
_UNSURE = "#9a6700"
# What GitHub reads as the end of a command's data, or of a property.
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}
_LETTER = 7


def render_summary(answer: ProofAnswer) -> str:
    """Return a job summary: the verdict, then a row per examined thing."""
    predicate = answer.predicate or {}
    lines = [
        f"### ultrawork: {name_verdict(answer.value, answer.strength)}",
        "",
        f"Tree `{answer.tree[:12]}` against {quote_code(answer.baseline.name)}",
        "",
        "| | what | |",
        "|---|---|---|",
        *(f"| {_MARKS[row.state]} | {row.name} | {escape_markdown(row.text)} |" for row in answer.rows),
        "",
    ]
    noticed = [quote_code(test) for test in predicate.get("noticedBy", [])[:5]]
    if noticed:
        lines.append(f"Fails without this change: {', '.join(noticed)}")
    if answer.next_step:
        lines.append(f"Next: {quote_code(answer.next_step)}")
    return "\n".join(lines)


def render_report(answer: ProofAnswer, *, markdown: bool) -> str:
    """Return the whole proof of a commit: how far it is to be believed, then each check with what it ran on."""
    head = render_summary(answer) if markdown else render_proof(answer)
    predicate = answer.predicate
    if predicate is None:
        return head
    rows = [_describe_check(check) for check in predicate["checks"]]
    if markdown:
        cells = ("| " + " | ".join(map(escape_markdown, row)) + " |" for row in rows)
        names = ["| check | result | tests | tools | by | command |", "|---|---|---|---|---|---|"]
        return "\n".join([head, "", *names, *cells])
    lines = [f"  {name:<10}{result:<9}{tests:<22}{command}" for name, result, tests, *_, command in rows]
    noticed = [f"  {test}" for test in predicate["noticedBy"]]
    shown = ["fails without this change:", *noticed] if noticed else []
    return "\n".join([head, "checks:", *lines, *shown])


def _describe_check(check: Document) -> tuple[str, ...]:
    tests = check.get("tests") or {}
    counts = ", ".join(f"{tests[outcome]} {outcome}" for outcome in ("ran", "failed", "skipped") if tests.get(outcome))
    tools = ", ".join(f"{name} {version}" for name, version in check.get("tools", {}).items())
    return check["name"], check["result"], counts, tools, str(check.get("by", "")), check["command"]


def list_annotations(answer: ProofAnswer) -> list[str]:
    """Return GitHub's workflow commands, which need no token with write access. Only for problems: an annotation on
    each passing row would be noise."""
    levels = {LOOK: "warning", BAD: "error" if answer.value == FAIL else "warning"}
    lines = []
    for row in answer.rows:
        if row.state in levels:
            path, _, line = row.where.partition(":")
            where = _make_properties({"file": path, "line": line, "title": f"ultrawork: {row.name}"})
            lines.append(f"::{levels[row.state]} {where}::{_escape(row.text, _DATA)}")
    return lines


def _make_properties(values: Mapping[str, str]) -> str:
    return ",".join(f"{key}={_escape(value, _PROPERTY)}" for key, value in values.items() if value)


def _escape(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(letter, letter) for letter in text)


def render_badge(value: str, strength: str | None) -> str:
    """Return a small SVG: `ultrawork | PASS, proved`."""
    left, right = "ultrawork", name_verdict(value, strength)
    wide, whole = len(left) * _LETTER + 10, (len(left) + len(right)) * _LETTER + 20
    colour = _COLOURS.get(value, _UNSURE)
    title = escape_html(f"{left}: {right}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" role="img"'
        f' aria-label="{title}"><title>{title}</title>'
        f'<rect width="{whole}" height="20" rx="3" fill="#444"/>'
        f'<path d="M{wide} 0h{whole - wide - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{wide}z" fill="{colour}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11">'
        f'<text x="{wide / 2:g}" y="14">{left}</text>'
        f'<text x="{(whole + wide) / 2:g}" y="14">{escape_html(right)}</text></g></svg>\n'
    )
