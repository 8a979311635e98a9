"""
The parts of a session's page that can be checked: what was claimed beside what was found, every run with its output,
what each task changed.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.value import Value
from ..core.wording import count_things, fill_html
from ..core.wording import escape_html as _text
from .components import describe_run, render_legend, render_run
from .timeline import describe_failure

_OUTPUT = 6_000
_ALL_OUTPUT = 1_500_000
_PATCH = 30_000
_ALL_PATCHES = 600_000


class TaskPatch(Value):
    """A task's changes as a patch; `name` is empty if the author is unknown."""

    name: str
    text: str


def render_receipts(minted: Sequence[Mapping[str, Any]], folder: str) -> str:
    """Return expandable receipts: command, where it ran, what it wrote, and as much output as fits."""
    left, parts = _ALL_OUTPUT, []
    for receipt in minted:
        output = _read_output(folder, receipt, min(_OUTPUT, left))
        left -= len(output)
        parts.append(_receipt(receipt, output))
    return f"{render_legend(minted)}<div class='receipts'>{''.join(parts)}</div>" if parts else ""


def _receipt(receipt: Mapping[str, Any], output: str) -> str:
    run = receipt["run"]
    head = f"<summary>{render_run(describe_run(receipt))}</summary>"
    ended = f"exit {run['exit']}" if run["exit"] is not None else f"ended by {run['signal']}"
    wrote = receipt["tree"]["wrote"][:20]
    files = f"tree <code>{{}}</code>{'; wrote ' if wrote else ''}{', '.join(['<code>{}</code>'] * len(wrote))}"
    # The form of each fact, and the texts in it.
    facts = [
        ("command", "<code>{}</code>", [receipt["gate"]["command"]]),
        ("from", "{}", [receipt["gate"]["from"]]),
        ("ran", "{}", [f"{run['started']}, {ended}, by {run['by']}, in {run['cwd']}"]),
        ("files", files, [receipt["tree"]["before"][:12], *wrote]),
        ("failed", "{}", [", ".join((receipt["tests"] or {}).get("failed", [])[:20])]),
        ("reason", "{}", [receipt.get("reason") or ""]),
    ]
    told = [fact for fact in facts if any(fact[2])]
    rows = "".join(f"<tr><th>{name}</th><td>{form}</td></tr>" for name, form, _ in told)
    shown = "<pre>{}</pre>" if output else "<p class='quiet'>no output is kept</p>"
    texts = [text for _, _, inside in told for text in inside]
    body = fill_html(f"<table>{rows}</table>{shown}", *texts, *([output] if output else []))
    return f"<details class='receipt'>{head}{body}</details>"


def _read_output(folder: str, receipt: Mapping[str, Any], most: int) -> str:
    """Return the end of a log, where failures are. A link in its place is not followed."""
    try:
        handle = os.open(f"{folder}/evidence/{int(receipt['id'])}.log", os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return ""
    with open(handle, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - most))
        text = file.read(most).decode("utf-8", "replace")
    return f"… {size - most} bytes before this\n{text}" if size > most else text


def render_claims(claims: Sequence[Mapping[str, str]]) -> str:
    rows = [
        f"<tr><td><code>{_text(claim.get('subject', ''))}</code></td>"
        f"<td><q>{_text(claim.get('said', '')[:300])}</q></td>"
        f"<td class='red'>{_text(describe_failure(claim.get('why', '')))}</td></tr>"
        for claim in claims
    ]
    return make_table(("Task", "Claim", "What the run showed"), rows) if rows else ""


def make_table(head: Sequence[str], rows: Sequence[str]) -> str:
    """Return a table whose cells know their column's name: on a narrow screen a row is a card without a header."""
    names = "".join(f"<th>{name}</th>" for name in head)
    lines = "".join(_name_cells(head, row) for row in rows)
    return f"<div class='wide'><table><tr class='head'>{names}</tr>{lines}</table></div>"


def _name_cells(head: Sequence[str], row: str) -> str:
    first, *cells = row.split("<td")
    named = (f"<td data-name='{name}'{cell}" for name, cell in zip(head, cells, strict=True))
    return first + "".join(named)


def render_patches(patches: Sequence[TaskPatch]) -> str:
    """Return one part per task; very long ones are cut and say where the rest is."""
    left, parts = _ALL_PATCHES, []
    for task_patch in patches:
        shown = task_patch.text[: min(_PATCH, max(0, left))]
        left -= len(shown)
        more = len(task_patch.text) - len(shown)
        rest = f"<p class='quiet'>{more} more characters: ultrawork report --diff</p>" if more else ""
        lines = "".join(map(_line, _text(shown).splitlines()))
        counted = _count_lines(task_patch.text)
        name = f"<code>{_text(task_patch.name)}</code>" if task_patch.name else "author not known"
        parts.append(
            f"<details class='patch'><summary>{name} <span class='quiet'>{counted}</span></summary>"
            f"<pre>{lines}</pre>{rest}</details>"
        )
    return "".join(parts)


def _line(line: str) -> str:
    """Color a line, which is escaped already."""
    kinds = {"+": "plus", "-": "minus", "@": "at"}
    kind = "" if line.startswith(("+++", "---")) else kinds.get(line[:1], "")
    return f"<span class='{kind}'>{line}</span>\n" if kind else f"{line}\n"


def _count_lines(patch: str) -> str:
    lines = [line for line in patch.splitlines() if not line.startswith(("+++", "---"))]
    added, removed = (sum(1 for line in lines if line.startswith(sign)) for sign in "+-")
    files = sum(1 for line in lines if line.startswith("diff --git "))
    return f"{count_things(files, 'file')}, +{added} -{removed}"
