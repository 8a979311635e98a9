"""Edits that a server proposes: planned on known texts, shown as a diff, written all or not at all."""

import os
import stat

from ...core.check import shown
from ...core.errors import Conflict, NotFound, Trouble, UsageError
from .documents import path_of, read
from .positions import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    Plan = dict[str, "Outcome"]

SHOWN_LINES = 400


class Outcome:
    """One file's text before and after; None where there is no file."""

    __slots__ = ("after", "before")

    def __init__(self, before: str | None, after: str | None) -> None:
        self.before = before
        self.after = after


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


def preview(made: "Plan", top: str) -> str:
    """Unified diffs, bounded."""
    from difflib import unified_diff

    lines: list[str] = []
    for path, outcome in made.items():
        name = os.path.relpath(path, top)
        old = "/dev/null" if outcome.before is None else "a/" + name
        new = "/dev/null" if outcome.after is None else "b/" + name
        before, after = (outcome.before or "").splitlines(), (outcome.after or "").splitlines()
        lines += unified_diff(before, after, old, new, lineterm="", n=2)
    if len(lines) > SHOWN_LINES:
        lines[SHOWN_LINES:] = [f"… {len(lines) - SHOWN_LINES} more lines"]
    return "\n".join(lines)


def write(made: "Plan", top: str) -> None:
    """Writes every file or none: refused if one of them is not as it was when this was planned."""
    _check(made, top)
    staged = {path: _staged(path, outcome) for path, outcome in made.items()}
    done: list[str] = []
    try:
        _check(made, top)
        for path, temporary in staged.items():
            done.append(path)
            _put(path, temporary)
    except BaseException:
        for path in done:
            _put(path, _staged(path, Outcome(made[path].after, made[path].before)))
        raise
    finally:
        for temporary in staged.values():
            if temporary and os.path.lexists(temporary):
                os.unlink(temporary)


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


def _check(made: "Plan", top: str) -> None:
    inside = os.path.join(os.path.realpath(top), "")
    for path, outcome in made.items():
        if not path.startswith(inside):
            raise UsageError(
                f"the edit reaches {shown(path)}, outside the worktree; nothing was changed"
            )
        if on_disk(path) != outcome.before:
            name = os.path.relpath(path, top)
            raise Conflict(f"{name} changed meanwhile, so nothing was written; ask again")


def on_disk(path: str) -> str | None:
    try:
        return read(path)
    except NotFound:
        return None


def _staged(path: str, outcome: Outcome) -> str | None:
    """The new text in a file beside the old one, with its permissions; None for a deletion."""
    if outcome.after is None:
        return None
    os.makedirs(os.path.dirname(path), exist_ok=True)
    temporary = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    mode = stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else 0o644
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(outcome.after.encode())
        file.flush()
        os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())
    return temporary


def _put(path: str, temporary: str | None) -> None:
    if temporary is not None:
        os.replace(temporary, path)
    elif os.path.lexists(path):
        os.unlink(path)
