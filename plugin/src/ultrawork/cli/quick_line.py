"""The status line from a cached file, before the rest of the program is loaded."""

import io
import os
import sys
from collections.abc import Mapping
from time import time

from ..core.status_line import PRESETS, render_status_line
from ..store import line_cache, paths
from ..store.codec import loads

_LARGEST = 1 << 20


def answer_quickly(words: list[str], environ: Mapping[str, str]) -> None:
    """Print the line and exit if a client asks and the cache is valid; otherwise return."""
    preset = words[1] if words[:1] == ["--preset"] and len(words) == 2 else ""
    if (words and preset not in PRESETS) or sys.stdin is None or sys.stdin.isatty():
        return
    data = sys.stdin.buffer.read(_LARGEST)
    line = _find_line(data, preset, environ)
    if line is None:
        sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="replace")
        return
    os.write(1, f"{line}\n".encode("utf-8", "replace") if line else b"")
    os._exit(0)


def _find_line(data: bytes, preset: str, environ: Mapping[str, str]) -> str | None:
    try:
        document = loads(data.decode("utf-8", "replace"))
        name = document.get("session_id") if isinstance(document, dict) else None
        if not isinstance(name, str) or not name:
            return None
        now = time()
        facts = line_cache.find_kept(paths.find_home(environ), name, now)
        return render_status_line(facts, preset or str(facts["preset"]), now) if facts else None
    except Exception:  # noqa: BLE001 (whatever is wrong here, the whole program knows better)
        return None
