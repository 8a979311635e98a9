"""Validate external input: each function returns the value, or raises one clear sentence. Also read a document by a
path such as `plan.approved_at` or `explorers[0].id`."""

from .errors import NotFound, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

SHOWN = 50
SESSION_ID_LIMIT = 128
TASK_ID_LIMIT = 64
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_ID_CHARACTERS = _LETTERS | frozenset("._-")
_NESTED = (dict, list)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def quote(value: object) -> str:
    """Return input that is safe to print: quoted, on one line, shortened to 50 characters."""
    text = value if isinstance(value, str) else str(value)
    short = text[:SHOWN] + "…" if len(text) > SHOWN else text
    return '"' + "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in short) + '"'


def require_session_id(value: str) -> str:
    return _identifier(value, "session", SESSION_ID_LIMIT)


def require_task_id(value: str) -> str:
    return _identifier(value, "task", TASK_ID_LIMIT)


def _identifier(value: str, noun: str, limit: int) -> str:
    if value[:1] in ("{", "$", "<") or "${" in value:
        raise UsageError(f"{quote(value)} is a placeholder; pass the real {noun} id (list them: ultrawork {noun} list)")
    legal = value[:1] in _LETTERS and len(value) <= limit and _ID_CHARACTERS.issuperset(value)
    if not value or not legal:
        raise UsageError(
            f"{quote(value)} is not a {noun} id: use letters, digits, dot, underscore and dash, "
            f"beginning with a letter or digit, at most {limit} characters"
        )
    return value


def require_choice(value: str, known: "Iterable[str]", noun: str) -> str:
    if value in known:
        return value
    raise UsageError(f"{quote(value)} is not a {noun}; known: {', '.join(known)}")


def parse_number(value: str, noun: str, low: int = 0, high: int = 1_000_000) -> int:
    digits = value.strip()
    if digits.isascii() and digits.isdigit() and len(digits) < 10 and low <= int(digits) <= high:
        return int(digits)
    raise UsageError(f"{quote(value)} is not a {noun}: give a whole number from {low} to {high}")


def parse_duration(value: object, noun: str) -> float:
    """Return seconds from `90`, `"90s"`, `"2m"`, `"1.5h"`."""
    text = str(value).strip()
    number = text.rstrip("smhd")
    unit = text[len(number) :] or "s"
    try:
        seconds = float(number) * _UNITS[unit]
    except (KeyError, ValueError):
        seconds = -1.0
    if not 0 <= seconds < 1e9:
        raise UsageError(f"{quote(value)} is not a {noun}: write it as 90s, 2m or 1h")
    return seconds


def clean_text(value: str, noun: str, limit: int = 100_000) -> str:
    """Free text: not empty, no NUL, bounded, and valid Unicode (a lone surrogate cannot be stored)."""
    cleaned = value.strip()
    if not cleaned:
        raise UsageError(f"the {noun} is empty; add a few words")
    if "\0" in cleaned:
        raise UsageError(f"the {noun} {quote(cleaned)} contains a NUL character; remove it")
    if len(cleaned) > limit:
        raise UsageError(f"the {noun} has {len(cleaned):,} characters; at most {limit:,} are kept")
    return cleaned.encode("utf-8", "replace").decode("utf-8")


def is_too_deep(value: object, limit: int) -> bool:
    """Return whether lists and objects are nested in each other deeper than that; never recurses itself."""
    level = [value] if isinstance(value, _NESTED) else []
    for _ in range(limit):
        if not level:
            return False
        level = [
            item
            for container in level
            for item in (container.values() if isinstance(container, dict) else container)
            if isinstance(item, _NESTED)
        ]
    return bool(level)


def find_nearest(word: str, known: "Iterable[str]") -> str | None:
    """Return the known word that was probably meant."""
    from difflib import get_close_matches

    close_matches = get_close_matches(word[:SHOWN], list(known), n=1, cutoff=0.6)
    return close_matches[0] if close_matches else None


def pick_field(document: "Any", path: str) -> "Any":
    value = document
    for step in path.replace("[", ".").replace("]", "").split("."):
        value = _step(value, step, path)
    return value


def _step(value: "Any", step: str, path: str) -> "Any":
    if isinstance(value, dict) and step in value:
        return value[step]
    if isinstance(value, list) and _is_index(step) and int(step) < len(value):
        return value[int(step)]
    known = ", ".join(list(value)[:20]) if isinstance(value, dict) else ""
    raise NotFound(f"no field {quote(path)}" + (f"; known here: {known}" if known else ""))


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdigit() and len(step) < 10
