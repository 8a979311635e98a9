"""What was on when a conversation was compacted: one file each, the newest few are kept."""

from time import gmtime, strftime
from typing import Any

from .. import atomic
from ..codec import dumps_pretty, loads
from .folder import Omc

KEPT = 10


def write(omc: Omc, content: dict[str, Any], now: float) -> str:
    folder = f"{omc.root}/state/checkpoints"
    stamp = strftime("%Y%m%d-%H%M%S", gmtime(now))
    path = f"{folder}/checkpoint-{stamp}-{str(content.get('session_id', ''))[:8]}.json"
    omc.prepare(folder)
    atomic.write(path, dumps_pretty(content), mode=0o644)
    for old in list_all(omc)[:-KEPT]:
        omc.remove(old)
    return path


def find_last(omc: Omc, session: str) -> dict[str, Any] | None:
    """Return the newest one of this session."""
    for path in reversed(list_all(omc)):
        try:
            document = loads(omc.read(path) or "")
        except ValueError:
            continue
        if isinstance(document, dict) and document.get("session_id") == session:
            return document
    return None


def list_all(omc: Omc) -> list[str]:
    """Return checkpoints, oldest first: their names contain the time."""
    folder = f"{omc.root}/state/checkpoints"
    return [f"{folder}/{name}" for name in atomic.list_folder(folder) if name.startswith("checkpoint-")]
