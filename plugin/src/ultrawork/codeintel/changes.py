"""Changes to several files: shown as a diff, written all or not at all."""

import os
import stat
from dataclasses import dataclass
from difflib import unified_diff

from ..core.check import quote
from ..core.errors import Conflict, NotFound, UsageError
from .files import read_text

SHOWN_LINES = 400


@dataclass(slots=True)
class TextChange:
    """One file's text before and after; None if it does not exist."""

    before: str | None
    after: str | None


TextChanges = dict[str, TextChange]


def render_diff(made: TextChanges, top: str) -> str:
    """Unified diffs, bounded."""
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


def write(made: TextChanges, top: str) -> None:
    """Write every file or none; raise if one changed since this was planned."""
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
            _put(path, _staged(path, TextChange(made[path].after, made[path].before)))
        raise
    finally:
        for temporary in staged.values():
            if temporary and os.path.lexists(temporary):
                os.unlink(temporary)


def read_current(path: str) -> str | None:
    try:
        return read_text(path)
    except NotFound:
        return None


def _check(made: TextChanges, top: str) -> None:
    inside = os.path.join(os.path.realpath(top), "")
    for path, outcome in made.items():
        if not path.startswith(inside):
            raise UsageError(f"the edit would change {quote(path)} outside the worktree; nothing was changed")
        if read_current(path) != outcome.before:
            name = os.path.relpath(path, top)
            raise Conflict(f"{name} changed meanwhile, so nothing was written; try again")


def _staged(path: str, outcome: TextChange) -> str | None:
    """Return the new text in a file beside the old one, with its permissions; None for a deletion."""
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
