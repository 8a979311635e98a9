"""Edits that a server proposes, planned on the texts that it knows."""

import os

from ...core.check import shown
from ...core.errors import Conflict, NotFound, Trouble
from ..changes import Outcome
from .documents import path_of
from .positions import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from ..changes import Plan


def touched(edit: "Mapping[str, Any]") -> list[str]:
    """The files whose text the server must have known to propose this."""
    return [path for kind, path, _ in _steps(edit) if kind == "edit"]


def plan(edit: "Mapping[str, Any]", known: "Callable[[str], str | None]", encoding: str) -> "Plan":
    """What every file will be; `known` gives the text that the server has been working on."""
    made: Plan = {}
    for kind, path, detail in _steps(edit):
        outcome = made.setdefault(path, _as_is(path, known))
        if kind == "edit":
            outcome.after = changed(_text(outcome, path), detail, encoding)
        elif kind == "create":
            _create(outcome, path, detail)
        elif kind == "delete":
            outcome.after = None
        else:
            target = _local(str(detail.get("newUri")))
            moved = made.setdefault(target, _as_is(target, known))
            _free(moved, target, detail)
            moved.after, outcome.after = _text(outcome, path), None
    return {path: outcome for path, outcome in made.items() if outcome.before != outcome.after}


def changed(text: str, edits: "list[dict[str, Any]]", encoding: str) -> str:
    """The text after all edits; their ranges speak of the text before any of them."""
    source = Text(text, encoding)
    spans = [
        (source.offset(edit["range"]["start"]), source.offset(edit["range"]["end"]), place, edit)
        for place, edit in enumerate(edits)
    ]
    pieces, done = [], 0
    for start, end, _, edit in sorted(spans, key=lambda span: span[:3]):
        if start < done or end < start:
            raise Trouble("the server proposed edits that overlap; nothing was changed")
        pieces += [text[done:start], str(edit["newText"])]
        done = end
    return "".join(pieces) + text[done:]


def _steps(edit: "Mapping[str, Any]") -> "Iterator[tuple[str, str, Any]]":
    """(kind, path, detail) in order; servers use `documentChanges` or the older `changes`."""
    changes = edit.get("documentChanges")
    if changes is None:
        for uri, edits in (edit.get("changes") or {}).items():
            yield "edit", _local(uri), edits
        return
    for change in changes:
        kind = change.get("kind")
        if kind is None:
            yield "edit", _local(change["textDocument"]["uri"]), change["edits"]
        else:
            yield kind, _local(change.get("oldUri") or change["uri"]), change


def _local(uri: str) -> str:
    path = path_of(uri)
    if path is None:
        raise Trouble(f"the edit reaches {shown(uri)}, which is no file; nothing was changed")
    return os.path.realpath(path)


def _as_is(path: str, known: "Callable[[str], str | None]") -> Outcome:
    text = known(path)
    return Outcome(text, text)


def _text(outcome: Outcome, path: str) -> str:
    if outcome.after is None:
        raise NotFound(f"the edit changes {shown(path)}, which does not exist")
    return outcome.after


def _create(outcome: Outcome, path: str, detail: "Mapping[str, Any]") -> None:
    options = detail.get("options") or {}
    if outcome.after is not None and options.get("ignoreIfExists"):
        return
    _free(outcome, path, detail)
    outcome.after = ""


def _free(outcome: Outcome, path: str, detail: "Mapping[str, Any]") -> None:
    if outcome.after is not None and not (detail.get("options") or {}).get("overwrite"):
        raise Conflict(f"the edit creates {shown(path)}, which exists already")
