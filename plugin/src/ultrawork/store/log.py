"""
Log internal errors: one file per part of the program, rotated at 1 MB.

Also log what was permitted, denied or enforced: one JSON line each in the state folder, where no agent writes.
Secrets are masked and long texts shortened; full files are rotated, seven are kept.
"""

import os
from collections.abc import Mapping
from time import gmtime, strftime

from ..core.times import format_iso
from .codec import dumps
from .paths import Home

_LIMIT = 1_000_000


def write(home: Home, part: str, text: str) -> str:
    """Append a line with time and process; return the file's name."""
    path = f"{home.logs}/{part}.log"
    stamp = strftime("%Y-%m-%dT%H:%M:%SZ", gmtime())
    append(path, f"{stamp} {os.getpid()} {text.rstrip()}", limit=_LIMIT, kept=1)
    return path


def append(path: str, line: str, *, limit: int, kept: int) -> None:
    """Append with one write, so that lines of several programs never mix. `kept` older files stay."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    try:
        os.write(handle, line.encode("utf-8", "replace") + b"\n")
        if os.fstat(handle).st_size > limit:
            _turn_over(path, kept, os.fstat(handle).st_ino)
    finally:
        os.close(handle)


def _turn_over(path: str, kept: int, full: int) -> None:
    """Rotate under a lock, unless another process has done it meanwhile."""
    from .atomic import Lock

    with Lock(path + ".lock"):
        if not os.path.exists(path) or os.stat(path).st_ino != full:
            return
        for number in range(kept - 1, 0, -1):
            if os.path.exists(f"{path}.{number}"):
                os.replace(f"{path}.{number}", f"{path}.{number + 1}")
        os.replace(path, path + ".1")


AUDIT_LIMIT = 10_000_000
AUDIT_KEPT = 7
_LONGEST = 500


def locate_audit(home: Home) -> str:
    return home.logs + "/audit.jsonl"


def write_audit(home: Home, kind: str, facts: Mapping[str, str], environ: Mapping[str, str], now: float) -> None:
    """Raises where it cannot be written: what is not written down is not permitted."""
    from ..core.redact import redact

    masked = {key: redact(value, environ)[:_LONGEST] for key, value in facts.items()}
    append(
        locate_audit(home), dumps({"at": format_iso(now), "kind": kind, **masked}), limit=AUDIT_LIMIT, kept=AUDIT_KEPT
    )
