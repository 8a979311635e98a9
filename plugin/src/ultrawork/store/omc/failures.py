"""What a session has gone through: tool failures, as a short log and the last one with its repeat count; and what it
has seen and done, one line each, so that nothing is shown twice."""

from typing import Any

from ...core.times import format_iso, parse_iso
from ..atomic import read_text
from ..codec import digest, dumps, dumps_pretty
from .folder import Omc, parse_view

KEPT = 100
AGAIN = 60.0
_INPUT, _ERROR = 200, 500


def note(omc: Omc, session: str, tool: str, *, given: str, error: str, now: float) -> int:
    """Record a failure; return how often the same tool failed the same way, each within a minute."""
    _log(omc, {"at": format_iso(now), "session": session, "tool": tool, "error": error[:_ERROR]})
    count = 1
    kind = digest(f"{tool}\n{error[:80]}")[:16]

    def edit(text: str | None) -> str:
        nonlocal count
        old = parse_view(text)
        same = old.get("kind") == kind and now - (parse_iso(str(old.get("at"))) or 0.0) <= AGAIN
        count = int(old.get("retry_count", 0)) + 1 if same else 1
        last = {"tool": tool, "input": given[:_INPUT], "error": error[:_ERROR], "at": format_iso(now)}
        return dumps_pretty({**last, "kind": kind, "retry_count": count})

    omc.change(_path(omc, session), edit)
    return count


def find_last(omc: Omc, session: str, now: float) -> dict[str, Any]:
    """Return the last failure, if it is not older than a minute."""
    view = parse_view(omc.read(_path(omc, session)))
    return view if now - (parse_iso(str(view.get("at"))) or 0.0) <= AGAIN else {}


def clear_if_mended(omc: Omc, session: str, tool: str) -> None:
    """The same tool has worked since: its failure is over."""
    if parse_view(omc.read(_path(omc, session))).get("tool") == tool:
        omc.change(_path(omc, session), lambda _: None)


def _log(omc: Omc, entry: dict[str, Any]) -> None:
    path = f"{omc.root}/logs/errors.jsonl"

    def edit(text: str | None) -> str:
        lines = [line for line in (text or "").split("\n") if line]
        return "\n".join([*lines, dumps(entry)][-KEPT:]) + "\n"

    omc.change(path, edit)


def _path(omc: Omc, session: str) -> str:
    return f"{omc.state_folder(session)}/last-tool-error.json"


_SIZE = 1_000_000
_LONG = 200


def take_new(omc: Omc, session: str, *keys: str) -> list[str]:
    """Return the keys that are new to this session, and mark them as seen."""
    if not session or not keys:
        return list(keys)
    path = _locate_told(omc, session)
    known = _read_known(path)
    fresh = [key for key in dict.fromkeys(keys) if _line(key) not in known]
    if fresh:
        omc.append(path, "".join(f"{_line(key)}\n" for key in fresh))
    return fresh


def list_known(omc: Omc, session: str, beginning: str) -> list[str]:
    """Return its keys with this prefix."""
    return [line for line in _read_known(_locate_told(omc, session)) if line.startswith(beginning)]


def forget(omc: Omc, session: str) -> None:
    """Forget all keys, because the model knows nothing after compaction."""
    omc.remove(_locate_told(omc, session))


def _locate_told(omc: Omc, session: str) -> str:
    return f"{omc.state_folder(session)}/told"


def _line(key: str) -> str:
    plain = key.replace("\n", " ")
    return plain if len(plain) <= _LONG else f"{plain[:100]} {digest(key)[:32]}"


def _read_known(path: str) -> frozenset[str]:
    return frozenset((read_text(path, _SIZE) or "").split("\n"))
