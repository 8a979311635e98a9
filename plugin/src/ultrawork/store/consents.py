"""Consent that a terminal alone cannot give: requested there, given with a code that only the client's screen shows.

The code itself is not stored, only what recognizes it."""

import os
from typing import Any

from . import markers
from .codec import digest
from .paths import Home

LASTS = 600.0
_SIGNS = "ACDEFHJKLMNPQRTUVWXY3479"  # none that is easily taken for another
_LENGTH = 5


def _key(place: str) -> str:
    return digest(place)[:16]


def _read(home: Home, place: str, now: float) -> dict[str, Any]:
    marker = markers.get(home, markers.CODES, _key(place)) or {}
    if marker and now - float(marker.get("at") or 0.0) > LASTS:
        markers.remove(home, markers.CODES, _key(place))
        return {}
    return marker


def request(home: Home, place: str, command: str, terminal: str, now: float) -> None:
    """Request a code; a waiting request for the same command stays."""
    known = _read(home, place, now)
    if known.get("command") != command:
        content = {"command": command, "terminal": terminal, "at": now}
        markers.put(home, markers.CODES, _key(place), content)


def issue_code(home: Home, place: str, now: float) -> tuple[str, str, str]:
    """Return a new code with the command and the terminal that it is for; empty if none is due."""
    known = _read(home, place, now)
    if not known or known.get("code") or known.get("given"):
        return "", "", ""
    code = "".join(_SIGNS[byte % len(_SIGNS)] for byte in os.urandom(_LENGTH))
    markers.put(home, markers.CODES, _key(place), {**known, "code": digest(f"{place} {code}")})
    return code, str(known["command"]), str(known["terminal"])


def give(home: Home, place: str, typed: str, now: float) -> str:
    """Return the command that this code approves; empty if it is none."""
    known = _read(home, place, now)
    if not known.get("code") or digest(f"{place} {typed.strip().upper()}") != known["code"]:
        return ""
    markers.put(home, markers.CODES, _key(place), {**known, "code": "", "given": True, "at": now})
    return str(known["command"])


def is_taken(home: Home, place: str, command: str, now: float) -> bool:
    """Return whether the user approved this exact command in the client; it counts once."""
    known = _read(home, place, now)
    if not known.get("given") or known.get("command") != command:
        return False
    markers.remove(home, markers.CODES, _key(place))
    return True
