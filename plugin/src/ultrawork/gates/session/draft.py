"""First checks for a project that has none: a draft of ultrawork.toml and of one test, fitted to its language."""

import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.errors import Conflict, NotFound
from ...core.verdict.gate import TEST, Gate
from ...store import atomic
from ...store.codec import dumps
from ...store.paths import find_root
from ...system.program import find_program
from ..find.project import FOREIGN

SETTINGS = "ultrawork.toml"
_DEEPEST = 4
_MOST = 5000


@dataclass(frozen=True, slots=True)
class GateDraft:
    """`gates` are names with their commands; `missing` names the language's program where it is not installed."""

    title: str
    gates: dict[str, str]
    skeleton: str = ""
    text: str = ""
    missing: str = ""

    @property
    def settings(self) -> str:
        lines = [f"{name} = {dumps(command)}" for name, command in self.gates.items()]
        return "\n".join(["[gates]", *lines, ""])

    def render(self, way: str) -> str:
        parts = [f"A first check for this {self.title} project, in {SETTINGS}:", *_indent(self.settings)]
        if self.skeleton:
            parts += [f"and a test to begin with, in {self.skeleton}:", *_indent(self.text)]
        parts += [f"Missing: {self.missing} is not installed; install it first"] if self.missing else []
        return "\n".join([*parts, f"Write it: {way}"])

    def document(self) -> dict[str, Any]:
        return {
            "language": self.title,
            "gates": self.gates,
            "settings": self.settings,
            "skeleton": self.skeleton or None,
            "text": self.text,
            "missing": self.missing or None,
        }


def _indent(text: str) -> list[str]:
    return [f"  {line}".rstrip() for line in text.strip("\n").split("\n")]


def make_draft(place: str, gates: Sequence[Gate], environ: Mapping[str, str]) -> GateDraft:
    """Return what a project lacks. Raise if it has a test check or an unknown language."""
    tests = [gate for gate in gates if gate.kind == TEST]
    if tests:
        raise Conflict(f"this project has a test check already: {tests[0].command}; see ultrawork gates")
    known, files = _load_table(), list(_list_files(place))
    name = _find_language(known, files)
    if not name:
        raise NotFound(
            f'no draft fits this project; write the command that checks it to {SETTINGS}: [gates] test = "..."'
        )
    row = known[name]
    values = _find_values(row, place, files)
    kinds = {gate.kind for gate in gates}
    commands: dict[str, str] = {
        kind: str(row[kind]).format(**values) for kind in ("build", "test") if kind in row and kind not in kinds
    }
    program = str(row["program"])
    return GateDraft(
        str(row["title"]),
        commands,
        str(row.get("skeleton", "")).format(**values),
        _fill(str(row.get("text", "")), values).lstrip("\n"),
        "" if find_program(program, environ) else program,
    )


def _fill(text: str, values: Mapping[str, str]) -> str:
    """Substitute values. Not `format`, because templates contain braces."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _load_table() -> dict[str, dict[str, Any]]:
    with open(f"{find_root()}/content/drafts.toml", "rb") as file:
        return tomllib.load(file)


def _list_files(place: str) -> Iterator[str]:
    """Yield the project's own source files, top-level ones first."""
    count = 0
    for folder, folders, files in os.walk(place):
        below = folder[len(place) :].strip("/")
        deep = below.count("/") + 1 if below else 0
        folders[:] = sorted(
            subfolder for subfolder in folders if subfolder[0] != "." and subfolder not in FOREIGN and deep < _DEEPEST
        )
        for name in sorted(files):
            count += 1
            if count > _MOST:
                return
            yield f"{below}/{name}".lstrip("/")


def _find_language(known: Mapping[str, Mapping[str, Any]], files: Sequence[str]) -> str:
    endings = {ending: name for name, row in known.items() for ending in row["endings"]}
    counted = Counter(name for path in files if (name := endings.get(os.path.splitext(path)[1].lower())))
    return counted.most_common(1)[0][0] if counted else ""


def _find_values(row: Mapping[str, Any], place: str, files: Sequence[str]) -> dict[str, str]:
    own = [path for path in files if path.endswith(tuple(row["endings"]))]
    path = min(own, key=lambda candidate: (candidate.count("/"), candidate))
    name = re.sub(r"\W", "_", os.path.splitext(os.path.basename(path))[0])
    match = None
    if "finds" in row:
        with open(f"{place}/{path}", encoding="utf-8", errors="replace") as file:
            match = re.search(row["finds"], file.read(65_536))
    return {"path": path, "name": name, "found": match[1] if match else "main"}


def write_draft(place: str, draft: GateDraft) -> list[str]:
    """The files that were written; settings and tests that are there stay as they are."""
    if os.path.lexists(f"{place}/{SETTINGS}"):
        raise Conflict(
            f"{SETTINGS} already exists; add these lines to it: {'; '.join(draft.settings.split(chr(10))).strip('; ')}"
        )
    wanted = {SETTINGS: draft.settings, **({draft.skeleton: draft.text} if draft.skeleton else {})}
    written = []
    for name, text in wanted.items():
        path = f"{place}/{name}"
        if not os.path.lexists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            atomic.write(path, text, mode=0o644)
            written.append(name)
    return written


def tell_written(written: Sequence[str]) -> str:
    return f"wrote {' and '.join(written)}. They count from the next ulw; fill in the test, then commit them"
